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
#include "watch_aim.h"
#include "core/linalg.h"
#include "core/method.h"
#include "core/model.h"
#include "watch_chance.h"

#include <math.h>
#include <stdlib.h>

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
    if (codebook->dim < 2) return SOTTO__AIM_NONE; /* none at all, or every product is 1 */
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

/* Takes the mean of the rows off each. */
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
