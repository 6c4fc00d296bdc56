/* Off-policy evaluation: cases by hand, and intervals that cover the truth as often as they say. */
#include "lab/random/random.h"
#include "lab/replay/inner.h"
#include "lab/replay/replay.h"
#include "seeds.h"
#include "test.h"

OWNED(sotto__reward_model, sotto__reward_model_free)
OWNED(sotto__evidence, sotto__evidence_free)

TEST(no_event_has_no_value)
{
    const sotto__off_policy none = {0};
    sotto_estimate estimate = sotto__off_policy_value(&none, 0);
    assert_true(isnan(estimate.value) && isnan(estimate.lo) && isnan(estimate.hi));
    assert_true(isnan(sotto__off_policy_self_normalised(&none)));
    assert_true(sotto__off_policy_effective_size(&none) == 0);

    sotto__off_policy one = {0};
    sotto__off_policy_add(&one, 3, 0.5, 0);
    estimate = sotto__off_policy_value(&one, 1);
    assert_true(estimate.value == 6 && isnan(estimate.lo) && isnan(estimate.hi));
    estimate = sotto__off_policy_value(&none, 2); /* two events, and it agreed with none */
    assert_true(estimate.value == 0 && isnan(estimate.lo) && isnan(estimate.hi));
}

/* Weights 2, 4 and, clipped, 100 among five events: w r sums to 2 + 0 + 100, its squares to 10004;
 * s^2 = (10004 - 5 x 20.4^2)/4 = 1980.8. */
TEST(three_of_five_events_by_hand)
{
    sotto__off_policy sums = {0};
    sotto__off_policy_add(&sums, 1, 0.5, 0.01);
    sotto__off_policy_add(&sums, 0, 0.25, 0.01);
    sotto__off_policy_add(&sums, 1, 0.005, 0.01);
    sotto_estimate estimate = sotto__off_policy_value(&sums, 5);
    double reach = 1.959963984540054 * sqrt(1980.8 / 5);
    assert_int_equal(sums.matched, 3);
    assert_near(estimate.value, 20.4, 1e-12);
    assert_nears(1e-9, estimate.lo, 20.4 - reach, estimate.hi, 20.4 + reach);
    assert_near(sotto__off_policy_self_normalised(&sums), 102.0 / 106, 1e-15);
    assert_near(sotto__off_policy_effective_size(&sums), 106.0 * 106 / 10020, 1e-12);
}

TEST(joined_logs_are_one_log)
{
    sotto__off_policy whole = {0}, part[2] = {{0}, {0}};
    for (int i = 0; i < 10; i++) {
        sotto__off_policy_add(&whole, i, 0.25 + 0.05 * i, 0.01);
        sotto__off_policy_add(&part[i % 2], i, 0.25 + 0.05 * i, 0.01);
    }
    sotto__off_policy_join(&part[0], &part[1]);
    assert_int_equal(part[0].matched, 10);
    assert_nears(1e-12, part[0].weight, whole.weight, part[0].weight_squares, whole.weight_squares);
    assert_near(part[0].product, whole.product, 1e-12);
    assert_near(part[0].product_squares, whole.product_squares, 1e-10);
}

/* No one of a thousand clicked: that does not make the chance of a click 0. */
TEST(equal_rewards_have_no_interval)
{
    sotto__off_policy sums = {0};
    for (int i = 0; i < 1000; i++) {
        sotto__off_policy_add(&sums, 0.1, 1, 0);
    }
    sotto_estimate estimate = sotto__off_policy_value(&sums, 1000);
    assert_near(estimate.value, 0.1, 1e-12);
    assert_true(isnan(estimate.lo) && isnan(estimate.hi));
    assert_near(sotto__off_policy_effective_size(&sums), 1000, 1e-9);
}

/* Rewards that differ by a hundredth of a percent still differ: s^2 = 5e-9. */
TEST(rewards_that_hardly_differ_have_an_interval)
{
    sotto__off_policy sums = {0};
    sotto__off_policy_add(&sums, 1, 1, 0);
    sotto__off_policy_add(&sums, 1.0001, 1, 0);
    sotto_estimate estimate = sotto__off_policy_value(&sums, 2);
    assert_near(estimate.hi - estimate.value, 1.959963984540054 * 5e-5, 1e-9);
}

/* ---- coverage ----------------------------------------------------------------------------- */

static const double logging[2][3] = {{0.5, 0.3, 0.2}, {0.2, 0.2, 0.6}}; /* of a context, an arm */
static const double chance[2][3] = {{0.2, 0.7, 0.4}, {0.5, 0.1, 0.3}};  /* of a reward of 1 */
static const uint32_t policy[2] = {1, 0};                               /* the evaluated policy */
#define TRUTH (0.5 * 0.7 + 0.5 * 0.5)

