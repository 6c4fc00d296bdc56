/*
 * The alarm harm fires in time, and hardly ever where there is no harm, however often it is looked at. A twin that looks
 * as often with an ordinary interval must be caught.
 *
 * False alarms: at most 0.001 of experiments may have one; more than 9 of 1,000 have a chance below 1e-6 (binomial, 1
 * expected). The median time of 401 runs is below or above its bounds only if 201 runs are; of the runs of
 * research/harm.csv about a third are below, and as many above: a chance below 1e-6.
 *
 * tests/measure/harm.py plays many more runs, and liars.
 */
#include "lab/random/random.h"
#include "server/server.h"
#include "test.h"

enum { NULL_RUNS = 1000, ROUNDS = 4096, LOOK = 16, RUNS = 401, ROUNDS_MAX = 20000 };
#define ALPHA 0.001
#define FALSE_MAX 9u

/* Rewards in [0, 1], epsilon 2: in [0, 1] the codebook's B is 1/tanh(1). */
static sotto_tally *tally_new(sotto_terms *terms)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    sotto_tally *tally;
    spec.dim = 2, spec.arms = 2, spec.epsilon = 2, spec.measure = 1u << 31;
    spec.reward_lo = 0, spec.reward_hi = 1;
    *terms = resolved(&spec);
    assert_ok(sotto__tally_new(terms, 0, SOTTO_PHASE_MAIN, true, &tally));
    tally->decides = true;
    return tally;
}

/* LOOK measure rounds of fair roles, u = +1 or -1 with the mean uplift/B. */
static void play_rounds(sotto__seeded *random, double uplift, sotto_tally *tally)
{
    tally->follow = tally->control[0] = (sotto__measured){0};
    for (int i = 0; i < LOOK; i++) {
        double uniform = (double)(sotto__seeded_next(random) >> 11) * 0x1p-53;
        int u = uniform < (1 + uplift * tanh(1)) / 2 ? 1 : -1;
        bool follow = sotto__seeded_next(random) >> 63;
        sotto__measured *of = follow ? &tally->follow : &tally->control[0];
        of->count++;
        of->sum += follow ? u : -u;
    }
    tally->measured = LOOK;
}

/* True if the mean of all is below 0 by 3.09 standard deviations, which has chance ALPHA in one
 * look. */
static bool ordinary_shows(const sotto__measured *all)
{
    return (double)all->sum < -3.09 * sqrt((double)all->count);
}

TEST(where_there_is_no_harm_alarms_are_rare_and_ordinary_ones_are_not)
{
    sotto_terms terms;
    sotto_tally *tally = tally_new(&terms);
    uint32_t fired = 0, ordinary = 0;
    for (uint64_t run = 0; run < NULL_RUNS; run++) {
        sotto__seeded random;
        sotto__harm harm = {0};
        bool shows = false, ordinarily = false;
        sotto__seeded_begin(&random, run);
        for (int n = 0; n < ROUNDS; n += LOOK) {
            play_rounds(&random, 0, tally);
            sotto__harm_add(&harm, tally);
            shows |= sotto__harm_shows(&harm, &terms);
            ordinarily |= ordinary_shows(&harm.all);
        }
        fired += shows;
        ordinary += ordinarily;
    }
    sotto_tally_free(tally);
    print_message("false alarms in %d runs: %u; ordinary %u\n", NULL_RUNS, fired, ordinary);
    assert_true(fired <= FALSE_MAX && ordinary > FALSE_MAX);
}

/* P(more than 9 of 1,000) at 0.001, summed directly. */
TEST(the_limit_has_the_false_alarms_that_it_claims)
{
    double tail = 0;
    for (uint32_t k = FALSE_MAX + 1; k <= NULL_RUNS; k++) {
        tail += exp(lgamma(NULL_RUNS + 1) - lgamma(k + 1) - lgamma(NULL_RUNS - k + 1.0) +
                    k * log(ALPHA) + (NULL_RUNS - k) * log(1 - ALPHA));
    }
    assert_true(tail < 1e-6);
}

/* Measure rounds until the alarm, at most ROUNDS_MAX. */
static int rounds_until(const sotto_terms *terms, sotto_tally *tally, uint64_t run, double uplift)
{
    sotto__seeded random;
    sotto__harm harm = {0};
    int n = 0;
    sotto__seeded_begin(&random, run);
    while (n < ROUNDS_MAX && !sotto__harm_shows(&harm, terms)) {
        play_rounds(&random, uplift, tally);
        sotto__harm_add(&harm, tally);
        n += LOOK;
    }
    return n;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* With measure rounds for a tenth of the people, 32,757 people at an uplift of -0.1 (research/harm.csv). */
TEST(harm_is_noticed_in_time_and_gain_is_not_harm)
{
    sotto_terms terms;
    sotto_tally *tally = tally_new(&terms);
    int rounds[RUNS];
    for (uint64_t run = 0; run < RUNS; run++) {
        rounds[run] = rounds_until(&terms, tally, run, -0.1);
        assert_int_equal(rounds_until(&terms, tally, run, 0.1), ROUNDS_MAX);
    }
    sotto_tally_free(tally);
    qsort(rounds, RUNS, sizeof rounds[0], ascending);
    print_message("median rounds until the alarm: %d\n", rounds[RUNS / 2]);
    assert_true(rounds[RUNS / 2] >= 2700 && rounds[RUNS / 2] <= 4000);
}
