/* What other rooms may use of this one. */
#ifndef SOTTO_LAB_MATH_ROOM_H
#define SOTTO_LAB_MATH_ROOM_H

#include <sotto/core.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- cholesky_update ------------------------------------------------------------------------ */

/* Adds squares to matrices and to their Cholesky factors. */

/* A += x x', A packed by its lower triangle. */
void sotto__add_outer(double *a, const double *x, uint32_t n);
/* Replaces the packed factor L of A by that of A + x x', in n^2 operations. Overwrites x. */
void sotto__cholesky_update(double *factor, double *x, uint32_t n);

/* ---- dense ---------------------------------------------------------------------------------- */

/* Solving with symmetric matrices that noise may have made indefinite. */

#define SOTTO__DENSE_MAX 4096u /* rows: two matrices of 128 MiB */

typedef struct sotto__dense sotto__dense;

/* Room for matrices of n rows. SOTTO_E_LENGTH above SOTTO__DENSE_MAX. */
SOTTO_CHECK sotto_status sotto__dense_new(uint32_t n, sotto__dense **out);
void sotto__dense_free(sotto__dense *dense); /* accepts NULL */

/* Factors A + shift I, with A packed by its lower triangle. False if that matrix is singular or not
 * finite; then sotto__dense_solve and sotto__dense_forms must not be called. */
bool sotto__dense_factor(sotto__dense *dense, const double *a, double shift);

/* x = (A + shift I)^-1 b, of the last matrix factored; x is not b. */
void sotto__dense_solve(const sotto__dense *dense, const double *b, double *x);

/* out_i = x' (A + shift I)^-1 x for x row i of `count` rows, using n x count doubles of scratch.
 * Never negative if the matrix is positive definite. */
void sotto__dense_forms(const sotto__dense *dense, const double *rows, uint32_t count,
                        double *scratch, double *out);

/* The same, but faster, for rows of `count` blocks where row c is 0 outside of block c. */
void sotto__dense_forms_of_blocks(const sotto__dense *dense, const double *rows, uint32_t count,
                                  double *scratch, double *out);

/* ---- eigen ---------------------------------------------------------------------------------- */

/* The extreme eigenvalues of a symmetric matrix. */

typedef struct sotto__extremes {
    double smallest, largest;
} sotto__extremes;

/* For the packed symmetric A (see core.h), n at least 1, all finite. Overwrites A; `scratch` has 2n
 * numbers. Accurate to a few roundings of the largest |eigenvalue|. */
sotto__extremes sotto__eigen_extremes(double *a, uint32_t n, double *scratch);

/* ---- logistic_fit --------------------------------------------------------------------------- */

/* Logistic regression with a ridge: estimates the demand in a data set. */

/* The data: `rows` yes-or-no answers. */
typedef struct sotto__logistic_data {
    uint64_t rows;
    uint32_t dim; /* 1 to SOTTO_DIM_MAX */
    double ridge; /* lambda, at least 0; above 0 every data set has one finite optimum */
    /* Writes x of a row, dim numbers, and returns its answer. */
    bool (*row)(const void *state, uint64_t row, double *x);
    const void *state;
} sotto__logistic_data;

typedef struct sotto__logistic_result {
    bool converged; /* false: theta is where the search ended, not an optimum */
    uint32_t steps; /* Newton steps */
    double loss;
    double gradient_norm;
} sotto__logistic_result;

/* Sets theta (dim numbers) to the minimum of
 * sum_i log(1 + exp(-s_i x_i . theta)) + lambda/2 ||theta||^2, s_i = +1 for yes and -1 for no.
 * Converged means a gradient of at most 1e-9 per row. */
SOTTO_CHECK sotto_status sotto__logistic_fit(const sotto__logistic_data *data, double *theta,
                                             sotto__logistic_result *result);

/* ---- moments -------------------------------------------------------------------------------- */

/* Summaries of many runs. NAN if there is no answer. */

double sotto__mean_of(const double *x, uint32_t count);
double sotto__deviation(const double *x, uint32_t count); /* standard deviation, count - 1 below */
double sotto__standard_error(const double *x, uint32_t count); /* of the mean */

/* Sorts x. */
void sotto__sort(double *x, uint32_t count);
/* The p-quantile of sorted numbers, linear between neighbours; p from 0 to 1. */
double sotto__quantile(const double *sorted, uint32_t count, double p);

/* The slope of the straight line through (x, y) by least squares; count at least 2. */
double sotto__slope(const double *x, const double *y, uint32_t count);

/* ---- rank_test ------------------------------------------------------------------------------ */

/* The two-sided rank test of Mann and Whitney, exact. */

#define SOTTO__RANK_TEST_MAX 128u /* values of one side */

