/* One method meets the people of a file: the order, their contexts, and what is learned from. */
#include "lab/replay/replay.h"
#include "players.h"
#include "seeds.h"
#include "stats.h"

#define ROWS 600u
#define DIM 2u
#define ARMS 3u

/* A player that picks arms by a rule and remembers its people: a row's first number is its place in
 * the file. */
typedef struct watcher {
    sotto__player player;
    bool by_context; /* the arm is that of the second number; otherwise always arm 1 */
    uint32_t met_count, learnt_count;
    double met[2 * ROWS], shared[ARMS * ARMS * DIM];
    double reward[2 * ROWS];
    uint32_t shared_dim;
    sotto_status at_decide, at_learn;
} watcher;

static sotto_status watch_decide(sotto__player *self, const double *context, uint32_t *arm)
{
    watcher *w = (watcher *)self;
    w->met[w->met_count++] = context[0];
    *arm = w->by_context ? (uint32_t)context[1] : 1;
    return w->at_decide;
}

static sotto_status watch_shared(sotto__player *self, const double *context, uint32_t *arm)
{
    watcher *w = (watcher *)self;
    memcpy(w->shared, context, ARMS * w->shared_dim * sizeof *context);
    *arm = 0;
    return SOTTO_OK;
}

static sotto_status watch_learn(sotto__player *self, double reward)
{
    watcher *w = (watcher *)self;
    w->reward[w->learnt_count++] = reward;
    return w->at_learn;
}

static void watch_free(sotto__player *self)
{
    (void)self;
}

static bool always(void *state, uint64_t rounds)
{
    *(uint64_t *)state += rounds;
    return true;
}

static bool never(void *state, uint64_t rounds)
{
    *(uint64_t *)state += rounds;
    return false;
}

typedef struct table {
    sotto_people people;
    double context[ROWS * DIM], reward[ROWS], propensity[ROWS];
    uint32_t arm[ROWS];
} table;

/* Labels 0, 1, 2, 0, ...; the second number is the label of the next row. */
static void fill(table *t, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        t->context[DIM * i] = i;
        t->context[DIM * i + 1] = (i + 1) % ARMS;
        t->arm[i] = i % ARMS;
        t->reward[i] = t->propensity[i] = 1;
    }
    t->people = (sotto_people){DIM, rows, rows, t->context, t->arm, t->reward, t->propensity};
}

/* The player of the run, exchanged for one that remembers. */
static void begin(sotto__replay_run *run, const sotto_match *match, uint64_t seed,
                  const sotto__replay_rules *rules, watcher *w)
{
    sotto__replay_run_free(run);
    assert_ok(sotto__replay_run_begin(run, match, seed, rules));
    sotto__player_free(run->player);
    *w = (watcher){.player = {.decide = watch_decide, .learn = watch_learn, .free = watch_free}};
    run->player = &w->player;
}

static void play(sotto__replay_run *run, const table *t)
{
    HELD(sotto__replay_room) room;
    uint64_t rounds = 0;
    const sotto_run_watch watch = {always, &rounds};
    assert_ok(sotto__replay_room_new(&run->match->spec, ROWS, &room));
    assert_ok(sotto__replay_run_block(run, &t->people, &room, &watch));
    assert_int_equal(rounds, t->people.rows);
}

static table *t;
static sotto_match match;
static sotto__replay_run run;
static watcher w;

FIXTURE(set_up)
{
    t = calloc(1, sizeof *t);
    assert_non_null(t);
    match = match_of(SOTTO_PLAYER_RANDOM, SOTTO_PARAMETERS_PER_ARM, DIM, ARMS);
}

FIXTURE(tear_down)
{
    sotto__replay_run_free(&run);
    free(t);
}

