/* The shipped player runs the shipping code: driven by hand, the same client and server give the
 * same results. */
#include "client/client.h"
#include "core/core.h"
#include "lab/environment/environment.h"
#include "lab/player/player.h"
#include "lab/random/random.h"
#include "scenes.h"
#include "test.h"

#include <sotto/client.h>

OWNED(sotto__player, sotto__player_free)
OWNED(sotto__world, sotto__world_free)

/* Wrap the server's functions, so that it can refuse. */
static sotto_status refusal;   /* SOTTO_OK: it does not refuse */
static uint32_t epoch_offered; /* that of the last report */

sotto_status __real_sotto_learner_take(sotto_learner *learner, const sotto_report *report);
sotto_status __wrap_sotto_learner_take(sotto_learner *learner, const sotto_report *report);
sotto_status __wrap_sotto_learner_take(sotto_learner *learner, const sotto_report *report)
{
    epoch_offered = report->epoch;
    return refusal == SOTTO_OK ? __real_sotto_learner_take(learner, report) : refusal;
}

sotto_status __real_sotto_learner_merge(sotto_learner *learner, const sotto_tally *tally);
sotto_status __wrap_sotto_learner_merge(sotto_learner *learner, const sotto_tally *tally);
sotto_status __wrap_sotto_learner_merge(sotto_learner *learner, const sotto_tally *tally)
{
    return refusal == SOTTO_OK ? __real_sotto_learner_merge(learner, tally) : refusal;
}

/* One round of a new player whose server returns this status. */
static sotto_status learn_refused(uint32_t lag, sotto_status said)
{
    sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 10);
    match.spec.epoch_lag_max = lag;
    const double context[4 * 3] = {1};
    sotto__player *player;
    uint32_t arm;
    assert_ok(sotto__player_shipped_new(&match, 1, NULL, &player));
    for (uint32_t t = 0; t < lag; t++) { /* none of these has arrived yet */
        assert_ok(player->decide(player, context, &arm));
        assert_ok(player->learn(player, 0));
    }
    assert_ok(player->decide(player, context, &arm));
    refusal = said;
    sotto_status status = player->learn(player, 0);
    refusal = SOTTO_OK;
    sotto__player_free(player);
    return status;
}

/* A tick that is too large is dropped, as a server would drop it; any other refusal is a
 * failure. */
TEST(a_refused_report_is_a_failure_but_for_its_ticks)
{
    assert_ok(learn_refused(0, SOTTO_E_TICK));
    assert_status(learn_refused(0, SOTTO_E_FULL), SOTTO_E_FULL);
    assert_status(learn_refused(1, SOTTO_E_FULL), SOTTO_E_FULL);
}

/* The person took part and the round counts: an epoch of dropped reports ends like any other. */
TEST(a_dropped_report_still_ends_its_epoch)
{
    sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 10);
    match.learning.epoch = 2;
    const double context[4 * 3] = {1};
    OWN(sotto__player) player;
    uint32_t arm;
    assert_ok(sotto__player_shipped_new(&match, 1, NULL, &player));
    refusal = SOTTO_E_TICK;
    for (uint32_t t = 0; t < 8; t++) {
        assert_ok(player->decide(player, context, &arm));
        assert_ok(player->learn(player, 0));
        assert_int_equal(epoch_offered, t / 2);
    }
    refusal = SOTTO_OK;
}

/* One experiment by hand: a person and a server, using only the lab's randomness. */
typedef struct by_hand {
    sotto_terms terms;
    sotto__fast_rng random;
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_learner *learner;
    sotto_report *report;
    sotto__liar *liar; /* NULL: no liars */
} by_hand;

static void begin_by_hand(by_hand *h, const sotto_match *match, uint64_t seed)
{
    h->liar = NULL;
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = INFINITY, policy.delta_lifetime = 0.5;
    assert_ok(sotto_spec_resolve(&match->spec, &h->terms));
    sotto__stream_begin(&h->random.seeded, seed, SOTTO__PURPOSE_PRIVACY);
    sotto__ziggurat_begin(&h->random.ziggurat);
    assert_ok(sotto_ledger_memory_new(&h->ledger));
    assert_ok(sotto_client_new(&policy, h->ledger, &h->client));
    h->client->rng = &h->random.seeded.rng;
    if (!match->exact_noise) h->client->noise = sotto__fast_noise;
    assert_ok(sotto_round_new(h->client, &h->terms, &h->round));
    assert_ok(sotto_learner_new(&h->terms, &match->learning, &h->learner));
    assert_ok(sotto_report_new(&h->terms, &h->report));
}

