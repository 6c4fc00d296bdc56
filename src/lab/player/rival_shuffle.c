/*
 * shuffle-ucb: LinUCB in batches; the server sees only their sums. After Chowdhury and Zhou,
 * Shuffle Private Linear Contextual Bandits (2022), in its form by vector sums; the constants of
 * the regulariser and of the bonus are those of their simulation script.
 *
 *   batch     B = ceil(T^(3/5)) people; their moments (svec x x', r x) are added up, with noise
 *             N(0, s^2) on each
 *   estimate  V += sum x x', u += sum r x; theta = (V + 2 G I)^-1 u, at the end of a batch
 *   decide    argmax x . theta + w sqrt(x' (V + 2 G I)^-1 x)
 *   G         a bound on the largest eigenvalue of the noise of all batches, s sqrt(b) (4 sqrt d +
 *             2 ln(2T/alpha))/sqrt 2
 *   w         sqrt(G) D + R sqrt(d ln((1 + T C_B^2/G) T)), R half the range of rewards
 *
 * The guarantee is that of the shuffle model: (epsilon, delta) for what the server sees of a batch,
 * which somebody else adds up. In the paper people add binomial noise, with constants that the
 * script replaces by tuned ones. Here the sum gets Gaussian noise with the smallest s that keeps
 * the guarantee, as if the people of a batch added up perfectly. That is less noise than theirs, so
 * it does not harm the rival. B is of the order of their regret, T^(3/5).
 *
 * Per-arm parameters: one block per arm, with noise on all blocks; this moves two secrets no
 * further apart.
 */
#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct shuffle_ucb {
    sotto__rival rival;   /* first */
    uint64_t batch, here; /* people per batch; people in this one so far */
    uint32_t blocks, gram, statistic;
    double sigma, lambda, ridge, width;
    double *open;    /* blocks x statistic: the current batch */
    double *sum;     /* blocks x statistic: all batches that ended, with their noise */
    double *theta;   /* blocks x dim */
    double *factor;  /* blocks x gram: of V + 2 G I, while `known` */
    double *scratch; /* dim */
    double *memory;
    bool known;
} shuffle_ucb;

/* What a person hands to the aggregator: x and r, which never reach the server. */
typedef struct handed {
    uint32_t arm;
    double reward;
} handed;

/* (svec x x', lambda r x) with lambda = C_B/c_r, so that both parts have the same size. */
static double lambda_of(const sotto_spec *spec)
{
    return spec->context_norm_max / sotto__reward_bound(spec);
}

/* The sigma of the noise on a batch's sum, by the diameter with l = lambda c_r/C_B = 1:
 * C_B^2 3/sqrt 2. */
static double sigma_of(const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    double bound = spec->context_norm_max;
    return sotto_gaussian_sigma(spec->epsilon, match->delta, 3 / sqrt(2) * bound * bound);
}

const double *sotto__shuffle_sums(const sotto__rival *self)
{
    return ((const shuffle_ucb *)self)->sum;
}

static uint32_t shuffle_choose(sotto__rival *self)
{
    shuffle_ucb *s = (shuffle_ucb *)self;
    if (!s->known) {
        return (uint32_t)(sotto__uniform(sotto__seeded_next(&self->noise)) * self->arms);
    }
    for (uint32_t a = 0; a < self->arms; a++) {
        uint32_t block = self->shared ? 0 : a;
        const double *x = self->context + (self->shared ? (size_t)a * self->dim : 0);
        const double *factor = s->factor + (size_t)block * s->gram;
        double form = sotto__inverse_form(factor, x, s->scratch, self->dim);
        self->score[a] =
            sotto__dot(x, s->theta + (size_t)block * self->dim, self->dim) + s->width * sqrt(form);
    }
    return sotto__largest(self->score, self->arms);
}

static void shuffle_report(sotto__rival *self, double reward, void *out)
{
    handed *to = out;
    *to = (handed){self->arm, reward};
    memcpy(to + 1, sotto__rival_x(self), self->dim * sizeof(double));
}

