/* Worlds: the table of environments, and the round that all of them share. */
#include "environment.h"
#include "core/fault.h"
#include "core/linalg.h"
#include "core/link.h"
#include "reward_law.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define NAME(name, text) text,

const char *sotto_environment_kind_name(uint32_t value)
{
    static const char *const name[] = {SOTTO_ENVIRONMENT_MAP(NAME)};
    return value < sizeof name / sizeof name[0] ? name[value] : NULL;
}

const char *sotto_reward_law_name(uint32_t value)
{
    static const char *const name[] = {SOTTO_LAW_MAP(NAME)};
    return value < sizeof name / sizeof name[0] ? name[value] : NULL;
}

const sotto__environment *sotto__environment_of(sotto_environment_kind kind)
{
    static const sotto__environment *const environments[] = {
        [SOTTO_ENVIRONMENT_SPHERE] = &sotto__environment_sphere,
        [SOTTO_ENVIRONMENT_BALL] = &sotto__environment_ball,
        [SOTTO_ENVIRONMENT_GAUSSIAN] = &sotto__environment_gaussian,
        [SOTTO_ENVIRONMENT_ANISOTROPIC] = &sotto__environment_anisotropic,
        [SOTTO_ENVIRONMENT_MARGIN] = &sotto__environment_margin,
        [SOTTO_ENVIRONMENT_DRIFT] = &sotto__environment_drift,
        [SOTTO_ENVIRONMENT_PUBLISHED] = &sotto__environment_published,
        [SOTTO_ENVIRONMENT_LOAN] = &sotto__environment_loan,
    };
    return environments[kind];
}

static const char *size_fault(const sotto_match *match, char *text)
{
    const sotto_spec *spec = &match->spec;
    if (spec->dim < 1 || spec->dim > SOTTO_DIM_MAX) {
        return sotto__fault(text, "dim = %u: allowed 1 to %u", spec->dim, SOTTO_DIM_MAX);
    }
    if (spec->arms < 2 || spec->arms > SOTTO_ARMS_MAX) {
        return sotto__fault(text, "arms = %u: allowed 2 to %u", spec->arms, SOTTO_ARMS_MAX);
    }
    if (spec->dim * spec->arms > SOTTO_CELLS_MAX) {
        return sotto__fault(text, "arms = %u: dim x arms is at most %u, and dim = %u", spec->arms,
                            SOTTO_CELLS_MAX, spec->dim);
    }
    if (match->horizon < 1 || match->horizon > SOTTO_HORIZON_MAX) {
        return sotto__fault(text, "horizon = %" PRIu64 ": allowed 1 to %" PRIu64, match->horizon,
                            SOTTO_HORIZON_MAX);
    }
    return NULL;
}

