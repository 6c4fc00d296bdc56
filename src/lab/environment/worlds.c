#include "core/core.h"
#include "inner.h"

#include <math.h>

/* C_B of environments whose contexts lie in the unit ball. */
static double unit(const sotto_spec *spec)
{
    (void)spec;
    return 1;
}

/* ==== sphere ================================================================================= */

/* Contexts uniform on the unit sphere: the arms' vectors are independent. */

/* x/||x||. A zero vector has no direction, so it is drawn again. */
static void normalise(sotto__world *world, double *x, uint32_t dim)
{
    double squares = sotto__dot(x, x, dim);
    if (squares < 1e-200) {
        sotto__draw_sphere(&world->ziggurat, &world->contexts, dim, 1, x);
        return;
    }
    double scale = 1 / sqrt(squares);
    for (uint32_t i = 0; i < dim; i++) {
        x[i] *= scale;
    }
}

/* The same for all rows if rows have two numbers. A loop per row would cost more than its
 * numbers. */
static void normalise_plane(sotto__world *world, double *x, uint32_t count)
{
    bool zeros = false;
    for (uint32_t i = 0; i < count; i += 2) {
        double squares = x[i] * x[i] + x[i + 1] * x[i + 1];
        zeros |= squares < 1e-200;
        double scale = 1 / sqrt(squares < 1e-200 ? 1 : squares);
        x[i] *= scale;
        x[i + 1] *= scale;
    }
    for (uint32_t i = 0; zeros && i < count; i += 2) { /* rows of zeros did not get length 1 */
        if (sotto__dot(x + i, x + i, 2) < 0.5) normalise(world, x + i, 2);
    }
}

static void sphere_draw(sotto__world *world, uint32_t people, double *context)
{
    uint32_t dim = world->match->spec.dim, count = people * world->context_count;
    sotto__normals(&world->ziggurat, &world->contexts, context, count);
    if (dim == 2) {
        normalise_plane(world, context, count);
        return;
    }
    for (uint32_t at = 0; at < count; at += dim) {
        normalise(world, context + at, dim);
    }
}

const sotto__environment sotto__environment_sphere = {
    .shared = true,
    .per_arm = true,
    .context_norm_max = unit,
    .draw = sphere_draw,
};

/* ==== ball =================================================================================== */

/* Contexts uniform in the unit ball: U^(1/d) times a uniform direction, U uniform. */

static void ball_draw(sotto__world *world, uint32_t people, double *context)
{
    uint32_t dim = world->match->spec.dim;
    for (uint32_t i = 0; i < people * world->context_count; i += dim) {
        double radius = pow(sotto__uniform(sotto__seeded_next(&world->contexts)), 1.0 / dim);
        sotto__draw_sphere(&world->ziggurat, &world->contexts, dim, radius, context + i);
    }
}

const sotto__environment sotto__environment_ball = {
    .shared = true,
    .per_arm = true,
    .context_norm_max = unit,
    .draw = ball_draw,
};

/* ==== gaussian =============================================================================== */

/*
 * The instance of the paper's lower bound (Theorem 3.2): contexts N(0, I/d). To have a bound C_B,
 * contexts longer than 1 + 6/sqrt d are scaled down to it. That is fewer than one in 10^11 for any
 * d.
 */

static double gaussian_context_norm_max(const sotto_spec *spec)
{
    return 1 + 6 / sqrt(spec->dim);
}

static void gaussian_draw(sotto__world *world, uint32_t people, double *context)
{
    uint32_t dim = world->match->spec.dim;
    double longest = gaussian_context_norm_max(&world->match->spec);
    for (uint32_t i = 0; i < people * world->context_count; i += dim) {
        double *x = context + i;
        sotto__normals(&world->ziggurat, &world->contexts, x, dim);
        for (uint32_t j = 0; j < dim; j++) {
            x[j] /= sqrt(dim);
        }
        double shrink = longest / sotto__norm(x, dim);
        for (uint32_t j = 0; j < dim && shrink < 1; j++) {
            x[j] *= shrink;
        }
    }
}

const sotto__environment sotto__environment_gaussian = {
    .shared = true,
    .per_arm = true,
    .context_norm_max = gaussian_context_norm_max,
    .draw = gaussian_draw,
};

/* min(1, d/((e^epsilon - 1) sqrt T)). */
double sotto__lower_bound_theta_norm(uint32_t dim, double epsilon, uint64_t horizon)
{
    return fmin(1, dim / (sotto__expm1(epsilon) * sqrt((double)horizon)));
}

/* ==== anisotropic ============================================================================ */

/* Contexts with a power-law spectrum: x_j = (j+1)^(-1/2) u_j, j from 0, u uniform on the unit
 * sphere. Then E[x x'] = diag(1/(j+1))/d. */

static void anisotropic_draw(sotto__world *world, uint32_t people, double *context)
{
    uint32_t dim = world->match->spec.dim;
    for (uint32_t i = 0; i < people * world->context_count; i += dim) {
        double *x = context + i;
        sotto__draw_sphere(&world->ziggurat, &world->contexts, dim, 1, x);
        for (uint32_t j = 0; j < dim; j++) {
            x[j] /= sqrt(j + 1.0);
        }
    }
}

const sotto__environment sotto__environment_anisotropic = {
    .shared = true,
    .per_arm = true,
    .context_norm_max = unit,
    .draw = anisotropic_draw,
};

/* ==== margin ================================================================================= */

/*
 * Two arms with a chosen margin exponent beta (the paper's Assumption 4): along the direction of
 * theta* one stands at a, the other at -a, a fair coin says which,
 *
 *     a = U^(1/beta), U uniform;   beta = 0: a = 1/(2 sqrt T)
 *
 * so that P(2a <= h) = (h/2)^beta, or the gap is 1/sqrt T. The rest of each vector is uniform on
 * the sphere of radius sqrt(1 - a^2) around theta*, independently.
 */