TEST_WITH(failures_come_through, set_up, tear_down)
{
    const sotto__replay_rules rules = {.clip = 0.01, .people_max = UINT64_MAX};
    sotto__replay_room room;
    uint64_t rounds = 0;
    const sotto_run_watch watch = {always, &rounds}, enough = {never, &rounds};
    fill(t, ROWS);
    begin(&run, &match, 1, &rules, &w);
    assert_ok(sotto__replay_room_new(&match.spec, ROWS, &room));
    w.at_decide = SOTTO_E_ENTROPY;
    assert_status(sotto__replay_run_block(&run, &t->people, &room, &watch), SOTTO_E_ENTROPY);
    assert_int_equal(w.learnt_count, 0);
    w.at_decide = SOTTO_OK, w.at_learn = SOTTO_E_FULL, w.met_count = 0;
    assert_status(sotto__replay_run_block(&run, &t->people, &room, &watch), SOTTO_E_FULL);
    w.at_learn = SOTTO_OK, w.met_count = 0, rounds = 0;
    assert_ok(sotto__replay_run_block(&run, &t->people, &room, &enough));
    assert_ints(w.met_count, 256, rounds, 256);
    sotto__replay_room_free(&room);
    sotto__replay_run_free(&run);

    match.player = SOTTO_PLAYER_SOTTO;
    match.spec.epsilon = 1000;
    assert_status(sotto__replay_run_begin(&run, &match, 1, &rules), SOTTO_E_FAULT);
    assert_null(run.point);
}

TEST_WITH(rows_come_in_the_order_of_the_file, set_up, tear_down)
{
    const uint64_t at[] = {2, 5, 9};
    const sotto__replay_rules rules = {.clip = 0.01,
                                       .people_max = UINT64_MAX,
                                       .at = at,
                                       .at_count = 3,
                                       .tail_from = 4,
                                       .tail_until = 6};
    fill(t, 7);
    begin(&run, &match, 1, &rules, &w);
    play(&run, t);
    sotto__replay_run_end(&run);
    for (uint32_t i = 0; i < 7; i++) {
        assert_true(w.met[i] == i && (w.reward[i] == (i % ARMS == 1 ? 1 : 0)));
    }
    /* Correct on rows 1 and 4; a checkpoint beyond the end is replaced by the end. */
    assert_ints(run.points_count, 3, run.point[0].t, 2);
    assert_true(run.point[0].reward == 1);
    assert_int_equal(run.point[1].t, 5);
    assert_true(run.point[1].reward == 2);
    assert_int_equal(run.point[2].t, 7);
    assert_true(run.point[2].reward == 2);
    assert_true(run.tail_reward == 1); /* rows 4 and 5: row 6 comes after the first pass */
    assert_ints(run.tail_arm_count[0], 0, run.tail_arm_count[1], 1, run.tail_arm_count[2], 1);
}

TEST_WITH(the_end_on_a_check_point_is_told_once, set_up, tear_down)
{
    const uint64_t at[] = {2, 14};
    const sotto__replay_rules rules = {
        .clip = 0.01, .people_max = UINT64_MAX, .at = at, .at_count = 2};
    fill(t, 7);
    begin(&run, &match, 1, &rules, &w);
    play(&run, t);
    play(&run, t); /* blocks follow one another */
    sotto__replay_run_end(&run);
    assert_ints(run.points_count, 2, run.point[1].t, 14);
    assert_true(run.point[1].reward == 4);
}

TEST_WITH(no_more_people_than_asked_for, set_up, tear_down)
{
    const sotto__replay_rules rules = {.clip = 0.01, .people_max = 9};
    HELD(sotto__replay_room) room;
    uint64_t rounds = 0;
    const sotto_run_watch watch = {always, &rounds};
    fill(t, 7);
    begin(&run, &match, 1, &rules, &w);
    assert_ok(sotto__replay_room_new(&match.spec, ROWS, &room));
    for (int i = 0; i < 3; i++) {
        assert_ok(sotto__replay_run_block(&run, &t->people, &room, &watch));
    }
    assert_ints(w.met_count, 9, run.now.t, 9, rounds, 9);
}

