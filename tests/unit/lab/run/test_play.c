/* A round: the person's context to the player, the arm's cost to the regret, the person's answer to
 * that arm back to the player. */
#include "lab/environment/environment.h"
#include "lab/run/inner.h"
#include "scenes.h"
#include "test.h"

OWNED(sotto__world, sotto__world_free)
OWNED(sotto__flight, sotto__flight_free)

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

TEST(failures_come_through)
{
    sotto_match match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 10);
    OWN(sotto__world) world;
    assert_ok(sotto__world_new(&match, 1, &world));
    watcher w = {.player = {.decide = watch_decide, .learn = watch_learn}};
    double regret;
    w.at_decide = SOTTO_E_ENTROPY;
    assert_status(sotto__play(world, &w.player, &regret), SOTTO_E_ENTROPY);
    assert_int_equal(w.learnt, 0);
    w.at_decide = SOTTO_OK, w.at_learn = SOTTO_E_FULL;
    assert_status(sotto__play(world, &w.player, &regret), SOTTO_E_FULL);
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
TEST(a_report_comes_when_its_time_is_over)
{
    sotto_match match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 20);
    sotto_match_set_clock(&match, 1, 0, 2);
    OWN(sotto__world) world, *same;
    OWN(sotto__flight) flight;
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
    uint64_t under_way = sotto__flight_count(flight);
    w.at_learn = SOTTO_E_SERVED; /* a round that sends nothing */
    assert_ok(sotto__play_delayed(world, &w.player, flight, &regret));
    assert_int_equal(sotto__flight_count(flight), under_way - 1); /* and one arrived */
    w.at_learn = SOTTO_E_FULL;
    assert_status(sotto__play_delayed(world, &w.player, flight, &regret), SOTTO_E_FULL);
    w.at_decide = SOTTO_E_ENTROPY;
    assert_status(sotto__play_delayed(world, &w.player, flight, &regret), SOTTO_E_ENTROPY);
    w.at_wake = SOTTO_E_EPOCH;
    assert_status(sotto__play_delayed(world, &w.player, flight, &regret), SOTTO_E_EPOCH);
}

TEST(a_round_is_a_person_an_arm_and_an_answer)
{
    sotto_match match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 10);
    OWN(sotto__world) world, *same;
    assert_ok(sotto__world_new(&match, 5, &world));
    assert_ok(sotto__world_new(&match, 5, &same));
    watcher w = {.player = {.decide = watch_decide, .learn = watch_learn}};
    for (uint32_t t = 0; t < 40; t++) {
        double regret;
        w.arm = t % 4;
        assert_ok(sotto__play(world, &w.player, &regret));
        sotto__world_next(same);
        assert_memory_equal(w.context, same->context, sizeof w.context);
        assert_true(regret == same->value_best - same->mean[w.arm] && regret >= 0);
        assert_true(w.reward == sotto__world_reward(same, w.arm));
    }
    assert_int_equal(w.learnt, 40);
}

/* Regret is by worth, and the answer is not. */
TEST(worths_count_in_regret_alone)
{
    const double worth[4] = {0, 0.5, 3, 1};
    sotto_match plain = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 10);
    sotto_match match = plain;
    match.worth = worth;
    OWN(sotto__world) world, *same;
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
}

/* Reports under way: when they arrive, in which order, and how many fit. */

static sotto_match delayed_match(uint32_t window_s, uint32_t spread_s, double rate)
{
    sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 100000);
    match.spec.reward_window_s = window_s;
    match.spec.send_spread_s = spread_s;
    match.people_per_second = rate;
    return match;
}

static sotto__flight *flight_of(const sotto_match *match, size_t sent_bytes)
{
    sotto__flight *flight;
    assert_ok(sotto__flight_new(match, 5, sent_bytes, &flight));
    return flight;
}

TEST(reports_that_nobody_takes_out_fill_it)
{
    sotto_match match = delayed_match(1, 0, 10);
    OWN(sotto__flight) flight = flight_of(&match, 8);
    void *sent;
    for (int i = 0; i < 12; i++) {
        assert_ok(sotto__flight_add(flight, 0, &sent));
    }
    assert_status(sotto__flight_add(flight, 0, &sent), SOTTO_E_FULL);
    assert_int_equal(sotto__flight_count(flight), 12);
    sotto__flight_free(NULL);
}

