/* Runs: refused if they are impossible, equal for equal seeds, and stopped on request. */
#include "lab/environment/environment.h"
#include "lab/player/player.h"
#include "lab/run/inner.h"
#include "scenes.h"
#include "stats.h"
#include "test.h"

#include <time.h>

TEST(bad_requests_are_refused)
{
    sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 10);
    sotto_point point[3] = {{.t = 5}, {.t = 10}, {.t = 11}};
    sotto_run_result result;
    bool finished = true;
    assert_status(sotto_match_play(NULL, 1, point, 2, NULL, &result, &finished), SOTTO_E_ARGUMENT);
    assert_status(sotto_match_play(&match, 1, NULL, 2, NULL, &result, &finished), SOTTO_E_ARGUMENT);
    assert_status(sotto_match_play(&match, 1, point, 2, NULL, NULL, &finished), SOTTO_E_ARGUMENT);
    assert_status(sotto_match_play(&match, 1, point, 2, NULL, &result, NULL), SOTTO_E_ARGUMENT);
    assert_status(sotto_match_play(&match, 1, point, 0, NULL, &result, &finished), SOTTO_E_LENGTH);
    assert_false(finished);
    assert_status(sotto_match_play(&match, 1, point, 1, NULL, &result, &finished), SOTTO_E_LENGTH);
    assert_status(sotto_match_play(&match, 1, point, 3, NULL, &result, &finished), SOTTO_E_LENGTH);
    point[0].t = 0;
    assert_status(sotto_match_play(&match, 1, point, 2, NULL, &result, &finished), SOTTO_E_LENGTH);
    point[0].t = 10;
    assert_status(sotto_match_play(&match, 1, point, 2, NULL, &result, &finished), SOTTO_E_LENGTH);
    match.spec.epsilon = -1;
    point[0].t = 5;
    assert_status(sotto_match_play(&match, 1, point, 2, NULL, &result, &finished), SOTTO_E_FAULT);
    match.spec.epsilon = 1;
    match.spec.reward_hi = 0.5; /* below some means: only the match is at fault */
    assert_status(sotto_match_play(&match, 1, point, 2, NULL, &result, &finished), SOTTO_E_FAULT);
}

/* Wraps sotto__play, so that a round can fail. */
static uint64_t failing_round; /* 0: none does */

sotto_status __real_sotto__play(sotto__world *world, sotto__player *player, double *regret);
sotto_status __wrap_sotto__play(sotto__world *world, sotto__player *player, double *regret);
sotto_status __wrap_sotto__play(sotto__world *world, sotto__player *player, double *regret)
{
    sotto_status status = __real_sotto__play(world, player, regret);
    return world->t == failing_round ? SOTTO_E_FULL : status;
}

TEST(a_round_that_fails_ends_the_run)
{
    sotto_match match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 10);
    sotto_point point = {.t = 10};
    sotto_run_result result;
    bool finished = true;
    for (failing_round = 1; failing_round <= 10; failing_round += 3) {
        assert_status(sotto_match_play(&match, 1, &point, 1, NULL, &result, &finished),
                      SOTTO_E_FULL);
        assert_false(finished);
    }
    failing_round = 0;
}

TEST(too_many_check_points_are_refused)
{
    enum { MANY = SOTTO_POINTS_MAX + 1 };
    sotto_match match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, MANY);
    static sotto_point point[MANY];
    sotto_run_result result;
    bool finished;
    for (uint32_t i = 0; i < MANY; i++) {
        point[i].t = i + 1;
    }
    assert_status(sotto_match_play(&match, 1, point, MANY, NULL, &result, &finished),
                  SOTTO_E_LENGTH);
    assert_ok(sotto_match_play(&match, 1, point + 1, MANY - 1, NULL, &result, &finished));
}

