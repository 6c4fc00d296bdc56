/* Worlds: the round that all environments share. */
#include "core/core.h"
#include "environment.h"

#include <math.h>
#include <stdlib.h>

/* ==== names ================================================================================== */

/* The names of environments and of reward laws, from the lists that number them. */

#define NAME(name, text) text,

const char *sotto_environment_kind_name(sotto_environment_kind value)
{
    static const char *const name[] = {SOTTO_ENVIRONMENT_MAP(NAME)};
    return (uint32_t)value < sizeof name / sizeof name[0] ? name[value] : NULL;
}

bool sotto_environment_kind_from_name(const char *name, sotto_environment_kind *out)
{
    for (uint32_t i = 0; name != NULL && out != NULL && sotto_environment_kind_name(i) != NULL;
         i++) {
        if (strcmp(name, sotto_environment_kind_name(i)) != 0) continue;
        *out = (sotto_environment_kind)i;
        return true;
    }
    return false;
}

const char *sotto_reward_law_name(sotto_reward_law value)
{
    static const char *const name[] = {SOTTO_LAW_MAP(NAME)};
    return (uint32_t)value < sizeof name / sizeof name[0] ? name[value] : NULL;
}

/* ==== reward law ============================================================================= */

/* The four laws of rewards. Each inverts or shifts one draw. */

#define COUNT_MAX 1000
#define POISSON_MEAN_MAX 700 /* e^-mean is still a normal number */

static double draw_uniform(const sotto__ziggurat *ziggurat, sotto__seeded *stream)
{
    (void)ziggurat;
    return sotto__uniform(sotto__seeded_next(stream));
}

static double gaussian_reward(double mean, double noise, double draw)
{
    return mean + noise * draw;
}

static double none_reward(double mean, double noise, double draw)
{
    (void)noise;
    (void)draw;
    return mean;
}

static double bernoulli_reward(double mean, double noise, double draw)
{
    (void)noise;
    return draw < mean ? 1 : 0;
}

/* The smallest k with draw < F(k), F(k) = sum_{i<=k} e^-m m^i/i!. Past the mean the search also
 * stops when the chances become too small to change F, because the rounded F may never reach the
 * draw. */
static double poisson_reward(double mean, double noise, double draw)
{
    (void)noise;
    if (mean > POISSON_MEAN_MAX) return COUNT_MAX;
    double chance = exp(-mean), below = chance;
    int k = 0;
    while (draw >= below && k < COUNT_MAX && !(k > mean && chance < 0x1p-60)) {
        k++;
        chance *= mean / k;
        below += chance;
    }
    return k;
}

static const struct {
    double (*draw)(const sotto__ziggurat *ziggurat, sotto__seeded *stream);
    double (*reward)(double mean, double noise, double draw);
} laws[] = {
    [SOTTO_LAW_GAUSSIAN] = {.draw = sotto__normal, .reward = gaussian_reward},
    [SOTTO_LAW_NONE] = {.draw = draw_uniform, .reward = none_reward},
    [SOTTO_LAW_BERNOULLI] = {.draw = draw_uniform, .reward = bernoulli_reward},
    [SOTTO_LAW_POISSON] = {.draw = draw_uniform, .reward = poisson_reward},
};

double sotto__reward_draw(sotto_reward_law law, const sotto__ziggurat *ziggurat,
                          sotto__seeded *stream)
{
    return laws[law].draw(ziggurat, stream);
}

double sotto__reward(sotto_reward_law law, double mean, double noise, double draw)
{
    return laws[law].reward(mean, noise, draw);
}

double sotto__mean_reward(const sotto_spec *spec, double v)
{
    double mean = sotto__link_mean(spec->link, v);
    return spec->reward_kind == SOTTO_REWARD_BINARY ? fmax(0, fmin(1, mean)) : mean;
}

/* ==== world =============================================================================== */

void sotto__draw_sphere(const sotto__ziggurat *ziggurat, sotto__seeded *stream, uint32_t dim,
                        double radius, double *out)
{
    double norm;
    do {
        sotto__normals(ziggurat, stream, out, dim);
        norm = sotto__norm(out, dim);
    } while (norm < 1e-100); /* a vector this short has no usable direction */
    for (uint32_t i = 0; i < dim; i++) {
        out[i] *= radius / norm;
    }
}