TEST(without_a_delay_a_report_is_there_at_once)
{
    sotto_match match = delayed_match(0, 0, 1e-6);
    OWN(sotto__flight) flight = flight_of(&match, 0);
    double arrival;
    void *sent;
    assert_null(sotto__flight_take(flight, 1e300, &arrival));
    for (int i = 0; i < 10; i++) {
        assert_ok(sotto__flight_add(flight, 7 * i, &sent));
        assert_null(sotto__flight_take(flight, 7 * i - 0.5, &arrival));
        assert_ptr_equal(sotto__flight_take(flight, 7 * i, &arrival), sent);
        assert_true(arrival == 7 * i);
        assert_null(sotto__flight_take(flight, 1e300, &arrival));
    }
}

/* Reports come out once, in order of arrival; those of the same time in order of decision. */
TEST(all_arrive_in_order_between_window_and_spread)
{
    enum { PEOPLE = 20000 };
    static bool seen[PEOPLE];
    sotto_match match = delayed_match(3, 2, 1000);
    OWN(sotto__flight) flight = flight_of(&match, 5);
    double sum = 0, last = 0, arrival, least = 1e9, most = 0;
    uint32_t arrived = 0, before = 0;
    for (uint32_t i = 0; i < PEOPLE + 6000; i++) {
        for (const uint32_t *sent; (sent = sotto__flight_take(flight, i, &arrival)) != NULL;) {
            assert_true(arrival >= last && arrival <= i);
            if (arrival == last) assert_true(*sent > before);
            assert_false(seen[*sent]);
            seen[*sent] = true;
            double away = arrival - *sent;
            least = away < least ? away : least;
            most = away > most ? away : most;
            sum += away;
            last = arrival, before = *sent;
            arrived++;
        }
        void *to;
        if (i >= PEOPLE) continue;
        assert_ok(sotto__flight_add(flight, i, &to));
        memcpy(to, &i, sizeof i);
        assert_true(sotto__flight_count(flight) <= 5002);
    }
    assert_int_equal(arrived, PEOPLE);
    /* U is uniform over 0 to 2000: mean 1000, sd 577/sqrt(20000) = 4.1; both ends within 5 of 20,000 draws but for
     * chances of 1e-21. */
    assert_true(least >= 3000 && least <= 3005 && most >= 4995 && most <= 5000);
    assert_true(sum / PEOPLE > 4000 - 25 && sum / PEOPLE < 4000 + 25);
}

/* Among four there is one child that is the last. */
TEST(a_few_arrive_in_order)
{
    sotto_match match = delayed_match(0, 1, 10);
    OWN(sotto__flight) flight = flight_of(&match, 0);
    void *sent;
    for (int round = 0; round < 100; round++) {
        double last = 0, arrival;
        for (int i = 0; i < 4; i++) {
            assert_ok(sotto__flight_add(flight, 0, &sent));
        }
        for (; sotto__flight_take(flight, 1000, &arrival) != NULL; last = arrival) {
            assert_true(arrival >= last);
        }
        assert_int_equal(sotto__flight_count(flight), 0);
    }
}

/* Dropped reports do not affect the others, and free their place. */
TEST(what_is_dropped_never_arrives)
{
    enum { PEOPLE = 3000 };
    sotto_match match = delayed_match(1, 3, 1000);
    OWN(sotto__flight) flight = flight_of(&match, sizeof(uint32_t));
    OWN(sotto__flight) whole = flight_of(&match, sizeof(uint32_t));
    void *to;
    for (uint32_t i = 0; i < PEOPLE; i++) {
        assert_ok(sotto__flight_add(whole, i, &to));
        memcpy(to, &i, sizeof i);
        assert_ok(sotto__flight_add(flight, i, &to));
        memcpy(to, &i, sizeof i);
        if (i % 3 != 0) sotto__flight_drop(flight);
    }
    assert_int_equal(sotto__flight_count(flight), PEOPLE / 3);
    double arrival, same;
    for (const uint32_t *sent; (sent = sotto__flight_take(whole, 1e9, &arrival)) != NULL;) {
        if (*sent % 3 != 0) continue;
        const uint32_t *kept = sotto__flight_take(flight, 1e9, &same);
        assert_non_null(kept);
        assert_int_equal(*kept, *sent);
        assert_true(same == arrival);
    }
    assert_int_equal(sotto__flight_count(flight), 0);
    for (int i = 0; i < 100000; i++) { /* room for 4002 */
        assert_ok(sotto__flight_add(flight, 0, &to));
        sotto__flight_drop(flight);
    }
}

/* There is never room for more people than the horizon has. */
TEST(a_short_horizon_takes_little_memory)
{
    sotto_match match = delayed_match(31536000, 31536000, 1e9);
    match.horizon = 3;
    OWN(sotto__flight) flight = flight_of(&match, 100);
    void *sent;
    for (int i = 0; i < 3; i++) {
        assert_ok(sotto__flight_add(flight, i, &sent));
    }
    assert_status(sotto__flight_add(flight, 3, &sent), SOTTO_E_FULL);
}
