/*
 * Runs of the alarm harm through the server's own learner, for tests/measure/harm.py. People are drawn in bulk: of
 * each look at the alarm only the counts and sums of the measure rounds are made, as honest devices and liars would
 * cause them.
 *
 *   harm_runs null EPSILON RUNS ROUNDS LOOK               uplift 0: how many of the runs fire, ever; stderr says when.
 *       LOOK: measure rounds between two looks, a multiple of 16
 *   harm_runs alarm EPSILON SHARE UPLIFT RUNS PEOPLE      people until the alarm, one line per run; 0: it did not fire
 *   harm_runs liars EPSILON SHARE UPLIFT RUNS PEOPLE LIARS HOW EPOCH
 *       per run: people until the alarm, until the fallback (0: none), epochs with an alarm of role counts, epochs.
 *       HOW: plain (they lie in the role that their nonce has), follow, control (they grind nonces into it), both
 *
 * Rewards are in [0, 1].
 */
#include "server/server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK 16u /* measure rounds between two looks of alarm */

static uint64_t seed_state;

static uint64_t next(void)
{
    uint64_t z = seed_state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static bool draw(double chance)
{
    return (double)(next() >> 11) * 0x1p-53 < chance;
}

static sotto_learner *learner_of(double epsilon, double share, uint32_t fallback)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    sotto_terms terms;
    sotto_learner *learner;
    spec.dim = 2, spec.arms = 2, spec.epsilon = epsilon;
    spec.reward_lo = 0, spec.reward_hi = 1;
    spec.measure = (uint32_t)rint(share * 0x1p32);
    if (sotto_spec_resolve(&spec, &terms) != SOTTO_OK) exit(2);
    sotto_learning learning = sotto_learning_default(&terms, 0);
    learning.fallback = fallback;
    if (sotto_learner_new(&terms, &learning, &learner) != SOTTO_OK) exit(2);
    learner->model->theta[0] = learner->model->tbar[0] = 0.5; /* its model decides, and stays */
    learner->open[0].tally->decides = true;
    return learner;
}

/* E u = uplift/B. */
static double mean_of(const sotto_learner *learner, double uplift)
{
    const sotto_codebook *main = &learner->terms.codebook[SOTTO_PHASE_MAIN];
    double top = (double)main->weight_top, rest = (double)main->weight_rest;
    return uplift * (top - rest) / (top + rest);
}

/* One measure round of this role with u = +1 or -1. */
static void measured(sotto_tally *tally, bool follow, int u)
{
    sotto__measured *of = follow ? &tally->follow : &tally->control[next() & 1];
    of->count++;
    of->sum += follow ? u : -u;
    tally->measured++;
}

static sotto_tally *current(sotto_learner *learner)
{
    return sotto__learner_epoch(learner, learner->model->epoch)->tally;
}

static void publish(sotto_learner *learner)
{
    if (sotto_learner_publish(learner) != SOTTO_OK) exit(2);
}

static void tell_false(uint64_t run, const sotto__harm *harm, const sotto_terms *terms)
{
    double all, recent;
    sotto__harm_upper(terms, harm, &all, &recent);
    fprintf(stderr, "run %llu: false alarm after %llu measure rounds, uplift at most %.4f\n",
            (unsigned long long)run, (unsigned long long)harm->all.count, fmin(all, recent));
}

/* The measure rounds between two looks, 16 at a time: each bit is a fair coin. */
static void draw_null(sotto_tally *tally, uint64_t look)
{
    tally->follow = tally->control[0] = (sotto__measured){0};
    for (uint64_t n = 0; n < look; n += 16) {
        const uint64_t bits = next();
        const uint32_t role = bits & 0xffff, sign = bits >> 16 & 0xffff;
        const int follow = __builtin_popcount(role);
        tally->follow.count += (uint64_t)follow;
        tally->follow.sum += 2 * __builtin_popcount(role & sign) - follow;
        tally->control[0].count += 16u - (uint64_t)follow;
        tally->control[0].sum += 2 * __builtin_popcount(~role & sign & 0xffff) - (16 - follow);
    }
    tally->measured = look;
}

