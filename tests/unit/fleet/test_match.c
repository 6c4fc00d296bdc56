#include "fleet/match.h"
#include "lab/environment/environment.h"
#include "stages.h"
#include "test.h"

#include <string.h>

static void assert_fault(const sotto_match *match, const char *environment, const char *field)
{
    char text[SOTTO_FAULT_BYTES];
    const char *fault = sotto__fleet_match_fault(match, text);
    assert_non_null(fault);
    if (strstr(fault, environment) == NULL || strstr(fault, field) == NULL) {
        fail_msg("\"%s\" does not name %s and %s", fault, environment, field);
    }
}

static sotto_match match_for(sotto_spec spec, sotto_environment_kind environment)
{
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    return sotto__fleet_match(&terms, environment, NULL, 1000);
}

static void an_environment_that_does_not_fit_is_named_with_the_term(void **state)
{
    (void)state;
    sotto_spec spec = stage_terms(0).spec;
    sotto_match match = match_for(spec, SOTTO_ENVIRONMENT_GAUSSIAN);
    assert_fault(&match, "gaussian", "context_norm_max = 1");
    match = match_for(spec, SOTTO_ENVIRONMENT_LOAN);
    assert_fault(&match, "loan", "loan");
    match = match_for(spec, SOTTO_ENVIRONMENT_SPHERE);
    match.environment.theta_norm = 2;
    assert_fault(&match, "sphere", "theta_norm = 2");
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    match = match_for(spec, SOTTO_ENVIRONMENT_MARGIN);
    assert_fault(&match, "margin", "parameters = per-arm");
    match = match_for(spec, SOTTO_ENVIRONMENT_PUBLISHED);
    assert_fault(&match, "published", "context_norm_max");
}

static void rewards_that_the_range_cuts_off_do_not_fit(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2;
    spec.arms = 3;
    spec.reward_lo = 0;
    sotto_match match = match_for(spec, SOTTO_ENVIRONMENT_SPHERE);
    assert_fault(&match, "sphere", "reward_lo, reward_hi = 0, 1");
}

static void those_that_fit_have_no_fault(void **state)
{
    (void)state;
    static const sotto_environment_kind kinds[] = {
        SOTTO_ENVIRONMENT_SPHERE, SOTTO_ENVIRONMENT_BALL, SOTTO_ENVIRONMENT_ANISOTROPIC,
        SOTTO_ENVIRONMENT_DRIFT, SOTTO_ENVIRONMENT_PUBLISHED};
    char text[SOTTO_FAULT_BYTES];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        sotto_match match = match_for(stage_terms(0.1).spec, kinds[i]);
        match.horizon = SOTTO_HORIZON_MAX; /* any number of people */
        const char *fault = sotto__fleet_match_fault(&match, text);
        if (fault != NULL) fail_msg("%s", fault);
    }
}

/* As `sotto simulate` makes its match: by the scene, not by terms. */
static void the_people_are_those_of_a_simulation_with_the_same_seed(void **state)
{
    (void)state;
    sotto_terms terms = stage_terms(0);
    const sotto_scene scene = {.dim = 2,
                               .arms = 3,
                               .link = SOTTO_LINK_LOGIT,
                               .reward_kind = SOTTO_REWARD_BINARY,
                               .environment = SOTTO_ENVIRONMENT_BALL,
                               .horizon = 1000};
    sotto_match simulated =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 0.5, 1e-6);
    sotto_match match = sotto__fleet_match(&terms, SOTTO_ENVIRONMENT_BALL, NULL, 1000);
    sotto__world *one, *other;
    assert_ok(sotto__world_new(&simulated, 7, &one));
    assert_ok(sotto__world_new(&match, 7, &other));
    for (uint32_t i = 0; i < 1000; i++) {
        sotto__world_next(one);
        sotto__world_next(other);
        assert_memory_equal(one->context, other->context, 6 * sizeof(double));
        for (uint32_t a = 0; a < 3; a++) {
            assert_true(sotto__world_reward(one, a) == sotto__world_reward(other, a));
        }
    }
    sotto__world_free(one);
    sotto__world_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_environment_that_does_not_fit_is_named_with_the_term),
        cmocka_unit_test(rewards_that_the_range_cuts_off_do_not_fit),
        cmocka_unit_test(those_that_fit_have_no_fault),
        cmocka_unit_test(the_people_are_those_of_a_simulation_with_the_same_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
