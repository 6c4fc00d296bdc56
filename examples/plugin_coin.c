/*
 * Your own method as a plug-in, which does not link against Sotto:
 *
 *     cc -shared -fPIC -O2 plugin_coin.c -o coin.so
 *     sotto simulate --method sotto,./coin.so --dim 5 --arms 4 --horizon 1e5
 *     sotto audit --mechanism ./coin.so --dim 5 --epsilon 1
 *
 * Each person picks one coordinate j at random and reports, by a biased coin, whether reward times
 * x_j is large: with v = r x_j/(R C) in [-1, 1],
 *
 *     P(sign = +1) = (1 + v c)/2,   c = (e^epsilon - 1)/(e^epsilon + 1)
 *
 * The probabilities of an answer under any two secrets differ at most by the factor (1 + c)/(1 - c)
 * = e^epsilon. The server adds up the signs. The sum points along E[r x], and the next person gets
 * the arm in that direction.
 */
#include <sotto/lab/plugins.h>

#include <math.h>
#include <stdlib.h>

typedef struct coin {
    sotto_problem problem;
    double bias, scale; /* c, and R C */
    double sum[];       /* dim numbers */
} coin;

static const char *make(void *user, const sotto_problem *problem, double epsilon, double delta,
                        sotto_stream *stream, void **state, char *text)
{
    (void)user, (void)delta, (void)stream, (void)text;
    if (problem->parameters != SOTTO_PARAMETERS_SHARED) return "only shared parameters";
    coin *self = calloc(1, sizeof *self + problem->dim * sizeof self->sum[0]);
    if (self == NULL) return "out of memory";
    self->problem = *problem;
    self->bias = tanh(epsilon / 2);
    self->scale =
        problem->context_norm_max * fmax(fabs(problem->reward_lo), fabs(problem->reward_hi));
    *state = self;
    return NULL;
}

static size_t report_bytes_max(const void *state)
{
    (void)state;
    return 3; /* the coordinate in two bytes, the sign in one */
}

static const char *decide(const void *state, sotto_stream *stream, const double *context,
                          uint32_t *arm, char *text)
{
    (void)stream, (void)text;
    const coin *self = state;
    double best = -INFINITY;
    for (uint32_t a = 0; a < self->problem.arms; a++) {
        double value = 0;
        for (uint32_t i = 0; i < self->problem.dim; i++) {
            value += context[a * self->problem.dim + i] * self->sum[i];
        }
        if (value > best) {
            best = value;
            *arm = a;
        }
    }
    return NULL;
}

/* Runs on the device. Only what is written to `report` leaves it. */
static const char *report(const void *state, sotto_stream *stream, const double *context,
                          uint32_t arm, double reward, uint8_t *out, size_t *out_bytes, char *text)
{
    (void)text;
    const coin *self = state;
    uint32_t dim = self->problem.dim, j = (uint32_t)(sotto_stream_uniform(stream) * dim);
    double v = fmax(-1, fmin(1, reward * context[arm * dim + j] / self->scale)); /* any input */
    out[0] = (uint8_t)(j & 255);
    out[1] = (uint8_t)(j >> 8);
    out[2] = sotto_stream_uniform(stream) < (1 + v * self->bias) / 2;
    *out_bytes = 3;
    return NULL;
}

/* Runs on the server, which has only the report. */
static const char *learn(void *state, const uint8_t *in, size_t in_bytes, char *text)
{
    (void)in_bytes, (void)text;
    coin *self = state;
    self->sum[in[0] + 256u * in[1]] += in[2] ? 1 : -1;
    return NULL;
}

static const sotto_player_table player = {
    SOTTO_TABLE(sotto_player_table),
    .name = "coin",
    .version = "1",
    .claims_privacy = true,
    .make = make,
    .report_bytes_max = report_bytes_max,
    .decide = decide,
    .report = report,
    .learn = learn,
    .free = free,
};

/* ---- the same report, audited ------------------------------------------------------------- */

/* In an audit, a vector is the context of the only arm, with a reward of 1. */
static const char *make_audited(void *user, uint32_t dim, double epsilon, double delta,
                                double radius, uint32_t *answer_count, void **state, char *text)
{
    const sotto_problem problem = {
        .dim = dim, .arms = 1, .reward_hi = 1, .context_norm_max = radius};
    *answer_count = 2;
    return make(user, &problem, epsilon, delta, NULL, state, text);
}

static const char *draw(void *state, sotto_stream *stream, const double *x, double *answer,
                        char *text)
{
    uint8_t bytes[3];
    size_t count;
    const char *why = report(state, stream, x, 0, 1, bytes, &count, text);
    answer[0] = bytes[0] + 256u * bytes[1];
    answer[1] = bytes[2];
    return why;
}

static const sotto_mechanism_table mechanism = {
    SOTTO_TABLE(sotto_mechanism_table),
    .name = "coin",
    .version = "1",
    .make = make_audited,
    .draw = draw,
    .free = free,
};

const sotto_plugin *sotto_plugin_get(void)
{
    static const sotto_plugin plugin = {SOTTO_TABLE(sotto_plugin), .player = &player,
                                        .mechanism = &mechanism};
    return &plugin;
}