typedef double weight_rule(double propensity);

static double as_logged(double propensity)
{
    return propensity;
}

/* The twin ignores the propensities: every arm has one third. */
static double forgetful(double propensity)
{
    (void)propensity;
    return 1.0 / 3;
}

static uint32_t draw_arm(const double *p, double u)
{
    if (u < p[0]) return 0;
    return u < p[0] + p[1] ? 1 : 2;
}

static sotto_estimate estimate_of_log(sotto__seeded *coins, uint32_t events, weight_rule *rule)
{
    sotto__off_policy sums = {0};
    for (uint32_t i = 0; i < events; i++) {
        uint32_t x = (uint32_t)(sotto__seeded_next(coins) >> 63);
        uint32_t arm = draw_arm(logging[x], sotto__uniform(sotto__seeded_next(coins)));
        double draw = sotto__uniform(sotto__seeded_next(coins));
        if (arm != policy[x]) continue;
        sotto__off_policy_add(&sums, draw < chance[x][arm] ? 1 : 0, rule(logging[x][arm]), 0.01);
    }
    return sotto__off_policy_value(&sums, events);
}

static double coverage(weight_rule *rule)
{
    enum { LOGS = 3000, EVENTS = 500 };
    sotto__seeded coins = seeded_of(20);
    uint32_t covered = 0;
    for (uint32_t log = 0; log < LOGS; log++) {
        sotto_estimate estimate = estimate_of_log(&coins, EVENTS, rule);
        if (estimate.lo <= TRUTH && TRUTH <= estimate.hi) covered++;
    }
    return (double)covered / LOGS;
}

/* 500 events put the chance of covering between 0.94 and 0.96. Of 3000 logs fewer than 0.915 or
 * more than 0.98 would be covered with chance below 1e-6. */
TEST(intervals_cover_the_truth)
{
    double covered = coverage(as_logged);
    assert_true(covered >= 0.915 && covered <= 0.98 && coverage(forgetful) < 0.5);
}

/* Means from sums by group, and their intervals by the standard error. */

static sotto__ratio ratio;

static void set(uint32_t j, double num, double den, double pull)
{
    ratio.num[j] = num;
    ratio.den[j] = den;
    ratio.pull[j] = pull;
}

TEST(no_group_and_no_weight_have_no_value)
{
    set(0, 0, 0, 0);
    set(1, 0, 0, 0);
    for (uint32_t groups = 0; groups <= 2; groups++) {
        sotto_estimate e = sotto__ratio_estimate(&ratio, groups);
        assert_true(isnan(e.value) && isnan(e.lo) && isnan(e.hi));
        assert_false(sotto__ratio_varies(&ratio, groups));
    }
}

TEST(one_group_and_equal_groups_have_no_interval)
{
    set(0, 0.3, 1, 0);
    set(1, 0.1 + 0.2, 1, 0); /* not the same bits */
    set(2, 0.6, 2, 0);
    for (uint32_t groups = 1; groups <= 3; groups++) {
        sotto_estimate e = sotto__ratio_estimate(&ratio, groups);
        assert_near(e.value, 0.3, 1e-15);
        assert_true(isnan(e.lo) && isnan(e.hi));
    }
}

TEST(a_ratio_of_rewards_that_hardly_differ_has_an_interval)
{
    set(0, 1, 1, 0);
    set(1, 1 + 1e-8, 1, 0);
    sotto_estimate e = sotto__ratio_estimate(&ratio, 2);
    assert_true(e.lo < e.value && e.value < e.hi);
}

/* One event per group: the interval of the sample variance. */
TEST(a_mean_of_events_has_the_usual_interval)
{
    sotto__off_policy sums = {0};
    for (uint32_t j = 0; j < 100; j++) {
        bool agreed = j % 3 == 0;
        double reward = j * 13 % 7;
        if (agreed) sotto__off_policy_add(&sums, reward, 0.25, 0.01);
        set(j, agreed ? 4 * reward : 0, 1, 0);
    }
    sotto_estimate usual = sotto__off_policy_value(&sums, 100);
    sotto_estimate e = sotto__ratio_estimate(&ratio, 100);
    assert_nears(1e-12, e.value, usual.value, e.lo, usual.lo, e.hi, usual.hi);
}

/* num 1, 0; den 1, 3; pull 0.25, -0.25: V = 1/4, psi = (1 - 1/4 + 1/4)/4 and (0 - 3/4 - 1/4)/4, so
 * se^2 = 2/1 x (1/16 + 1/16). */
