/*
 * Whoever looks at a server's measurements after every epoch, and stops when it suits, is not misled: of
 * many experiments at most alpha ever show an interval without the truth. A twin that looks as often with
 * ordinary intervals must be caught.
 *
 * The intervals are wider than they need be, since two widths are added; that each is as wide as its
 * formula says is in tests/unit/server/test_uplift.c.
 *
 * False alarms: at most alpha = 0.05 of experiments may fail; more than 45 of 400 have a chance below 1e-6
 * (binomial, 20 expected).
 */
#include "lab/random/random.h"
#include "server/server.h"
#include "test.h"

enum { PATHS = 400, EPOCHS = 300, EPOCH_REPORTS = 20, ARMS = 3 };
#define ALPHA 0.05
#define FAILED_MAX 45u

/* Rewards are in [0, 4]. */
#define LO 0.0
#define RANGE 4.0

static sotto_learner *learner_new(void)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    sotto_learner *learner;
    spec.dim = 2;
    spec.arms = ARMS;
    spec.epsilon = 4;
    spec.measure = 1u << 31;
    spec.reward_lo = spec.reward_default = LO;
    spec.reward_hi = LO + RANGE;
    sotto_terms terms = resolved(&spec);
    const sotto_learning learning = sotto_learning_default(&terms, 1000);
    assert_ok(sotto_learner_new(&terms, &learning, &learner));
    return learner;
}

/* Rewards in expectation, summed over the people of a role. */
typedef struct truth {
    double sum, count;
} truth;

static double mean(truth t)
{
    return t.sum / t.count;
}

static void add(truth *to, truth from)
{
    to->sum += from.sum;
    to->count += from.count;
}

/* One experiment. */
typedef struct path {
    sotto_learner *learner;
    sotto__seeded random;
    truth follow, control, arm[ARMS], recent_follow, recent_control;
    double reports;
    bool failed, recent_failed, arms_failed, ordinary_failed;
} path;

/* A report on a reward in [LO, LO + RANGE] in expectation: +1 or -1 with mean y/B. */
static void report(path *p, double reward, sotto__measured *to, truth *t)
{
    double y = 2 * (reward - LO) / RANGE - 1, scale = 1 / tanh(2.0); /* epsilon 4 */
    double u = (double)(sotto__seeded_next(&p->random) >> 11) * 0x1p-53;
    to->count++;
    to->sum += u < (1 + y / scale) / 2 ? 1 : -1;
    add(t, (truth){reward, 1});
}

/* The policy learns: followers earn more and more. */
static void play_epoch(path *p, uint32_t epoch, sotto_tally *tally)
{
    static const double arm_reward[ARMS] = {1.6, 2.1, 2.0};
    truth follow = {0, 0}, control = {0, 0};
    memset(tally->control, 0, ARMS * sizeof tally->control[0]);
    tally->follow = (sotto__measured){0};
    for (uint32_t i = 0; i < EPOCH_REPORTS; i++) {
        if (sotto__seeded_next(&p->random) >> 63) {
            report(p, 2 + 0.4 * (1 - exp(-0.01 * epoch)), &tally->follow, &follow);
        } else {
            uint32_t a = (uint32_t)(sotto__seeded_next(&p->random) % ARMS);
            truth own = {0, 0};
            report(p, arm_reward[a], &tally->control[a], &own);
            add(&p->arm[a], own);
            add(&control, own);
        }
    }
    tally->measured = EPOCH_REPORTS;
    sotto__measures_add(&p->learner->measures, tally);
    add(&p->follow, follow);
    add(&p->control, control);
    double before = p->reports;
    p->reports += EPOCH_REPORTS;
    if (floor(log2(p->reports)) > floor(log2(fmax(1, before)))) { /* a power of two was passed */
        p->recent_follow = p->recent_control = (truth){0, 0};
        return;
    }
    add(&p->recent_follow, follow);
    add(&p->recent_control, control);
}

static bool holds(const sotto_interval *interval, double value)
{
    return isnan(value) || (interval->lo <= value && value <= interval->hi);
}

/* The interval of someone who looks only once: 1.96 standard deviations, which are at most 1/sqrt
 * n. */
static bool ordinary_holds(const path *p, double uplift)
{
    double half = RANGE / tanh(2.0) / 2 * 1.96 * sqrt(1 / p->follow.count + 1 / p->control.count);
    return fabs(uplift - (mean(p->follow) - mean(p->control))) <= half;
}

static void look(path *p)
{
    sotto_measurement m;
    assert_ok(sotto_learner_measure(p->learner, ALPHA, &m));
    double follow = mean(p->follow), control = mean(p->control);
    p->failed |= !holds(&m.follow, follow) || !holds(&m.control, control) ||
                 !holds(&m.uplift, follow - control);
    p->recent_failed |= !holds(&m.recent_uplift, mean(p->recent_follow) - mean(p->recent_control));
    if (m.follow_count > 10 && m.control_count > 10) {
        p->ordinary_failed |= !ordinary_holds(p, m.uplift.value);
    }
    for (uint32_t a = 0; a < ARMS; a++) {
        sotto_arm_measurement arm;
        assert_ok(sotto_learner_measure_arm(p->learner, ALPHA, a, &arm));
        p->arms_failed |=
            !holds(&arm.mean, mean(p->arm[a])) || !holds(&arm.uplift, follow - mean(p->arm[a]));
    }
}

static path play_path(uint64_t seed)
{
    path p = {.learner = learner_new()};
    sotto_tally *tally;
    sotto__seeded_begin(&p.random, seed);
    assert_ok(sotto__tally_new(&p.learner->terms, 0, SOTTO_PHASE_MAIN, true, &tally));
    for (uint32_t e = 0; e < EPOCHS; e++) {
        play_epoch(&p, e, tally);
        look(&p);
    }
    sotto_measurement m;
    assert_ok(sotto_learner_measure(p.learner, ALPHA, &m));
    assert_true(m.follow_count + m.control_count == EPOCHS * EPOCH_REPORTS);
    sotto_tally_free(tally);
    sotto_learner_free(p.learner);
    return p;
}

TEST(intervals_hold_whenever_one_looks_and_ordinary_ones_do_not)
{
    uint32_t failed = 0, recent = 0, arms = 0, ordinary = 0;
    for (uint64_t i = 0; i < PATHS; i++) {
        path p = play_path(2000 + i);
        failed += p.failed;
        recent += p.recent_failed;
        arms += p.arms_failed;
        ordinary += p.ordinary_failed;
    }
    print_message("ever without the truth, of %u: uplift %u, recent %u, arms %u; ordinary %u\n",
                  PATHS, failed, recent, arms, ordinary);
    assert_true(failed <= FAILED_MAX && recent <= FAILED_MAX && arms <= FAILED_MAX);
    assert_true(ordinary > FAILED_MAX); /* the same limit catches repeated looks */
}

/* P(more than 45 of 400) at 0.05, summed directly. */
TEST(the_limit_has_the_false_alarms_that_it_claims)
{
    double tail = 0;
    for (uint32_t k = FAILED_MAX + 1; k <= PATHS; k++) {
        tail += exp(lgamma(PATHS + 1) - lgamma(k + 1) - lgamma(PATHS - k + 1.0) + k * log(ALPHA) +
                    (PATHS - k) * log(1 - ALPHA));
    }
    assert_true(tail < 1e-6);
}