static int run_null(double epsilon, uint64_t runs, uint64_t rounds, uint64_t look)
{
    uint64_t fired = 0;
    sotto_learner *learner = learner_of(epsilon, 0.1, 0);
    sotto_tally *tally = current(learner);
    if (look == 0 || look % 16 != 0) return 2;
    for (uint64_t run = 0; run < runs; run++) {
        sotto__harm harm = {0};
        seed_state = run;
        for (uint64_t n = 0; n < rounds && harm.epoch == 0; n += look) {
            draw_null(tally, look);
            sotto__harm_add(&harm, tally);
            if (sotto__harm_shows(&harm, &learner->terms)) harm.epoch = 1;
        }
        if (harm.epoch > 0) tell_false(run, &harm, &learner->terms);
        fired += harm.epoch;
    }
    printf("%llu\n", (unsigned long long)fired);
    return 0;
}

static int run_alarm(double epsilon, double share, double uplift, uint64_t runs, uint64_t people)
{
    for (uint64_t run = 0; run < runs; run++) {
        sotto_learner *learner = learner_of(epsilon, share, 0);
        double mean = mean_of(learner, uplift);
        uint64_t at = 0;
        seed_state = run;
        while (at < people && learner->harm.epoch == 0) {
            sotto_tally *tally = current(learner);
            while (tally->measured < LOOK) {
                at++;
                if (draw(share)) measured(tally, next() & 1, draw((1 + mean) / 2) ? 1 : -1);
            }
            publish(learner);
        }
        printf("%llu\n", (unsigned long long)(learner->harm.epoch > 0 ? at : 0));
        sotto_learner_free(learner);
    }
    return 0;
}

/* Liars want the alarm: u = -1. */
static void lie(sotto_tally *tally, const char *how, double share)
{
    bool follow = next() & 1;
    if (strcmp(how, "plain") == 0 && !draw(share)) {
        tally->count++, tally->heard++;
        return;
    }
    if (strcmp(how, "follow") == 0) follow = true;
    if (strcmp(how, "control") == 0) follow = false;
    measured(tally, follow, -1);
}

static int run_liars(double epsilon, double share, double uplift, uint64_t runs, uint64_t people,
                     double liars, const char *how, uint64_t epoch)
{
    for (uint64_t run = 0; run < runs; run++) {
        sotto_learner *learner = learner_of(epsilon, share, 1);
        double mean = mean_of(learner, uplift);
        uint64_t alarmed = 0, epochs = 0, harm_at = 0, served_at = 0;
        seed_state = run;
        for (uint64_t at = 0; at < people && served_at == 0; epochs++) {
            sotto_tally *tally = current(learner);
            for (uint64_t i = 0; i < epoch; i++, at++) {
                if (draw(liars)) {
                    lie(tally, how, share);
                } else if (draw(share)) {
                    measured(tally, next() & 1, draw((1 + mean) / 2) ? 1 : -1);
                } else {
                    tally->count++, tally->heard++;
                }
            }
            alarmed += sotto__roles_alarm(learner);
            publish(learner);
            if (learner->harm.epoch > 0 && harm_at == 0) harm_at = at;
            if (learner->model->served > 0) served_at = at;
        }
        printf("%llu %llu %llu %llu\n", (unsigned long long)harm_at, (unsigned long long)served_at,
               (unsigned long long)alarmed, (unsigned long long)epochs);
        sotto_learner_free(learner);
    }
    return 0;
}

int main(int count, char **word)
{
    if (count == 6 && strcmp(word[1], "null") == 0)
        return run_null(atof(word[2]), (uint64_t)atof(word[3]), (uint64_t)atof(word[4]),
                        (uint64_t)atof(word[5]));
    if (count == 7 && strcmp(word[1], "alarm") == 0)
        return run_alarm(atof(word[2]), atof(word[3]), atof(word[4]), (uint64_t)atof(word[5]),
                         (uint64_t)atof(word[6]));
    if (count == 10 && strcmp(word[1], "liars") == 0)
        return run_liars(atof(word[2]), atof(word[3]), atof(word[4]), (uint64_t)atof(word[5]),
                         (uint64_t)atof(word[6]), atof(word[7]), word[8], (uint64_t)atof(word[9]));
    fprintf(stderr, "harm_runs null|alarm|liars ...: see the head of harm_runs.c\n");
    return 2;
}
