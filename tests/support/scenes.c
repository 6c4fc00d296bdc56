/* Matches to play, small. */
#include "scenes.h"
#include "test.h"

bool has_parameters(sotto_player player, sotto_parameters parameters)
{
    bool shared_only = player == SOTTO_PLAYER_SOTTO_OLS || player == SOTTO_PLAYER_JOINT_GLM;
    bool shared = parameters == SOTTO_PARAMETERS_SHARED;
    return shared ? player != SOTTO_PLAYER_MERINO : !shared_only;
}

sotto_match small_match(sotto_player player, sotto_calibration calibration,
                        sotto_parameters parameters, sotto_link link, uint64_t horizon)
{
    sotto_scene scene = {.dim = 3,
                         .arms = 4,
                         .parameters = parameters,
                         .link = link,
                         .reward_kind = sotto_link_reward_kind(link),
                         .environment = SOTTO_ENVIRONMENT_SPHERE,
                         .horizon = horizon};
    sotto_match match = sotto_match_default(player, calibration, &scene, 2, 1e-6);
    assert_ok(sotto_match_set_learning(&match));
    return match;
}

sotto_point play_match(const sotto_match *match, uint64_t seed)
{
    sotto_point point = {.t = match->horizon};
    sotto_run_result result;
    bool finished;
    assert_ok(sotto_match_play(match, seed, &point, 1, NULL, &result, &finished));
    assert_true(finished);
    return point;
}

sotto_match sphere_match(sotto_parameters parameters, sotto_link link, uint32_t dim, uint32_t arms,
                         double epsilon, uint64_t horizon)
{
    const sotto_scene scene = {
        .dim = dim,
        .arms = arms,
        .parameters = parameters,
        .link = link,
        .reward_kind = sotto_link_reward_kind(link),
        .environment = SOTTO_ENVIRONMENT_SPHERE,
        .horizon = horizon,
    };
    return sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, epsilon, 0);
}