TEST(two_groups_by_hand)
{
    double psi[SOTTO__GROUPS];
    set(0, 1, 1, 0.25);
    set(1, 0, 3, -0.25);
    sotto__ratio_influence(&ratio, 2, psi);
    sotto_estimate e = sotto__ratio_estimate(&ratio, 2);
    assert_true(psi[0] == 0.25 && psi[1] == -0.25);
    assert_near(e.value, 0.25, 1e-15);
    assert_near(e.hi - e.value, 1.959963984540054 * 0.5, 1e-12);
    assert_near(e.value - e.lo, 1.959963984540054 * 0.5, 1e-12);
}

/* The bootstrap: where it has no answer, where it agrees with the normal law, and how it leans. */

static sotto__ratio ratio_bootstrap[2];

static void clear(void)
{
    memset(ratio_bootstrap, 0, sizeof ratio_bootstrap);
}

static sotto_estimate one(uint32_t groups)
{
    sotto_estimate e;
    assert_ok(sotto__bootstrap(ratio_bootstrap, 1, groups, &e));
    return e;
}

TEST(no_group_one_group_and_equal_groups_have_no_interval)
{
    clear();
    sotto_estimate e = one(0);
    assert_true(isnan(e.value) && isnan(e.lo) && isnan(e.hi));
    for (uint32_t j = 0; j < 50; j++) {
        ratio_bootstrap[0].num[j] = 0.3;
        ratio_bootstrap[0].den[j] = 1;
    }
    e = one(1);
    assert_true(e.value == 0.3 && isnan(e.lo) && isnan(e.hi));
    e = one(50);
    assert_near(e.value, 0.3, 1e-15);
    assert_true(isnan(e.lo) && isnan(e.hi));
}

/* With k groups that count, a resample has none of them with chance e^-k: 0.14 of 2, 0.018 of 4. */
TEST(too_many_empty_resamples_have_no_interval)
{
    clear();
    for (uint32_t j = 0; j < 4; j++) {
        ratio_bootstrap[0].num[j] = j;
        ratio_bootstrap[0].den[j] = j < 2;
    }
    assert_true(isnan(one(500).lo));
    ratio_bootstrap[0].den[2] = ratio_bootstrap[0].den[3] = 1;
    sotto_estimate e = one(500);
    assert_true(e.value == 1.5 && e.lo >= 0 && e.hi <= 3 && e.lo < e.hi);
}

/* 1000 normals: to the noise of 2000 resamples and of their skew, the interval of the standard error. */
TEST(of_normals_it_is_the_interval_of_the_standard_error)
{
    sotto__seeded coins = seeded_of(3);
    clear();
    for (uint32_t j = 0; j < 1000; j += 2) {
        double pair[2];
        sotto__normal_pair(sotto__seeded_next(&coins), sotto__seeded_next(&coins), pair);
        for (uint32_t i = 0; i < 2; i++) {
            ratio_bootstrap[0].num[j + i] = 5 + pair[i];
            ratio_bootstrap[0].den[j + i] = 1;
        }
    }
    sotto_estimate normal = sotto__ratio_estimate(ratio_bootstrap, 1000), e = one(1000);
    double reach = normal.hi - normal.value;
    assert_true(e.value == normal.value);
    assert_nears(0.15 * reach, e.lo, normal.lo, e.hi, normal.hi);
}

/* Ten rewards among 500 events, each of weight 10: the law of the mean has its long tail above, so the interval
 * reaches farther up than down, by more than the 1.17 times of plain percentiles (4 to 17 rewards). Its mirror
 * image reaches farther down. */
TEST(a_skewed_law_has_a_skewed_interval)
{
    clear();
    for (uint32_t j = 0; j < 500; j++) {
        ratio_bootstrap[0].num[j] = j % 50 == 0 ? 10 : 0;
        ratio_bootstrap[0].den[j] = 1;
        ratio_bootstrap[1].num[j] = -ratio_bootstrap[0].num[j];
        ratio_bootstrap[1].den[j] = 1;
    }
    sotto_estimate e[2];
    assert_ok(sotto__bootstrap(ratio_bootstrap, 2, 500, e));
    assert_true(e[0].hi - e[0].value > 1.4 * (e[0].value - e[0].lo) && e[0].lo > 0);
    assert_true(e[1].value - e[1].lo > 1.4 * (e[1].hi - e[1].value));
}

