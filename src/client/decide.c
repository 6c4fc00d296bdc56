#include "client.h"
#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <string.h>

/* ==== clip =================================================================================== */

/* Bounds, enforced here whatever the caller promised. */

/* For vectors with a number that is not finite or too large to square, and for too long ones. */
static void clip_carefully(double *x, uint32_t dim, double norm_max)
{
    double largest = 0;
    for (uint32_t i = 0; i < dim; i++) {
        x[i] = sotto__finite_or_zero(x[i]);
        largest = sotto__at_least(fabs(x[i]), largest);
    }
    /* The norm of numbers near 1e308 overflows: bring them into range first. */
    if (largest > 1e150) {
        for (uint32_t i = 0; i < dim; i++) {
            x[i] *= 1e-160;
        }
    }
    double norm = sotto__norm(x, dim);
    double scale = largest > 1e150 || norm > norm_max ? norm_max / norm : 1;
    for (uint32_t i = 0; i < dim; i++) {
        x[i] *= scale;
    }
}

/* Nearly every vector is within its bound, which one sum of squares shows; a number that is not
 * finite makes it infinite or NaN. A length above the bound by rounding alone is left as it is. */
static inline bool is_within(const double *x, uint32_t dim, double norm_max)
{
    double squares = sotto__dot(x, x, dim);
    return squares <= norm_max * norm_max * (1 + 0x1p-51);
}

static inline bool are_within(const double *rows, uint32_t count, uint32_t dim, double norm_max)
{
    bool within = true;
    for (uint32_t r = 0; r < count; r++) {
        within &= is_within(rows + (size_t)r * dim, dim, norm_max);
    }
    return within;
}

void sotto__clip_rows(const double *rows, uint32_t count, uint32_t dim, double norm_max,
                      double *out)
{
    memmove(out, rows, (size_t)count * dim * sizeof out[0]);
    /* A loop over a row of two numbers costs more than its two products: it is unrolled. */
    if (dim == 2 && are_within(out, count, 2, norm_max)) return;
    for (uint32_t r = 0; r < count; r++) {
        double *x = out + (size_t)r * dim;
        if (!is_within(x, dim, norm_max)) clip_carefully(x, dim, norm_max);
    }
}

void sotto__clip_vector(const double *x, uint32_t dim, double norm_max, double *out)
{
    sotto__clip_rows(x, 1, dim, norm_max, out);
}

double sotto__clip_reward(const sotto_spec *spec, double reward)
{
    if (!isfinite(reward)) return spec->reward_default;
    return sotto__within(reward, spec->reward_lo, spec->reward_hi);
}

/* ==== deflate ================================================================================ */

/*
 * Contexts of different people are similar: their mean is long, and a report of x/||x|| spends most of
 * its length on the direction of that mean, which does not distinguish people. The server learns this
 * direction g in the mean phase, and devices remove the part along g and restore the length:
 *
 *     x~ = ||x|| unit(x - (g . x) g)
 *
 * g is public; x~ is as secret as x.
 */

/* A remainder this small is rounding error and has no direction. */
#define NOTHING 1e-14

void sotto__deflate(const double *g, uint32_t dim, double *x)
{
    if (!(sotto__dot(g, g, dim) > 0)) return; /* the bits of no mean phase; g is public */
    double along = sotto__dot(g, x, dim), length = sotto__norm(x, dim);
    for (uint32_t i = 0; i < dim; i++) {
        x[i] -= along * g[i];
    }
    double left = sotto__norm(x, dim);
    double scale = left > NOTHING * length ? length / left : 0;
    for (uint32_t i = 0; i < dim; i++) {
        x[i] *= scale;
    }
}

/* ==== decide ================================================================================= */

/*
 * Deciding.
 *
 *   best-arm:    the arm that the nonce gets of the model's shares
 *   warm-up, or the deciding estimate is 0:  the arm that the nonce assigns
 *   greedy:      argmax_a x_a . theta_a
 *   confidence:  argmax_a x_a . theta_a + beta sqrt(x_a' (V_a + c I)^-1 x_a)
 *   elimination: only arms with X . frozen_a >= max_b X . frozen_b - h/2 take part
 *   by worth:    argmax_a worth_a mu(v_a), v_a what greedy or confidence compares. Nothing is
 *                eliminated: an arm of a low mean may be worth most.
 *
 * For shared parameters theta_a is the one theta; for per-arm parameters x_a is the one X. The
 * first arm wins a tie. mu is increasing and so does not change an argmax without worths.
 */

