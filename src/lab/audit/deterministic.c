#include "client/client.h"
#include "inner.h"
#include "lab/math/math.h"

#include <math.h>
#include <stdlib.h>

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

static int by_score(const void *a, const void *b)
{
    double x = ((const sotto__witnessed_trial *)a)->witness,
           y = ((const sotto__witnessed_trial *)b)->witness;
    return (x > y) - (x < y);
}

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

/* ==== deterministic ========================================================================== */

/*
 * Layer 0 of a mechanism: hard inputs, each on the same few tapes of coins.
 *
 * On one tape the answers to x and x' differ by exactly f(x) - f(x') (lattice), so their distance
 * is that of the statistics and must stay within the declared diameter. The number of coins used
 * must not depend on x. Every answer is well formed, and no number comes without noise.
 */

#define TAPES 8u

typedef struct runs {
    const sotto__privacy_claim *claim;
    uint32_t inputs, width;
    double *x;             /* dim */
    double *f;             /* inputs x width: the answer without noise */
    double *value;         /* TAPES x inputs x width */
    uint64_t bytes[TAPES]; /* drawn by the first input */
    uint64_t bytes_off;    /* largest difference to it */
    uint64_t malformed;
} runs;

static double *value_of(const runs *r, uint32_t tape, uint32_t input)
{
    return r->value + ((size_t)tape * r->inputs + input) * r->width;
}

static bool well_formed(const sotto__privacy_claim *claim, double value)
{
    switch (claim->family) {
    case SOTTO__LATTICE: return value == rint(value) && fabs(value) <= INT32_MAX;
    case SOTTO__CODEBOOK:
        return value == rint(value) && value >= 0 &&
               value < claim->codebook.size + claim->codebook.nulls;
    case SOTTO__VECTOR:
    case SOTTO__OUTSIDE: return isfinite(value);
    }
    return false;
}

static sotto_status run_all(runs *r, sotto__subject *subject, uint64_t seed)
{
    for (uint32_t tape = 0; tape < TAPES; tape++) {
        for (uint32_t input = 0; input < r->inputs; input++) {
            sotto__recording_rng recorder;
            sotto__recording_rng_begin(&recorder, seed + tape);
            sotto__subject_answer answer = {.count = r->width, .value = value_of(r, tape, input)};
            sotto__hard_input(input, r->claim->dim, r->claim->radius, r->x);
            sotto_status status = subject->draw(subject, r->x, &recorder.rng, &answer);
            if (status != SOTTO_OK) return status;
            if (input == 0) r->bytes[tape] = recorder.drawn_bytes;
            uint64_t off = recorder.drawn_bytes > r->bytes[tape]
                               ? recorder.drawn_bytes - r->bytes[tape]
                               : r->bytes[tape] - recorder.drawn_bytes;
            if (off > r->bytes_off) r->bytes_off = off;
            for (uint32_t i = 0; i < r->width; i++) {
                r->malformed += !well_formed(r->claim, answer.value[i]);
            }
        }
    }
    return SOTTO_OK;
}

/* Counts numbers that equal their value without noise on every tape. */
static uint64_t count_bare(const runs *r)
{
    uint64_t bare = 0;
    for (uint32_t input = 0; input < r->inputs; input++) {
        for (uint32_t i = 0; i < r->width; i++) {
            uint32_t same = 0;
            for (uint32_t tape = 0; tape < TAPES; tape++) {
                same += value_of(r, tape, input)[i] == r->f[(size_t)input * r->width + i];
            }
            bare += same == TAPES;
        }
    }
    return bare;
}

/* The largest distance between the answers to two inputs on one tape. *off is the largest
 * error of a difference of two numbers, against the difference of their statistics. */
static double largest_distance(const runs *r, double *off)
{
    bool l1 = r->claim->law == SOTTO_NOISE_LAPLACE;
    double largest = 0;
    *off = 0;
    for (uint32_t pair = 0; pair < TAPES * r->inputs * r->inputs; pair++) {
        uint32_t tape = pair / (r->inputs * r->inputs);
        uint32_t a = pair / r->inputs % r->inputs, b = pair % r->inputs;
        const double *y = value_of(r, tape, a), *z = value_of(r, tape, b);
        const double *f = r->f + (size_t)a * r->width, *g = r->f + (size_t)b * r->width;
        double sum = 0;
        for (uint32_t i = 0; i < r->width; i++) {
            double gap = fabs(y[i] - z[i]), error = fabs(y[i] - z[i] - (f[i] - g[i]));
            sum += l1 ? gap : gap * gap;
            if (!(error <= *off)) *off = error;
        }
        double distance = l1 ? sum : sqrt(sum);
        if (!(distance <= largest)) largest = distance; /* NaN counts as large */
    }
    return largest;
}

static void lattice_rows(const runs *r, sotto_audit_result *result)
{
    double off, distance = largest_distance(r, &off);
    double allowed = r->claim->diameter_ticks;
    sotto__audit_row(result, 0, "distance of two answers on the same coins (ticks)", distance,
                     allowed, NAN, distance <= allowed);
    /* A number half-way between two ticks may be rounded either way. */
    sotto__audit_row(result, 0, "noise that depends on the input (ticks)", off, 1, NAN, off <= 1);
}

static sotto_status audit(runs *r, sotto__subject *subject, uint64_t seed,
                          sotto_audit_result *result)
{
    sotto_status status = run_all(r, subject, seed);
    if (status != SOTTO_OK) return status;
    for (uint32_t input = 0; input < r->inputs && r->width == r->claim->dim; input++) {
        double *f = r->f + (size_t)input * r->width;
        sotto__hard_input(input, r->claim->dim, r->claim->radius, r->x);
        if (r->claim->family == SOTTO__LATTICE) sotto__lattice_statistic(r->claim, r->x, f);
        if (r->claim->family == SOTTO__VECTOR) {
            sotto__clip_vector(r->x, r->claim->dim, r->claim->radius, f);
        }
    }
    sotto__audit_row(result, 0, "random bytes that depend on the input", (double)r->bytes_off, 0,
                     NAN, r->bytes_off == 0);
    sotto__audit_row(result, 0, "numbers that are not of the mechanism's kind",
                     (double)r->malformed, 0, NAN, r->malformed == 0);
    if (r->claim->family == SOTTO__CODEBOOK) return SOTTO_OK;
    uint64_t bare = count_bare(r);
    sotto__audit_row(result, 0, "numbers without noise in all of 8 answers", (double)bare, 0, NAN,
                     bare == 0);
    if (r->claim->family == SOTTO__LATTICE) lattice_rows(r, result);
    return SOTTO_OK;
}

sotto_status sotto__audit_deterministic(sotto__subject *subject, uint64_t seed,
                                        sotto_audit_result *result)
{
    runs r = {.claim = &subject->claim,
              .inputs = sotto__hard_inputs(),
              .width = subject->claim.answer_count};
    size_t row = (size_t)r.inputs * r.width;
    r.x = malloc((r.claim->dim + (TAPES + 1) * row) * sizeof(double));
    if (r.x == NULL) return SOTTO_E_MEMORY;
    r.f = r.x + r.claim->dim;
    r.value = r.f + row;
    sotto_status status = audit(&r, subject, seed, result);
    free(r.x);
    return status;
}
