/*
 * What a policy would have earned, from logs whose truth is known: five estimators and their 95 %
 * intervals, with a model of rewards that is right and with one that is wrong. Run alone it prints the table
 * of research/data.md.
 *
 * Contexts are the eight corners s of a cube, so the truth is a sum over eight. The model is linear in s:
 * right where rewards are, wrong where they follow a product of two numbers. Twins that must be caught:
 * inverse propensity without the propensity, doubly robust with a model that has seen the row it predicts,
 * the direct method with an interval that forgets that its model was fitted.
 *
 * False alarms, for all checks together below 1e-6:
 * - an estimate is unbiased: its mean error over 400 logs is below 5.7 standard errors (1.3e-8; 23 checks);
 * - an interval covers at least 0.935 of logs (nominal 0.95, less what normal laws lose at 800 events): more
 *   than 57 misses of 400 have a chance below 1.2e-8 (38 checks); with rare rewards the bootstrap covers 0.92,
 *   and 66 misses have that chance (4 checks);
 * - an interval is not too wide: half of it is 0.78 to 1.28 times 1.96 standard deviations of the estimates,
 *   which 400 logs know to 3.5 %: 6 standard errors.
 */
#include "lab/math/math.h"
#include "lab/random/random.h"
#include "lab/replay/replay.h"
#include "seeds.h"
#include "test.h"

enum { LOGS = 400, EVENTS_MAX = 800, ARMS = 3, CORNERS = 8, DIM_MAX = 64 };
#define MISSES_MAX 57u
#define RARE_MISSES_MAX 66u
#define BIAS_SE_MAX 5.7
#define FLOOR 0.1 /* the smallest propensity */

/* ---- the world ---------------------------------------------------------------------------- */

static double sign_of(uint32_t corner, uint32_t i)
{
    return corner >> i & 1 ? 1 : -1;
}

/* Chances of a reward of 1. */
static double linear(uint32_t corner, uint32_t arm)
{
    static const double slope[ARMS][3] = {{0.25, 0.1, 0}, {-0.2, 0, 0.15}, {0, -0.2, 0.1}};
    static const double level[ARMS] = {0.5, 0.4, 0.6};
    double sum = level[arm];
    for (uint32_t i = 0; i < 3; i++) {
        sum += slope[arm][i] * sign_of(corner, i);
    }
    return sum;
}

/* About one reward in thirty events. */
static double rare(uint32_t corner, uint32_t arm)
{
    return 0.06 * linear(corner, arm);
}

static double product(uint32_t corner, uint32_t arm)
{
    static const double slope[ARMS] = {0.4, -0.4, 0.1};
    return 0.5 + slope[arm] * sign_of(corner, 0) * sign_of(corner, 1);
}

typedef double world(uint32_t corner, uint32_t arm);

static const double logging[2][ARMS] = {{0.2, 0.2, 0.6}, {0.6, 0.3, 0.1}};

static uint32_t logged_arm(uint32_t corner, double u)
{
    const double *p = logging[corner & 1];
    if (u < p[0]) return 0;
    return u < p[0] + p[1] ? 1 : 2;
}

/* ---- policies ----------------------------------------------------------------------------- */

/* A fixed policy, and one that learns along the log: in each of four cells it plays the arm with
 * the best mean so far. */
typedef struct policy {
    bool learns;
    double sum[4][ARMS], count[4][ARMS];
} policy;

static uint32_t choice_of(const policy *p, uint32_t corner)
{
    static const uint32_t fixed[4] = {2, 0, 1, 0};
    uint32_t cell = corner & 3, best = 0;
    if (!p->learns) return fixed[cell];
    for (uint32_t a = 1; a < ARMS; a++) {
        double better = (p->sum[cell][a] + 1) / (p->count[cell][a] + 1);
        if (better > (p->sum[cell][best] + 1) / (p->count[cell][best] + 1)) best = a;
    }
    return best;
}

static double value_of(const policy *p, world *f)
{
    double sum = 0;
    for (uint32_t s = 0; s < CORNERS; s++) {
        sum += f(s, choice_of(p, s)) / CORNERS;
    }
    return sum;
}

