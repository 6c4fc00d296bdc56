/* A learner survives a restart: stopped at any moment, written, read and continued, it is the learner
 * that never stopped, to the bit. */
#include "core/core.h"
#include "learners.h"
#include "made.h"
#include "server/inner.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define STEPS 150

/* The learner that its bytes give; the one that was is freed. */
static sotto_learner *restarted(sotto_learner *learner)
{
    size_t count, again_count;
    uint8_t *bytes = learner_bytes_of(learner, &count);
    sotto_learner *read;
    assert_ok(sotto_learner_decode(&learner->terms, bytes, count, &read));
    sotto_learner_free(learner);
    uint8_t *again = learner_bytes_of(read, &again_count);
    assert_int_equal(again_count, count);
    assert_memory_equal(again, bytes, count);
    free(again);
    free(bytes);
    return read;
}

/* Its estimator keeps what a new one has. */
static sotto_learner *forgets_the_estimator(sotto_learner *learner)
{
    uint8_t kept[1024];
    sotto_learner *fresh = made_learner(&learner->terms, &learner->learning);
    assert_true(sotto__kept_bytes(fresh->estimator) <= sizeof kept);
    sotto__kept_put(fresh->estimator, kept);
    sotto__kept_get(learner->estimator, kept);
    return learner;
}

static sotto_learner *forgets_the_tallies(sotto_learner *learner)
{
    for (uint32_t e = 0; e < learner->open_count; e++) {
        sotto_tally *tally = learner->open[e].tally;
        sotto__tally_begin(tally, tally->epoch, tally->phase, tally->decides);
    }
    return learner;
}

/* Late reports are taken as scored by the current model. */
static sotto_learner *forgets_old_estimates(sotto_learner *learner)
{
    size_t bytes = sotto__parameter_count(&learner->terms.spec) * sizeof(double);
    for (uint32_t e = 0; learner->model->theta_h != NULL && e < learner->open_count; e++) {
        memcpy(learner->open[e].theta_h, learner->model->theta_h, bytes);
    }
    return learner;
}

static sotto_learner *forgets_the_measures(sotto_learner *learner)
{
    learner->measures.recent_control = (sotto__measured){0};
    return learner;
}

static sotto_learner *forgets_the_mean(sotto_learner *learner)
{
    size_t bytes = learner->terms.spec.dim * sizeof(double);
    if (learner->mean.sum != NULL) memset(learner->mean.sum, 0, bytes);
    return learner;
}

typedef sotto_learner *restart_function(sotto_learner *learner);

/* How many steps, of all, leave what the two learners publish and answer the same. */
static uint32_t play(uint32_t number, restart_function *restart, uint32_t restart_every)
{
    tape random = tape_seeded(7000 + number);
    OWN(sotto_learner) steady = learner_of_case(number), *stopped = learner_of_case(number);
    uint32_t same = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        uint64_t coin = sotto__seeded_next(&random.seeded) >> 33;
        if (coin % restart_every == 0) stopped = restart(stopped);
        learners_step(steady, stopped, &random);
        if (!learners_are_same(steady, stopped)) break;
        same++;
    }
    if (restart == restarted && same == STEPS) {
        assert_true(learners_have_same_bytes(steady, stopped));
    }
    return same;
}

static bool exists(uint32_t number)
{
    sotto_terms terms;
    sotto_learning learning;
    return learner_case(number, &terms, &learning);
}

TEST(a_restarted_learner_is_the_one_that_never_stopped)
{
    uint32_t played = 0;
    for (uint32_t number = 0; number < LEARNER_CASES; number++) {
        if (!exists(number)) continue;
        uint32_t same = play(number, restarted, 1 + number % 9);
        if (same != STEPS) fail_msg("case %u differs at step %u", number, same);
        played++;
    }
    assert_int_equal(played, 348);
}

/* The comparison can fail: each thing that is forgotten shows in what is published or answered. */
TEST(a_learner_that_forgets_something_is_told_apart)
{
    static const struct {
        restart_function *restart;
        uint32_t every;  /* so many cases one is played */
        uint32_t wanted; /* cases in which it shows; of 45 if one of 7 is played */
    } rows[] = {{forgets_the_estimator, 7, 20},
                {forgets_the_tallies, 7, 40},
                {forgets_old_estimates, 7, 1},
                {forgets_the_measures, 7, 10},
                {forgets_the_mean, 1, 3}}; /* 16 of all cases have a mean phase */
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint32_t told = 0;
        for (uint32_t number = 0; number < LEARNER_CASES; number += rows[r].every) {
            told += exists(number) && play(number, rows[r].restart, 10) < STEPS;
        }
        if (told < rows[r].wanted) fail_msg("row %zu: told apart in %u cases", r, told);
    }
}

/* What the cases are there for, counted: otherwise they would show nothing. */
TEST(the_cases_have_all_that_a_learner_can_have)
{
    uint32_t warm = 0, both = 0, late = 0, nulls = 0, followed = 0, recent = 0, repaired = 0,
             eliminating = 0, empty = 0, mean = 0, deflating = 0;
    for (uint32_t number = 0; number < LEARNER_CASES; number++) {
        if (!exists(number)) continue;
        tape random = tape_seeded(7000 + number);
        OWN(sotto_learner) one = learner_of_case(number), *other = learner_of_case(number);
        for (uint32_t step = 0; step < STEPS; step++) {
            learners_step(one, other, &random);
            const sotto_tally *current = one->open[one->model->epoch % one->open_count].tally;
            for (uint32_t e = 0; e < one->open_count && e <= one->model->epoch; e++) {
                const sotto_tally *tally = one->open[e].tally;
                late += tally != current && tally->count > 0;
                both += tally->phase != current->phase;
            }
            warm += current->phase == SOTTO_PHASE_WARM_UP && current->count > 0;
            nulls += current->heard < current->count;
            followed += current->follow.count > 0;
            recent += one->measures.recent_follow.count > 0;
            eliminating += one->model->frozen != NULL && one->model->elimination < 1e300;
            mean += current->phase == SOTTO_PHASE_MEAN && current->count > 0;
            deflating += one->model->g != NULL && one->model->g[0] != 0;
            empty += one->model->epoch > 0 && sotto__tally_all(current) == 0;
        }
        repaired += sotto_learner_repairs(one) > 0;
    }
    const uint32_t seen[] = {warm,     both,        late,  nulls, followed, recent,
                             repaired, eliminating, empty, mean,  deflating};
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        if (seen[i] < 20) fail_msg("feature %zu was seen %u times only", i, seen[i]);
    }
}
