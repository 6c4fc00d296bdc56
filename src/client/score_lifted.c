/*
 * Lifted moments, for sotto-ols: with x over C_B and r over c_r, the moments m = (svec(x x'),
 * lambda r x) have ||m||^2 = ||x||^4 + lambda^2 r^2 ||x||^2 <= 1 + lambda^2. One more coordinate,
 * sqrt(1 + lambda^2 - ||m||^2), lifts them to a sphere; v = (m, lift)/sqrt(1 + lambda^2).
 */
#include "core/linalg.h"
#include "core/method.h"
#include "core/secret.h"
#include "score_rows.h"

#include <math.h>

void sotto__score_lifted(const sotto__scored *scored, double *v)
{
    const sotto_spec *spec = scored->spec;
    double weight = sotto__method_of(spec)->moment_weight;
    double bound = spec->context_norm_max;
    double reward_max = sotto__reward_bound(spec);
    uint32_t count = sotto__statistic_dim(spec) - 1;
    double radius = sqrt(1 + weight * weight);

    sotto__score_svec(scored, scored->reward / reward_max * bound, v);
    for (uint32_t i = 0; i < count; i++) {
        v[i] /= bound * bound * radius;
    }
    double norm = sotto__norm(v, count);
    v[count] = sqrt(sotto__at_least(1 - norm * norm, 0));
}