/* ---- logs --------------------------------------------------------------------------------- */

typedef struct setting {
    const char *name;
    world *world;
    bool learns;
    uint32_t events;
    uint32_t noise_dim; /* numbers of the context that carry no information */
    /* Twins. */
    bool no_propensity, same_rows, fixed_model;
} setting;

typedef struct logged {
    sotto_people people;
    uint32_t corner[EVENTS_MAX], arm[EVENTS_MAX];
    double context[EVENTS_MAX * DIM_MAX], reward[EVENTS_MAX], propensity[EVENTS_MAX];
} logged;

/* x = (1, s, noise)/its length. */
static void set_context(sotto__seeded *coins, const setting *s, uint32_t corner, double *x)
{
    uint32_t dim = 4 + s->noise_dim;
    x[0] = 1;
    for (uint32_t i = 1; i < dim; i++) {
        uint64_t bit = i < 4 ? corner >> (i - 1) & 1 : sotto__seeded_next(coins) >> 63;
        x[i] = bit ? 1 : -1;
    }
    for (uint32_t i = 0; i < dim; i++) {
        x[i] /= sqrt(dim);
    }
}

static void draw_log(sotto__seeded *coins, const setting *s, logged *out)
{
    uint32_t dim = 4 + s->noise_dim;
    for (uint32_t t = 0; t < s->events; t++) {
        uint32_t corner = (uint32_t)(sotto__seeded_next(coins) >> 61);
        uint32_t arm = logged_arm(corner, sotto__uniform(sotto__seeded_next(coins)));
        double uniform = sotto__uniform(sotto__seeded_next(coins));
        set_context(coins, s, corner, out->context + (size_t)t * dim);
        out->corner[t] = corner;
        out->arm[t] = arm;
        out->propensity[t] = logging[corner & 1][arm];
        out->reward[t] = uniform < s->world(corner, arm) ? 1 : 0;
    }
    out->people = (sotto_people){dim,      s->events,   s->events,      out->context,
                                 out->arm, out->reward, out->propensity};
}

/* A row of another fold: its model has seen this row. */
static uint64_t seen_row(uint64_t row)
{
    uint64_t other = row;
    while (sotto__fold_of(other) == sotto__fold_of(row)) {
        other += SOTTO__GROUPS + 1;
    }
    return other;
}

/* Plays the policy on the log; returns its true value, event by event. */
static double play(sotto__seeded *coins, const setting *s, const logged *l,
                   const sotto__reward_model *model, sotto__evidence *evidence)
{
    policy p = {.learns = s->learns};
    double truth = 0;
    for (uint32_t t = 0; t < s->events; t++) {
        uint32_t corner = l->corner[t], given = choice_of(&p, corner);
        bool kept = sotto__uniform(sotto__seeded_next(coins)) * l->propensity[t] <= FLOOR;
        bool learnt = kept && given == l->arm[t];
        const sotto__event event = {
            .row = s->same_rows ? seen_row(t) : t,
            .x = l->context + (size_t)t * l->people.dim,
            .logged = l->arm[t],
            .given = given,
            .reward = l->reward[t],
            .propensity = s->no_propensity ? 1.0 / ARMS : l->propensity[t],
            .learnt = learnt,
        };
        truth += value_of(&p, s->world) / s->events;
        sotto__evidence_add(evidence, model, &event);
        if (!learnt) continue;
        p.sum[corner & 3][given] += l->reward[t];
        p.count[corner & 3][given]++;
    }
    return truth;
}

static double estimate_log(sotto__seeded *coins, const setting *s, logged *l,
                           sotto_replay_estimates *out)
{
    sotto__reward_model *model;
    sotto__evidence *evidence;
    draw_log(coins, s, l);
    assert_ok(sotto__reward_model_new(ARMS, l->people.dim, &model));
    assert_ok(sotto__evidence_new(ARMS, l->people.dim, &evidence));
    sotto__reward_model_add(model, &l->people);
    assert_true(sotto__reward_model_solve(model));
    if (!s->fixed_model) sotto__reward_model_score(model, &l->people);
    double truth = play(coins, s, l, model, evidence);
    assert_ok(sotto__estimates_of(evidence, model, SOTTO_UNAVAILABLE_NONE, out));
    sotto__evidence_free(evidence);
    sotto__reward_model_free(model);
    return truth;
}

