#include "core/core.h"
#include "inner.h"
#include "server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== watch aim ============================================================================== */

/*
 * Directions of the watch, from a model that decides by the estimate e:
 *
 *   way 0   e                per-arm: of each row less the mean of the rows, since what all arms have in
 *                            common decides nothing
 *   way 1   theta - tbar     where the last steps went, for models that have both; likewise
 *
 * A codeword is of one row (shared parameters; warm-up; tags; split), of all rows together (joint ldp-sgd),
 * or of sum_k s_k row_k with the signs s of its nonce.
 */

#define HALVINGS 60

/* P(|U_1| > t) = I_{1-t^2}((d-1)/2, 1/2) */
double sotto__tail_square(uint32_t dim, double chance)
{
    double low = 0, high = 1; /* of 1 - t^2: the chance grows with it */
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        bool above = sotto__incomplete_beta(middle, (dim - 1) / 2.0, 0.5) > chance;
        *(above ? &high : &low) = middle;
    }
    return 1 - low;
}

double sotto__aim_chance(uint32_t level)
{
    static const double chance[SOTTO__AIM_LEVELS] = {0.1, 0.01, 0.001, 0.0001};
    return chance[level];
}

/* In few dimensions codewords are points of a lattice, whose far tails are not those of a sphere. */
static uint32_t levels_of(uint32_t dim)
{
    return dim < SOTTO__AIM_LEVELS ? dim : SOTTO__AIM_LEVELS;
}

static sotto__aim_shape shape_of(const sotto_terms *terms, sotto_phase phase)
{
    const sotto_spec *spec = &terms->spec;
    const sotto_codebook *codebook = &terms->codebook[phase];
    if (codebook->dim < 2) return SOTTO__AIM_NONE; /* no numbers, or every product is 1 */
    if (codebook->dim != spec->dim) {
        bool whole = codebook->dim == sotto__parameter_count(spec);
        return whole ? SOTTO__AIM_WHOLE : SOTTO__AIM_NONE;
    }
    bool one_row = spec->parameters == SOTTO_PARAMETERS_SHARED || phase != SOTTO_PHASE_MAIN ||
                   spec->split == SOTTO_SPLIT_PER_ARM || codebook->groups > 1;
    return one_row ? SOTTO__AIM_ROWS : SOTTO__AIM_SIGNS;
}

sotto_status sotto__aim_new(const sotto_terms *terms, sotto__aim **out)
{
    *out = NULL;
    uint32_t count = sotto__parameter_count(&terms->spec), rows = count / terms->spec.dim;
    size_t numbers = SOTTO__AIM_WAYS * ((size_t)count + rows);
    sotto__aim *aim = calloc(1, sizeof *aim + numbers * sizeof(double));
    if (aim == NULL) return SOTTO_E_MEMORY;
    double *next = (double *)(aim + 1);
    aim->rows = rows;
    aim->dim = terms->spec.dim;
    for (uint32_t w = 0; w < SOTTO__AIM_WAYS; w++) {
        aim->way[w].at = next;
        aim->way[w].norm = next + count;
        next += count + rows;
    }
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        aim->shape[phase] = shape_of(terms, (sotto_phase)phase);
        if (aim->shape[phase] == SOTTO__AIM_NONE) continue;
        uint32_t dim = terms->codebook[phase].dim;
        aim->levels[phase] = levels_of(dim);
        for (uint32_t i = 0; i < aim->levels[phase]; i++) {
            aim->square[phase][i] = sotto__tail_square(dim, sotto__aim_chance(i));
        }
    }
    *out = aim;
    return SOTTO_OK;
}

void sotto__aim_free(sotto__aim *aim)
{
    free(aim);
}

/* Subtracts the mean of the rows from each. */
static void centre(const sotto__aim *aim, double *at)
{
    size_t count = (size_t)aim->rows * aim->dim;
    if (aim->rows == 1) return;
    for (uint32_t j = 0; j < aim->dim; j++) {
        double sum = 0;
        for (size_t i = j; i < count; i += aim->dim) {
            sum += at[i];
        }
        for (size_t i = j; i < count; i += aim->dim) {
            at[i] -= sum / aim->rows;
        }
    }
}

