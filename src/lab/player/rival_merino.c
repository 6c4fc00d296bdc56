/*
 * merino: randomised interest bits and Thompson sampling, after the public server of a browser's
 * new tab (mozilla-services/merino-py: static_local_model.py, protocol.py,
 * lints_interest_model.py).
 *
 *   report    each of d interests is one of 4 levels, sent as 4 bits of which one is 1; a bit that
 *             is 1 stays 1 with chance p, a bit that is 0 becomes 1 with chance q. Theirs:
 *             p = .806, q = .03, so ln(p (1 - q)/((1 - p) q)) = 4.9 for each interest.
 *   decode    one bit set: its level; two: the mean of both; otherwise the interest is missing, 0
 *   decide    theta_k ~ N(V_k^-1 u_k, v^2 V_k^-1), argmax f . theta_k, f = (1, decoded interests)
 *
 * Here it runs at equal true epsilon. A person reports d interests and a reward, each at
 * e = epsilon/(d + 1). The two chances keep the authors' proportion, ln(p/(1 - p)) = s e and
 * ln((1 - q)/q) = (1 - s) e; at e = 4.9 they are the authors' own. Only the bits determine the arm,
 * so it reveals nothing more. The reward is one bit, randomised at e; its chance is linear in the
 * reward.
 *
 * These parts are ours, because their public code does not have them: how V_k and u_k are fitted
 * (ridge regression, one per arm), v (the sd of the reward's bit without its bias), and the levels
 * for data other than click rates: quarters of N(0, C_B^2/d), decoded as their means. All of it
 * helps the rival. The privacy guarantee holds
 * exactly, in integers.
 */
#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THEIR_ONE 0.806
#define THEIR_ZERO 0.030

typedef struct merino {
    sotto__rival rival; /* first */
    sotto__merino_chances chances;
    double v;
    uint32_t features; /* 1 + dim */
    uint8_t *bits;     /* dim, of the current person */
    double *feature;   /* features */
    double *factor;    /* of V_k, packed, one per arm */
    double *cross;     /* arms x features: u_k */
    double *theta;     /* likewise */
    double *scratch;   /* features */
    double *memory;
} merino;

/* A report. The bits of the interests follow. */
typedef struct merino_sent {
    uint32_t arm;
    uint32_t reward; /* a bit */
} merino_sent;

/* ---- the mechanism ------------------------------------------------------------------------- */

/* Two levels differ in two bits, so the ratio of chances is at most one (1 - zero)/((1 - one)
 * zero). `zero` is rounded up until that ratio is below e^epsilon. */
sotto__merino_chances sotto__merino_chances_of(double epsilon)
{
    double up = log(THEIR_ONE / (1 - THEIR_ONE)), down = log((1 - THEIR_ZERO) / THEIR_ZERO);
    double whole = 0x1p32, most = exp(epsilon) * (1 - 0x1p-40);
    double one = floor(whole / (1 + exp(-epsilon * up / (up + down))));
    double odds = one / (whole - one) / most; /* of zero: at least */
    double zero = ceil(whole * odds / (1 + odds)) + 1;
    double reward = ceil(whole / (1 + most)) + 1;
    return (sotto__merino_chances){(uint64_t)one, (uint64_t)zero, (uint64_t)reward};
}

static bool coin(sotto__seeded *noise, uint64_t chance)
{
    return sotto__seeded_next(noise) >> 32 < chance;
}

uint32_t sotto__merino_bits(sotto__seeded *noise, const sotto__merino_chances *chances,
                            uint32_t level)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < SOTTO__MERINO_LEVELS; i++) {
        bits |= (uint32_t)coin(noise, i == level ? chances->one : chances->zero) << i;
    }
    return bits;
}

uint32_t sotto__merino_reward(sotto__seeded *noise, const sotto__merino_chances *chances,
                              double part)
{
    double span = 0x1p32 - 2 * (double)chances->reward;
    return coin(noise, chances->reward + (uint64_t)(span * fmin(1, fmax(0, part))));
}

/* ---- levels -------------------------------------------------------------------------------- */

/* Quarters of a standard normal, and the mean of each. */
static const double edge[SOTTO__MERINO_LEVELS - 1] = {-0.6744897501960817, 0, 0.6744897501960817};
static const double mean_of_level[SOTTO__MERINO_LEVELS] = {-1.2711063, -0.3246628, 0.3246628,
                                                           1.2711063};

static uint32_t level_of(double x)
{
    uint32_t level = 0;
    for (uint32_t i = 0; i < SOTTO__MERINO_LEVELS - 1; i++) {
        level += x > edge[i];
    }
    return level;
}

static double decode(uint32_t bits)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < SOTTO__MERINO_LEVELS; i++) {
        if ((bits >> i & 1) == 0) continue;
        sum += mean_of_level[i];
        count++;
    }
    return count == 1 || count == 2 ? sum / count : 0;
}

/* In units of C_B/sqrt d. */
static void set_features(merino *m, const uint8_t *bits)
{
    m->feature[0] = 1;
    for (uint32_t i = 0; i < m->rival.dim; i++) {
        m->feature[1 + i] = decode(bits[i]);
    }
}