/* A run is its match and its seed: other checkpoints do not change it, another seed does. */
TEST(a_run_is_its_match_and_its_seed)
{
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        if (!has_parameters((sotto_player)p, SOTTO_PARAMETERS_SHARED)) continue;
        sotto_match match = small_match((sotto_player)p, SOTTO_CALIBRATION_EXACT,
                                        SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 300);
        sotto_point once = play_match(&match, 7), again = play_match(&match, 7);
        assert_memory_equal(&once, &again, sizeof once);
        sotto_point many[300];
        for (uint32_t i = 0; i < 300; i++) {
            many[i].t = i + 1;
        }
        sotto_run_result result;
        bool finished;
        assert_ok(sotto_match_play(&match, 7, many, 300, NULL, &result, &finished));
        assert_memory_equal(&once, &many[299], sizeof once);
        for (int i = 1; i < 300; i++) {
            assert_true(many[i].regret >= many[i - 1].regret);
        }
        sotto_point other = play_match(&match, 8);
        if (p != SOTTO_PLAYER_ORACLE) assert_true(other.regret != once.regret);
    }
}

static sotto_run_result result_of(const sotto_match *match, uint64_t seed, sotto_point *point)
{
    sotto_run_result result;
    bool finished;
    *point = (sotto_point){.t = match->horizon};
    assert_ok(sotto_match_play(match, seed, point, 1, NULL, &result, &finished));
    assert_true(finished);
    return result;
}

/* A clock with no delay at all changes nothing, to the bit. */
TEST(no_delay_is_no_delay)
{
    for (uint32_t p = 0; p < 2 * SOTTO_PLAYERS; p++) {
        sotto_player player = (sotto_player)(p / 2);
        if (!has_parameters(player, (sotto_parameters)(p % 2))) continue;
        sotto_match match = small_match(player, SOTTO_CALIBRATION_EXACT, (sotto_parameters)(p % 2),
                                        SOTTO_LINK_IDENTITY, 400);
        if (player == SOTTO_PLAYER_SOTTO) match.spec.measure = 1u << 30;
        sotto_point plain, clocked;
        sotto_run_result before = result_of(&match, 7, &plain);
        assert_false(before.delay.there);
        match.people_per_second = 3;
        sotto_run_result after = result_of(&match, 7, &clocked);
        assert_memory_equal(&plain, &clocked, sizeof plain);
        assert_memory_equal(&before.measured, &after.measured, sizeof after.measured);
        assert_true(after.delay.there);
        assert_ints(after.delay.arrived, 400, after.delay.late + after.delay.under_way, 0);
    }
}

/* Every report came in time, came late, or is under way. */
TEST(no_report_is_lost)
{
    for (uint32_t p = 0; p < 2 * SOTTO_PLAYERS; p++) {
        sotto_player player = (sotto_player)(p / 2);
        if (!has_parameters(player, (sotto_parameters)(p % 2))) continue;
        sotto_match match = small_match(player, SOTTO_CALIBRATION_EXACT, (sotto_parameters)(p % 2),
                                        SOTTO_LINK_IDENTITY, 600);
        sotto_match_set_clock(&match, 4, 3, 20);
        if (match.epoch_seconds_min > 0) match.epoch_seconds_min = 1;
        sotto_point point, again;
        sotto_run_delay delay = result_of(&match, 7, &point).delay;
        assert_int_equal(delay.arrived + delay.late + delay.under_way, 600);
        assert_in_range(delay.under_way, 81, 139); /* 20 x (4 + a part of 3) */
        assert_int_equal(delay.late, 0);           /* epochs of a second, up to 8 late */
        bool epochs = sotto_player_is_private(player);
        assert_int_equal(delay.learnt, epochs ? delay.arrived : 0);
        if (epochs) assert_true(delay.epochs_late > 3 * delay.learnt);
        assert_true(result_of(&match, 7, &again).delay.epochs == delay.epochs);
        assert_memory_equal(&point, &again, sizeof point);
        if (!epochs) continue;
        match.spec.epoch_lag_max = 2; /* less than a service would allow */
        delay = result_of(&match, 7, &point).delay;
        assert_int_equal(delay.arrived + delay.late + delay.under_way, 600);
        assert_true(delay.late > 100 && delay.epochs_late <= 2 * delay.learnt);
    }
}

/* A world that turns by half a circle until its reports come: the policy harms, the fallback is served, and learn
 * rounds then send nothing. */
