/* Least squares on noisy moments: sums, forgetting, and the shift that makes a matrix positive. */
#include "core/core.h"
#include "inner.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A shift that is too small is at least this part of the largest entry when it is doubled. After 64
 * doublings it is 1e7 times that entry; 1024 times suffices, because then every diagonal entry
 * outweighs its row. */
#define SHIFT_LEAST 1e-12
#define DOUBLINGS_MAX 64

static uint32_t blocks_of(const sotto_spec *spec)
{
    return spec->parameters == SOTTO_PARAMETERS_PER_ARM ? spec->arms : 1;
}

size_t sotto__shifted_doubles(const sotto_spec *spec)
{
    size_t blocks = blocks_of(spec), dim = spec->dim, triangle = sotto__tri_count(spec->dim);
    size_t lanes = blocks > 1 ? SOTTO__LANES * (triangle + 2 * dim) : 0;
    return blocks * (triangle + dim + 2) + triangle + dim + lanes;
}

void sotto__shifted_begin(sotto__shifted *shifted, const sotto_spec *spec, double *zeros)
{
    size_t blocks = blocks_of(spec), triangle = sotto__tri_count(spec->dim);
    shifted->spec = spec;
    shifted->blocks = (uint32_t)blocks;
    shifted->gram = zeros;
    shifted->cross = shifted->gram + blocks * triangle;
    shifted->summands = shifted->cross + blocks * spec->dim;
    shifted->shift = shifted->summands + blocks;
    shifted->factor = shifted->shift + blocks;
    shifted->vector = shifted->factor + triangle;
    shifted->lane_factor = blocks > 1 ? (sotto__lanes *)(shifted->vector + spec->dim) : NULL;
    shifted->lane_vector = blocks > 1 ? shifted->lane_factor + triangle : NULL;
    shifted->lane_inverse = blocks > 1 ? shifted->lane_vector + spec->dim : NULL;
    shifted->all = 0;
    for (size_t b = 0; b < blocks; b++) {
        shifted->shift[b] = INFINITY;
    }
}

uint32_t sotto__shifted_kept(sotto__shifted *shifted, sotto__kept kept[SOTTO__KEPT_MAX])
{
    size_t blocks = shifted->blocks, dim = shifted->spec->dim;
    size_t triangles = blocks * sotto__tri_count(shifted->spec->dim);
    kept[0] = (sotto__kept){.number = &shifted->all, .count = 1, .most = DBL_MAX};
    kept[1] = (sotto__kept){.number = shifted->summands, .count = blocks, .most = DBL_MAX};
    kept[2] = (sotto__kept){.number = shifted->shift, .count = blocks, .most = INFINITY};
    kept[3] = (sotto__kept){shifted->gram, NULL, triangles, -DBL_MAX, DBL_MAX};
    kept[4] = (sotto__kept){shifted->cross, NULL, blocks * dim, -DBL_MAX, DBL_MAX};
    return 5;
}

double sotto__off_diagonal(const sotto_spec *spec)
{
    return spec->noise_law == SOTTO_NOISE_LAPLACE ? 1 : sqrt(0.5);
}

static const double *block_of(const sotto_spec *spec, const double *sum, uint32_t block)
{
    return sum + (size_t)block * sotto__statistic_dim(spec);
}

const double *sotto__vector_part(const sotto_spec *spec, const double *sum, uint32_t block)
{
    return block_of(spec, sum, block) + sotto__tri_count(spec->dim);
}

/* Exponential forgetting over W reports: before n reports V and b fall by (1 - 1/W)^n, the variance
 * of their noise, which is what the terms count, by the square. */
static void forget(sotto__shifted *shifted, uint64_t n)
{
    uint32_t blocks = shifted->blocks, dim = shifted->spec->dim;
    double keep = exp((double)n * sotto__log1p(-1 / (double)shifted->spec->window_reports));
    for (size_t i = 0; i < (size_t)blocks * sotto__tri_count(dim); i++) {
        shifted->gram[i] *= keep;
    }
    for (size_t i = 0; i < (size_t)blocks * dim; i++) {
        shifted->cross[i] *= keep;
    }
    for (uint32_t b = 0; b < blocks; b++) {
        shifted->summands[b] *= keep * keep;
    }
    shifted->all *= keep * keep;
}