TEST_WITH(each_seed_has_an_order_of_its_own, set_up, tear_down)
{
    FREED_BY(free_memory) watcher *each = calloc(3, sizeof *each);
    sotto_match two[] = {match_of(SOTTO_PLAYER_RANDOM, SOTTO_PARAMETERS_PER_ARM, DIM, ARMS),
                         match_of(SOTTO_PLAYER_SGD, SOTTO_PARAMETERS_PER_ARM, DIM, ARMS)};
    const sotto__replay_rules rules = {.clip = 0.01, .people_max = UINT64_MAX, .shuffle = true};
    const uint64_t seed[] = {1, 1, 2};
    bool seen[ROWS] = {false};
    uint32_t moved = 0, same = 0, again = 0;
    fill(t, ROWS);
    for (int i = 0; i < 3; i++) {
        begin(&run, &two[i % 2], seed[i], &rules, &each[i]);
        play(&run, t);
        play(&run, t);
        sotto__replay_run_free(&run);
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t row = (uint32_t)each[0].met[i];
        assert_false(seen[row]);
        seen[row] = true;
        if (row != i) moved++;
        if (each[2].met[i] == each[0].met[i]) same++;
        if (each[0].met[ROWS + i] == each[0].met[i]) again++;
    }
    assert_memory_equal(each[0].met, each[1].met, sizeof each[0].met);
    /* About one row keeps its place by chance; thirty would have chance 1e-32. */
    assert_true(moved > ROWS - 30 && same < 30 && again < 30);
}

/* The row that comes first is any of them: chi-square over 6 places with 5 degrees of freedom, of
 * 6000 seeds; above 37.3 with chance 5e-7, and so for the last. */
TEST_WITH(all_orders_are_equally_likely, set_up, tear_down)
{
    const sotto__replay_rules rules = {.clip = 0.01, .people_max = UINT64_MAX, .shuffle = true};
    double first[6] = {0}, last[6] = {0}, square_first = 0, square_last = 0;
    fill(t, 6);
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        begin(&run, &match, seed, &rules, &w);
        play(&run, t);
        first[(int)w.met[0]]++;
        last[(int)w.met[5]]++;
    }
    for (int i = 0; i < 6; i++) {
        square_first += (first[i] - 1000) * (first[i] - 1000) / 1000;
        square_last += (last[i] - 1000) * (last[i] - 1000) / 1000;
    }
    assert_true(square_first < 37.3 && square_last < 37.3);
}

TEST_WITH(shared_parameters_get_the_row_in_the_place_of_each_arm, set_up, tear_down)
{
    match = match_of(SOTTO_PLAYER_RANDOM, SOTTO_PARAMETERS_SHARED, DIM * ARMS, ARMS);
    const sotto__replay_rules rules = {.clip = 0.01, .people_max = UINT64_MAX};
    fill(t, 3);
    begin(&run, &match, 1, &rules, &w);
    w.player.decide = watch_shared;
    w.shared_dim = ARMS * DIM;
    play(&run, t);
    const double wanted[ARMS * ARMS * DIM] = {2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0};
    assert_memory_equal(w.shared, wanted, sizeof wanted); /* the last row is (2, 0) */
}

/* The last row is (2, 0). */
TEST_WITH(features_of_arms_multiply_the_row, set_up, tear_down)
{
    match = match_of(SOTTO_PLAYER_RANDOM, SOTTO_PARAMETERS_SHARED, DIM * 2 + 1, ARMS);
    const double feature[ARMS * 2] = {1, 0.5, 0, -1, 0.25, 0};
    sotto__replay_rules rules = {
        .clip = 0.01, .people_max = UINT64_MAX, .arm_feature = feature, .arm_dim = 2};
    fill(t, 3);
    begin(&run, &match, 1, &rules, &w);
    w.player.decide = watch_shared;
    w.shared_dim = 2 * DIM + 1;
    play(&run, t);
    const double wanted[ARMS][2 * DIM + 1] = {{2, 1, 0, 0, 1}, {0, -2, 0, 0, 1}, {0.5, 0, 0, 0, 1}};
    for (uint32_t i = 0; i < ARMS * (2 * DIM + 1); i++) {
        double x = w.shared[i] * sqrt(2) - wanted[i / (2 * DIM + 1)][i % (2 * DIM + 1)];
        assert_true(fabs(x) < 1e-15);
    }
    match = match_of(SOTTO_PLAYER_RANDOM, SOTTO_PARAMETERS_PER_ARM, DIM, ARMS);
    begin(&run, &match, 1, &rules, &w); /* per-arm parameters take the row itself */
    play(&run, t);
    assert_true(w.met[2] == 2);
}

