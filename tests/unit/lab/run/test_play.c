/* A round: the person's context to the player, the arm's cost to the regret, the person's answer to
 * that arm back to the player. */
#include "lab/environment/environment.h"
#include "lab/run/play.h"
#include "scenes.h"
#include "test.h"

typedef struct watcher {
    sotto__player player;
    uint32_t arm;
    double context[12];
    double reward;
    sotto_status at_decide, at_learn;
    int learnt;
    sotto_status at_wake;
    double clock_ms;
    int woken;
} watcher;

static sotto_status watch_decide(sotto__player *self, const double *context, uint32_t *arm)
{
    watcher *w = (watcher *)self;
    for (int i = 0; i < 12; i++) {
        w->context[i] = context[i];
    }
    *arm = w->arm;
    return w->at_decide;
}

static sotto_status watch_learn(sotto__player *self, double reward)
{
    watcher *w = (watcher *)self;
    w->reward = reward;
    w->learnt++;
    return w->at_learn;
}

static void failures_come_through(void **state)
{
    (void)state;
    sotto_match match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 10);
    sotto__world *world;
    assert_ok(sotto__world_new(&match, 1, &world));
    watcher w = {.player = {.decide = watch_decide, .learn = watch_learn}};
    double regret;
    w.at_decide = SOTTO_E_ENTROPY;
    assert_status(sotto__play(world, &w.player, &regret), SOTTO_E_ENTROPY);
    assert_int_equal(w.learnt, 0);
    w.at_decide = SOTTO_OK, w.at_learn = SOTTO_E_FULL;
    assert_status(sotto__play(world, &w.player, &regret), SOTTO_E_FULL);
    sotto__world_free(world);
}

static sotto_status watch_send(sotto__player *self, double reward, void *sent)
{
    watcher *w = (watcher *)self;
    *(double *)sent = reward;
    return w->at_learn;
}

static sotto_status watch_receive(sotto__player *self, const void *sent, double now_ms)
{
    watcher *w = (watcher *)self;
    assert_true(now_ms >= w->clock_ms);
    w->clock_ms = now_ms;
    w->reward = *(const double *)sent;
    w->learnt++;
    return SOTTO_OK;
}

static sotto_status watch_wake(sotto__player *self, double now_ms)
{
    watcher *w = (watcher *)self;
    assert_true(now_ms >= w->clock_ms);
    w->clock_ms = now_ms;
    w->woken++;
    return w->at_wake;
}

/* Two people per second, a second under way: the report of person t is there before person t + 2 decides. */
static void a_report_comes_when_its_time_is_over(void **state)
{
    (void)state;
    sotto_match match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 20);
    sotto_match_set_clock(&match, 1, 0, 2);
    sotto__world *world, *same;
    sotto__flight *flight;
    assert_ok(sotto__world_new(&match, 5, &world));
    assert_ok(sotto__world_new(&match, 5, &same));
    assert_ok(sotto__flight_new(&match, 5, sizeof(double), &flight));
    watcher w = {.player = {.decide = watch_decide,
                            .send = watch_send,
                            .receive = watch_receive,
                            .wake = watch_wake}};
    double regret;
    for (int t = 0; t < 20; t++) {
        assert_ok(sotto__play_delayed(world, &w.player, flight, &regret));
        assert_int_equal(w.learnt, t < 2 ? 0 : t - 1);
        assert_true(w.clock_ms == 500 * t);
        if (t < 2) continue;
        sotto__world_next(same);
        assert_true(w.reward == sotto__world_reward(same, 0));
    }
    assert_int_equal(w.woken, 2 * 20 + 18); /* twice a person, and before every report */
    w.at_learn = SOTTO_E_FULL;
    assert_status(sotto__play_delayed(world, &w.player, flight, &regret), SOTTO_E_FULL);
    w.at_decide = SOTTO_E_ENTROPY;
    assert_status(sotto__play_delayed(world, &w.player, flight, &regret), SOTTO_E_ENTROPY);
    w.at_wake = SOTTO_E_EPOCH;
    assert_status(sotto__play_delayed(world, &w.player, flight, &regret), SOTTO_E_EPOCH);
    sotto__flight_free(flight);
    sotto__world_free(world);
    sotto__world_free(same);
}

static void a_round_is_a_person_an_arm_and_an_answer(void **state)
{
    (void)state;
    sotto_match match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 10);
    sotto__world *world, *same;
    assert_ok(sotto__world_new(&match, 5, &world));
    assert_ok(sotto__world_new(&match, 5, &same));
    watcher w = {.player = {.decide = watch_decide, .learn = watch_learn}};
    for (uint32_t t = 0; t < 40; t++) {
        double regret;
        w.arm = t % 4;
        assert_ok(sotto__play(world, &w.player, &regret));
        sotto__world_next(same);
        assert_memory_equal(w.context, same->context, sizeof w.context);
        assert_true(regret == same->value_best - same->mean[w.arm]);
        assert_true(regret >= 0);
        assert_true(w.reward == sotto__world_reward(same, w.arm));
    }
    assert_int_equal(w.learnt, 40);
    sotto__world_free(world);
    sotto__world_free(same);
}

/* Regret is by worth, and the answer is not. */
static void worths_count_in_regret_alone(void **state)
{
    (void)state;
    const double worth[4] = {0, 0.5, 3, 1};
    sotto_match plain = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 10);
    sotto_match match = plain;
    match.worth = worth;
    sotto__world *world, *same;
    assert_ok(sotto__world_new(&match, 5, &world));
    assert_ok(sotto__world_new(&plain, 5, &same));
    watcher w = {.player = {.decide = watch_decide, .learn = watch_learn}};
    for (uint32_t t = 0; t < 40; t++) {
        double regret, best = 0;
        w.arm = t % 4;
        assert_ok(sotto__play(world, &w.player, &regret));
        sotto__world_next(same);
        for (uint32_t a = 0; a < 4; a++) {
            best = best > worth[a] * same->mean[a] ? best : worth[a] * same->mean[a];
        }
        assert_true(regret == best - worth[w.arm] * same->mean[w.arm]);
        assert_true(w.reward == sotto__world_reward(same, w.arm));
    }
    sotto__world_free(world);
    sotto__world_free(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_come_through),
        cmocka_unit_test(a_report_comes_when_its_time_is_over),
        cmocka_unit_test(a_round_is_a_person_an_arm_and_an_answer),
        cmocka_unit_test(worths_count_in_regret_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
