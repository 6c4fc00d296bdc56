/*
 * Deciding.
 *
 *   warm-up, or the deciding estimate is 0:  the arm that the nonce assigns
 *   greedy:      argmax_a x_a . theta_a
 *   confidence:  argmax_a x_a . theta_a + beta sqrt(x_a' (V_a + c I)^-1 x_a)
 *   elimination: only arms with X . frozen_a >= max_b X . frozen_b - h/2 take part
 *
 * For shared parameters theta_a is the one theta; for per-arm parameters x_a is the one X. The
 * first arm wins a tie. mu is increasing and so does not change an argmax.
 */
#include "decide.h"
#include "clip.h"
#include "linalg.h"
#include "public_stream.h"

#include <math.h>

const double *sotto__deciding_estimate(const sotto_model *model)
{
    return model->tbar != NULL ? model->tbar : model->theta;
}

static bool all_zero(const double *x, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (x[i] != 0) return false;
    }
    return true;
}

/* beta sqrt(x' (L L')^-1 x). */
static double bonus(const sotto_model *model, uint32_t block, const double *x, uint32_t dim,
                    double *scratch)
{
    const double *factor = model->factor + (size_t)block * sotto__tri_count(dim);
    return model->beta * sqrt(sotto__inverse_form(factor, x, scratch, dim));
}

static double frozen_value(const sotto_model *model, uint32_t arm, const double *x, uint32_t dim)
{
    return sotto__finite_or_zero(sotto__dot(x, model->frozen + (size_t)arm * dim, dim));
}

/* max_b X . frozen_b - h/2: arms below it are out. */
static double elimination_cut(const sotto_model *model, uint32_t arms, const double *x,
                              uint32_t dim)
{
    double best = -INFINITY;
    for (uint32_t b = 0; b < arms; b++) {
        best = fmax(best, frozen_value(model, b, x, dim));
    }
    return best - model->elimination / 2;
}

uint32_t sotto__decide(const sotto_resolved *resolved, const sotto_model *model,
                       const uint8_t *nonce, const double *context, double *scratch)
{
    const sotto_spec *spec = &resolved->spec;
    const double *estimate = sotto__deciding_estimate(model);
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    uint32_t dim = spec->dim;
    if (model->phase == SOTTO_PHASE_WARM_UP) return sotto__assigned_arm(resolved, nonce);
    if (all_zero(estimate, shared ? dim : dim * spec->arms)) {
        return sotto__assigned_arm(resolved, nonce);
    }

    bool eliminates = model->frozen != NULL;
    double cut = eliminates ? elimination_cut(model, spec->arms, context, dim) : -INFINITY;
    double best_score = -INFINITY;
    uint32_t best = 0;
    for (uint32_t a = 0; a < spec->arms; a++) {
        const double *x = shared ? context + (size_t)a * dim : context;
        const double *theta = shared ? estimate : estimate + (size_t)a * dim;
        if (eliminates && frozen_value(model, a, x, dim) < cut) continue;
        double score = sotto__dot(x, theta, dim);
        if (model->factor != NULL) score += bonus(model, shared ? 0 : a, x, dim, scratch);
        score = sotto__finite_or_zero(score);
        if (score > best_score) {
            best_score = score;
            best = a;
        }
    }
    return best;
}
