/* What scores share. */
#include "score.h"
#include "clip.h"
#include "core/linalg.h"
#include "core/method.h"

#include <math.h>

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

/* svec is the lower triangle, row by row. Gaussian noise is scaled to the L2 norm, and off-diagonal
 * entries are multiplied by sqrt 2 so that the L2 norm of svec is that of the matrix; laplace noise
 * is scaled to the L1 norm, and the entries stay as they are. */
void sotto__score_svec(const sotto__scored *scored, double last, double *v)
{
    const sotto_spec *spec = scored->spec;
    const double *x = scored->x;
    double off_diagonal = spec->noise_law == SOTTO_NOISE_LAPLACE ? 1 : sqrt(2);
    double weight = sotto__method_of(spec)->moment_weight * last;
    for (uint32_t i = 0; i < spec->dim; i++) {
        double scaled = off_diagonal * x[i];
        for (uint32_t j = 0; j < i; j++) {
            v[j] = scaled * x[j];
        }
        v[i] = x[i] * x[i];
        v += i + 1;
    }
    for (uint32_t i = 0; i < spec->dim; i++) {
        v[i] = weight * x[i];
    }
}