static sotto_status margin_fault(const sotto_match *match, sotto_fault *fault)
{
    if (match->spec.arms != 2) {
        return sotto__fault_at(fault, "arms",
                               "%u: environment margin has 2 arms; sphere has any number",
                               match->spec.arms);
    }
    if (!(match->environment.margin >= 0 && match->environment.margin <= 1)) {
        return sotto__fault_at(fault, "margin", "%.15g: allowed 0 to 1", match->environment.margin);
    }
    return SOTTO_OK;
}

/* Sets the axis to the direction of theta*. */
static void margin_begin(sotto__world *world)
{
    for (uint32_t i = 0; i < world->theta_count; i++) {
        world->axis[i] = world->theta[i] / world->match->environment.theta_norm;
    }
}

/* Sets x to `along` along the axis and a random rest around it. In one dimension there is
 * no rest. */
static void draw_around(sotto__world *world, double along, double *x)
{
    uint32_t dim = world->match->spec.dim;
    x[0] = 0;
    if (dim > 1) {
        sotto__draw_orthogonal(&world->ziggurat, &world->contexts, world->axis, dim,
                               sqrt(1 - along * along), x);
    }
    for (uint32_t i = 0; i < dim; i++) {
        x[i] += along * world->axis[i];
    }
}

static void draw_person(sotto__world *world, double *context)
{
    double beta = world->match->environment.margin;
    double u = sotto__uniform(sotto__seeded_next(&world->contexts));
    double a = beta > 0 ? pow(u, 1 / beta) : 0.5 / sqrt((double)world->match->horizon);
    bool first_is_best = sotto__seeded_next(&world->contexts) >> 63 == 0;
    double along = first_is_best ? a : -a;
    draw_around(world, along, context);
    draw_around(world, -along, context + world->match->spec.dim);
}

static void margin_draw(sotto__world *world, uint32_t people, double *context)
{
    for (uint32_t p = 0; p < people; p++) {
        draw_person(world, context + (size_t)p * world->context_count);
    }
}

const sotto__environment sotto__environment_margin = {
    .shared = true,
    .fault = margin_fault,
    .context_norm_max = unit,
    .begin = margin_begin,
    .draw = margin_draw,
};

/* ==== drift ================================================================================== */

/*
 * Contexts on the sphere, and a parameter that rotates: theta*(t) = theta_norm (cos(w t) e1 + sin(w
 * t) e2), with orthonormal e1, e2 drawn at the start, separately for each arm. The first person has
 * t = 1.
 */

static sotto_status drift_fault(const sotto_match *match, sotto_fault *fault)
{
    if (match->spec.dim < 2) {
        return sotto__fault_at(fault, "dim", "%u: environment drift turns in a plane, at least 2",
                               match->spec.dim);
    }
    if (!(match->environment.drift >= 0 && match->environment.drift <= 1)) {
        return sotto__fault_at(fault, "drift", "%.15g: allowed 0 to 1", match->environment.drift);
    }
    return SOTTO_OK;
}

/* Sets the axis to e1 of every parameter, the direction in which theta* starts, followed by e2 of
 * every parameter. */
static void drift_begin(sotto__world *world)
{
    uint32_t dim = world->match->spec.dim;
    double *e1 = world->axis, *e2 = world->axis + world->theta_count;
    for (uint32_t i = 0; i < world->theta_count; i++) {
        e1[i] = world->theta[i] / world->match->environment.theta_norm;
    }
    for (uint32_t i = 0; i < world->theta_count; i += dim) {
        sotto__draw_orthogonal(&world->ziggurat, &world->parameters, e1 + i, dim, 1, e2 + i);
    }
}

static void turn(sotto__world *world)
{
    const sotto_environment *environment = &world->match->environment;
    const double *e1 = world->axis, *e2 = world->axis + world->theta_count;
    double angle = environment->drift * (double)world->t;
    double first = environment->theta_norm * cos(angle);
    double second = environment->theta_norm * sin(angle);
    for (uint32_t i = 0; i < world->theta_count; i++) {
        world->theta[i] = first * e1[i] + second * e2[i];
    }
}

static void drift_draw(sotto__world *world, uint32_t people, double *context)
{
    sotto__environment_sphere.draw(world, people, context);
}

const sotto__environment sotto__environment_drift = {
    .shared = true,
    .per_arm = true,
    .fault = drift_fault,
    .context_norm_max = unit,
    .begin = drift_begin,
    .draw = drift_draw,
    .turn = turn,
};

/* ==== published ============================================================================== */

/*
 * Contexts of the authors' own code. Shared: uniform on the unit sphere. Per-arm: N(0, I_d), not
 * normalised and not scaled down. So sqrt d + 4 does not bound the contexts of this world; devices
 * clip to it. It affects fewer than one in 10^6 for any d.
 */

static double context_norm_max(const sotto_spec *spec)
{
    return spec->parameters == SOTTO_PARAMETERS_PER_ARM ? sqrt(spec->dim) + 4 : 1;
}

static void draw(sotto__world *world, uint32_t people, double *context)
{
    if (world->match->spec.parameters == SOTTO_PARAMETERS_SHARED) {
        sotto__environment_sphere.draw(world, people, context);
        return;
    }
    sotto__normals(&world->ziggurat, &world->contexts, context, people * world->context_count);
}

const sotto__environment sotto__environment_published = {
    .shared = true,
    .per_arm = true,
    .context_norm_max = context_norm_max,
    .draw = draw,
};
