/*
 * Layer 3. For every event C and secrets x, x' a mechanism that keeps its claim has
 *
 *   P(C | x) <= e^eps P(C | x') + delta,   so   eps >= ln((P(C | x) - delta) / P(C | x')).
 *
 * With k1 hits in n1 trials of x and k0 in n0 of x', Clopper and Pearson's bounds at alpha/2 give
 *
 *   eps_lb = ln((BetaInv(alpha/2; k1, n1-k1+1) - delta) / BetaInv(1-alpha/2; k0+1, n0-k0)),
 *
 * which is larger than eps with probability at most alpha, whatever the mechanism.
 */
#include "inner.h"
#include "lab/math/math.h"

#include <math.h>
#include <stdlib.h>

bool sotto__event_holds(const sotto__audit_event *event, double witness)
{
    return event->above ? witness >= event->threshold : witness <= event->threshold;
}

double sotto__epsilon_lower(const sotto__hits *hits, uint32_t secret, double delta, double alpha)
{
    uint32_t other = 1 - secret;
    double lower = sotto__chance_lower(hits->hits[secret], hits->trials[secret], alpha / 2);
    if (!(lower > delta)) return 0;
    double upper = sotto__chance_upper(hits->hits[other], hits->trials[other], alpha / 2);
    return fmax(0, log((lower - delta) / upper));
}

double sotto__epsilon_p(const sotto__hits *hits, uint32_t secret, double epsilon, double delta)
{
    if (!(sotto__epsilon_lower(hits, secret, delta, 1) > epsilon)) return 1;
    double lo = log(1e-300), hi = 0;
    while (hi - lo > 0.01) {
        double middle = (lo + hi) / 2;
        if (sotto__epsilon_lower(hits, secret, delta, exp(middle)) > epsilon) {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    return exp(hi);
}

double sotto__epsilon_reach(uint64_t trials, double delta, double alpha)
{
    sotto__hits best = {.trials = {trials, trials}, .hits = {trials, 0}};
    return sotto__epsilon_lower(&best, 0, delta, alpha);
}

/* Wilson's bound on a chance, z standard errors away: quick, and close to Clopper and Pearson's. */
static double wilson(double k, double n, double z)
{
    double spread = sqrt(k * (n - k) / n + z * z / 4);
    return (k + z * z / 2 + z * spread) / (n + z * z);
}

/* Keeps the event in `best` if it promises a larger epsilon for one of the two secrets. */
static void try_event(sotto__audit_event *best, const sotto__hits *hits, double threshold,
                      bool above, double delta, double z)
{
    for (uint32_t secret = 0; secret < 2; secret++) {
        uint32_t other = 1 - secret;
        double lower = wilson((double)hits->hits[secret], (double)hits->trials[secret], -z);
        double upper = wilson((double)hits->hits[other], (double)hits->trials[other], z);
        double promise = lower > delta ? log((lower - delta) / upper) : -INFINITY;
        if (!(promise > best->promise)) continue;
        *best = (sotto__audit_event){threshold, above, secret, promise};
    }
}

static int by_score(const void *a, const void *b)
{
    double x = ((const sotto__witnessed_trial *)a)->witness,
           y = ((const sotto__witnessed_trial *)b)->witness;
    return (x > y) - (x < y);
}

/* Allows for two errors, in standard errors of the sample: one standard error of the sample's own
 * rates, and z standard errors of the fresh trials, with which they will be bounded. */
sotto__audit_event sotto__choose_event(sotto__witnessed_trial *sample, uint64_t count,
                                       uint64_t fresh, double delta, double alpha)
{
    sotto__audit_event best = {.threshold = 0, .above = true, .secret = 0, .promise = -INFINITY};
    sotto__hits all = {{0, 0}, {0, 0}};
    for (uint64_t i = 0; i < count; i++) {
        all.trials[sample[i].secret]++;
    }
    if (all.trials[0] == 0 || all.trials[1] == 0) return best;
    double z = 1 - sotto__normal_quantile(alpha / 2) * sqrt((double)count / (double)fresh);
    qsort(sample, count, sizeof sample[0], by_score);

    sotto__hits below = all;
    for (uint64_t i = 0; i < count; i++) {
        sotto__hits above = all;
        for (uint32_t s = 0; s < 2; s++) {
            above.hits[s] = all.trials[s] - below.hits[s];
        }
        bool starts = i == 0 || sample[i].witness != sample[i - 1].witness;
        if (starts) try_event(&best, &above, sample[i].witness, true, delta, z);
        below.hits[sample[i].secret]++;
        bool ends = i + 1 == count || sample[i].witness != sample[i + 1].witness;
        if (ends) try_event(&best, &below, sample[i].witness, false, delta, z);
    }
    return best;
}
