/* The lab computes in the floating-point environment of its thread. What a function of the caller's leaves behind ends
 * with its call. Plug-ins that do so: tests/support/guests.c. */
#include "float_modes.h"
#include "test.h"

#include <sotto/lab.h>

#include <fenv.h>
#include <string.h>

#define HORIZON 3000
#define SEEDS 3

static const float_mode *left_behind;
static sotto_point heard[SEEDS];

static bool leave_mode(void *state, uint64_t rounds)
{
    (void)state, (void)rounds;
    float_mode_enter(left_behind);
    return true;
}

static bool take(void *state, uint64_t run, const sotto_point *point,
                 const sotto_run_result *result)
{
    (void)result;
    assert_int_equal(fegetround(), FE_TONEAREST); /* whatever the last one left behind */
    heard[run] = *point;
    return leave_mode(state, 0);
}

static bool is_known(void *state, uint64_t run)
{
    (void)run;
    (void)leave_mode(state, 0);
    return false;
}

static void play(const float_mode *mode)
{
    const sotto_scene scene = {.dim = 3, .arms = 3, .horizon = HORIZON};
    const sotto_run_watch watch = {.go_on = leave_mode};
    const sotto_sweep_listener listener = {
        .finished = take, .known = is_known, .progress = leave_mode};
    const uint64_t at[] = {HORIZON};
    sotto_point point[] = {{.t = HORIZON}};
    sotto_run_result result;
    bool finished;
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1.1, 1e-6);
    assert_ok(sotto_match_set_learning(&match));
    left_behind = mode;
    assert_ok(sotto_match_play(&match, 1, point, 1, &watch, &result, &finished));
    assert_true(finished);
    assert_int_equal(fegetround(), FE_TONEAREST);
    const sotto_sweep sweep = {.match = &match,
                               .matches_count = 1,
                               .first_seed = 1,
                               .seeds_count = SEEDS,
                               .at = at,
                               .at_count = 1,
                               .threads = 1};
    assert_ok(sotto_sweep_run(&sweep, &listener));
    assert_int_equal(fegetround(), FE_TONEAREST);
    assert_memory_equal(&heard[0], point, sizeof point);
}

TEST(watches_and_listeners_that_leave_another_environment_change_no_run)
{
    sotto_point usual[SEEDS];
    play(&float_modes[0]);
    memcpy(usual, heard, sizeof usual);
    for (size_t m = 1; m < float_modes_count; m++) {
        if (!float_mode_exists(&float_modes[m])) continue;
        play(&float_modes[m]);
        assert_memory_equal(heard, usual, sizeof usual);
    }
}