TEST(a_fallback_is_served_under_delay)
{
    sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 40000);
    match.environment.kind = SOTTO_ENVIRONMENT_DRIFT;
    match.environment.drift = 0.001;
    match.spec.dim = 2;
    match.spec.arms = 5;
    match.spec.epsilon = 2;
    match.spec.measure = UINT32_C(1) << 30;
    match.spec.window_reports = 2000;
    sotto_match_set_clock(&match, 1, 0, 500);
    match.epoch_seconds_min = 4;
    sotto_point alone, served;
    sotto_run_result result = result_of(&match, 1, &alone);
    assert_ints(result.measured.harm.verdict, SOTTO_HARM_YES, result.delay.unsent, 0);
    match.learning.fallback = SOTTO_FALLBACK_RANDOM;
    result = result_of(&match, 1, &served);
    assert_in_range(result.measured.served_at, 1000, 30000);
    const sotto_run_delay *delay = &result.delay;
    assert_int_equal(delay->arrived + delay->late + delay->under_way + delay->unsent, 40000);
    /* 3 of 4 rounds, within 5 standard deviations */
    double wanted = 0.75 * (40000.0 - (double)result.measured.served_at);
    assert_near((double)delay->unsent / wanted, 1, 0.03);
    assert_true(served.regret < 0.9 * alone.regret);
}

/* No one learns before a report can arrive: the first people get the arms of a player without
 * knowledge. */
TEST(nobody_learns_from_reports_on_their_way)
{
    sotto_match match = small_match(SOTTO_PLAYER_OLS, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 100);
    sotto_match random = match;
    random.player = SOTTO_PLAYER_RANDOM;
    sotto_match_set_clock(&match, 5, 0, 10);
    sotto_point point[2] = {{.t = 50}, {.t = 100}}, other[2] = {{.t = 50}, {.t = 100}};
    sotto_run_result result;
    bool finished;
    assert_ok(sotto_match_play(&match, 3, point, 2, NULL, &result, &finished));
    assert_ok(sotto_match_play(&random, 3, other, 2, NULL, &result, &finished));
    assert_true(point[0].regret == other[0].regret && point[1].regret < other[1].regret);
}

/* The seed of a run is that of its world and of its player. */
TEST(a_run_is_its_rounds)
{
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        if (!has_parameters((sotto_player)p, SOTTO_PARAMETERS_SHARED)) continue;
        sotto_match match = small_match((sotto_player)p, SOTTO_CALIBRATION_EXACT,
                                        SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 100);
        sotto__world *world;
        sotto__player *player;
        assert_ok(sotto__world_new(&match, 7, &world));
        assert_ok(sotto__player_new(&match, 7, world, &player));
        double regret = 0;
        for (int t = 0; t < 100; t++) {
            double cost;
            assert_ok(sotto__play(world, player, &cost));
            regret += cost;
        }
        sotto_point point = play_match(&match, 7);
        assert_true(point.regret == regret);
        const double *estimate = player->estimate(player);
        if (p == SOTTO_PLAYER_BEST_ARM) {
            assert_true(estimate == NULL && isnan(point.estimation_error));
        } else {
            assert_true(point.estimation_error == sotto__world_error(world, estimate));
        }
        sotto__player_free(player);
        sotto__world_free(world);
    }
}

static double processor_seconds(void)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Without a shift the noise leaves hardly any matrix positive definite. */
TEST(a_run_tells_its_repairs_and_its_time)
{
    for (int repairs = 0; repairs < 2; repairs++) {
        sotto_match match =
            small_match(repairs ? SOTTO_PLAYER_LDP_OLS : SOTTO_PLAYER_OLS, SOTTO_CALIBRATION_EXACT,
                        SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 100);
        match.learning.shift_scale = 0;
        sotto_point point = {.t = 100};
        sotto_run_result result;
        bool finished;
        double before_s = processor_seconds();
        assert_ok(sotto_match_play(&match, 5, &point, 1, NULL, &result, &finished));
        assert_true(result.seconds > 0 && result.seconds <= processor_seconds() - before_s);
        assert_true(repairs ? result.repairs > 100 : result.repairs == 0);
    }
}

