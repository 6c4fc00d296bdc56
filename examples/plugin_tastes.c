/*
 * Your own environment as a plug-in, which does not link against Sotto:
 *
 *     cc -shared -fPIC -O2 plugin_tastes.c -o tastes.so
 *     sotto simulate --method sotto,ols --environment ./tastes.so --dim 5 --arms 4 --horizon 1e5
 *
 * People differ in how much they care: a context is a random direction of random length. The mean
 * reward is the square root of how well an arm fits, so the model of a linear method is never quite
 * right. Rewards are the mean plus uniform noise, in [-2, 2].
 */
#include <sotto/lab/plugins.h>

#include <math.h>
#include <stdlib.h>

typedef struct tastes {
    sotto_problem problem;
    double theta[]; /* dim numbers, of length 1 */
} tastes;

/* Draws a vector of this length in a random direction. */
static void draw_direction(sotto_stream *stream, uint32_t dim, double length, double *out)
{
    double squares = 0;
    for (uint32_t i = 0; i < dim; i++) {
        out[i] = sotto_stream_normal(stream);
        squares += out[i] * out[i];
    }
    for (uint32_t i = 0; i < dim; i++) {
        out[i] *= length / sqrt(squares);
    }
}

static const char *make(void *user, const sotto_problem *problem, sotto_stream *stream,
                        void **state, char *text)
{
    (void)user, (void)text;
    tastes *self = calloc(1, sizeof *self + problem->dim * sizeof self->theta[0]);
    if (self == NULL) return "out of memory";
    self->problem = *problem;
    draw_direction(stream, problem->dim, 1, self->theta);
    *state = self;
    return NULL;
}

static const char *context(void *state, sotto_stream *stream, double *out, char *text)
{
    (void)text;
    const tastes *self = state;
    double care = 0.5 + 0.5 * sotto_stream_uniform(stream);
    for (uint32_t a = 0; a < self->problem.arms; a++) {
        draw_direction(stream, self->problem.dim, care, out + a * self->problem.dim);
    }
    return NULL;
}

static const char *means(void *state, const double *in, double *mean, char *text)
{
    (void)text;
    const tastes *self = state;
    for (uint32_t a = 0; a < self->problem.arms; a++) {
        double fit = 0;
        for (uint32_t i = 0; i < self->problem.dim; i++) {
            fit += in[a * self->problem.dim + i] * self->theta[i];
        }
        mean[a] = copysign(sqrt(fabs(fit)), fit);
    }
    return NULL;
}

static const char *reward(void *state, sotto_stream *stream, const double *in, uint32_t arm,
                          double mean, double *out, char *text)
{
    (void)state, (void)in, (void)arm, (void)text;
    *out = mean + 2 * sotto_stream_uniform(stream) - 1;
    return NULL;
}

const sotto_plugin *sotto_plugin_get(void)
{
    static const sotto_environment_table environment = {
        SOTTO_TABLE(sotto_environment_table),
        .name = "tastes",
        .version = "1",
        .shared = true,
        .context_norm_max = 1,
        .theta_norm_max = 1,
        .reward_lo = -2,
        .reward_hi = 2,
        .make = make,
        .context = context,
        .means = means,
        .reward = reward,
        .free = free,
    };
    static const sotto_plugin plugin = {SOTTO_TABLE(sotto_plugin), .environment = &environment};
    return &plugin;
}