static void measure(const sotto__aim *aim, sotto__aim_way *way)
{
    double whole = 0;
    for (uint32_t k = 0; k < aim->rows; k++) {
        const double *row = way->at + (size_t)k * aim->dim;
        double square = sotto__dot(row, row, aim->dim);
        way->norm[k] = isfinite(square) ? sqrt(square) : 0;
        whole += square;
    }
    way->whole = isfinite(whole) ? sqrt(whole) : 0;
}

void sotto__aim_set(sotto__aim *aim, const sotto_model *model)
{
    const double *decides = sotto__deciding_estimate(model);
    bool both = model->theta != NULL && model->tbar != NULL;
    size_t count = (size_t)aim->rows * aim->dim;
    for (size_t i = 0; i < count; i++) {
        aim->way[0].at[i] = decides[i];
        aim->way[1].at[i] = both ? model->theta[i] - model->tbar[i] : 0;
    }
    for (uint32_t w = 0; w < SOTTO__AIM_WAYS; w++) {
        centre(aim, aim->way[w].at);
        measure(aim, &aim->way[w]);
    }
}

/* ==== watch ================================================================================== */

/*
 * What the watch counts of a codeword z, as it is folded:
 *
 *   index[i]   += 1
 *   tail[w][l] += |<z, way_w>| > t_l |way_w|      the way's part that z can be of (server.h)
 *
 * z is in 2^-30ths.
 */

#define UNIT_SQUARE 0x1p60

const char *sotto__watch_name(sotto__watch_test test)
{
#define NAME(name, text) text,
    static const char *const names[] = {SOTTO__WATCH_MAP(NAME)};
#undef NAME
    return (uint32_t)test < SOTTO__WATCH_TESTS ? names[test] : NULL;
}

uint32_t sotto__watch_numbers(const sotto_terms *terms)
{
    uint32_t most = 0;
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        most = terms->codebook[phase].size > most ? terms->codebook[phase].size : most;
    }
    return most;
}

void sotto__watch_lay(sotto__watch *watch, const sotto_terms *terms, const sotto__aim *aim,
                      uint64_t *numbers, double *mixed)
{
    *watch = (sotto__watch){
        .aim = aim, .index = numbers, .index_count = sotto__watch_numbers(terms), .mixed = mixed};
}

sotto_status sotto__watch_new(const sotto_terms *terms, const sotto__aim *aim, sotto__watch **out)
{
    *out = NULL;
    uint32_t count = sotto__watch_numbers(terms);
    size_t bytes = count * sizeof(uint64_t) + terms->spec.dim * sizeof(double);
    sotto__watch *watch = calloc(1, sizeof *watch + bytes);
    if (watch == NULL) return SOTTO_E_MEMORY;
    uint64_t *numbers = (uint64_t *)(watch + 1);
    sotto__watch_lay(watch, terms, aim, numbers, (double *)(numbers + count));
    *out = watch;
    return SOTTO_OK;
}

void sotto__watch_free(sotto__watch *watch)
{
    free(watch);
}

void sotto__watch_empty(sotto__watch *watch)
{
    memset(watch->index, 0, watch->index_count * sizeof watch->index[0]);
    memset(watch->aimed, 0, sizeof watch->aimed);
    memset(watch->tail, 0, sizeof watch->tail);
}

void sotto__watch_add(sotto__watch *watch, const sotto__watch *from)
{
    for (uint32_t i = 0; i < watch->index_count; i++) {
        watch->index[i] += from->index[i];
    }
    for (uint32_t w = 0; w < SOTTO__AIM_WAYS; w++) {
        watch->aimed[w] += from->aimed[w];
        for (uint32_t l = 0; l < SOTTO__AIM_LEVELS; l++) {
            watch->tail[w][l] += from->tail[w][l];
        }
    }
}