/* Evidence of a log is stored by row of the file, whatever the length of the method's vectors. */
TEST_WITH(evidence_of_a_log_has_the_length_of_a_row, set_up, tear_down)
{
    const double feature[ARMS * 2] = {1, 0.5, 0, -1, 0.25, 0};
    const sotto__replay_rules plain = {.clip = 0.01, .people_max = 9, .log = true, .reward_hi = 1};
    sotto__replay_rules rules = plain;
    rules.arm_feature = feature, rules.arm_dim = 2;
    sotto_match shared = match_of(SOTTO_PLAYER_RANDOM, SOTTO_PARAMETERS_SHARED, DIM * 2 + 1, ARMS);
    sotto_match blocks = match_of(SOTTO_PLAYER_RANDOM, SOTTO_PARAMETERS_SHARED, DIM * ARMS, ARMS);
    sotto_match per_arm = match_of(SOTTO_PLAYER_RANDOM, SOTTO_PARAMETERS_PER_ARM, DIM, ARMS);
    const struct {
        const sotto_match *match;
        const sotto__replay_rules *rules;
    } cases[] = {{&shared, &rules}, {&blocks, &plain}, {&per_arm, &rules}};
    for (int i = 0; i < 3; i++) {
        assert_ok(sotto__replay_run_begin(&run, cases[i].match, 1, cases[i].rules));
        assert_int_equal(run.evidence->dim, DIM);
        sotto__replay_run_free(&run);
    }
}

/* Arm 1 is always given; labels are 0, 1, 2. */
TEST_WITH(a_table_says_what_wrong_labels_earn, set_up, tear_down)
{
    const double rewards[ARMS * ARMS] = {4, -2, 0, 1, 3, 2, -4, 0, -1};
    const sotto__replay_rules rules = {.clip = 0.01,
                                       .people_max = UINT64_MAX,
                                       .tail_from = 2,
                                       .tail_until = 3,
                                       .rewards = rewards,
                                       .reward_lo = -4,
                                       .reward_hi = 4};
    const double wanted[] = {0.25, 0.875, 0.5};
    fill(t, 3);
    begin(&run, &match, 1, &rules, &w);
    play(&run, t);
    assert_memory_equal(w.reward, wanted, sizeof wanted);
    assert_true(run.now.reward == -2 + 3 + 0 && run.now.best == 4 + 3 + 0 && run.tail_reward == 0);
    assert_int_equal(run.tail_arm_count[2], 1);
}

/* ---- logs --------------------------------------------------------------------------------- */

/* Two blocks of 6 rows, shuffled: each row counts in the group of its place in the file. */
TEST_WITH(events_are_kept_by_their_row_of_the_file, set_up, tear_down)
{
    const sotto__replay_rules rules = {.log = true,
                                       .shuffle = true,
                                       .reward_hi = 1,
                                       .clip = 0.3,
                                       .people_max = UINT64_MAX,
                                       .propensity_floor = 0.25};
    fill(t, 6); /* arm 1 on rows 1 and 4 */
    for (uint32_t i = 0; i < 6; i++) {
        t->reward[i] = 10 + i;
        t->propensity[i] = 0.25;
    }
    begin(&run, &match, 1, &rules, &w);
    play(&run, t);
    play(&run, t);
    assert_ints(run.evidence->agreed, 4, run.evidence->given_count[1], 12);
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        const sotto__evidence_group *group = &run.evidence->group[j];
        bool agreed = j < 12 && j % 3 == 1;
        assert_true(group->events == (j < 12 ? 1 : 0));
        assert_true(group->weight == (agreed ? 1 / 0.3 : 0)); /* clipped */
        assert_true(group->learnt_reward == (agreed ? 10 + j % 6 : 0));
    }
}

TEST_WITH(a_log_teaches_where_the_arm_is_the_same, set_up, tear_down)
{
    const sotto__replay_rules rules = {.log = true,
                                       .reward_hi = 1,
                                       .clip = 0.01,
                                       .people_max = UINT64_MAX,
                                       .propensity_floor = 0.5};
    fill(t, 6); /* arm 1 on rows 1 and 4 */
    for (uint32_t i = 0; i < 6; i++) {
        t->reward[i] = 10 + i;
        t->propensity[i] = 0.5;
    }
    begin(&run, &match, 1, &rules, &w);
    play(&run, t);
    assert_ints(w.met_count, 6, w.learnt_count, 2);
    assert_true(w.reward[0] == 11 && w.reward[1] == 14);
    assert_ints(run.now.t, 6, run.now.replayed.matched, 2);
    assert_true(run.now.replayed.weight == 2 && run.now.replayed.product == 25);
    assert_int_equal(run.now.weighted.matched, 2);
    assert_true(run.now.weighted.product == 50);
}