static uint32_t decide_by_hand(by_hand *h, const sotto__world *world)
{
    uint32_t arm;
    assert_ok(sotto_round_begin(h->round, sotto_learner_model(h->learner)));
    const double *worth = world->match->worth;
    if (worth == NULL) {
        assert_ok(sotto_round_decide(h->round, world->context, world->context_count, &arm));
    } else {
        assert_ok(
            sotto_round_decide_worth(h->round, world->context, world->context_count, worth, &arm));
    }
    return arm;
}

#define FRAME_BYTES_MAX 1024

static void finish_by_hand(by_hand *h, double reward, uint8_t frame[FRAME_BYTES_MAX])
{
    assert_true(sotto_report_bytes(&h->terms) <= FRAME_BYTES_MAX);
    assert_ok(sotto_round_finish(h->round, reward, frame, FRAME_BYTES_MAX));
}

static void take_by_hand(by_hand *h, const uint8_t *frame)
{
    size_t bytes = sotto_report_bytes(&h->terms);
    assert_ok(sotto_report_decode(&h->terms, frame, bytes, h->report));
    if (h->liar != NULL && sotto__liar_comes(h->liar)) {
        sotto__liar_forge(h->liar, sotto_learner_model(h->learner), h->report);
    }
    assert_ok(sotto_learner_take(h->learner, h->report));
}

static void learn_by_hand(by_hand *h, double reward)
{
    uint8_t frame[FRAME_BYTES_MAX];
    finish_by_hand(h, reward, frame);
    take_by_hand(h, frame);
    if (sotto_learner_taken(h->learner) < sotto_learner_wanted(h->learner)) return;
    assert_ok(sotto_learner_publish(h->learner));
}

static void end_by_hand(by_hand *h)
{
    sotto__liar_free(h->liar);
    sotto_report_free(h->report);
    sotto_learner_free(h->learner);
    sotto_round_free(h->round);
    sotto_client_free(h->client);
    sotto_ledger_free(h->ledger);
}

static void assert_plays_by_hand(const sotto_match *match)
{
    OWN(sotto__world) world;
    OWN(sotto__player) player;
    by_hand h;
    assert_ok(sotto__world_new(match, 21, &world));
    assert_ok(sotto__player_shipped_new(match, 21, world, &player));
    begin_by_hand(&h, match, 21);
    if (match->liars > 0) assert_ok(sotto__liar_new(match, &h.terms, 21, world, &h.liar));
    uint32_t numbers = sotto__parameter_count(&match->spec);
    for (int t = 0; t < 200; t++) {
        uint32_t arm;
        sotto__world_next(world);
        assert_ok(player->decide(player, world->context, &arm));
        assert_int_equal(arm, decide_by_hand(&h, world));
        double reward = sotto__world_reward(world, arm);
        assert_ok(player->learn(player, reward));
        learn_by_hand(&h, reward);
        assert_memory_equal(player->estimate(player),
                            sotto__deciding_estimate(sotto_learner_model(h.learner)),
                            numbers * sizeof(double));
    }
    assert_int_equal(player->repairs(player), sotto_learner_repairs(h.learner));
    end_by_hand(&h);
}

TEST(the_lab_runs_the_shipping_code)
{
    for (uint32_t p = 0; p <= SOTTO_PLAYER_LDP_GLOC; p++) {
        for (uint32_t at = 0; at < 4; at++) {
            if (p == SOTTO_PLAYER_SOTTO_OLS && at % 2 == 1) continue;
            sotto_match match = small_match((sotto_player)p, SOTTO_CALIBRATION_EXACT,
                                            (sotto_parameters)(at % 2), SOTTO_LINK_IDENTITY, 200);
            match.exact_noise = at < 2;
            if (at >= 2) match.learning.epoch = 7;
            if (match.learning.warm_up > 60) match.learning.warm_up = 60;
            assert_plays_by_hand(&match);
            match.worth = (double[]){0.2, 3, 1, 0.5};
            assert_plays_by_hand(&match);
        }
    }
}