/* Computes theta of every block. If noise made the matrix indefinite, only the ridge is used. */
static void solve(shuffle_ucb *s)
{
    uint32_t dim = s->rival.dim;
    for (uint32_t b = 0; b < s->blocks; b++) {
        const double *sum = s->sum + (size_t)b * s->statistic;
        double *factor = s->factor + (size_t)b * s->gram;
        double *theta = s->theta + (size_t)b * dim;
        for (uint32_t i = 0, at = 0; i < dim; i++) {
            for (uint32_t j = 0; j <= i; j++, at++) {
                factor[at] = j < i ? sum[at] / sqrt(2) : sum[at] + 2 * s->ridge;
            }
            theta[i] = sum[s->gram + i] / s->lambda;
        }
        if (sotto__cholesky(factor, dim)) {
            sotto__cholesky_solve(factor, theta, theta, dim);
            continue;
        }
        memset(factor, 0, s->gram * sizeof factor[0]);
        memset(theta, 0, dim * sizeof theta[0]);
        for (uint32_t i = 0; i < dim; i++) {
            factor[sotto__tri_count(i) + i] = sqrt(2 * s->ridge);
        }
    }
    s->known = true;
}

static void end_batch(shuffle_ucb *s)
{
    uint32_t count = s->blocks * s->statistic;
    sotto__add_normals(&s->rival.ziggurat, &s->rival.noise, s->sigma, s->open, count);
    for (uint32_t i = 0; i < count; i++) {
        s->sum[i] += s->open[i];
    }
    memset(s->open, 0, count * sizeof s->open[0]);
    s->here = 0;
    solve(s);
}

static sotto_status shuffle_take(sotto__rival *self, const void *report)
{
    shuffle_ucb *s = (shuffle_ucb *)self;
    const handed *from = report;
    const double *x = (const double *)(from + 1);
    double *open = s->open + (self->shared ? 0 : (size_t)from->arm * s->statistic);
    for (uint32_t i = 0, at = 0; i < self->dim; i++) {
        for (uint32_t j = 0; j <= i; j++, at++) {
            open[at] += (j < i ? sqrt(2) : 1) * x[i] * x[j];
        }
        open[s->gram + i] += s->lambda * from->reward * x[i];
    }
    if (++s->here == s->batch) end_batch(s);
    return SOTTO_OK;
}

static const double *shuffle_estimate(const sotto__rival *self)
{
    return ((const shuffle_ucb *)self)->theta;
}

static void shuffle_free(sotto__rival *self)
{
    free(((shuffle_ucb *)self)->memory);
}

static sotto_status take_memory(shuffle_ucb *s)
{
    size_t sums = (size_t)s->blocks * s->statistic, grams = (size_t)s->blocks * s->gram;
    size_t thetas = (size_t)s->blocks * s->rival.dim;
    s->memory = calloc(2 * sums + grams + thetas + s->rival.dim, sizeof s->memory[0]);
    if (s->memory == NULL) return SOTTO_E_MEMORY;
    s->open = s->memory;
    s->sum = s->open + sums;
    s->factor = s->sum + sums;
    s->theta = s->factor + grams;
    s->scratch = s->theta + thetas;
    return SOTTO_OK;
}

static sotto_status shuffle_begin(sotto__rival *self)
{
    shuffle_ucb *s = (shuffle_ucb *)self;
    const sotto_spec *spec = &self->match->spec;
    double people = (double)self->match->horizon, dim = spec->dim;
    double bound = spec->context_norm_max;
    s->blocks = self->shared ? 1 : spec->arms;
    s->gram = sotto__tri_count(spec->dim);
    s->statistic = s->gram + spec->dim;
    s->batch = (uint64_t)ceil(pow(people, 0.6));
    s->sigma = sigma_of(self->match);
    s->lambda = lambda_of(spec);
    double batches = ceil(people / (double)s->batch);
    double spread = 4 * sqrt(dim) + 2 * log(2 * people / self->match->learning.alpha);
    s->ridge = s->sigma / sqrt(2) * sqrt(batches) * spread;
    double certain = dim * log((1 + people * bound * bound / s->ridge) * people);
    s->width = sqrt(s->ridge) * spec->theta_norm_max +
               (spec->reward_hi - spec->reward_lo) / 2 * sqrt(certain);
    self->report_bytes = sizeof(handed) + spec->dim * sizeof(double);
    return take_memory(s);
}

const sotto__rival_method sotto__rival_shuffle = {
    .struct_bytes = sizeof(shuffle_ucb),
    .begin = shuffle_begin,
    .choose = shuffle_choose,
    .report = shuffle_report,
    .take = shuffle_take,
    .estimate = shuffle_estimate,
    .free = shuffle_free,
};
