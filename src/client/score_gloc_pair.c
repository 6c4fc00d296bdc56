/*
 * The pair of LDP-GLOC (Zheng et al. 2020): (svec(x x'), lambda e x), with the residual of the
 * online estimate e = clip(mu(x . theta_h) - r, -2 c_r, 2 c_r). Their third statistic,
 * (x . theta_h) x = (x x') theta_h, the server forms itself.
 */
#include "clip.h"
#include "core/linalg.h"
#include "core/link.h"
#include "core/method.h"
#include "core/secret.h"
#include "score_rows.h"

void sotto__score_gloc_pair(const sotto__scored *scored, double *v)
{
    const sotto_spec *spec = scored->spec;
    double bound = 2 * sotto__reward_bound(spec);
    double product = sotto__finite_or_zero(sotto__dot(scored->x, scored->online, spec->dim));
    double residual = sotto__link_mean(spec->link, product) - scored->reward;
    sotto__score_svec(scored, sotto__within(residual, -bound, bound), v);
}
