/* The paper's gradient g = (mu(x . theta) - r) x, clipped to norm R = 2 c_r C_B and divided by it:
 * v = g/R = psi x/||x||, psi = clip((mu(x . theta) - r) ||x||/R, -1, 1) (eq. SGD-mechanism). */
#include "core/linalg.h"
#include "core/link.h"
#include "core/method.h"
#include "core/secret.h"
#include "score_rows.h"

void sotto__score_gradient(const sotto__scored *scored, double *v)
{
    const sotto_spec *spec = scored->spec;
    double reward_max = sotto__reward_bound(spec);
    double radius = 2 * reward_max * spec->context_norm_max;
    double mean = sotto__link_mean(spec->link, sotto__score_prediction(scored));
    double length = (mean - scored->reward) * (sotto__norm(scored->x, spec->dim) / radius);
    sotto__score_along(scored, sotto__within(length, -1, 1), v);
}
