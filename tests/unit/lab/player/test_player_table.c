/* The table of players: every row plays. */
#include "scenes.h"
#include "test.h"

#include <math.h>

/* Which player a match gets shows in what it does: the same match under another calibration gives
 * another regret, but for the gradients that the paper and we have in common. */
static void each_calibration_has_its_own_player(void **state)
{
    (void)state;
    const sotto_player players[] = {SOTTO_PLAYER_LDP_SGD, SOTTO_PLAYER_LDP_OLS,
                                    SOTTO_PLAYER_LDP_UCB, SOTTO_PLAYER_LDP_GLOC};
    for (int p = 0; p < 4; p++) {
        for (int at = 0; at < 2; at++) {
            double regret[3];
            for (int c = 0; c < 3; c++) {
                sotto_match match = small_match(players[p], (sotto_calibration)c,
                                                (sotto_parameters)at, SOTTO_LINK_IDENTITY, 400);
                match.environment.noise = 0.1;
                match.learning.warm_up = 0;
                regret[c] = play_match(&match, 5).regret;
            }
            bool same = players[p] == SOTTO_PLAYER_LDP_SGD && at == 0;
            assert_int_equal(regret[0] == regret[1], same);
            assert_true(regret[1] != regret[2]);
        }
    }
}

/* The authors' ldp-sgd warms up by noisy least squares, although its spec has no delta. */
static void the_authors_per_arm_gradients_warm_up(void **state)
{
    (void)state;
    sotto_scene scene = {.dim = 3,
                         .arms = 4,
                         .parameters = SOTTO_PARAMETERS_PER_ARM,
                         .environment = SOTTO_ENVIRONMENT_PUBLISHED,
                         .horizon = 100};
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_PUBLISHED, &scene, 5, 0.1);
    assert_ok(sotto_match_set_learning(&match));
    assert_true(match.learning.warm_up > match.horizon);
    assert_true(match.spec.delta == 0);
    double error = play_match(&match, 5).estimation_error;
    assert_true(error > 0 && fabs(error - 4) > 1e-9); /* 4 is the error of estimates that are 0 */
}

static void a_player_s_estimate_is_finite_all_along(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        for (uint32_t at = 0; at < 8; at++) {
            sotto_link link = (sotto_link)(at / 2);
            char text[SOTTO_FAULT_BYTES];
            sotto_scene scene = {.dim = 3,
                                 .arms = 4,
                                 .parameters = (sotto_parameters)(at % 2),
                                 .link = link,
                                 .reward_kind = sotto_link_reward_kind(link),
                                 .environment = SOTTO_ENVIRONMENT_BALL,
                                 .horizon = 200};
            sotto_match match =
                sotto_match_default((sotto_player)p, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
            if (sotto_match_set_learning(&match) != SOTTO_OK) continue;
            if (sotto_match_fault(&match, text) != NULL) continue;
            sotto_point point[200];
            for (uint32_t i = 0; i < 200; i++) {
                point[i].t = i + 1;
            }
            sotto_run_result result;
            bool finished;
            assert_ok(sotto_match_play(&match, 9, point, 200, NULL, &result, &finished));
            for (uint32_t i = 0; i < 200; i++) {
                bool has_none = p == SOTTO_PLAYER_BEST_ARM;
                assert_true(has_none ? isnan(point[i].estimation_error)
                                     : isfinite(point[i].estimation_error));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_calibration_has_its_own_player),
        cmocka_unit_test(the_authors_per_arm_gradients_warm_up),
        cmocka_unit_test(a_player_s_estimate_is_finite_all_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
