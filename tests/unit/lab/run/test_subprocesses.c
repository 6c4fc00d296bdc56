/* Runs in processes of their own: the same numbers as with threads. Whatever a guest does to its
 * process is reported, and the other runs continue. */
#include "guests.h"
#include "lab/run/run.h"
#include "scenes.h"
#include "test.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MATCHES = 3, SEEDS = 4, RUNS = MATCHES * SEEDS, POINTS = 3, HORIZON = 3000 };
static const uint64_t at[POINTS] = {1, 1500, HORIZON};

typedef struct heard {
    uint32_t finished[RUNS], failed[RUNS];
    sotto_point point[RUNS][POINTS];
    char fault[SOTTO_FAULT_BYTES];
    uint64_t rounds;
    uint32_t finished_count, failed_count;
    double uplift[RUNS]; /* as measured */
    uint32_t finished_max;
    bool stop_at_progress;
} heard;

static guest user;
static sotto_player_table table;
static sotto_match match[MATCHES];
static sotto_sweep sweep;
static heard h;
static sotto_sweep_listener listener;

static bool hear_finished(void *state, uint64_t run, const sotto_point *point,
                          const sotto_run_result *result)
{
    heard *self = state;
    assert_true(run < RUNS);
    assert_string_equal(result->fault.sentence, "");
    self->finished[run]++;
    self->finished_count++;
    memcpy(self->point[run], point, sizeof self->point[run]);
    self->uplift[run] = result->measured.there ? result->measured.seen.uplift.hi : -1;
    return self->finished_count < self->finished_max;
}

static bool hear_failed(void *state, uint64_t run, const char *fault)
{
    heard *self = state;
    assert_true(run < RUNS);
    self->failed[run]++;
    self->failed_count++;
    strcpy(self->fault, fault);
    return true;
}

static bool hear_progress(void *state, uint64_t rounds)
{
    heard *self = state;
    self->rounds = rounds;
    return !self->stop_at_progress;
}

static bool is_even(void *state, uint64_t run)
{
    (void)state;
    return run % 2 == 0;
}

/* Match 1 has the guest, the others are ours. */
FIXTURE(set_up)
{
    memset(&user, 0, sizeof user);
    memset(&h, 0, sizeof h);
    h.finished_max = RUNS + 1;
    user.round = 20;
    table = guest_player(&user);
    for (int i = 0; i < MATCHES; i++) {
        match[i] =
            small_match(i == 2 ? SOTTO_PLAYER_OLS : SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                        SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, HORIZON);
    }
    match[1].custom = &table;
    sweep = (sotto_sweep){match, MATCHES, 5, SEEDS, at, POINTS, 3};
    listener = (sotto_sweep_listener){NULL, hear_finished, hear_progress, &h, hear_failed};
}

/* No child process is left. */
static void assert_alone(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

TEST_WITH(bad_requests_are_refused, set_up, NULL)
{
    assert_status(sotto__sweep_subprocesses(NULL, &listener), SOTTO_E_ARGUMENT);
    assert_status(sotto__sweep_subprocesses(&sweep, NULL), SOTTO_E_ARGUMENT);
    listener.failed = NULL;
    assert_status(sotto__sweep_subprocesses(&sweep, &listener), SOTTO_E_ARGUMENT);
    set_up(NULL);
    sweep.threads = 0;
    assert_status(sotto__sweep_subprocesses(&sweep, &listener), SOTTO_E_FAULT);
}

TEST_WITH(a_match_that_cannot_be_played_ends_the_sweep, set_up, NULL)
{
    match[0].spec.dim = 0;
    assert_status(sotto__sweep_subprocesses(&sweep, &listener), SOTTO_E_FAULT);
    assert_alone();
}

/* All other runs are there, and those of the guest are reported as failed. */
static void assert_only_the_guest_failed(const char *words)
{
    assert_ok(sotto__sweep_subprocesses(&sweep, &listener));
    for (uint32_t run = 0; run < RUNS; run++) {
        bool guests = run / SEEDS == 1;
        assert_ints(h.finished[run], !guests, h.failed[run], guests);
    }
    if (strstr(h.fault, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", h.fault, words);
    assert_alone();
}

TEST(a_crash_an_abort_an_exit_and_a_misdeed_are_told_and_the_others_go_on)
{
    static const struct {
        misdeed misdeed;
        const char *told;
    } cases[] = {
        {MISDEED_CRASHES, "method guest: crashed with signal 11 ("},
        {MISDEED_ABORTS, "method guest: crashed with signal 6 ("},
        {MISDEED_EXITS, "method guest: ended the process with status 0"},
        {MISDEED_ARM_TOO_LARGE, "method guest, round 20: decide chose arm 4: allowed 0 to 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set_up(NULL);
        user.misdeed = cases[i].misdeed;
        assert_only_the_guest_failed(cases[i].told);
    }
}

TEST_WITH(who_never_ends_is_stopped, set_up, NULL)
{
    user.misdeed = MISDEED_NEVER_ENDS;
    h.stop_at_progress = true;
    assert_ok(sotto__sweep_subprocesses(&sweep, &listener));
    assert_int_equal(h.failed_count, 0);
    assert_alone();
}

TEST_WITH(two_guests_are_both_named, set_up, NULL)
{
    guest owner = {.misdeed = MISDEED_CRASHES, .round = 3};
    sotto_environment_table garden = guest_environment(&owner);
    const sotto_scene scene = {.dim = 3, .arms = 4, .horizon = HORIZON, .custom = &garden};
    match[1] = sotto_match_default(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
    assert_ok(sotto_match_set_learning(&match[1]));
    assert_only_the_guest_failed("environment garden: crashed with signal 11");
    set_up(NULL);
    match[1] = sotto_match_default(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
    match[1].custom = &table;
    assert_only_the_guest_failed("method guest or environment garden: crashed with signal 11");
}

static void measure_the_first(void)
{
    match[0] = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                           SOTTO_LINK_IDENTITY, HORIZON);
    match[0].spec.measure = 1u << 31;
}

TEST_WITH(the_numbers_are_those_of_threads, set_up, NULL)
{
    measure_the_first();
    assert_ok(sotto_sweep_run(&sweep, &listener));
    heard by_threads = h;
    for (uint32_t children = 1; children <= 4; children += 3) {
        set_up(NULL);
        measure_the_first();
        sweep.threads = children;
        assert_ok(sotto__sweep_subprocesses(&sweep, &listener));
        assert_int_equal(h.finished_count, RUNS);
        assert_memory_equal(h.uplift, by_threads.uplift, sizeof h.uplift);
        assert_true(h.uplift[0] > 0 && h.uplift[RUNS - 1] == -1);
        assert_memory_equal(h.point, by_threads.point, sizeof h.point);
        assert_alone();
    }
}

TEST_WITH(known_runs_are_left_out_and_the_listener_may_have_enough, set_up, NULL)
{
    listener.known = is_even;
    assert_ok(sotto__sweep_subprocesses(&sweep, &listener));
    for (uint32_t run = 0; run < RUNS; run++) {
        assert_int_equal(h.finished[run], run % 2);
    }
    set_up(NULL);
    h.finished_max = 2;
    assert_ok(sotto__sweep_subprocesses(&sweep, &listener));
    assert_int_equal(h.finished_count, 2);
    assert_alone();
}
