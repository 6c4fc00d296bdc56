/*
 * Damped Newton steps. With v = x . theta, m = 1/(1 + e^-v) and y = 1 for yes, else 0:
 *
 *     loss      L = sum log(1 + e^(-s v)) + lambda/2 ||theta||^2
 *     gradient  g = sum (m - y) x + lambda theta
 *     Hessian   H = sum m (1 - m) x x' + lambda I
 *     step      theta -= h H^-1 g, h = 1, 1/2, 1/4, ... until the loss does not grow
 *
 * L is convex, so the halving ends. Near the optimum the loss is constant up to rounding, so a
 * small increase is allowed.
 */
#include "core/core.h"
#include "math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 100u
#define HALVINGS_MAX 40u
#define GRADIENT_A_ROW 1e-9
#define SLACK 1e-13

typedef struct search {
    const sotto__logistic_data *data;
    double *x, *gradient, *step, *trial; /* dim each */
    double *hessian;                     /* packed */
} search;

/* log(1 + e^-z), accurate for every z. */
static double log_one_plus(double z)
{
    return z > 0 ? sotto__log1p(exp(-z)) : -z + sotto__log1p(exp(z));
}

static double loss_at(const search *s, const double *theta)
{
    const sotto__logistic_data *data = s->data;
    double sum = 0.5 * data->ridge * sotto__dot(theta, theta, data->dim);
    for (uint64_t i = 0; i < data->rows; i++) {
        bool yes = data->row(data->state, i, s->x);
        double v = sotto__dot(s->x, theta, data->dim);
        sum += log_one_plus(yes ? v : -v);
    }
    return sum;
}

/* Adds a row's part of g and H. */
static void add_row(const search *s, const double *theta, bool yes)
{
    uint32_t dim = s->data->dim;
    double v = sotto__dot(s->x, theta, dim);
    double residual = sotto__link_mean(SOTTO_LINK_LOGIT, v) - (yes ? 1 : 0);
    double slope = sotto__link_slope(SOTTO_LINK_LOGIT, v);
    double *h = s->hessian;
    for (uint32_t i = 0; i < dim; i++) {
        double weighted = slope * s->x[i];
        s->gradient[i] += residual * s->x[i];
        for (uint32_t j = 0; j <= i; j++) {
            *h++ += weighted * s->x[j];
        }
    }
}

/* Sets g and H at theta; returns ||g||. */
static double look(const search *s, const double *theta)
{
    const sotto__logistic_data *data = s->data;
    uint32_t dim = data->dim;
    memset(s->hessian, 0, sotto__tri_count(dim) * sizeof s->hessian[0]);
    for (uint32_t i = 0; i < dim; i++) {
        s->gradient[i] = data->ridge * theta[i];
        s->hessian[sotto__tri_count(i) + i] = data->ridge;
    }
    for (uint64_t i = 0; i < data->rows; i++) {
        bool yes = data->row(data->state, i, s->x);
        add_row(s, theta, yes);
    }
    return sotto__norm(s->gradient, dim);
}

/* Moves theta by the longest halved step that does not increase the loss; false if there is
 * none. */
static bool move(const search *s, double *theta, double *loss)
{
    uint32_t dim = s->data->dim;
    double length = 1;
    for (uint32_t halving = 0; halving < HALVINGS_MAX; halving++, length /= 2) {
        for (uint32_t i = 0; i < dim; i++) {
            s->trial[i] = theta[i] - length * s->step[i];
        }
        double trial_loss = loss_at(s, s->trial);
        if (!(trial_loss <= *loss * (1 + SLACK))) continue;
        memcpy(theta, s->trial, dim * sizeof theta[0]);
        *loss = trial_loss;
        return true;
    }
    return false;
}

static void descend(const search *s, double *theta, sotto__logistic_result *result)
{
    double enough = GRADIENT_A_ROW * (double)s->data->rows;
    result->loss = loss_at(s, theta);
    for (;;) {
        result->gradient_norm = look(s, theta);
        result->converged = result->gradient_norm <= enough;
        if (result->converged || result->steps == STEPS_MAX) return;
        if (!sotto__cholesky(s->hessian, s->data->dim)) return; /* no ridge, no unique optimum */
        sotto__cholesky_solve(s->hessian, s->gradient, s->step, s->data->dim);
        if (!move(s, theta, &result->loss)) return;
        result->steps++;
    }
}

sotto_status sotto__logistic_fit(const sotto__logistic_data *data, double *theta,
                                 sotto__logistic_result *result)
{
    uint32_t dim = data->dim;
    *result = (sotto__logistic_result){0};
    if (dim < 1 || dim > SOTTO_DIM_MAX || data->rows == 0) return SOTTO_E_LENGTH;
    if (!(data->ridge >= 0) || isinf(data->ridge)) return SOTTO_E_FAULT;
    search s = {.data = data};
    double *memory = malloc((4 * (size_t)dim + sotto__tri_count(dim)) * sizeof *memory);
    if (memory == NULL) return SOTTO_E_MEMORY;
    s.x = memory;
    s.gradient = s.x + dim;
    s.step = s.gradient + dim;
    s.trial = s.step + dim;
    s.hessian = s.trial + dim;
    memset(theta, 0, dim * sizeof theta[0]);
    descend(&s, theta, result);
    free(memory);
    return SOTTO_OK;
}
