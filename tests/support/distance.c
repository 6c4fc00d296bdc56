/* How far apart the ticks of two people can be. */
#include "distance.h"
#include "client/client.h"
#include "core/core.h"
#include "lab/random/random.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define DIM_MAX 4
#define TICKS_MAX 64
#define ANGLES 400
#define RANDOM_PAIRS 400

typedef struct person {
    double x[DIM_MAX];
    double reward;
    double online[DIM_MAX]; /* hostile theta_h */
    uint32_t arm;
} person;

static double dot(const double *x, const double *y, uint32_t dim)
{
    double sum = 0;
    for (uint32_t i = 0; i < dim; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* The ticks that leave the device, before noise. */
static void ticks_of(const sotto_terms *terms, const person *p, int32_t *value)
{
    const sotto_spec *spec = &terms->spec;
    static const int64_t no_noise[TICKS_MAX];
    double v[TICKS_MAX];
    const sotto__scored scored = {.spec = spec,
                                  .along_weight = 1,
                                  .x = p->x,
                                  .reward = p->reward,
                                  .theta = p->online,
                                  .online = p->online};
    sotto__score_of(spec)(&scored, v);
    uint32_t block = spec->parameters == SOTTO_PARAMETERS_PER_ARM ? p->arm : 0;
    sotto__add_noise(&terms->lattice, v, sotto__statistic_dim(spec), block, no_noise, value);
}

static double distance(const sotto_terms *terms, const person *p, const person *q)
{
    int32_t a[TICKS_MAX], b[TICKS_MAX];
    double squares = 0, sizes = 0;
    assert_true(terms->lattice.dim <= TICKS_MAX);
    ticks_of(terms, p, a);
    ticks_of(terms, q, b);
    for (uint32_t i = 0; i < terms->lattice.dim; i++) {
        double off = (double)a[i] - b[i];
        squares += off * off;
        sizes += fabs(off);
    }
    return terms->spec.noise_law == SOTTO_NOISE_LAPLACE ? sizes : sqrt(squares);
}

/* The largest distance over the rewards at both ends, and over models that push the residuals
 * together or apart. */
static double worst_rewards(const sotto_terms *terms, person p, person q)
{
    const sotto_spec *spec = &terms->spec;
    double largest = 0;
    for (int corner = 0; corner < 12; corner++) {
        p.reward = corner % 2 == 0 ? spec->reward_lo : spec->reward_hi;
        q.reward = corner / 2 % 2 == 0 ? spec->reward_lo : spec->reward_hi;
        double apart = corner / 4 - 1;
        for (uint32_t i = 0; i < spec->dim; i++) {
            p.online[i] = 1e15 * (p.x[i] + apart * q.x[i]);
            q.online[i] = p.online[i];
        }
        largest = fmax(largest, distance(terms, &p, &q));
    }
    return largest;
}

/* One context along the first axis, the other at every angle in a plane. */
static double worst_angle(const sotto_terms *terms, uint32_t second_arm)
{
    const sotto_spec *spec = &terms->spec;
    double largest = 0, bound = spec->context_norm_max;
    for (int i = 0; i <= ANGLES; i++) {
        double angle = 3.14159265358979 * (i == 0 ? 0.001 : i) / ANGLES;
        person p = {.x = {bound}}, q = {.arm = second_arm};
        q.x[0] = bound * (spec->dim > 1 ? cos(angle) : 1 - 2.0 * i / ANGLES);
        if (spec->dim > 1) q.x[1] = bound * sin(angle);
        largest = fmax(largest, worst_rewards(terms, p, q));
    }
    return largest;
}

/* Both contexts at corners of the cube inside the ball. */
static double worst_corner(const sotto_terms *terms, uint32_t second_arm)
{
    const sotto_spec *spec = &terms->spec;
    double largest = 0;
    for (uint32_t signs = 0; signs < 1u << spec->dim; signs++) {
        person p = {.arm = 0}, q = {.arm = second_arm};
        for (uint32_t i = 0; i < spec->dim; i++) {
            p.x[i] = spec->context_norm_max / sqrt(spec->dim);
            q.x[i] = (signs >> i & 1) != 0 ? -p.x[i] : p.x[i];
        }
        largest = fmax(largest, worst_rewards(terms, p, q));
    }
    return largest;
}

static person random_person(const sotto_spec *spec, sotto__seeded *random)
{
    person p = {.arm = (uint32_t)(sotto__seeded_next(random) % spec->arms)};
    double length = sotto__uniform(sotto__seeded_next(random)) * 4; /* three in four on the bound */
    for (uint32_t i = 0; i < spec->dim; i++) {
        double pair[2];
        sotto__normal_pair(sotto__seeded_next(random), sotto__seeded_next(random), pair);
        p.x[i] = pair[0];
        p.online[i] = 10 * pair[1];
    }
    double scale = spec->context_norm_max * fmin(1, length) / sqrt(dot(p.x, p.x, spec->dim));
    for (uint32_t i = 0; i < spec->dim; i++) {
        p.x[i] *= scale;
    }
    double part = sotto__uniform(sotto__seeded_next(random));
    p.reward = spec->reward_lo + part * (spec->reward_hi - spec->reward_lo);
    return p;
}

static double worst_random(const sotto_terms *terms, uint64_t seed)
{
    double largest = 0;
    sotto__seeded random;
    sotto__seeded_begin(&random, seed);
    for (int i = 0; i < RANDOM_PAIRS; i++) {
        person p = random_person(&terms->spec, &random);
        person q = random_person(&terms->spec, &random);
        largest = fmax(largest, distance(terms, &p, &q));
        largest = fmax(largest, worst_rewards(terms, p, q));
    }
    return largest;
}

/* The diameters, computed independently: with l = lambda c/C, L2: C^2 (l^2 + 2)/sqrt 2 if l^2 <=
 * 2, else 2 lambda c C; L1: C^2 (d + 1) + 2 lambda c C sqrt d. c is twice as large for the GLOC
 * pair. */
static double diameter_of(const sotto_spec *spec)
{
    double bound = spec->context_norm_max, d = spec->dim;
    double c = fmax(-spec->reward_lo, spec->reward_hi);
    if (spec->score == SOTTO_SCORE_GLOC_PAIR) c *= 2;
    if (spec->noise_law == SOTTO_NOISE_LAPLACE)
        return bound * bound * (d + 1) + 2 * c * bound * sqrt(d);
    double l = c / bound;
    return l * l <= 2 ? bound * bound * (l * l + 2) / sqrt(2) : 2 * c * bound;
}

/* The L2 diameter is attained only with two dimensions and rewards or residuals of both signs; the
 * L1 diameter only with two arms. */
static bool is_attained(const sotto_spec *spec)
{
    if (spec->noise_law == SOTTO_NOISE_LAPLACE) return spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    bool both_signs = spec->reward_lo == -spec->reward_hi || spec->score == SOTTO_SCORE_GLOC_PAIR;
    return spec->dim >= 2 && both_signs;
}

void assert_diameter_holds(const sotto_spec *spec, uint64_t seed)
{
    sotto_spec small = *spec;
    small.arms = 3;
    assert_true(spec->dim <= DIM_MAX);
    sotto_terms terms = resolved(&small);
    double found = worst_random(&terms, seed);
    for (uint32_t arm = 0; arm < small.arms; arm++) {
        found = fmax(found, worst_angle(&terms, arm));
        found = fmax(found, worst_corner(&terms, arm));
    }
    double ticks = ldexp(diameter_of(spec), -terms.lattice.grid_log2);
    double coordinates = sotto__statistic_dim(spec);
    double rounding = spec->noise_law == SOTTO_NOISE_LAPLACE ? coordinates : sqrt(coordinates);
    if (found > ticks + rounding) fail_msg("found %.9g ticks, bound %.9g", found, ticks + rounding);
    if (is_attained(spec)) assert_true(found > 0.99 * ticks);
}
