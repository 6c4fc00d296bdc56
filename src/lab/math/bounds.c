/* What counted guesses and events prove about epsilon, whatever the mechanism is. */
#include "math.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* ==== event ================================================================================== */

/*
 * For every event C and secrets x, x' a mechanism that keeps its claim has
 *
 *   P(C | x) <= e^eps P(C | x') + delta,   so   eps >= ln((P(C | x) - delta) / P(C | x')).
 *
 * With k1 hits in n1 trials of x and k0 in n0 of x', Clopper and Pearson's bounds at alpha/2 give
 *
 *   eps_lb = ln((BetaInv(alpha/2; k1, n1-k1+1) - delta) / BetaInv(1-alpha/2; k0+1, n0-k0)),
 *
 * which is larger than eps with probability at most alpha, whatever the mechanism.
 */

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
        assert(!isnan(sample[i].witness)); /* they are sorted */
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

/* ==== gaussian =============================================================================== */

/*
 * If a fair coin chooses between f(x) + N(0, sigma^2) and f(x') + N(0, sigma^2), no guess
 * is right more often than A = Phi(mu/2), mu = |f(x) - f(x')|/sigma, and the sign of the projection
 * on f(x) - f(x') reaches it. So mu >= 2 Phi^-1(A), and the privacy of mu is known exactly (Balle
 * and Wang 2018): delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu).
 */

double sotto__gaussian_allowed(double epsilon, double delta)
{
    return 1 / sotto_gaussian_sigma(epsilon, delta, 1);
}

double sotto__gaussian_lower(uint64_t right, uint64_t trials, double alpha)
{
    double accuracy = sotto__chance_lower(right, trials, alpha);
    if (!(accuracy > 0.5)) return 0;
    return 2 * sotto__normal_quantile(accuracy);
}

double sotto__gaussian_p(uint64_t right, uint64_t trials, double allowed)
{
    return sotto__binomial_tail(right, trials, 1 - sotto__normal_tail(allowed / 2));
}

double sotto__audit_gaussian_epsilon(double ratio, double delta)
{
    double lo = 1e-3, hi = 50;
    if (!(sotto__gaussian_allowed(lo, delta) < ratio)) return 0;
    for (int i = 0; i < 50; i++) {
        double middle = (lo + hi) / 2;
        if (sotto__gaussian_allowed(middle, delta) < ratio) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return lo;
}

void sotto__shape_add(sotto__shape *shape, uint32_t secret, double witness)
{
    double power = 1;
    shape->count[secret]++;
    for (int k = 0; k < 4; k++) {
        power *= witness;
        shape->power[secret][k] += power;
    }
}

/* Skewness and kurtosis from the sums of powers; false if the witnesses do not vary. */
static bool skewness_and_kurtosis(const double power[4], double n, double *skewness,
                                  double *kurtosis)
{
    double m = power[0] / n, m2 = power[1] / n, m3 = power[2] / n, m4 = power[3] / n;
    double variance = m2 - m * m;
    if (!(n > 0 && variance > 0)) return false;
    *skewness = (m3 - 3 * m * m2 + 2 * m * m * m) / (variance * sqrt(variance));
    *kurtosis = (m4 - 4 * m * m3 + 6 * m * m * m2 - 3 * m * m * m * m) / (variance * variance);
    return true;
}

/* Jarque and Bera: n (S^2/6 + (K - 3)^2/24), summed over the secrets, is chi-square with 4 degrees.
 *
 * Passing this test does not prove that the noise is normal. The noise most easily mistaken for it
 * is a projection whose likelihood ratio is a step, as with PrivUnit and the l2-ball: a normal
 * density that is heavier by a factor on the side of its secret. Its skewness is -mu/2 for one
 * secret and mu/2 for the other, so S - S' = -mu; for Gaussian noise S - S' = 0. So |S - S'| must
 * be below mu/2 by three standard errors. */
bool sotto__shape_normal(const sotto__shape *shape, double ratio)
{
    double skewness[2], kurtosis[2], chi = 0, error = 0;
    for (int s = 0; s < 2; s++) {
        double n = shape->count[s];
        if (!skewness_and_kurtosis(shape->power[s], n, &skewness[s], &kurtosis[s])) return false;
        double excess = kurtosis[s] - 3;
        chi += n * (skewness[s] * skewness[s] / 6 + excess * excess / 24);
        error += 6 / n;
    }
    if (!(sotto__chi_square_tail(chi, 4) > 0.01)) return false;
    return fabs(skewness[0] - skewness[1]) + 3 * sqrt(error) < ratio / 2;
}

/* ==== sure =================================================================================== */

/*
 * A rule guesses x or x', or makes no guess. Let A and B be the answers on which it guesses x and
 * x', and let a fair coin choose between the two inputs. Whatever the noise is, a mechanism that
 * keeps its claim has
 *
 *   r = P(right) = (P(A | x) + P(B | x'))/2 <= e^eps (P(A | x') + P(B | x))/2 + delta 
 *                = e^eps w + delta,
 *
 * where w = P(wrong). So right guesses have two parts: r' <= e^eps w, and a rest of at most delta.
 * In N independent trials the rest is stochastically below Bin(N, delta). Of the M other guesses,
 * right or wrong, the right ones are below Bin(M, theta), theta = e^eps/(1 + e^eps). Let b be what
 * Bin(N, delta) exceeds with probability at most beta. Then R right and W wrong guesses give
 *
 *   theta >= BetaInv(alpha - beta; R - b, W + 1),   eps >= ln(theta/(1 - theta)),
 *
 * with probability 1 - alpha. The same holds for sums over pairs of inputs, each with its own rule,
 * so evidence that is too weak in each single pair can add up.
 *
 * Rules differ in how much evidence they require before they guess. Against Gaussian noise that is
 * too small, the tail of the noise is the strongest evidence, and the rarest. How strong and how
 * rare an answer that is the input itself is depends on the mechanism. So all levels are tried, and
 * they share alpha.
 */

#define BETA SOTTO__SURE_BETA

/* Level 0 takes every witness but 0, even if the sample has only a few. */
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

uint64_t sotto__sure_excused(uint64_t trials, double delta)
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

/* The guesses of each level and of all surer ones, without the right guesses that delta excuses. */
typedef struct account {
    uint64_t right[SOTTO__SURE_LEVELS], wrong[SOTTO__SURE_LEVELS];
} account;

static account settle(const sotto__sure *sure, double delta)
{
    account sums = {{0}, {0}};
    uint64_t right = 0, wrong = 0, excuse = sotto__sure_excused(sure->trials, delta);
    for (uint32_t k = SOTTO__SURE_LEVELS; k-- > 0;) {
        right += sure->right[k];
        wrong += sure->wrong[k];
        sums.right[k] = right > excuse ? right - excuse : 0;
        sums.wrong[k] = wrong;
    }
    return sums;
}

/* All levels of all witnesses have the same share of alpha. */
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
