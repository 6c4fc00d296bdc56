/* What a person loses whose arm is chosen by an estimate. */
#include "core/core.h"
#include "inner.h"
#include "lab/environment/environment.h"
#include "lab/math/math.h"

#include <math.h>

/* ==== line =================================================================================== */

/*
 * On a line contexts are +-1 and parameters +-D. The mean of an estimate is z standard deviations
 * on the right side of 0. With one parameter the person loses if the sign is wrong; as a share of
 * what a random arm loses, that is
 *
 *     2 Phi(-z).
 *
 * With a parameter for each of K arms, an arm is good or bad for a person with chance 1/2 each.
 * The person loses if a bad arm has the largest estimate although there is a good one. In standard
 * deviations, the estimates of bad arms have mean 0 and those of good ones 2 z:
 *
 *     K int phi(t) (((Phi(t) + Phi(t - 2 z))/2)^(K-1) - (Phi(t)/2)^(K-1)) dt / (1 - 2^(1-K)),
 *
 * which is 2 Phi(-z sqrt 2) for K = 2.
 */

#define PANELS 16u
#define NODES (PANELS * SOTTO__PANEL_NODES)
#define KNOWN 8.0 /* z from which on less than 1e-15 is left */

double sotto__line_part(double z)
{
    return 2 * sotto__normal_tail(z);
}

double sotto__line_part_of_arms(double z, uint32_t arms)
{
    const double root_two_pi = 2.50662827463100050242, others = arms - 1.0;
    if (z >= KNOWN) return 0;
    double sum = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        sotto__node node = sotto__quadrature_node(-6, 8, PANELS, i);
        double t = node.at, bad = sotto__normal_tail(-t), good = sotto__normal_tail(2 * z - t);
        double wrong = pow((bad + good) / 2, others) - pow(bad / 2, others);
        sum += node.weight * exp(-0.5 * t * t) / root_two_pi * wrong;
    }
    return fmin(1, arms * sum / (1 - ldexp(1, 1 - (int)arms)));
}

/* ==== loss =================================================================================== */

/*
 * What a person loses whose arm is chosen by an estimate with the cosine 1 - m to theta*.
 *
 * A random arm loses `most`, best_reward - chance_reward, and that is where m = 1. Near theta* the loss is
 * C A m, C = 1.2 for the averaged estimator, which is not quite as good as P says (by measurement), otherwise 1, and
 *
 *     A = r D mu'(M D)                   M the mean of the largest of K projections, r = M; per-arm c_K/sqrt d
 *         best_reward - D f(0)/(d - 1)   0/1 rewards under the identity link, shared parameters,
 *
 * c_K the mean of the largest of K normals. The chance of a 0/1 reward is cut at 0: with c the projection of the
 * best arm, y of a direction across, f the density of c, max(0, (1 - m) c + sqrt(2 m) y) is in the mean
 * (1 - m) best_reward/D + m f(0) E y^2, as much as what is cut bends it. In between,
 *
 *     loss = min(most, C m (A + (most/C - A)+ m)),   cut: min(most, C m (A + (most - A) m)).
 *
 * On a line only signs can be wrong (above): z = (1 - m)/sqrt(1 - (1 - m)^2).
 */

bool sotto__chance_is_cut(const sotto_spec *spec)
{
    return spec->reward_kind == SOTTO_REWARD_BINARY && spec->link == SOTTO_LINK_IDENTITY;
}

double sotto__mean_slope(const sotto_spec *spec, double v)
{
    return sotto__chance_is_cut(spec) && v > 1 ? 0 : sotto__link_slope(spec->link, v);
}

static double mean_of(double c, const void *state)
{
    const sotto_spec *spec = state;
    return sotto__mean_reward(spec, c * spec->theta_norm_max);
}

/* f(0), of the largest of K first coordinates of unit vectors: K 2^(1-K)/Beta(1/2, (d - 1)/2). */
static double density_at_0(uint32_t dim, uint32_t arms)
{
    return ldexp(arms, 1 - (int)arms) * exp(-sotto__log_beta(0.5, (dim - 1) / 2.0));
}

/* A. */
static double near_loss(const sotto_spec *spec, const sotto_plan *plan)
{
    double at = plan->level * spec->theta_norm_max, bound = spec->theta_norm_max;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    if (shared && sotto__chance_is_cut(spec) && spec->dim > 1) {
        double bent = bound * density_at_0(spec->dim, spec->arms) / (spec->dim - 1);
        return plan->best_reward - bent;
    }
    return plan->reach * bound * sotto__mean_slope(spec, at);
}

/* reach, c_K/sqrt d, may be above 1, but no projection is: slopes are taken at M. */
void sotto__plan_set_rewards(const sotto_spec *spec, sotto_plan *plan)
{
    double largest = sotto__sphere_max_mean(spec->dim, spec->arms);
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    plan->reach = per_arm ? sotto__normal_max_mean(spec->arms) / sqrt(spec->dim) : largest;
    plan->level = largest;
    plan->best_reward = sotto__sphere_max(spec->dim, spec->arms, mean_of, spec);
    plan->chance_reward = sotto__sphere_max(spec->dim, 1, mean_of, spec);
    plan->near_loss = near_loss(spec, plan);
}

static double line_part(const sotto_spec *spec, double missed)
{
    double cosine = 1 - missed;
    if (missed == 0) return 0;
    double z = cosine / sqrt(missed * (1 + cosine));
    if (spec->parameters == SOTTO_PARAMETERS_SHARED) return sotto__line_part(z);
    return sotto__line_part_of_arms(z, spec->arms);
}

double sotto__plan_loss(const sotto_plan *plan, double missed)
{
    const sotto_spec *spec = &plan->match.spec;
    double most = plan->best_reward - plan->chance_reward, near = plan->near_loss;
    if (spec->dim == 1) return most * line_part(spec, missed);
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    double worse = sotto__method_averages(spec) ? 1.2 : 1; /* C */
    double bend = shared && sotto__chance_is_cut(spec) ? most - near : fmax(0, most / worse - near);
    return fmin(most, worse * missed * (near + bend * missed));
}
