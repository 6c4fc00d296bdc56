/* What an audit asks and writes down: its inputs, the roles of its trials, its rows. */
#include "core/core.h"
#include "inner.h"
#include "lab/random/random.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== inputs ================================================================================= */

/* Draws a uniform direction times `length`. */
static sotto_status draw_direction(uint32_t dim, double length, sotto_rng *rng, double *x)
{
    for (uint32_t i = 0; i < dim; i += 2) {
        uint64_t word[2];
        double normal[2];
        sotto_status status = rng->fill(rng, word, sizeof word);
        if (status != SOTTO_OK) return status;
        sotto__normal_pair(word[0], word[1], normal);
        x[i] = normal[0];
        if (i + 1 < dim) x[i + 1] = normal[1];
    }
    double factor = length / sotto__norm(x, dim);
    for (uint32_t i = 0; i < dim; i++) {
        x[i] *= factor;
    }
    return SOTTO_OK;
}

/* Five pairs (x, x'), e_i the i-th axis, 1 the vector of ones, u and w random directions:
 *
 *   (R e_1, -R e_1)             a full diameter, all of it in one coordinate
 *   (R 1/sqrt d, -R 1/sqrt d)   a full diameter, the longest possible in L1
 *   (R u, -R u)                 a full diameter, in a random direction
 *   (10 R w, -1.2 R w)          outside the ball, far and near: detects missing clipping
 *   (R e_d/2, 0)                inside the ball; the last coordinate; an input without a direction
 */
sotto_status sotto__audit_pairs(uint32_t dim, double radius, sotto_rng *rng, double *input)
{
    for (uint32_t i = 0; i < SOTTO__AUDIT_PAIRS * 2 * dim; i++) {
        input[i] = 0;
    }
    input[0] = radius;
    for (uint32_t i = 0; i < dim; i++) {
        input[2 * dim + i] = radius / sqrt(dim);
    }
    sotto_status status = draw_direction(dim, radius, rng, input + 4 * dim);
    if (status == SOTTO_OK) status = draw_direction(dim, 10 * radius, rng, input + 6 * dim);
    if (status != SOTTO_OK) return status;
    for (uint32_t pair = 0; pair < 4; pair++) {
        double *x = input + (size_t)pair * 2 * dim;
        for (uint32_t i = 0; i < dim; i++) {
            x[dim + i] = -x[i];
        }
    }
    for (uint32_t i = 7 * dim; i < 8 * dim; i++) {
        input[i] *= 0.12;
    }
    input[9 * dim - 1] = radius / 2;
    return SOTTO_OK;
}

uint32_t sotto__script_coin(const sotto__script *script, uint64_t t)
{
    return script->coins[t / 8] >> (t % 8) & 1;
}

const double *sotto__script_input(const sotto__script *script, uint64_t t)
{
    uint64_t pair = t / script->trials;
    return script->input + (2 * pair + sotto__script_coin(script, t)) * script->dim;
}

bool sotto__script_tell(const sotto__script *script, uint64_t t)
{
    const sotto_audit_progress *progress = script->progress;
    return progress == NULL ||
           SOTTO__ASK(
               progress->show(progress->state, script->progress_start + t, script->progress_total));
}

bool sotto__script_progress(const sotto__script *script, uint64_t t)
{
    return t % 256 != 0 || sotto__script_tell(script, t);
}

/* The first coordinate, every other one, and the last; in multiples of R if scaled. */
static const struct {
    double first, rest, last;
    bool scaled;
} hard[] = {
    {0, 0, 0, true},
    {-0.0, -0.0, -0.0, true},
    {1, 0, 0, true},
    {-1, 0, 0, true},
    {0, 0, 1, true},
    {0, 0, -1, true},
    {1.1, 0, 0, true},
    {-1.2, 0, 0, true},
    {2, 0, 0, true},
    {-2, 0, 0, true},
    {1, 1, 1, true}, /* the corners, outside the ball */
    {-1, -1, -1, true},
    {1, -1, 1, true},
    {1 + DBL_EPSILON, 0, 0, true},
    {0.5, 0.5, 0.5, true},
    {1.2, 0, -1.2, true},
    {1e308, 1e308, 1e308, false},
    {-1e308, 1e308, -1e308, false},
    {1e308, 0, -1e-308, false},
    {5e-324, 5e-324, 5e-324, false},
    {-5e-324, 0, 5e-324, false},
    {1e-300, 0, 0, false},
    {NAN, NAN, NAN, false},
    {NAN, 0, 1, true},
    {INFINITY, INFINITY, INFINITY, false},
    {-INFINITY, 1, INFINITY, false},
    {INFINITY, NAN, -1e308, false},
};

