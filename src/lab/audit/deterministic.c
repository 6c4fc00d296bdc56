/*
 * Layer 0 of a mechanism: hard inputs, each on the same few tapes of coins.
 *
 * On one tape the answers to x and x' differ by exactly f(x) - f(x') (lattice), so their distance
 * is the statistics' and must stay within the declared diameter. How many coins are used must not
 * tell of x. Every answer is well formed, and no number comes without noise.
 */
#include "deterministic.h"
#include "client/clip.h"
#include "row.h"
#include "script.h"
#include "spies.h"

#include <math.h>
#include <stdlib.h>

#define TAPES 8u

typedef struct runs {
    const sotto__claim *claim;
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

static bool well_formed(const sotto__claim *claim, double value)
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
            sotto__spy_rng spy;
            sotto__spy_rng_begin(&spy, seed + tape);
            sotto__answer answer = {.count = r->width, .value = value_of(r, tape, input)};
            sotto__hard_input(input, r->claim->dim, r->claim->radius, r->x);
            sotto_status status = subject->draw(subject, r->x, &spy.rng, &answer);
            if (status != SOTTO_OK) return status;
            if (input == 0) r->bytes[tape] = spy.drawn_bytes;
            uint64_t off = spy.drawn_bytes > r->bytes[tape] ? spy.drawn_bytes - r->bytes[tape]
                                                            : r->bytes[tape] - spy.drawn_bytes;
            if (off > r->bytes_off) r->bytes_off = off;
            for (uint32_t i = 0; i < r->width; i++) {
                r->malformed += !well_formed(r->claim, answer.value[i]);
            }
        }
    }
    return SOTTO_OK;
}

/* Numbers that are the un-noised ones on every tape. */
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

/* The largest distance of two inputs' answers on one tape; *off is by how much the difference of
 * two numbers ever fails to be that of the statistics. */
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