/* The probability of an order at least as extreme as this one if all values have the same law. NAN
 * if a side has no values or more than SOTTO__RANK_TEST_MAX, or if a value is in both sides,
 * because the test assumes a continuous law. */
double sotto__rank_test(const double *first, uint32_t first_count, const double *second,
                        uint32_t second_count);

/* ---- sphere_max ----------------------------------------------------------------------------- */

/* Expectations over the best of several arms, by quadrature. */

/* E[of(c, state)], c the largest of `arms` independent first coordinates of uniform unit vectors of
 * R^dim, which is the law of the best arm's context along a direction. dim and arms are at least 1.
 * Accurate to 1e-9 for smooth functions of up to 1024 arms. */
typedef double sotto__sphere_function(double c, const void *state);
double sotto__sphere_max(uint32_t dim, uint32_t arms, sotto__sphere_function *of,
                         const void *state);

/* E c: M of plan.c. */
double sotto__sphere_max_mean(uint32_t dim, uint32_t arms);

/* c_K, the mean of the largest of `arms` independent normals. */
double sotto__normal_max_mean(uint32_t arms);

/* ---- statistics ----------------------------------------------------------------------------- */

/* Distributions and confidence bounds. */

/* P(N(0,1) > x), and z with P(N(0,1) <= z) = p, 0 < p < 1. */
double sotto__normal_tail(double x);
double sotto__normal_quantile(double p);
/* P(|N(0,1)| > |z|). */
double sotto__two_sided(double z);

/* P(chi-square with `freedom` degrees > x). */
double sotto__chi_square_tail(double x, double freedom);

/* x with I_x(a, b) = p; a, b > 0, 0 <= p <= 1. */
double sotto__beta_inverse(double p, double a, double b);

/* Clopper and Pearson: k successes in n; the true chance lies below (above) the bound with
 * probability at most alpha. */
double sotto__chance_lower(uint64_t k, uint64_t n, double alpha);
double sotto__chance_upper(uint64_t k, uint64_t n, double alpha);

/* P(X >= k) of a binomial X, and the two-sided p-value of k. */
double sotto__binomial_tail(uint64_t k, uint64_t n, double chance);
double sotto__binomial_p(uint64_t k, uint64_t n, double chance);

/* p-value of counts if all places are equally likely. */
double sotto__uniform_p(const uint64_t *count, uint32_t places);

/* p-value of a mean square over `count` numbers of mean 0, variance 1 and this kurtosis. */
double sotto__variance_p(double mean_square, uint64_t count, double kurtosis);

/* p-value of the smallest of `rows` p-values if all hypotheses are true (Bonferroni). */
double sotto__smallest_p(double p, double rows);

/* ---- lags ----------------------------------------------------------------------------------- */

/* Correlations of a sequence with itself, 1 to 128 numbers back. */

#define SOTTO__LAGS 128u
#define SOTTO__LAGS_PAST (4 * SOTTO__LAGS)

/* Initialise to all zeros. A sequence is all numbers added until sotto__lags_end. */
typedef struct sotto__lags {
    float
        past[SOTTO__LAGS_PAST]; /* past[newest + k - 1]: the number k before; 0 before the first */
    uint32_t newest, parts;     /* newest 0: nothing came yet; parts: numbers in `part` */
    float part[SOTTO__LAGS];    /* partial sums of products */
    double sum[SOTTO__LAGS];    /* of this sequence */
    double total, squares;
    uint64_t count, all;   /* numbers of this sequence, and of all that have ended */
    double z[SOTTO__LAGS]; /* summed over sequences */
    uint32_t sequences;    /* those that varied */
} sotto__lags;

/* Adds the next number. Any number is accepted, best if they are centred about 0. */
void sotto__lags_add(sotto__lags *lags, double y);
/* Ends the sequence. The next number begins a new one. */
void sotto__lags_end(sotto__lags *lags);

typedef struct sotto__worst_lag {
    uint32_t lag;
    double correlation;
    double p; /* the chance that some lag of an independent sequence stands out this far */
} sotto__worst_lag;

/* Over the sequences that have ended. */
sotto__worst_lag sotto__lags_worst(const sotto__lags *lags);

/* ---- event ---------------------------------------------------------------------------------- */

/* The bound on epsilon from the probabilities of one event under two secrets. */

/* A trial whose secret is known. Large witnesses should indicate secret 0. */
typedef struct sotto__witnessed_trial {
    double witness;
    uint32_t secret; /* 0 or 1 */
} sotto__witnessed_trial;

/* The witnesses on one side of a threshold. */
typedef struct sotto__audit_event {
    double threshold; /* inclusive */
    bool above;
    uint32_t secret; /* the secret that it indicates */
    double promise;  /* roughly the epsilon that fresh trials will show */
} sotto__audit_event;