static const char *kind_fault(const sotto_match *match, char *text)
{
#define KIND_FAULT(field, value, type)                                                             \
    if (type##_name((uint32_t)(value)) == NULL) {                                                  \
        return sotto__fault(text, "%s = %u: not one of the known kinds (%s, ...)", field,          \
                            (unsigned)(value), type##_name(0));                                    \
    }
    KIND_FAULT("environment", match->environment.kind, sotto_environment_kind)
    KIND_FAULT("law", match->environment.law, sotto_reward_law)
    KIND_FAULT("link", match->spec.link, sotto_link)
    KIND_FAULT("parameters", match->spec.parameters, sotto_parameters)
    const sotto__environment *row = sotto__environment_of(match->environment.kind);
    bool per_arm = match->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    if (per_arm ? !row->per_arm : !row->shared) {
        return sotto__fault(text,
                            "parameters = %s: environment %s has %s parameters only; "
                            "sphere has both",
                            sotto_parameters_name((uint32_t)match->spec.parameters),
                            sotto_environment_kind_name((uint32_t)match->environment.kind),
                            sotto_parameters_name((uint32_t)!match->spec.parameters));
    }
    return NULL;
}

/* A law needs means that it can have. */
static const char *law_fault(const sotto_match *match, char *text)
{
    sotto_link link = match->spec.link;
    sotto_reward_law law = match->environment.law;
    bool chance = link == SOTTO_LINK_LOGIT || link == SOTTO_LINK_PROBIT;
    if (law == SOTTO_LAW_BERNOULLI && !chance) {
        return sotto__fault(
            text, "reward_kind = binary: a mean that is a chance needs link logit or probit");
    }
    if (law == SOTTO_LAW_POISSON && link != SOTTO_LINK_LOG) {
        return sotto__fault(text, "reward_kind = count: a mean that is positive needs link log");
    }
    return NULL;
}

static const char *number_fault(const sotto_match *match, char *text)
{
    const sotto_environment *e = &match->environment;
    if (!(e->noise >= 0 && e->noise <= 1e6)) {
        return sotto__fault(text, "noise = %.15g: allowed 0 to 1000000", e->noise);
    }
    if (!(e->theta_norm > 0 && e->theta_norm <= match->spec.theta_norm_max)) {
        return sotto__fault(text, "theta_norm = %.15g: above 0, at most theta_norm_max = %.15g",
                            e->theta_norm, match->spec.theta_norm_max);
    }
    return NULL;
}

const char *sotto__environment_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES])
{
    const char *fault = size_fault(match, text);
    if (fault == NULL) fault = kind_fault(match, text);
    if (fault == NULL) fault = law_fault(match, text);
    if (fault == NULL) fault = number_fault(match, text);
    if (fault != NULL) return fault;
    const sotto__environment *row = sotto__environment_of(match->environment.kind);
    return row->fault == NULL ? NULL : row->fault(match, text);
}

void sotto__draw_sphere(const sotto__ziggurat *ziggurat, sotto__seeded *stream, uint32_t dim,
                        double radius, double *out)
{
    double norm;
    do {
        sotto__normals(ziggurat, stream, out, dim);
        norm = sotto__norm(out, dim);
    } while (norm < 1e-100); /* a zero has no direction */
    for (uint32_t i = 0; i < dim; i++) {
        out[i] *= radius / norm;
    }
}

/* A uniform direction less its part along the axis. Where little is left it would be rounding, and
 * dropping those draws changes no direction's chance. */
void sotto__draw_orthogonal(const sotto__ziggurat *ziggurat, sotto__seeded *stream,
                            const double *axis, uint32_t dim, double radius, double *out)
{
    double norm;
    do {
        sotto__draw_sphere(ziggurat, stream, dim, 1, out);
        double along = sotto__dot(out, axis, dim);
        for (uint32_t i = 0; i < dim; i++) {
            out[i] -= along * axis[i];
        }
        norm = sotto__norm(out, dim);
    } while (norm < 1e-3);
    for (uint32_t i = 0; i < dim; i++) {
        out[i] *= radius / norm;
    }
}

static void draw_parameters(sotto__world *world)
{
    uint32_t dim = world->match->spec.dim;
    for (uint32_t i = 0; i < world->theta_count; i += dim) {
        sotto__draw_sphere(&world->ziggurat, &world->parameters, dim,
                           world->match->environment.theta_norm, world->theta + i);
    }
}

/* As many people as still fit into the fastest memory together with everything else. */
static uint32_t crowd_of(uint32_t context_count)
{
    uint32_t people = 1024 / context_count;
    return people < 1 ? 1 : people > 64 ? 64 : people;
}