static void add_matrix(const sotto_spec *spec, const double *svec, double unit, double *gram)
{
    double off_diagonal = unit * sotto__off_diagonal(spec);
    for (uint32_t i = 0; i < spec->dim; i++) {
        const double *from = svec + sotto__tri_count(i);
        double *row = gram + sotto__tri_count(i);
        for (uint32_t j = 0; j < i; j++) {
            row[j] += off_diagonal * from[j];
        }
        row[i] += unit * from[i];
    }
}

void sotto__shifted_add(sotto__shifted *shifted, const sotto__batch *batch, double unit)
{
    const sotto_spec *spec = shifted->spec;
    if (spec->window_reports > 0) forget(shifted, batch->count);
    shifted->all += (double)batch->count;
    for (uint32_t b = 0; b < shifted->blocks; b++) {
        bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
        shifted->summands[b] += (double)(shared ? batch->count : batch->arm_count[b]);
        add_matrix(spec, block_of(spec, batch->sum, b), unit,
                   shifted->gram + (size_t)b * sotto__tri_count(spec->dim));
    }
}

double sotto__upsilon(const sotto__shifted *shifted, double sigma, double odds)
{
    return sigma * sqrt(shifted->all) * (4 * sqrt(shifted->spec->dim) + 2 * log(2 * odds));
}

