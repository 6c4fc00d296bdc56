/* The table of scores, and what they share. */
#include "score.h"
#include "clip.h"
#include "core/linalg.h"
#include "core/method.h"

#include <math.h>

static sotto__score_function *const scores[] = {
    [SOTTO_SCORE_SIGN] = sotto__score_sign,       [SOTTO_SCORE_SELF] = sotto__score_self,
    [SOTTO_SCORE_HUBER] = sotto__score_huber,     [SOTTO_SCORE_GRADIENT] = sotto__score_gradient,
    [SOTTO_SCORE_MOMENTS] = sotto__score_moments, [SOTTO_SCORE_GLOC_PAIR] = sotto__score_gloc_pair,
};

sotto__score_function *sotto__score_of(const sotto_spec *spec)
{
    return sotto__method_of(spec)->lifted ? sotto__score_lifted : scores[spec->score];
}

double sotto__score_prediction(const sotto__scored *scored)
{
    return sotto__finite_or_zero(sotto__dot(scored->x, scored->theta, scored->spec->dim));
}

/* v = psi v/||v||; v = 0 stays. */
static void set_length(double *v, uint32_t dim, double psi)
{
    double norm = sotto__norm(v, dim);
    double inverse = norm > 0 ? 1 / norm : 0;
    if (isinf(inverse)) { /* a denormal norm has no reciprocal: lift it first */
        for (uint32_t i = 0; i < dim; i++) {
            v[i] *= 0x1p200;
        }
        inverse = 1 / sotto__norm(v, dim);
    }
    for (uint32_t i = 0; i < dim; i++) {
        v[i] *= inverse * psi;
    }
}

/* v -= (1 - w)(x . u) u, unless the deciding estimate has no direction. */
static void take_off_along(const sotto__scored *scored, double *v)
{
    uint32_t dim = scored->spec->dim;
    double length = sotto__norm(scored->decide, dim);
    if (!(length > 1e-290 && isfinite(length))) return;
    double along = 0; /* x . u */
    for (uint32_t i = 0; i < dim; i++) {
        along += scored->x[i] * (scored->decide[i] / length);
    }
    double part = (1 - scored->along_weight) * along;
    for (uint32_t i = 0; i < dim; i++) {
        v[i] -= part * (scored->decide[i] / length);
    }
}

void sotto__score_along(const sotto__scored *scored, double psi, double *v)
{
    uint32_t dim = scored->spec->dim;
    for (uint32_t i = 0; i < dim; i++) {
        v[i] = scored->x[i];
    }
    if (scored->decide != NULL && scored->along_weight < 1) take_off_along(scored, v);
    set_length(v, dim, psi);
}
