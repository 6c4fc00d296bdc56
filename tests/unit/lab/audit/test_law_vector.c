/* Layer 1 of this family: the mechanism follows its law, and answers that do not are told. Twins of
 * the mechanisms themselves are in tests/statistical/test_audit_twins.c. */
#include "lab/audit/law.h"
#include "lab/audit/law_rows.h"
#include "lab/random/random.h"
#include "subjects.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const double x[3] = {0.48, -0.6, 0.64};

static void the_mechanism_follows_its_law(void **state)
{
    (void)state;
    assert_follows_its_law(SOTTO_MECHANISM_PRIVUNIT);
}

/* The claim of one epsilon, the answers of another; the answers of another length. */
static void answers_of_another_law_are_told(void **state)
{
    (void)state;
    for (int longer = 0; longer < 2; longer++) {
        sotto__subject claimed = subject_of(SOTTO_MECHANISM_PRIVUNIT, 3, 1);
        sotto__subject drawn = subject_of(SOTTO_MECHANISM_PRIVUNIT, 3, longer == 1 ? 1 : 2);
        sotto_audit_result result = {.rows_count = 0};
        if (longer == 1) claimed.claim.privunit.scale *= 1.001;
        sotto__law *law;
        assert_ok(sotto__law_vector(&claimed.claim, x, 4000, &law));
        ask_again_and_again(&drawn, x, 4000, 3, &law->taker);
        law->rows(law, &result);
        const char *rows[] = {"answer in the cap (share)", "length of the answer (relative error)"};
        assert_false(row_named(&result, rows[longer])->passed);
        law->free(law);
        sotto__subject_free(&claimed);
        sotto__subject_free(&drawn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_another_law_are_told),
        cmocka_unit_test(the_mechanism_follows_its_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