/* ---- a round ------------------------------------------------------------------------------- */

static uint32_t merino_choose(sotto__rival *self)
{
    merino *m = (merino *)self;
    double unit = self->match->spec.context_norm_max / sqrt(self->dim);
    for (uint32_t i = 0; i < self->dim; i++) {
        uint32_t level = level_of(self->context[i] / unit);
        m->bits[i] = (uint8_t)sotto__merino_bits(&self->noise, &m->chances, level);
    }
    set_features(m, m->bits);
    for (uint32_t a = 0; a < self->arms; a++) {
        const double *factor = m->factor + (size_t)a * sotto__tri_count(m->features);
        double form = sotto__inverse_form(factor, m->feature, m->scratch, m->features);
        self->score[a] = sotto__dot(m->feature, m->theta + (size_t)a * m->features, m->features) +
                         m->v * sqrt(form) * sotto__normal(&self->ziggurat, &self->noise);
    }
    return sotto__largest(self->score, self->arms);
}

static void merino_report(sotto__rival *self, double reward, void *out)
{
    merino *m = (merino *)self;
    const sotto_spec *spec = &self->match->spec;
    merino_sent *sent = out;
    double part = (reward - spec->reward_lo) / (spec->reward_hi - spec->reward_lo);
    *sent = (merino_sent){self->arm, sotto__merino_reward(&self->noise, &m->chances, part)};
    memcpy(sent + 1, m->bits, self->dim);
}

/* The reward, corrected for the bias of its randomised bit, relative to the middle of the range. */
static sotto_status merino_take(sotto__rival *self, const void *report)
{
    merino *m = (merino *)self;
    const sotto_spec *spec = &self->match->spec;
    const merino_sent *sent = report;
    double flip = (double)m->chances.reward * 0x1p-32;
    double range = spec->reward_hi - spec->reward_lo;
    double r = range * ((double)sent->reward - 0.5) / (1 - 2 * flip);
    double *factor = m->factor + (size_t)sent->arm * sotto__tri_count(m->features);
    double *cross = m->cross + (size_t)sent->arm * m->features;
    set_features(m, (const uint8_t *)(sent + 1));
    for (uint32_t i = 0; i < m->features; i++) {
        cross[i] += r * m->feature[i];
    }
    sotto__cholesky_update(factor, m->feature, m->features); /* overwrites m->feature */
    sotto__cholesky_solve(factor, cross, m->theta + (size_t)sent->arm * m->features, m->features);
    return SOTTO_OK;
}

/* The coefficients apply to decoded interests, so they are no estimate of theta*. */
static const double *merino_estimate(const sotto__rival *self)
{
    (void)self;
    return NULL;
}

/* ---- made and freed ------------------------------------------------------------------------ */

static void merino_free(sotto__rival *self)
{
    merino *m = (merino *)self;
    free(m->bits);
    free(m->memory);
}

/* V_k starts from prior knowledge: mean rewards are within the range and parameters within D, so
 * coefficients have a mean square of (C_B D/d)^2. */
static void set_factors(merino *m)
{
    const sotto_spec *spec = &m->rival.match->spec;
    double half = (spec->reward_hi - spec->reward_lo) / 2;
    double slope = spec->context_norm_max * spec->theta_norm_max / spec->dim;
    for (uint32_t a = 0; a < spec->arms; a++) {
        double *factor = m->factor + (size_t)a * sotto__tri_count(m->features);
        for (uint32_t i = 0; i < m->features; i++) {
            factor[sotto__tri_count(i) + i] = m->v / (i == 0 ? half : slope);
        }
    }
}

static sotto_status merino_begin(sotto__rival *self)
{
    merino *m = (merino *)self;
    const sotto_spec *spec = &self->match->spec;
    uint32_t features = spec->dim + 1;
    size_t cells = (size_t)spec->arms * features;
    size_t factors = (size_t)spec->arms * sotto__tri_count(features);
    m->features = features;
    m->bits = calloc(spec->dim, 1);
    m->memory = calloc(2 * cells + factors + 2 * (size_t)features, sizeof m->memory[0]);
    if (m->bits == NULL || m->memory == NULL) return SOTTO_E_MEMORY;
    m->theta = m->memory;
    m->cross = m->theta + cells;
    m->factor = m->cross + cells;
    m->feature = m->factor + factors;
    m->scratch = m->feature + features;
    m->chances = sotto__merino_chances_of(spec->epsilon / features);
    m->v = (spec->reward_hi - spec->reward_lo) / 2 / (1 - (double)m->chances.reward * 0x1p-31);
    self->report_bytes = sizeof(merino_sent) + spec->dim;
    set_factors(m);
    return SOTTO_OK;
}

const sotto__rival_method sotto__rival_merino = {
    .struct_bytes = sizeof(merino),
    .begin = merino_begin,
    .choose = merino_choose,
    .report = merino_report,
    .take = merino_take,
    .estimate = merino_estimate,
    .free = merino_free,
};
