/* A law for each family. */
#include "lab/audit/law_table.h"
#include "subjects.h"
#include "test.h"

static void every_family_inside_has_its_law(void **state)
{
    (void)state;
    const double x[2] = {1, 0};
    for (uint32_t kind = 0; sotto_mechanism_kind_name(kind) != NULL; kind++) {
        sotto__subject subject = subject_of((sotto_mechanism_kind)kind, 2, 1);
        sotto__law *law;
        assert_ok(sotto__law_new(&subject.claim, x, 1000, &law));
        assert_non_null(law);
        law->free(law);
        sotto__subject_free(&subject);
    }
    sotto__claim outside = {.family = SOTTO__OUTSIDE};
    sotto__law *none;
    assert_ok(sotto__law_new(&outside, x, 1000, &none));
    assert_null(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_inside_has_its_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