/* Methods learn (r - lo)/(hi - lo); estimates are in the file's units. */
TEST_WITH(rewards_are_learnt_on_the_unit_interval, set_up, tear_down)
{
    const sotto__replay_rules rules = {.log = true,
                                       .reward_lo = -50,
                                       .reward_hi = 150,
                                       .clip = 0.01,
                                       .people_max = UINT64_MAX,
                                       .propensity_floor = 0.5};
    fill(t, 9); /* arm 1 on rows 1, 4 and 7 */
    t->reward[1] = -50, t->reward[4] = 50, t->reward[7] = 150;
    for (uint32_t i = 0; i < 9; i++) {
        t->propensity[i] = 0.5;
    }
    begin(&run, &match, 1, &rules, &w);
    play(&run, t);
    assert_int_equal(w.learnt_count, 3);
    assert_true(w.reward[0] == 0 && w.reward[1] == 0.5 && w.reward[2] == 1);
    assert_true(run.now.replayed.product == 150 && run.now.weighted.product == 300);
}

/* Context 0 logs arm 0 with 0.8, context 1 with 0.2, else arm 1. The policy gives arm 0 in context
 * 0 and arm 1 in context 1, whose rewards are 1 and 0: worth 0.5 where contexts are even. Without
 * thinning events of context 0, which agree as often, would count the same; so contexts of the log
 * are given arms by another rule: context 1 logs arm 1 with 0.5. Then a plain mean of the events
 * that agree tends to 0.8/(0.8 + 0.5) = 0.615, and m = 0.2. */
TEST_WITH(a_thinned_log_is_as_if_of_random_arms, set_up, tear_down)
{
    match = match_of(SOTTO_PLAYER_RANDOM, SOTTO_PARAMETERS_PER_ARM, DIM, 2);
    const sotto__replay_rules rules = {.log = true,
                                       .reward_hi = 1,
                                       .clip = 0.01,
                                       .people_max = UINT64_MAX,
                                       .propensity_floor = 0.2};
    sotto__seeded coins = seeded_of(3);
    begin(&run, &match, 1, &rules, &w);
    w.by_context = true;
    for (int block = 0; block < 100; block++) {
        fill(t, ROWS);
        for (uint32_t i = 0; i < ROWS; i++) {
            uint32_t x = i % 2;
            double p = x == 0 ? 0.2 : 0.5; /* of arm 1 */
            uint32_t arm = sotto__uniform(sotto__seeded_next(&coins)) < p ? 1 : 0;
            t->context[DIM * i + 1] = x;
            t->arm[i] = arm;
            t->propensity[i] = arm == 1 ? p : 1 - p;
            t->reward[i] = x == 0 ? 1 : 0;
        }
        w.met_count = w.learnt_count = 0;
        play(&run, t);
    }
    /* Kept: 0.2 of the 60000 events on each side, a binomial of sd 98; both means within 4.892
     * standard errors, so a false alarm has chance 1e-6 each. */
    double matched = (double)run.now.replayed.matched, mean = run.now.replayed.product / matched;
    assert_near(matched, 12000, Z_FALSE_ALARM * sqrt(60000 * 0.2 * 0.8));
    assert_near(mean, 0.5, Z_FALSE_ALARM * sqrt(0.25 / matched));
    sotto_estimate ips = sotto__off_policy_value(&run.now.weighted, run.now.t);
    assert_near(ips.value, 0.5, Z_FALSE_ALARM * (ips.hi - ips.lo) / (2 * 1.96));
}

/* Propensities below the clip: the event counts 1/clip, and is kept as one at the clip is. */
TEST_WITH(a_propensity_below_the_clip_is_not_believed, set_up, tear_down)
{
    const sotto__replay_rules rules = {.log = true,
                                       .reward_hi = 1,
                                       .clip = 0.25,
                                       .people_max = UINT64_MAX,
                                       .propensity_floor = 0.25};
    fill(t, 300);
    for (uint32_t i = 0; i < 300; i++) {
        t->propensity[i] = 0.001;
    }
    begin(&run, &match, 1, &rules, &w);
    play(&run, t);
    assert_int_equal(w.learnt_count, 100);
    assert_true(run.now.weighted.weight == 400);
}