/* A uniform direction less its part along the axis. If little is left, it is mostly rounding error,
 * so it is drawn again. This changes no direction's chance. */
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

/* As many people as fit into the fastest memory together with everything else. */
static uint32_t crowd_of(uint32_t context_count)
{
    uint32_t people = 1024 / context_count;
    return people < 1 ? 1 : people > 64 ? 64 : people;
}

sotto_status sotto__world_begin(const sotto__environment *environment, const sotto_match *match,
                                uint64_t seed, sotto__world **out)
{
    *out = NULL;
    uint32_t dim = match->spec.dim, arms = match->spec.arms;
    bool per_arm = match->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    uint32_t theta_count = per_arm ? arms * dim : dim;
    uint32_t context_count = per_arm ? dim : arms * dim;
    /* A custom environment draws one person at a time, because what it keeps may change. */
    uint32_t crowd = match->environment.custom != NULL ? 1 : crowd_of(context_count);
    size_t numbers =
        3 * (size_t)theta_count + 2 * (size_t)arms + (size_t)crowd * (context_count + 1);
    sotto__world *world = calloc(1, sizeof *world + numbers * sizeof(double));
    if (world == NULL) return SOTTO_E_MEMORY;
    world->match = match;
    world->environment = environment;
    world->theta_count = theta_count;
    world->context_count = context_count;
    world->theta = (double *)(world + 1);
    world->axis = world->theta + theta_count;
    world->mean = world->axis + 2 * (size_t)theta_count;
    world->value = match->worth == NULL ? world->mean : world->mean + arms;
    world->crowd = crowd;
    world->crowd_draw = world->mean + 2 * (size_t)arms;
    world->crowd_context = world->crowd_draw + crowd;
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
    if (world != NULL && world->environment->end != NULL) world->environment->end(world);
    free(world);
}

/* value_a = worth_a mean_a, and the best of them. */
static void set_values(sotto__world *world, uint32_t arms)
{
    const double *worth = world->match->worth;
    for (uint32_t a = 0; worth != NULL && a < arms; a++) {
        world->value[a] = worth[a] * world->mean[a];
    }
    world->value_best = world->value[sotto__largest(world->value, arms)];
}

/* mean_a = mu(x_a . theta*), or mu(x . theta*_a). */
static void set_means(sotto__world *world)
{
    const sotto_spec *spec = &world->match->spec;
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    const double *rows = per_arm ? world->theta : world->context;
    const double *column = per_arm ? world->context : world->theta;
    sotto__rows_dot(rows, column, spec->arms, spec->dim, world->mean);
    if (spec->link != SOTTO_LINK_IDENTITY || spec->reward_kind == SOTTO_REWARD_BINARY) {
        for (uint32_t a = 0; a < spec->arms; a++) {
            world->mean[a] = sotto__mean_reward(spec, world->mean[a]);
        }
    }
    set_values(world, spec->arms);
}

static void draw_crowd(sotto__world *world)
{
    world->environment->draw(world, world->crowd, world->crowd_context);
    for (uint32_t p = 0; p < world->crowd; p++) {
        world->crowd_draw[p] =
            sotto__reward_draw(world->match->environment.law, &world->ziggurat, &world->rewards);
    }
}

void sotto__world_next(sotto__world *world)
{
    uint32_t person = (uint32_t)(world->t++ % world->crowd);
    if (person == 0) draw_crowd(world);
    world->context = world->crowd_context + (size_t)person * world->context_count;
    world->draw = world->crowd_draw[person];
    if (world->environment->turn != NULL) world->environment->turn(world);
    if (world->environment->means == NULL) {
        set_means(world);
        return;
    }
    world->environment->means(world);
    set_values(world, world->match->spec.arms);
}

double sotto__world_reward(const sotto__world *world, uint32_t arm)
{
    if (world->environment->reward != NULL) return world->environment->reward(world, arm);
    const sotto_environment *environment = &world->match->environment;
    return sotto__reward(environment->law, world->mean[arm], environment->noise, world->draw);
}

double sotto__world_error(const sotto__world *world, const double *estimate)
{
    uint32_t dim = world->match->spec.dim;
    double sum = 0;
    if (world->theta_unknown || estimate == NULL) return NAN;
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