/* The same person and server, with a liar between them now and then. */
TEST(liars_change_reports_and_nothing_else)
{
    for (uint32_t p = 0; p <= SOTTO_PLAYER_LDP_GLOC; p++) {
        for (uint32_t at = 0; at < 2; at++) {
            if (p == SOTTO_PLAYER_SOTTO_OLS && at == 1) continue;
            sotto_match match = small_match((sotto_player)p, SOTTO_CALIBRATION_EXACT,
                                            (sotto_parameters)at, SOTTO_LINK_IDENTITY, 200);
            double honest = play_match(&match, 21).estimation_error;
            match.liars = 0.2, match.grind = 2;
            if (match.learning.warm_up > 60) match.learning.warm_up = 60;
            assert_plays_by_hand(&match);
            assert_true(play_match(&match, 21).estimation_error != honest);
        }
    }
}

/* Epochs of max(1, floor(G t)) reports after t of them: t = 1, 2, 3, 4, 6, 9, 13, 19, ... for
 * G = 1/2, but none goes beyond the end of warm-up or is longer than an epoch may be. */
static void assert_publishes_at(const sotto_match *match, const uint32_t *at, uint32_t count)
{
    OWN(sotto__world) world;
    OWN(sotto__player) player;
    double before[12] = {0};
    size_t bytes = sotto__parameter_count(&match->spec) * sizeof before[0];
    assert_true(bytes <= sizeof before);
    assert_ok(sotto__world_new(match, 25, &world));
    assert_ok(sotto__player_shipped_new(match, 25, world, &player));
    for (uint32_t t = 1, next = 0; next < count; t++) {
        uint32_t arm;
        sotto__world_next(world);
        assert_ok(player->decide(player, world->context, &arm));
        assert_ok(player->learn(player, sotto__world_reward(world, arm)));
        bool published = memcmp(before, player->estimate(player), bytes) != 0;
        memcpy(before, player->estimate(player), bytes);
        assert_int_equal(published, t == at[next]);
        next += published;
    }
}

TEST(epochs_may_grow_as_no_server_lets_them)
{
    sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 100);
    const uint32_t half[] = {1, 2, 3, 4, 6, 9, 13, 19, 28, 42};
    const uint32_t whole[] = {1, 2, 4, 8, 16, 32, 64};
    const uint32_t short_ones[] = {1, 2, 4, 8, 13, 18, 23};
    match.growth = 0.5;
    assert_publishes_at(&match, half, 10);
    match.growth = 1;
    assert_publishes_at(&match, whole, 7);
    match.spec.epoch_reports_max = 5;
    assert_publishes_at(&match, short_ones, 7);

    match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_PER_ARM,
                        SOTTO_LINK_IDENTITY, 100);
    const uint32_t phases[] = {1, 2, 4, 8, 11, 22, 44};
    match.growth = 1, match.learning.warm_up = 11;
    assert_publishes_at(&match, phases, 7);
}

/* With a lag of L and epochs of one report, after t rounds the server knows t - L reports. */
TEST(late_reports_arrive_as_late_as_they_may)
{
    for (uint32_t lag = 0; lag < 4; lag++) {
        sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                        SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 50);
        match.spec.epoch_lag_max = lag;
        OWN(sotto__world) world;
        OWN(sotto__player) player;
        assert_ok(sotto__world_new(&match, 22, &world));
        assert_ok(sotto__player_shipped_new(&match, 22, world, &player));
        for (uint32_t t = 1; t <= 50; t++) {
            uint32_t arm;
            sotto__world_next(world);
            assert_ok(player->decide(player, world->context, &arm));
            assert_ok(player->learn(player, sotto__world_reward(world, arm)));
            const double *theta = player->estimate(player);
            bool learnt = theta[0] != 0 || theta[1] != 0 || theta[2] != 0;
            assert_int_equal(learnt, t > lag);
        }
    }
}