/* The largest absolute value; infinity if one is not a number. */
static double largest_of(const double *x, uint32_t count)
{
    double largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (isnan(x[i])) return INFINITY;
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

/* factor = Cholesky factor of V + shift I; false if it has none. */
static bool factor_with(const sotto__shifted *shifted, uint32_t block, double shift)
{
    uint32_t dim = shifted->spec->dim, triangle = sotto__tri_count(dim);
    memcpy(shifted->factor, shifted->gram + (size_t)block * triangle, triangle * sizeof(double));
    for (uint32_t i = 0; i < dim; i++) {
        shifted->factor[sotto__tri_count(i) + i] += shift;
    }
    return sotto__cholesky(shifted->factor, dim);
}

/* The first of shift, 2 shift, 4 shift, ... that lets V + shift I be factored; infinity if none. */
static double factor_block(const sotto__shifted *shifted, uint32_t block, double shift,
                           uint64_t *repairs)
{
    if (factor_with(shifted, block, shift)) return shift;
    uint32_t triangle = sotto__tri_count(shifted->spec->dim);
    double largest = largest_of(shifted->gram + (size_t)block * triangle, triangle);
    if (!isfinite(largest) || (largest == 0 && shift == 0)) return INFINITY;
    for (int doublings = 0; doublings < DOUBLINGS_MAX; doublings++) {
        shift = fmax(2 * shift, SHIFT_LEAST * largest);
        ++*repairs;
        if (factor_with(shifted, block, shift)) return shift;
    }
    return INFINITY;
}

/* Publishes the solution x (times `unit`) of a block; false if it is not finite. */
static bool publish_block(const sotto__shifted *shifted, uint32_t block, double unit, double *x,
                          sotto_model *model)
{
    uint32_t dim = shifted->spec->dim;
    for (uint32_t i = 0; i < dim; i++) {
        x[i] *= unit;
    }
    if (isinf(largest_of(x, dim))) return false;
    memcpy(model->theta + (size_t)block * dim, x, dim * sizeof *x);
    return true;
}

static void solve_block(sotto__shifted *shifted, uint32_t b, double shift, double unit,
                        sotto_model *model, uint64_t *repairs)
{
    uint32_t dim = shifted->spec->dim, triangle = sotto__tri_count(dim);
    double *x = shifted->vector;
    shifted->shift[b] = factor_block(shifted, b, shift, repairs);
    if (isinf(shifted->shift[b])) return;
    sotto__cholesky_solve(shifted->factor, shifted->cross + (size_t)b * dim, x, dim);
    if (!publish_block(shifted, b, unit, x, model)) {
        shifted->shift[b] = INFINITY;
        return;
    }
    if (model->factor == NULL) return;
    memcpy(model->factor + (size_t)b * triangle, shifted->factor, triangle * sizeof *x);
}

/* Lane l holds block first + l, or the first one again after the last. */
static uint32_t factor_lanes(const sotto__shifted *shifted, uint32_t first, double shift)
{
    uint32_t dim = shifted->spec->dim, triangle = sotto__tri_count(dim);
    const double *gram[SOTTO__LANES], *cross[SOTTO__LANES];
    for (uint32_t l = 0; l < SOTTO__LANES; l++) {
        size_t b = first + l < shifted->blocks ? first + l : first;
        gram[l] = shifted->gram + b * triangle;
        cross[l] = shifted->cross + b * dim;
    }
    for (uint32_t i = 0; i < triangle; i++) {
        shifted->lane_factor[i] = (sotto__lanes){{gram[0][i], gram[1][i], gram[2][i], gram[3][i]}};
    }
    for (uint32_t i = 0; i < dim; i++) {
        for (uint32_t l = 0; l < SOTTO__LANES; l++) {
            shifted->lane_factor[sotto__tri_count(i) + i].lane[l] += shift;
            shifted->lane_vector[i].lane[l] = cross[l][i];
        }
    }
    return sotto__cholesky_lanes(shifted->lane_factor, shifted->lane_inverse, dim);
}

/* Four blocks at once, from `first`; returns a bit for each that this does not solve. */
static uint32_t solve_lanes(sotto__shifted *shifted, uint32_t first, double shift, double unit,
                            sotto_model *model)
{
    uint32_t dim = shifted->spec->dim, triangle = sotto__tri_count(dim);
    uint32_t unsolved = factor_lanes(shifted, first, shift);
    sotto__cholesky_solve_lanes(shifted->lane_factor, shifted->lane_inverse, shifted->lane_vector,
                                dim);
    for (uint32_t l = 0; l < SOTTO__LANES && first + l < shifted->blocks; l++) {
        uint32_t b = first + l;
        double *x = shifted->vector;
        for (uint32_t i = 0; i < dim; i++) {
            x[i] = shifted->lane_vector[i].lane[l];
        }
        if ((unsolved >> l & 1) != 0 || !publish_block(shifted, b, unit, x, model)) {
            unsolved |= 1u << l;
            continue;
        }
        shifted->shift[b] = shift;
        for (uint32_t i = 0; model->factor != NULL && i < triangle; i++) {
            model->factor[(size_t)b * triangle + i] = shifted->lane_factor[i].lane[l];
        }
    }
    return unsolved;
}

static bool all_have_terms(const sotto__shifted *shifted)
{
    for (uint32_t b = 0; b < shifted->blocks; b++) {
        if (shifted->summands[b] == 0) return false;
    }
    return true;
}

uint64_t sotto__shifted_solve(sotto__shifted *shifted, double shift, double unit,
                              sotto_model *model)
{
    uint64_t repairs = 0;
    bool side_by_side = shifted->lane_factor != NULL && all_have_terms(shifted);
    for (uint32_t first = 0; first < shifted->blocks; first += SOTTO__LANES) {
        uint32_t unsolved = UINT32_MAX;
        if (side_by_side) unsolved = solve_lanes(shifted, first, shift, unit, model);
        for (uint32_t l = 0; l < SOTTO__LANES && first + l < shifted->blocks; l++) {
            if ((unsolved >> l & 1) == 0 || shifted->summands[first + l] == 0) continue;
            solve_block(shifted, first + l, shift, unit, model, &repairs);
        }
    }
    return repairs;
}

/* tr(A^-2) is the sum over unit vectors e of ||A^-1 e||^2. */
double sotto__shifted_trace(const sotto__shifted *shifted, uint32_t block)
{
    uint32_t dim = shifted->spec->dim;
    double trace = 0, *x = shifted->vector;
    /* The shift may come from a lane, where sums round differently. */
    if (!factor_with(shifted, block, shifted->shift[block])) return INFINITY;
    for (uint32_t j = 0; j < dim; j++) {
        for (uint32_t i = 0; i < dim; i++) {
            x[i] = i == j;
        }
        sotto__cholesky_solve(shifted->factor, x, x, dim);
        trace += sotto__dot(x, x, dim);
    }
    return trace;
}