/* Four independent sums, which do not wait for each other. */
static double product(const int32_t *codeword, const double *way, size_t dim)
{
    double sum[4] = {0}, rest = 0;
    size_t whole = dim - dim % 4;
    for (size_t j = 0; j < whole; j += 4) {
        sum[0] += codeword[j] * way[j];
        sum[1] += codeword[j + 1] * way[j + 1];
        sum[2] += codeword[j + 2] * way[j + 2];
        sum[3] += codeword[j + 3] * way[j + 3];
    }
    for (size_t j = whole; j < dim; j++) {
        rest += codeword[j] * way[j];
    }
    return sum[0] + sum[1] + (sum[2] + sum[3]) + rest;
}

/* mixed = sum_k s_k row_k; returns its length. */
static double mix(const sotto__aim *aim, const sotto__aim_way *way, const int8_t *sign,
                  double *mixed)
{
    double square = 0;
    memset(mixed, 0, aim->dim * sizeof mixed[0]);
    for (uint32_t k = 0; k < aim->rows; k++) {
        const double *row = way->at + (size_t)k * aim->dim, one = sign[k];
        for (uint32_t j = 0; j < aim->dim; j++) {
            mixed[j] += one * row[j];
        }
    }
    for (uint32_t j = 0; j < aim->dim; j++) {
        square += mixed[j] * mixed[j];
    }
    return sqrt(square);
}

static void count_tail(sotto__watch *watch, sotto_phase phase, uint32_t w, double along,
                       double norm, uint64_t one)
{
    const sotto__aim *aim = watch->aim;
    double square = along * along, whole = norm * norm * UNIT_SQUARE;
    watch->aimed[w] += one;
    for (uint32_t l = 0; l < aim->levels[phase]; l++) {
        if (square > aim->square[phase][l] * whole) watch->tail[w][l] += one;
    }
}

void sotto__watch_codeword(sotto__watch *watch, sotto_phase phase, uint32_t index,
                           const int32_t *codeword, uint32_t row, const int8_t *sign, int32_t times)
{
    const sotto__aim *aim = watch->aim;
    const uint64_t one = (uint64_t)times; /* or its opposite: sums of them are exact */
    watch->index[index] += one;
    for (uint32_t w = 0; w < SOTTO__AIM_WAYS; w++) {
        const sotto__aim_way *way = &aim->way[w];
        const double *at = way->at;
        double norm = 0;
        size_t dim = aim->dim;
        if (way->whole == 0) continue;
        switch (aim->shape[phase]) {
        case SOTTO__AIM_NONE: return;
        case SOTTO__AIM_ROWS:
            at += row * dim;
            norm = way->norm[row];
            break;
        case SOTTO__AIM_WHOLE:
            norm = way->whole;
            dim *= aim->rows;
            break;
        case SOTTO__AIM_SIGNS:
            at = watch->mixed;
            norm = mix(aim, way, sign, watch->mixed);
            break;
        }
        if (norm > 0) count_tail(watch, phase, w, product(codeword, at, dim), norm, one);
    }
}

sotto_status sotto__tally_watch(sotto_tally *tally, const sotto__aim *aim)
{
    sotto__watch_free(tally->watch);
    return sotto__watch_new(&tally->terms, aim, &tally->watch);
}

const sotto__aim *sotto__learner_aim(const sotto_learner *learner)
{
    return learner->aim;
}

sotto_status sotto__learner_watch(sotto_learner *learner)
{
    sotto_status status = SOTTO_OK;
    if (learner->aim == NULL) status = sotto__aim_new(&learner->terms, &learner->aim);
    if (status != SOTTO_OK) return status;
    sotto__aim_set(learner->aim, learner->model);
    for (uint32_t e = 0; status == SOTTO_OK && e < learner->open_count; e++) {
        status = sotto__tally_watch(learner->open[e].tally, learner->aim);
    }
    return status;
}

void sotto__learner_uncount(sotto_learner *learner)
{
    for (uint32_t e = 0; e < learner->open_count; e++) {
        sotto__watch *watch = learner->open[e].tally->watch;
        if (watch != NULL) sotto__watch_empty(watch);
    }
}
