/* Layer 0 of mechanisms: all pass; what it must see is in tests/support/broken.c, audited with few
 * trials in test_audit.c and with enough in tests/statistical. */
#include "broken.h"
#include "lab/audit/deterministic.h"
#include "subjects.h"
#include "test.h"

#include <math.h>
#include <string.h>

static void the_library_s_mechanisms_pass(void **state)
{
    (void)state;
    for (uint32_t kind = 0; sotto_mechanism_kind_name(kind) != NULL; kind++) {
        for (uint32_t dim = 1; dim <= 9; dim += 4) {
            sotto__subject subject = subject_of((sotto_mechanism_kind)kind, dim, 2);
            sotto_audit_result result = {.rows_count = 0};
            assert_ok(sotto__audit_deterministic(&subject, 5, &result));
            assert_true(result.rows_count >= 2);
            assert_int_equal(failed_rows(&result), 0);
            sotto__subject_free(&subject);
        }
    }
}

static sotto_status fail_to_draw(sotto__subject *subject, const double *x, sotto_rng *rng,
                                 sotto__answer *out)
{
    (void)subject, (void)x, (void)rng, (void)out;
    return SOTTO_E_ENTROPY;
}

static void a_draw_that_fails_ends_the_audit(void **state)
{
    (void)state;
    sotto__subject subject = subject_of(SOTTO_MECHANISM_L2BALL, 2, 1);
    sotto_audit_result result = {.rows_count = 0};
    subject.draw = fail_to_draw;
    assert_status(sotto__audit_deterministic(&subject, 5, &result), SOTTO_E_ENTROPY);
    sotto__subject_free(&subject);
}

/* A claim of a smaller ball than the one that is clipped to. */
static void statistics_too_far_apart_are_told(void **state)
{
    (void)state;
    sotto__subject subject = subject_of(SOTTO_MECHANISM_LAPLACE, 3, 1);
    sotto_audit_result result = {.rows_count = 0};
    subject.claim.diameter_ticks *= 0.999;
    assert_ok(sotto__audit_deterministic(&subject, 5, &result));
    assert_int_equal(failed_rows(&result), 1);
    assert_false(row_named(&result, "distance of two answers on the same coins (ticks)")->passed);
    sotto__subject_free(&subject);
}

/* Its distances are too large as well; this row is the one that says why. */
static void noise_that_depends_on_the_input_is_named(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < broken_count(); i++) {
        const broken *twin = broken_at(i);
        if (strcmp(twin->name, "gaussian, less noise for short inputs") != 0) continue;
        sotto_audit_result result;
        assert_ok(broken_audit(twin, 100, 1, &result));
        assert_false(row_named(&result, "noise that depends on the input (ticks)")->passed);
        return;
    }
    fail_msg("the twin is gone");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_that_depends_on_the_input_is_named),
        cmocka_unit_test(a_draw_that_fails_ends_the_audit),
        cmocka_unit_test(statistics_too_far_apart_are_told),
        cmocka_unit_test(the_library_s_mechanisms_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