/* Epochs of 3 reports; at the end of epoch e exactly the reports of epoch e - L arrive. */
static void assert_late_as_by_hand(const sotto_match *match)
{
    enum { EPOCH = 3, ROUNDS = 60 };
    static uint8_t frame[ROUNDS][FRAME_BYTES_MAX];
    uint32_t lag = match->spec.epoch_lag_max, numbers = sotto__parameter_count(&match->spec);
    OWN(sotto__world) world;
    OWN(sotto__player) player;
    by_hand h;
    assert_ok(sotto__world_new(match, 24, &world));
    assert_ok(sotto__player_shipped_new(match, 24, world, &player));
    begin_by_hand(&h, match, 24);
    for (uint32_t t = 0; t < ROUNDS; t++) {
        uint32_t arm, epoch = t / EPOCH;
        sotto__world_next(world);
        assert_ok(player->decide(player, world->context, &arm));
        assert_int_equal(arm, decide_by_hand(&h, world));
        double reward = sotto__world_reward(world, arm);
        assert_ok(player->learn(player, reward));
        finish_by_hand(&h, reward, frame[t]);
        if (t % EPOCH != EPOCH - 1) continue;
        for (uint32_t i = 0; i < EPOCH && epoch >= lag; i++) {
            take_by_hand(&h, frame[(epoch - lag) * EPOCH + i]);
        }
        assert_ok(sotto_learner_publish(h.learner));
        assert_memory_equal(player->estimate(player),
                            sotto__deciding_estimate(sotto_learner_model(h.learner)),
                            numbers * sizeof(double));
    }
    end_by_hand(&h);
}

TEST(late_reports_are_those_of_their_epoch)
{
    for (uint32_t at = 0; at < 8; at++) {
        sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                        (sotto_parameters)(at % 2), SOTTO_LINK_IDENTITY, 60);
        match.spec.epoch_lag_max = at / 2;
        match.learning.epoch = 3;
        match.learning.warm_up = at % 2 ? 12 : 0;
        assert_late_as_by_hand(&match);
    }
}

static sotto_match mean_match(uint64_t horizon)
{
    sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_LOGIT, horizon);
    match.learning.mean_phase = 9, match.learning.warm_up = 12;
    assert_ok(sotto_match_fault(&match, NULL));
    return match;
}

/* Mean phase, warm-up and main phase, on time and late, through the code that ships. */
TEST(a_mean_phase_is_played_where_learning_asks_for_it)
{
    sotto_match match = mean_match(200);
    assert_plays_by_hand(&match);
    match = mean_match(60);
    match.learning.epoch = 3;
    for (match.spec.epoch_lag_max = 0; match.spec.epoch_lag_max < 3; match.spec.epoch_lag_max++) {
        assert_late_as_by_hand(&match);
    }
    double with = play_match(&match, 3).regret;
    match.learning.mean_phase = 0;
    assert_true(play_match(&match, 3).regret != with);
}

/* Reports of the mean phase move no estimate: the first that do are those of the warm-up. */
TEST(grown_epochs_span_no_two_phases_either)
{
    sotto_match match = mean_match(100);
    const uint32_t phases[] = {18, 21, 42, 84}; /* 1, 2, 4, 8, 9 | 18, 21 | 42, 84 */
    match.growth = 1;
    assert_publishes_at(&match, phases, 4);
}

/* A lag changes when reports are known, not what is learned in the end: all of them arrive. */
TEST(every_method_plays_with_late_reports)
{
    for (uint32_t p = 0; p <= SOTTO_PLAYER_LDP_GLOC; p++) {
        for (uint32_t at = 0; at < 2; at++) {
            if (p == SOTTO_PLAYER_SOTTO_OLS && at == 1) continue;
            sotto_match match = small_match((sotto_player)p, SOTTO_CALIBRATION_EXACT,
                                            (sotto_parameters)at, SOTTO_LINK_IDENTITY, 400);
            match.spec.epoch_lag_max = 2;
            match.learning.epoch = 0;
            sotto_point point = play_match(&match, 23);
            assert_true(point.regret > 0 && isfinite(point.estimation_error));
        }
    }
    sotto_match one_for_all = small_match(SOTTO_PLAYER_BEST_ARM, SOTTO_CALIBRATION_EXACT,
                                          SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 400);
    one_for_all.spec.epoch_lag_max = 2;
    one_for_all.learning.epoch = 0;
    assert_true(play_match(&one_for_all, 23).regret > 0);
}

/* ---- with a clock ------------------------------------------------------------------------- */

static sotto_match clocked_match(uint32_t lag, uint32_t seconds)
{
    sotto_match match = small_match(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 1000);
    match.people_per_second = 1;
    match.spec.epoch_lag_max = lag;
    match.epoch_seconds_min = seconds;
    return match;
}