/* Per-arm scores self have nulls; a person who sends no such reports has none. */
TEST(a_run_tells_how_many_of_its_reports_are_null)
{
    for (int self = 0; self <= 1; self++) {
        sotto_match match =
            small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_PER_ARM,
                        self ? SOTTO_LINK_LOGIT : SOTTO_LINK_IDENTITY, 400);
        match.spec.epsilon = 4;
        assert_ok(sotto_match_set_learning(&match));
        sotto_point point = {.t = 400};
        sotto_run_result result;
        bool finished;
        assert_ok(sotto_match_play(&match, 5, &point, 1, NULL, &result, &finished));
        uint64_t mean_phase = match.learning.mean_phase; /* has no nulls, and is not counted */
        assert_true(self ? mean_phase > 0 : mean_phase == 0);
        assert_int_equal(result.learn_reports, self ? 400 - mean_phase : 0);
        assert_true(result.null_reports < 300);
        assert_true(self ? result.null_reports > 20 : result.null_reports == 0);
    }
    sotto_match other = small_match(SOTTO_PLAYER_OLS, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 10);
    sotto_point point = {.t = 10};
    sotto_run_result result;
    bool finished;
    assert_ok(sotto_match_play(&other, 5, &point, 1, NULL, &result, &finished));
    assert_int_equal(result.learn_reports, 0);
}

TEST(one_round_is_a_run)
{
    sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, 1);
    sotto_point point = play_match(&match, UINT64_MAX);
    assert_true(point.regret >= 0 && point.regret <= 2 && isfinite(point.estimation_error));
}

/* No method is better than the oracle, whose regret is 0 and whose estimate is the truth. */
TEST(the_oracle_has_no_regret)
{
    for (uint32_t at = 0; at < 2; at++) {
        sotto_match match = small_match(SOTTO_PLAYER_ORACLE, SOTTO_CALIBRATION_EXACT,
                                        (sotto_parameters)at, SOTTO_LINK_LOGIT, 500);
        sotto_point point = play_match(&match, 3);
        assert_true(point.regret == 0 && point.estimation_error == 0);
    }
}

/* A random arm in two dimensions with ten arms costs E max of 10 cosines, 0.930 a round. A run of
 * 20,000 rounds has standard error about 0.71/sqrt(20000) = 0.005. */
TEST(a_random_arm_costs_what_it_should)
{
    sotto_match match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 20000);
    match.spec.dim = 2, match.spec.arms = 10;
    sotto_point point = play_match(&match, 11);
    assert_near(point.regret / 20000, 0.930, Z_FALSE_ALARM * 0.0052);
}

typedef struct counter {
    uint64_t rounds, limit;
} counter;

static bool count_rounds(void *state, uint64_t rounds)
{
    counter *c = state;
    c->rounds += rounds;
    return c->rounds < c->limit;
}

TEST(a_watch_hears_every_round_and_may_stop)
{
    sotto_match match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 5000);
    sotto_point point = {.t = 5000};
    sotto_run_result result;
    bool finished;
    counter all = {0, UINT64_MAX}, some = {0, 2000};
    sotto_run_watch watch = {count_rounds, &all};
    assert_ok(sotto_match_play(&match, 1, &point, 1, &watch, &result, &finished));
    assert_true(finished);
    assert_int_equal(all.rounds, 5000);
    watch.state = &some;
    assert_ok(sotto_match_play(&match, 1, &point, 1, &watch, &result, &finished));
    assert_false(finished);
    assert_in_range(some.rounds, 2000, 4000);
}

/* The largest power of two, up to 1024 and at least 1, with at most 2^24 steps between two looks: a
 * round is dim^2 (dim + arms) of them. */
TEST(a_watch_is_looked_at_after_so_much_work)
{
    const struct {
        uint32_t dim, arms;
        uint64_t rounds;
    } rows[] = {{3, 4, 1024},  {16, 48, 1024}, {16, 49, 512},
                {32, 32, 256}, {64, 64, 32},   {256, 256, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        sotto_match match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                        SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 2000);
        match.spec.dim = rows[r].dim, match.spec.arms = rows[r].arms;
        sotto_point point = {.t = 2000};
        sotto_run_result result;
        bool finished;
        counter first = {0, 1};
        sotto_run_watch watch = {count_rounds, &first};
        assert_ok(sotto_match_play(&match, 1, &point, 1, &watch, &result, &finished));
        assert_false(finished);
        assert_int_equal(first.rounds, rows[r].rounds);
    }
}