uint32_t sotto__hard_inputs(void)
{
    return sizeof hard / sizeof hard[0];
}

void sotto__hard_input(uint32_t which, uint32_t dim, double radius, double *x)
{
    double unit = hard[which].scaled ? radius : 1;
    for (uint32_t i = 0; i < dim; i++) {
        x[i] = unit * hard[which].rest;
    }
    x[dim - 1] = unit * hard[which].last;
    x[0] = unit * hard[which].first;
}

/* ==== roles ================================================================================== */

/*
 * Roles are drawn anew for every pair: in each window one run trains and another chooses. A program
 * that cheats for a while, at the start, the end or in between, cheats in all three roles and
 * cannot know which trial has which role.
 */

sotto_status sotto__roles_new(uint64_t kept, uint64_t learning, sotto__roles *out)
{
    uint64_t runs = kept / SOTTO__RUN, windows = learning / SOTTO__RUN;
    if (windows == 0) windows = 1;
    *out = (sotto__roles){.windows = windows, .window_runs = runs / windows};
    assert(out->window_runs >= 2);
    out->run = malloc(windows * out->window_runs);
    return out->run == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
}

void sotto__roles_free(sotto__roles *roles)
{
    free(roles->run);
    roles->run = NULL;
}

uint64_t sotto__roles_learning(const sotto__roles *roles)
{
    return roles->windows * SOTTO__RUN;
}

sotto_status sotto__roles_draw(sotto__roles *roles, sotto_rng *rng)
{
    memset(roles->run, SOTTO__FRESH, roles->windows * roles->window_runs);
    for (uint64_t w = 0; w < roles->windows; w++) {
        uint8_t *window = roles->run + w * roles->window_runs;
        uint64_t train, choose;
        sotto_status status = sotto__draw_below(rng, roles->window_runs, &train);
        if (status == SOTTO_OK) status = sotto__draw_below(rng, roles->window_runs - 1, &choose);
        if (status != SOTTO_OK) return status;
        window[train] = SOTTO__TRAIN;
        window[choose + (choose >= train)] = SOTTO__CHOOSE;
    }
    return SOTTO_OK;
}

uint32_t sotto__roles_alike(const sotto__roles *roles, uint64_t trial, uint32_t reach)
{
    sotto__trial_role role = sotto__role_at(roles, trial);
    uint32_t alike = 0;
    for (uint32_t k = 1; k <= reach && k <= trial; k++) {
        if (sotto__role_at(roles, trial - k) == role) alike |= 1u << (k - 1);
    }
    return alike;
}

sotto__trial_role sotto__role_at(const sotto__roles *roles, uint64_t trial)
{
    uint64_t run = trial / SOTTO__RUN;
    return run < roles->windows * roles->window_runs ? (sotto__trial_role)roles->run[run]
                                                     : SOTTO__FRESH;
}

/* ==== rows =================================================================================== */

void sotto__audit_row(sotto_audit_result *result, uint32_t layer, const char *name,
                      double statistic, double bound, double p_value, bool passed)
{
    if (result->rows_count == SOTTO_AUDIT_ROWS_MAX) return;
    sotto_audit_row *row = &result->row[result->rows_count++];
    *row = (sotto_audit_row){.layer = layer,
                             .statistic = statistic,
                             .bound = bound,
                             .p_value = p_value,
                             .passed = passed};
    snprintf(row->name, sizeof row->name, "%s", name);
}

void sotto__law_row(sotto_audit_result *result, const char *name, double measured, double expected,
                    double p)
{
    bool passed = p > SOTTO__LAW_ALPHA / SOTTO__LAW_ROWS_MAX;
    sotto__audit_row(result, 1, name, measured, expected, p, passed);
}

void sotto__law_lag_row(sotto_audit_result *result, const char *name, const sotto__worst_lag *worst,
                        double numbers)
{
    char text[SOTTO_AUDIT_NAME_BYTES];
    snprintf(text, sizeof text, "%s, %u before", name, worst->lag);
    sotto__law_row(result, text, worst->correlation, 0, sotto__smallest_p(worst->p, numbers));
}