bool sotto__event_holds(const sotto__audit_event *event, double witness);

/* The event that should show the largest epsilon on `fresh` (> 0) other trials, judging by this
 * sample, in which no witness is NaN. Reorders the sample. */
sotto__audit_event sotto__choose_event(sotto__witnessed_trial *sample, uint64_t count,
                                       uint64_t fresh, double delta, double alpha);

/* Per secret: the number of trials, and of those in which the event held. */
typedef struct sotto__hits {
    uint64_t trials[2], hits[2];
} sotto__hits;

/* A lower bound on epsilon from these hits. For any mechanism it is wrong with probability at most
 * alpha. `secret` is the one that the event indicates. 0 if the hits show nothing. */
double sotto__epsilon_lower(const sotto__hits *hits, uint32_t secret, double delta, double alpha);

/* The smallest alpha at which these hits contradict (epsilon, delta). */
double sotto__epsilon_p(const sotto__hits *hits, uint32_t secret, double epsilon, double delta);

/* The largest bound that is possible: that of a mechanism that publishes its input, after `trials`
 * of each secret. */
double sotto__epsilon_reach(uint64_t trials, double delta, double alpha);

/* ---- gaussian ------------------------------------------------------------------------------- */

/* What the accuracy of a guess says about a Gaussian mechanism. */

/* The largest Delta/sigma at which a Gaussian mechanism is (epsilon, delta)-private. */
double sotto__gaussian_allowed(double epsilon, double delta);

/* A lower bound on Delta/sigma from `right` guesses in `trials` with a fair coin, wrong with
 * probability at most alpha; 0 if nothing is shown. */
double sotto__gaussian_lower(uint64_t right, uint64_t trials, double alpha);

/* The smallest alpha at which this many right guesses contradict Delta/sigma <= allowed. */
double sotto__gaussian_p(uint64_t right, uint64_t trials, double allowed);

/* The epsilon that a Gaussian mechanism of this Delta/sigma has at delta; 0 below 0.001. */
double sotto__audit_gaussian_epsilon(double ratio, double delta);

/* The shape of the noise: sums of powers of the witnesses, for each secret. */
typedef struct sotto__shape {
    double count[2], power[2][4];
} sotto__shape;

void sotto__shape_add(sotto__shape *shape, uint32_t secret, double witness);

/* True if the witnesses look normal for each secret, and are many enough to tell a Gaussian
 * mechanism of this Delta/sigma from one whose likelihood ratio is bounded. */
bool sotto__shape_normal(const sotto__shape *shape, double ratio);

/* ---- sure ----------------------------------------------------------------------------------- */

/* Bounds from guesses that are made only where an answer is strong evidence. */

/* Level k guesses on about one in 2^k of the answers whose witness is not 0. */
#define SOTTO__SURE_LEVELS 13u

/* The guesses by one witness. Its sign is the guess: above 0 for secret 0. */
typedef struct sotto__sure {
    double threshold[SOTTO__SURE_LEVELS]; /* of the witness's absolute value, ascending */
    uint64_t trials;
    uint64_t right[SOTTO__SURE_LEVELS], wrong[SOTTO__SURE_LEVELS]; /* that reach no higher level */
} sotto__sure;

/* Sets the thresholds for later trials from the witnesses of `sample`, which is overwritten. Keeps
 * the counts. */
void sotto__sure_aim(sotto__sure *sure, sotto__witnessed_trial *sample, uint64_t count);

/* Counts a fresh trial, whose secret a fair coin chose. Inline because most calls return early. */
static inline void sotto__sure_take(sotto__sure *sure, uint32_t secret, double witness)
{
    double size = fabs(witness);
    sure->trials++;
    if (!(size > 0)) return;
    int64_t level = 0; /* no branches, because they would be unpredictable */
    for (uint32_t k = 1; k < SOTTO__SURE_LEVELS; k++) {
        level += size >= sure->threshold[k];
    }
    uint64_t *count = (witness > 0) == (secret == 0) ? sure->right : sure->wrong;
    count[level]++;
}

/* The number of right guesses that delta excuses: the smallest b that Bin(trials, delta) exceeds
 * with probability at most SOTTO__SURE_BETA, which is small compared with any share of alpha. */
#define SOTTO__SURE_BETA 1e-9
uint64_t sotto__sure_excused(uint64_t trials, double delta);

/* A lower bound on epsilon from the guesses by the best of these witnesses. For any mechanism it is
 * wrong with probability at most alpha. 0 if the guesses show nothing. */
double sotto__sure_lower(const sotto__sure *sure, uint32_t count, double delta, double alpha);

/* The smallest alpha at which these guesses contradict (epsilon, delta). */
double sotto__sure_p(const sotto__sure *sure, uint32_t count, double epsilon, double delta);

#endif
