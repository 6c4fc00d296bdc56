/*
 * A rule that guesses x, or x', or says nothing. With A and B the answers on which it guesses x and
 * x', a fair coin between the two, and a mechanism that keeps its claim,
 *
 *   r = P(right) = (P(A | x) + P(B | x'))/2 <= e^eps (P(A | x') + P(B | x))/2 + delta = e^eps w + delta,
 *
 * w = P(wrong), whatever the noise is. So a right guess is one of two sorts: r' <= e^eps w, and a
 * rest of at most delta. In N independent trials the rest is stochastically below Bin(N, delta), and of
 * the M others that are right or wrong the right ones are below Bin(M, theta), theta = e^eps/(1 +
 * e^eps). Let b be what Bin(N, delta) exceeds with probability at most beta. From R right and W wrong
 * guesses,
 *
 *   theta >= BetaInv(alpha - beta; R - b, W + 1),   eps >= ln(theta/(1 - theta)),
 *
 * with probability 1 - alpha. The same holds for sums over pairs of inputs, each with its own rule:
 * what no single pair has enough trials for can be seen in all of them.
 *
 * Rules differ by how sure they want to be. A tail of the noise is the surest, and rarest, evidence
 * against Gaussian noise that is too small; an answer that is the input itself is as sure and rare
 * as the mechanism makes it. So all levels are tried, and share alpha.
 */
#include "sure.h"
#include "lab/math/statistics.h"

#include <math.h>
#include <stdlib.h>

#define BETA 1e-9 /* small against the share of any alpha */

static int by_score(const void *a, const void *b)
{
    double x = ((const sotto__witnessed_trial *)a)->witness,
           y = ((const sotto__witnessed_trial *)b)->witness;
    return (x > y) - (x < y);
}

/* Level 0 is every witness but 0, however few the sample has of them. */
void sotto__sure_aim(sotto__sure *sure, sotto__witnessed_trial *sample, uint64_t count)
{
    uint64_t some = 0; /* witnesses that are not 0, moved to the front */
    for (uint64_t i = 0; i < count; i++) {
        sample[some].witness = fabs(sample[i].witness);
        some += sample[some].witness > 0;
    }
    qsort(sample, some, sizeof sample[0], by_score);
    sure->threshold[0] = 0;
    for (uint32_t k = 1; k < SOTTO__SURE_LEVELS; k++) {
        uint64_t above = some >> k;
        sure->threshold[k] = above > 0 ? sample[some - above].witness : sure->threshold[k - 1];
    }
}

void sotto__sure_take(sotto__sure *sure, uint32_t secret, double witness)
{
    double size = fabs(witness);
    sure->trials++;
    if (!(size > 0)) return;
    uint32_t k = 0;
    while (k + 1 < SOTTO__SURE_LEVELS && size >= sure->threshold[k + 1]) {
        k++;
    }
    if ((witness > 0) == (secret == 0)) {
        sure->right[k]++;
    } else {
        sure->wrong[k]++;
    }
}

/* The smallest b that Bin(trials, delta) exceeds with probability at most BETA. */
static uint64_t excused(uint64_t trials, double delta)
{
    uint64_t lo = 0, hi = trials;
    if (!(delta > 0)) return 0;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (sotto__binomial_tail(middle + 1, trials, delta) <= BETA) {
            hi = middle;
        } else {
            lo = middle + 1;
        }
    }
    return lo;
}

/* The guesses of every level from the surest down, without the right ones that delta excuses. */
typedef struct account {
    uint64_t right[SOTTO__SURE_LEVELS], wrong[SOTTO__SURE_LEVELS];
} account;

static account settle(const sotto__sure *sure, double delta)
{
    account sums = {{0}, {0}};
    uint64_t right = 0, wrong = 0, excuse = excused(sure->trials, delta);
    for (uint32_t k = SOTTO__SURE_LEVELS; k-- > 0;) {
        right += sure->right[k];
        wrong += sure->wrong[k];
        sums.right[k] = right > excuse ? right - excuse : 0;
        sums.wrong[k] = wrong;
    }
    return sums;
}

/* Every level of every witness has the same share of alpha. */
double sotto__sure_lower(const sotto__sure *sure, uint32_t count, double delta, double alpha)
{
    double share = alpha / (count * SOTTO__SURE_LEVELS), best = 0;
    if (!(share > BETA)) return 0;
    for (uint32_t i = 0; i < count; i++) {
        account sums = settle(&sure[i], delta);
        for (uint32_t k = 0; k < SOTTO__SURE_LEVELS; k++) {
            uint64_t guesses = sums.right[k] + sums.wrong[k];
            double theta = sotto__chance_lower(sums.right[k], guesses, share - BETA);
            if (theta > 0.5) best = fmax(best, log(theta / (1 - theta)));
        }
    }
    return best;
}

double sotto__sure_p(const sotto__sure *sure, uint32_t count, double epsilon, double delta)
{
    double theta = 1 / (1 + exp(-epsilon)), smallest = 1;
    for (uint32_t i = 0; i < count; i++) {
        account sums = settle(&sure[i], delta);
        for (uint32_t k = 0; k < SOTTO__SURE_LEVELS; k++) {
            uint64_t guesses = sums.right[k] + sums.wrong[k];
            double tail = sotto__binomial_tail(sums.right[k], guesses, theta);
            smallest = fmin(smallest, tail + BETA);
        }
    }
    return sotto__smallest_p(smallest, count * SOTTO__SURE_LEVELS);
}