size_t sotto__decide_doubles(const sotto_spec *spec)
{
    size_t rows = spec->parameters == SOTTO_PARAMETERS_SHARED ? spec->arms : 1;
    return 2 * (size_t)spec->arms + (sotto__method_of(spec)->confidence ? rows * spec->dim : 0);
}

/* out_a = x_a . theta_a; theta has one row, or one per arm. */
static void multiply(const sotto_spec *spec, const double *context, const double *theta,
                     double *out)
{
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    const double *rows = shared ? context : theta, *column = shared ? theta : context;
    sotto__rows_dot(rows, column, spec->arms, spec->dim, out);
}

/* value_a += beta sqrt(x_a' (L_a L_a')^-1 x_a). */
static void add_bonus(const sotto_spec *spec, const sotto_model *model, const double *context,
                      double *form, double *value)
{
    uint32_t dim = spec->dim, arms = spec->arms;
    double *scratch = form + arms;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    if (shared) sotto__inverse_forms(model->factor, context, arms, dim, scratch, form);
    for (uint32_t a = 0; !shared && a < arms; a++) {
        const double *factor = model->factor + (size_t)a * sotto__tri_count(dim);
        form[a] = sotto__inverse_form(factor, context, scratch, dim);
    }
    for (uint32_t a = 0; a < arms; a++) {
        value[a] += model->beta * sqrt(form[a]);
    }
}

/* Arms whose X . frozen_a is below max_b X . frozen_b - h/2 get a value that never wins. */
static void eliminate(const sotto_spec *spec, const sotto_model *model, const double *context,
                      double *warmed, double *value)
{
    double best = -INFINITY;
    multiply(spec, context, model->frozen, warmed);
    for (uint32_t b = 0; b < spec->arms; b++) {
        warmed[b] = sotto__finite_or_zero(warmed[b]);
        best = sotto__at_least(warmed[b], best);
    }
    for (uint32_t a = 0; a < spec->arms; a++) {
        if (warmed[a] < best - model->elimination / 2) value[a] = -INFINITY;
    }
}

/* value_a: what greedy or confidence compares, all of it finite. */
static void set_values(const sotto_spec *spec, const sotto_model *model, const double *context,
                       double *more, double *value)
{
    multiply(spec, context, sotto__deciding_estimate(model), value);
    if (model->factor != NULL) add_bonus(spec, model, context, more, value);
    for (uint32_t a = 0; a < spec->arms; a++) {
        value[a] = sotto__finite_or_zero(value[a]);
    }
}

uint32_t sotto__decide(const sotto_terms *terms, const sotto_model *model, const uint8_t *nonce,
                       const double *context, double *scratch)
{
    const sotto_spec *spec = &terms->spec;
    double *value = scratch, *more = scratch + spec->arms;
    if (model->shares != NULL) return sotto__shared_arm(terms, model->shares, nonce);
    if (!sotto__model_decides(spec, model)) return sotto__assigned_arm(terms, nonce);
    set_values(spec, model, context, more, value);
    if (model->frozen != NULL) eliminate(spec, model, context, more, value);
    return sotto__largest(value, spec->arms);
}

uint32_t sotto__decide_worth(const sotto_terms *terms, const sotto_model *model,
                             const uint8_t *nonce, const double *context, const double *worth,
                             double *scratch)
{
    const sotto_spec *spec = &terms->spec;
    double *value = scratch, *more = scratch + spec->arms;
    if (!sotto__model_decides(spec, model)) return sotto__assigned_arm(terms, nonce);
    set_values(spec, model, context, more, value);
    for (uint32_t a = 0; a < spec->arms; a++) {
        value[a] = worth[a] * sotto__link_mean(spec->link, value[a]);
    }
    return sotto__largest(value, spec->arms);
}