TEST(pull_widens_the_interval)
{
    clear();
    for (uint32_t j = 0; j < 400; j++) {
        ratio_bootstrap[0].num[j] = ratio_bootstrap[1].num[j] = j % 2;
        ratio_bootstrap[0].den[j] = ratio_bootstrap[1].den[j] = 1;
        ratio_bootstrap[1].pull[j] = j / 2 % 2 == 0 ? 2 : -2;
    }
    sotto_estimate e[2];
    assert_ok(sotto__bootstrap(ratio_bootstrap, 2, 400, e));
    assert_true(e[0].value == e[1].value);
    double plain = e[0].hi - e[0].lo, pulled = e[1].hi - e[1].lo;
    assert_near(pulled / plain, sqrt(0.25 + 4) / 0.5, 0.4); /* standard deviations */
}

TEST(the_same_log_has_the_same_interval)
{
    clear();
    for (uint32_t j = 0; j < 100; j++) {
        ratio_bootstrap[0].num[j] = j;
        ratio_bootstrap[0].den[j] = 1;
    }
    ratio_bootstrap[1] = ratio_bootstrap[0];
    sotto_estimate first[2], alone = one(100);
    assert_ok(sotto__bootstrap(ratio_bootstrap, 2, 100, first));
    assert_memory_equal(&first[0], &first[1], sizeof first[0]);
    assert_memory_equal(&first[0], &alone, sizeof alone);
}

/* Sums by group: each event in its group, with and without a model. */

enum { ARMS = 2, DIM = 2 };
static const double x[DIM] = {0.6, -0.8};

/* A model that predicts 2 + 0.6 = 2.6 for arm 0 and 2 for arm 1. */
static sotto__reward_model *model_new(void)
{
    sotto__reward_model *model;
    assert_ok(sotto__reward_model_new(ARMS, DIM, &model));
    for (uint32_t k = 0; k < SOTTO__FOLDS; k++) {
        model->mean[k] = 2;
        model->theta[k * ARMS * DIM] = 1;
    }
    return model;
}

static const sotto__event agreed = {.row = SOTTO__GROUPS + 3,
                                    .x = x,
                                    .logged = 0,
                                    .given = 0,
                                    .reward = 4,
                                    .propensity = 0.25,
                                    .learnt = true};
static const sotto__event other = {
    .row = 3, .x = x, .logged = 0, .given = 1, .reward = 4, .propensity = 0.25};

TEST(events_by_hand)
{
    OWN(sotto__evidence) evidence;
    OWN(sotto__reward_model) model = model_new();
    assert_ok(sotto__evidence_new(ARMS, DIM, &evidence));
    sotto__evidence_add(evidence, model, &agreed);
    sotto__evidence_add(evidence, model, &other);
    const sotto__evidence_group *group = &evidence->group[3];
    assert_int_equal(evidence->agreed, 1);
    assert_true(group->events == 2 && group->weight == 4 && group->product == 16);
    assert_near(group->predicted, 2.6 + 2, 1e-15);
    assert_near(group->corrected, 2.6 + 4 * (4 - 2.6) + 2, 1e-14);
    assert_true(group->learnt == 1 && group->learnt_reward == 4);
    for (uint32_t a = 0; a < ARMS; a++) {
        assert_int_equal(evidence->given_count[a], 1);
        assert_memory_equal(evidence->given + DIM * a, x, sizeof x);
    }
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        if (j != 3) assert_true(evidence->group[j].events == 0);
    }
    sotto__evidence_free(NULL);
}

TEST(without_a_model_there_are_no_predictions)
{
    OWN(sotto__evidence) evidence;
    assert_ok(sotto__evidence_new(ARMS, DIM, &evidence));
    sotto__evidence_add(evidence, NULL, &agreed);
    assert_true(evidence->group[3].product == 16);
    assert_true(evidence->group[3].predicted == 0 && evidence->group[3].corrected == 0);
    assert_int_equal(evidence->given_count[0], 1);
}

TEST(joined_evidence_is_that_of_all_events)
{
    OWN(sotto__evidence) whole;
    sotto__evidence *part[2];
    OWN(sotto__reward_model) model = model_new();
    assert_ok(sotto__evidence_new(ARMS, DIM, &whole));
    for (uint32_t i = 0; i < 2; i++) {
        assert_ok(sotto__evidence_new(ARMS, DIM, &part[i]));
        sotto__evidence_add(part[i], model, i == 0 ? &agreed : &other);
        sotto__evidence_add(whole, model, i == 0 ? &agreed : &other);
    }
    sotto__evidence_join(part[0], part[1]);
    assert_int_equal(part[0]->agreed, whole->agreed);
    assert_memory_equal(part[0]->group, whole->group, SOTTO__GROUPS * sizeof whole->group[0]);
    assert_memory_equal(part[0]->given, whole->given, ARMS * DIM * sizeof whole->given[0]);
    assert_memory_equal(part[0]->given_count, whole->given_count, ARMS * sizeof(uint64_t));
    sotto__evidence_free(part[0]);
    sotto__evidence_free(part[1]);
}
