/* The table of environments, and which matches fit. */
#include "lab/environment/environment_rows.h"
#include "test.h"
#include "worlds.h"

#include <math.h>
#include <string.h>

#define KINDS (SOTTO_ENVIRONMENT_LOAN + 1)

static void assert_refused(const sotto_match *match, const char *field)
{
    char text[SOTTO_FAULT_BYTES];
    assert_ptr_equal(sotto__environment_fault(match, text), text);
    if (strncmp(text, field, strlen(field)) != 0) fail_msg("\"%s\", wanted %s", text, field);
    sotto__world dummy, *world = &dummy;
    assert_status(sotto__world_new(match, 1, &world), SOTTO_E_FAULT);
    assert_null(world);
}

static sotto_match plain(void)
{
    return match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 3, 4);
}

static void sizes_out_of_range_are_refused(void **state)
{
    (void)state;
    sotto_match match = plain();
    match.spec.dim = 0;
    assert_refused(&match, "dim = 0");
    match.spec.dim = SOTTO_DIM_MAX + 1;
    assert_refused(&match, "dim = 1025");
    match = plain();
    match.spec.arms = 1;
    assert_refused(&match, "arms = 1");
    match.spec.arms = SOTTO_ARMS_MAX + 1;
    assert_refused(&match, "arms = 1025");
    match.spec.dim = 1024, match.spec.arms = 65;
    assert_refused(&match, "arms = 65: dim x arms");
    match = plain();
    match.horizon = 0;
    assert_refused(&match, "horizon = 0");
    match.horizon = SOTTO_HORIZON_MAX + 1;
    assert_refused(&match, "horizon = 1000000000001");
    char text[SOTTO_FAULT_BYTES];
    match.horizon = SOTTO_HORIZON_MAX;
    match.spec.dim = 1024, match.spec.arms = 64;
    assert_null(sotto__environment_fault(&match, text));
}

static void unknown_kinds_are_refused(void **state)
{
    (void)state;
    sotto_match match = plain();
    match.environment.kind = (sotto_environment_kind)KINDS;
    assert_refused(&match, "environment = 8: not one of the known kinds (sphere");
    match = plain();
    match.environment.law = (sotto_reward_law)4;
    assert_refused(&match, "law = 4");
    match = plain();
    match.spec.link = (sotto_link)4;
    assert_refused(&match, "link = 4");
    match = plain();
    match.spec.parameters = (sotto_parameters)2;
    assert_refused(&match, "parameters = 2");
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    const double bad_noise[] = {-1e-9, 1.1e6, NAN, INFINITY};
    const double bad_norm[] = {0, -1, 1.0000001, NAN, INFINITY};
    char text[SOTTO_FAULT_BYTES];
    for (size_t i = 0; i < 4; i++) {
        sotto_match match = plain();
        match.environment.noise = bad_noise[i];
        assert_refused(&match, "noise = ");
    }
    for (size_t i = 0; i < 5; i++) {
        sotto_match match = plain();
        match.environment.theta_norm = bad_norm[i];
        assert_refused(&match, "theta_norm = ");
    }
    sotto_match match = plain();
    match.environment.theta_norm = match.spec.theta_norm_max;
    match.environment.noise = 0;
    assert_null(sotto__environment_fault(&match, text));
    match.environment.noise = 1e6;
    assert_null(sotto__environment_fault(&match, text));
}

/* Of all pairs of law and link, those whose mean the law can have. */
static void laws_without_such_means_are_refused(void **state)
{
    (void)state;
    const bool allowed[4][4] = {
        [SOTTO_LAW_GAUSSIAN] = {true, true, true, true},
        [SOTTO_LAW_NONE] = {true, true, true, true},
        [SOTTO_LAW_BERNOULLI] = {true, true, true, [SOTTO_LINK_LOG] = false},
        [SOTTO_LAW_POISSON] = {[SOTTO_LINK_LOG] = true},
    };
    for (uint32_t i = 0; i < 16; i++) {
        sotto_match match = plain();
        char text[SOTTO_FAULT_BYTES];
        match.environment.law = (sotto_reward_law)(i / 4);
        match.spec.link = (sotto_link)(i % 4);
        if (allowed[i / 4][i % 4]) {
            assert_null(sotto__environment_fault(&match, text));
        } else {
            assert_refused(&match, "reward_kind = ");
        }
    }
}

static void every_kind_has_its_row(void **state)
{
    (void)state;
    const sotto__environment *const rows[] = {
        &sotto__environment_sphere,      &sotto__environment_ball,   &sotto__environment_gaussian,
        &sotto__environment_anisotropic, &sotto__environment_margin, &sotto__environment_drift,
        &sotto__environment_published,   &sotto__environment_loan,
    };
    for (uint32_t i = 0; i < KINDS; i++) {
        assert_ptr_equal(sotto__environment_of((sotto_environment_kind)i), rows[i]);
        assert_true(rows[i]->shared);
        bool shared_only = i == SOTTO_ENVIRONMENT_MARGIN || i == SOTTO_ENVIRONMENT_LOAN;
        assert_true(rows[i]->per_arm == !shared_only);
    }
    sotto__world_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(unknown_kinds_are_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(laws_without_such_means_are_refused),
        cmocka_unit_test(every_kind_has_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