/* ---- many logs ---------------------------------------------------------------------------- */

typedef struct outcome {
    double bias, sd;
    double half, bootstrap_half;       /* half of a mean interval, in units of 1.96 sd */
    uint32_t missed, bootstrap_missed; /* logs whose interval misses the truth */
} outcome;

/* A log without an interval counts as a miss. */
static bool misses(double lo, double hi, double truth)
{
    return !(lo <= truth && truth <= hi);
}

static void print_outcomes(const setting *s, const outcome o[SOTTO_REPLAY_ESTIMATORS])
{
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        print_message("| %s | %s | %+.4f | %.4f | %.3f | %.3f |\n", s->name,
                      sotto_replay_estimator_name(i), o[i].bias, o[i].sd,
                      1 - (double)o[i].missed / LOGS, 1 - (double)o[i].bootstrap_missed / LOGS);
    }
}

static void measure(const setting *s, uint64_t seed, outcome o[SOTTO_REPLAY_ESTIMATORS])
{
    static logged l;
    static double error[SOTTO_REPLAY_ESTIMATORS][LOGS];
    sotto__seeded coins = seeded_of(seed);
    memset(o, 0, SOTTO_REPLAY_ESTIMATORS * sizeof *o);
    for (uint32_t i = 0; i < LOGS; i++) {
        sotto_replay_estimates e;
        double truth = estimate_log(&coins, s, &l, &e);
        for (uint32_t k = 0; k < SOTTO_REPLAY_ESTIMATORS; k++) {
            const sotto_replay_estimate *by = &e.by[k];
            error[k][i] = by->value - truth;
            o[k].missed += misses(by->lo, by->hi, truth);
            o[k].bootstrap_missed += misses(by->bootstrap_lo, by->bootstrap_hi, truth);
            o[k].half += (by->hi - by->lo) / 2 / LOGS;
            o[k].bootstrap_half += (by->bootstrap_hi - by->bootstrap_lo) / 2 / LOGS;
        }
    }
    for (uint32_t k = 0; k < SOTTO_REPLAY_ESTIMATORS; k++) {
        o[k].bias = sotto__mean_of(error[k], LOGS);
        o[k].sd = sotto__deviation(error[k], LOGS);
        o[k].half /= 1.96 * o[k].sd;
        o[k].bootstrap_half /= 1.96 * o[k].sd;
    }
    print_outcomes(s, o);
}

static bool is_unbiased(const outcome *o)
{
    return fabs(o->bias) < BIAS_SE_MAX * o->sd / sqrt(LOGS);
}

static bool fits(double half)
{
    return half > 0.78 && half < 1.28;
}

static bool covers(const outcome *o)
{
    return o->missed <= MISSES_MAX && o->bootstrap_missed <= MISSES_MAX && fits(o->half) &&
           fits(o->bootstrap_half);
}

/* ---- what is claimed ---------------------------------------------------------------------- */

static void check_all_but_direct(const outcome o[SOTTO_REPLAY_ESTIMATORS])
{
    for (uint32_t i = 0; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        if (i == SOTTO_REPLAY_DIRECT) continue;
        assert_true(is_unbiased(&o[i]) && covers(&o[i]));
    }
}

TEST(with_a_right_model_all_are_unbiased_and_cover)
{
    const setting s = {.name = "right, fixed", .world = linear, .events = 800};
    outcome o[SOTTO_REPLAY_ESTIMATORS];
    measure(&s, 100, o);
    check_all_but_direct(o);
    assert_true(is_unbiased(&o[SOTTO_REPLAY_DIRECT]) && covers(&o[SOTTO_REPLAY_DIRECT]));
    assert_true(o[SOTTO_REPLAY_DOUBLY_ROBUST].sd < 0.8 * o[SOTTO_REPLAY_BY_WEIGHTS].sd);
}