/* Of a person who decides now. */
static void send_one(sotto__player *player, void *sent)
{
    const double context[4 * 3] = {1};
    uint32_t arm;
    assert_ok(player->decide(player, context, &arm));
    assert_ok(player->send(player, 0.5, sent));
}

static sotto_run_delay seen_of(const sotto__player *player)
{
    sotto_run_delay seen = {0};
    player->delayed(player, &seen);
    return seen;
}

static void receive_many(sotto__player *player, const void *sent, int count, double now_ms)
{
    for (int i = 0; i < count; i++) {
        assert_ok(player->receive(player, sent, now_ms));
    }
}

/* Both a minute and 20 reports since the last model. */
TEST(an_epoch_ends_by_reports_and_clock)
{
    sotto_match match = clocked_match(4, 60);
    OWN(sotto__player) player;
    double sent[64];
    assert_ok(sotto__player_shipped_new(&match, 1, NULL, &player));
    assert_in_range(player->sent_bytes, 1, sizeof sent);
    send_one(player, sent);
    assert_ok(player->wake(player, 1e9)); /* no reports */
    assert_int_equal(seen_of(player).epochs, 0);
    receive_many(player, sent, 20, 1000);
    assert_ok(player->wake(player, 59999));
    assert_int_equal(seen_of(player).epochs, 0);
    assert_ok(player->wake(player, 60500)); /* it was published at 60000 */
    assert_int_equal(seen_of(player).epochs, 1);
    send_one(player, sent);
    receive_many(player, sent, 19, 70000);
    assert_ok(player->wake(player, 130000));
    assert_int_equal(seen_of(player).epochs, 1);
    receive_many(player, sent, 1, 120000); /* a minute after 60000: at once */
    assert_int_equal(seen_of(player).epochs, 2);
    receive_many(player, sent, 20, 179999);
    assert_int_equal(seen_of(player).epochs, 2);
    receive_many(player, sent, 1, 200000);
    sotto_run_delay seen = seen_of(player);
    assert_ints(seen.epochs, 3, seen.learnt, 61);
    assert_int_equal(seen.epochs_late, 21); /* all after the second model are of the epoch before */
    assert_int_equal(seen.late, 0);
}

TEST(what_comes_after_its_epoch_closed_is_late)
{
    sotto_match match = clocked_match(1, 0);
    OWN(sotto__player) player;
    double first[64], sent[64];
    assert_ok(sotto__player_shipped_new(&match, 1, NULL, &player));
    send_one(player, first);
    for (int epoch = 0; epoch < 2; epoch++) {
        send_one(player, sent);
        receive_many(player, sent, 1, 1); /* epochs of one report */
    }
    double before = player->estimate(player)[0];
    receive_many(player, first, 1, 2);
    sotto_run_delay seen = seen_of(player);
    assert_ints(seen.late, 1, seen.epochs, 2, seen.learnt, 2);
    assert_true(player->estimate(player)[0] == before);
    refusal = SOTTO_E_TICK; /* dropped, but not late */
    receive_many(player, sent, 1, 2);
    assert_int_equal(seen_of(player).late, 1);
    refusal = SOTTO_E_FULL;
    assert_status(player->receive(player, sent, 2), SOTTO_E_FULL);
    refusal = SOTTO_OK;
}

TEST(weak_terms_are_refused_as_on_a_device)
{
    sotto_match match = small_match(SOTTO_PLAYER_LDP_OLS, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 10);
    OWN(sotto__player) player;
    match.spec.delta = 0.01;
    assert_status(sotto__player_shipped_new(&match, 1, NULL, &player), SOTTO_E_FAULT);
    assert_null(player);
    match.spec.allow_weak_delta = true;
    assert_ok(sotto__player_shipped_new(&match, 1, NULL, &player));
}

TEST(any_epsilon_that_a_spec_may_have_is_played)
{
    sotto_match match = small_match(SOTTO_PLAYER_LDP_OLS, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 10);
    match.spec.epsilon = 50;
    assert_true(isfinite(play_match(&match, 1).regret));
}

TEST(exact_noise_is_other_noise)
{
    sotto_match match = small_match(SOTTO_PLAYER_LDP_OLS, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 10);
    double fast = play_match(&match, 1).estimation_error;
    match.exact_noise = true;
    assert_true(play_match(&match, 1).estimation_error != fast);
}