sotto_status sotto__world_new(const sotto_match *match, uint64_t seed, sotto__world **out)
{
    *out = NULL;
    char text[SOTTO_FAULT_BYTES];
    if (sotto__environment_fault(match, text) != NULL) return SOTTO_E_FAULT;

    uint32_t dim = match->spec.dim, arms = match->spec.arms;
    bool per_arm = match->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    uint32_t theta_count = per_arm ? arms * dim : dim;
    uint32_t context_count = per_arm ? dim : arms * dim;
    uint32_t crowd = crowd_of(context_count);
    size_t numbers =
        3 * (size_t)theta_count + 2 * (size_t)arms + (size_t)crowd * (context_count + 1);
    sotto__world *world = calloc(1, sizeof *world + numbers * sizeof(double));
    if (world == NULL) return SOTTO_E_MEMORY;
    world->match = match;
    world->environment = sotto__environment_of(match->environment.kind);
    world->theta_count = theta_count;
    world->context_count = context_count;
    world->theta = (double *)(world + 1);
    world->axis = world->theta + theta_count;
    world->mean = world->axis + 2 * (size_t)theta_count;
    world->value = match->worth == NULL ? world->mean : world->mean + arms;
    world->crowd = crowd;
    world->crowd_luck = world->mean + 2 * (size_t)arms;
    world->crowd_context = world->crowd_luck + crowd;
    world->context = world->crowd_context;

    sotto__ziggurat_begin(&world->ziggurat);
    sotto__stream_begin(&world->parameters, seed, SOTTO__PURPOSE_PARAMETERS);
    sotto__stream_begin(&world->contexts, seed, SOTTO__PURPOSE_CONTEXTS);
    sotto__stream_begin(&world->rewards, seed, SOTTO__PURPOSE_REWARDS);
    draw_parameters(world);
    if (world->environment->begin != NULL) world->environment->begin(world);
    *out = world;
    return SOTTO_OK;
}

void sotto__world_free(sotto__world *world)
{
    free(world);
}

/* mean_a = mu(x_a . theta*), or mu(x . theta*_a); value_a = worth_a mean_a, and the best of them. */
static void set_means(sotto__world *world)
{
    const sotto_spec *spec = &world->match->spec;
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    const double *rows = per_arm ? world->theta : world->context;
    const double *column = per_arm ? world->context : world->theta;
    sotto__rows_dot(rows, column, spec->arms, spec->dim, world->mean);
    if (spec->link != SOTTO_LINK_IDENTITY) {
        for (uint32_t a = 0; a < spec->arms; a++) {
            world->mean[a] = sotto__link_mean(spec->link, world->mean[a]);
        }
    }
    const double *worth = world->match->worth;
    for (uint32_t a = 0; worth != NULL && a < spec->arms; a++) {
        world->value[a] = worth[a] * world->mean[a];
    }
    world->value_best = world->value[sotto__largest(world->value, spec->arms)];
}

static void draw_crowd(sotto__world *world)
{
    world->environment->draw(world, world->crowd, world->crowd_context);
    for (uint32_t p = 0; p < world->crowd; p++) {
        world->crowd_luck[p] =
            sotto__draw_luck(world->match->environment.law, &world->ziggurat, &world->rewards);
    }
}

void sotto__world_next(sotto__world *world)
{
    uint32_t person = (uint32_t)(world->t++ % world->crowd);
    if (person == 0) draw_crowd(world);
    world->context = world->crowd_context + (size_t)person * world->context_count;
    world->luck = world->crowd_luck[person];
    if (world->environment->turn != NULL) world->environment->turn(world);
    set_means(world);
}

double sotto__world_reward(const sotto__world *world, uint32_t arm)
{
    const sotto_environment *environment = &world->match->environment;
    return sotto__reward(environment->law, world->mean[arm], environment->noise, world->luck);
}

double sotto__world_error(const sotto__world *world, const double *estimate)
{
    uint32_t dim = world->match->spec.dim;
    double sum = 0;
    for (uint32_t i = 0; i < world->theta_count; i += dim) {
        double squares = 0;
        for (uint32_t j = i; j < i + dim; j++) {
            double off = estimate[j] - world->theta[j];
            squares += off * off;
        }
        sum += sqrt(squares);
    }
    return sum;
}