TEST(with_a_wrong_model_only_the_direct_method_is_biased)
{
    const setting s = {.name = "wrong, fixed", .world = product, .events = 800};
    outcome o[SOTTO_REPLAY_ESTIMATORS];
    measure(&s, 101, o);
    check_all_but_direct(o);
    assert_true(o[SOTTO_REPLAY_DIRECT].bias < -0.1 && o[SOTTO_REPLAY_DIRECT].missed > MISSES_MAX);
    assert_true(o[SOTTO_REPLAY_DIRECT].bootstrap_missed > MISSES_MAX);
}

/* The policy and the model learn from the same draws, so the direct method values it a little too high. */
TEST(a_policy_that_learns_along_the_log_is_valued_as_well)
{
    const setting right = {.name = "right, learns", .world = linear, .learns = true, .events = 800};
    const setting wrong = {
        .name = "wrong, learns", .world = product, .learns = true, .events = 800};
    outcome o[SOTTO_REPLAY_ESTIMATORS];
    measure(&right, 102, o);
    check_all_but_direct(o);
    assert_true(fabs(o[SOTTO_REPLAY_DIRECT].bias) < 0.02 && covers(&o[SOTTO_REPLAY_DIRECT]));
    measure(&wrong, 103, o);
    check_all_but_direct(o);
    assert_true(o[SOTTO_REPLAY_DIRECT].bias < -0.1);
}

/* About twelve rewards per log, four of them where the policy agrees: normal intervals are too short, which
 * the table shows. */
TEST(rare_rewards_are_covered_by_the_bootstrap)
{
    const setting s = {.name = "rare, fixed", .world = rare, .events = 400};
    outcome o[SOTTO_REPLAY_ESTIMATORS];
    measure(&s, 106, o);
    for (uint32_t i = SOTTO_REPLAY_BY_WEIGHTS; i < SOTTO_REPLAY_ESTIMATORS; i++) {
        assert_true(is_unbiased(&o[i]) && o[i].bootstrap_missed <= RARE_MISSES_MAX);
    }
}

/* ---- twins -------------------------------------------------------------------------------- */

/* 64 numbers of a context, and about as many rows of an arm: a model that has seen a row repeats its noise,
 * so its errors look small and the interval is too short. */
TEST(a_model_that_has_seen_the_row_is_caught)
{
    setting s = {.name = "wide", .world = linear, .noise_dim = 60, .events = 300};
    outcome o[SOTTO_REPLAY_ESTIMATORS];
    measure(&s, 104, o);
    assert_true(is_unbiased(&o[SOTTO_REPLAY_DOUBLY_ROBUST]));
    assert_true(covers(&o[SOTTO_REPLAY_DOUBLY_ROBUST]));
    s.name = "wide, rows seen (twin)";
    s.same_rows = true;
    measure(&s, 104, o);
    assert_false(covers(&o[SOTTO_REPLAY_DOUBLY_ROBUST]));
}

TEST(forgotten_propensities_and_a_forgotten_fit_are_caught)
{
    const setting s = {.name = "forgetful (twin)",
                       .world = linear,
                       .events = 800,
                       .no_propensity = true,
                       .fixed_model = true};
    outcome o[SOTTO_REPLAY_ESTIMATORS];
    measure(&s, 105, o);
    assert_false(is_unbiased(&o[SOTTO_REPLAY_BY_WEIGHTS]));
    assert_true(o[SOTTO_REPLAY_BY_WEIGHTS].missed > MISSES_MAX);
    assert_true(o[SOTTO_REPLAY_SELF_NORMALISED].missed > MISSES_MAX);
    assert_true(o[SOTTO_REPLAY_DIRECT].missed > MISSES_MAX);
    assert_true(o[SOTTO_REPLAY_DIRECT].bootstrap_missed > MISSES_MAX);
}

TEST(the_limits_have_the_false_alarms_that_they_claim)
{
    assert_true(sotto__binomial_tail(MISSES_MAX + 1, LOGS, 0.065) < 1.2e-8);
    assert_true(sotto__binomial_tail(RARE_MISSES_MAX + 1, LOGS, 0.08) < 1.2e-8);
    assert_true(sotto__two_sided(BIAS_SE_MAX) < 1.3e-8);
}
