/* Guests of the lab. */
#include "guests.h"

#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define NAME(name, text) text,
const char *const misdeed_name[MISDEEDS] = {MISDEED_MAP(NAME)};

typedef struct guest_state {
    guest *user;
    sotto_problem problem;
    uint64_t t; /* a device cannot count: the environment does, and learn */
    double theta[];
} guest_state;

static bool now(const guest_state *s, misdeed wanted)
{
    return s->user->misdeed == wanted && s->t + 1 >= s->user->round;
}

/* Misdeeds that end the process, or never return. */
static void strike(const guest_state *s)
{
    if (now(s, MISDEED_CRASHES)) raise(SIGSEGV);
    if (now(s, MISDEED_ABORTS)) abort();
    if (now(s, MISDEED_EXITS)) exit(0);
    while (now(s, MISDEED_NEVER_ENDS)) {
    }
}

static void see(guest *user, const double *number, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = user->seen_count++;
        if (place < GUEST_SEEN_MAX) user->seen[place] = number[i];
    }
}

static const char *make_state(guest *user, const sotto_problem *problem, void **state)
{
    if (user->misdeed == MISDEED_MAKE_FAILS) return "no chair is free\n";
    guest_state *s = calloc(1, sizeof *s + problem->theta_count * sizeof s->theta[0]);
    if (s == NULL) return "out of memory";
    s->user = user;
    s->problem = *problem;
    user->made++;
    user->horizon = problem->horizon;
    *state = s;
    return NULL;
}

static void free_state(void *state)
{
    guest_state *s = state;
    s->user->freed++;
    free(s);
}

/* ---- the method --------------------------------------------------------------------------- */

static const char *make_player(void *user, const sotto_problem *problem, double epsilon,
                               double delta, sotto_stream *stream, void **state, char *text)
{
    (void)stream;
    (void)text;
    ((guest *)user)->epsilon = epsilon;
    ((guest *)user)->delta = delta;
    return make_state(user, problem, state);
}

static size_t report_bytes_max(const void *state)
{
    const guest_state *s = state;
    if (s->user->misdeed == MISDEED_ROOM_TOO_LARGE) return SOTTO_PLAYER_REPORT_BYTES_MAX + 1;
    return s->problem.dim * sizeof(double);
}

/* With per-arm parameters the context is the same for all arms, and so is the guest's parameter. */
static const double *row_of(const guest_state *s, const double *context, uint32_t arm)
{
    bool per_arm = s->problem.parameters == SOTTO_PARAMETERS_PER_ARM;
    return per_arm ? context : context + (size_t)arm * s->problem.dim;
}

static const char *decide(const void *state, sotto_stream *stream, const double *context,
                          uint32_t *arm, char *text)
{
    const guest_state *s = state;
    (void)stream;
    strike(s);
    see(s->user, context, 1);
    if (now(s, MISDEED_DECIDE_FAILS)) return strcpy(text, "heads, or tails?");
    if (now(s, MISDEED_ARM_LEFT_OUT)) return NULL;
    double best = -INFINITY;
    for (uint32_t a = 0; a < s->problem.arms; a++) {
        const double *row = row_of(s, context, a);
        double value = 0;
        for (uint32_t i = 0; i < s->problem.dim; i++) {
            value += row[i] * s->theta[i];
        }
        if (value > best) *arm = a;
        if (value > best) best = value;
    }
    if (now(s, MISDEED_ARM_TOO_LARGE)) *arm = s->problem.arms;
    if (now(s, MISDEED_ROUNDS_UP)) fesetround(FE_UPWARD);
    return NULL;
}

static const char *report(const void *state, sotto_stream *stream, const double *context,
                          uint32_t arm, double reward, uint8_t *out, size_t *out_bytes, char *text)
{
    const guest_state *s = state;
    (void)stream;
    (void)text;
    if (now(s, MISDEED_REPORT_FAILS)) return "nothing to say";
    const double *row = row_of(s, context, arm);
    for (uint32_t i = 0; i < s->problem.dim; i++) {
        double product = reward * row[i];
        memcpy(out + i * sizeof product, &product, sizeof product);
    }
    if (now(s, MISDEED_REPORT_WITHOUT_LENGTH)) return NULL;
    *out_bytes = s->problem.dim * sizeof(double);
    if (now(s, MISDEED_REPORT_OVERFLOWS)) out[*out_bytes] = 7;
    if (now(s, MISDEED_REPORT_TOO_LONG)) ++*out_bytes;
    return NULL;
}

static const char *learn(void *state, const uint8_t *in, size_t in_bytes, char *text)
{
    guest_state *s = state;
    (void)text;
    if (now(s, MISDEED_LEARN_FAILS)) return "too late\a";
    if (in_bytes != s->problem.dim * sizeof(double)) return "a report of another length";
    for (uint32_t i = 0; i < s->problem.dim; i++) {
        double product;
        memcpy(&product, in + i * sizeof product, sizeof product);
        s->theta[i] += product;
    }
    s->t++;
    return NULL;
}

static const double *estimate(const void *state)
{
    const guest_state *s = state;
    static const double nans[SOTTO_DIM_MAX] = {NAN};
    return s->user->misdeed == MISDEED_ESTIMATE_IS_NAN ? nans : s->theta;
}

sotto_player_table guest_player(guest *user)
{
    return (sotto_player_table){
        SOTTO_TABLE(sotto_player_table),
        .name = "guest",
        .version = "1",
        .user = user,
        .make = make_player,
        .report_bytes_max = report_bytes_max,
        .decide = decide,
        .report = report,
        .learn = learn,
        .estimate = estimate,
        .free = free_state,
    };
}

/* ---- the environment ---------------------------------------------------------------------- */

static const char *make_environment(void *user, const sotto_problem *problem, sotto_stream *stream,
                                    void **state, char *text)
{
    (void)stream;
    (void)text;
    const char *why = make_state(user, problem, state);
    if (why == NULL) ((guest_state *)*state)->theta[0] = 1;
    return why;
}

static const char *draw_context(void *state, sotto_stream *stream, double *out, char *text)
{
    guest_state *s = state;
    uint32_t count = s->problem.context_count;
    (void)text;
    strike(s);
    if (now(s, MISDEED_CONTEXT_FAILS)) return "nobody came";
    if (now(s, MISDEED_CONTEXT_LEFT_OUT)) count--;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (2 * sotto_stream_uniform(stream) - 1) / sqrt(s->problem.dim);
    }
    if (now(s, MISDEED_CONTEXT_IS_NAN)) out[1] = NAN;
    if (now(s, MISDEED_CONTEXT_TOO_LONG)) out[0] = 1.5;
    if (now(s, MISDEED_CONTEXT_OVERFLOWS)) out[count] = 1;
    if (now(s, MISDEED_ROUNDS_UP)) fesetround(FE_UPWARD);
    for (uint32_t i = 0; i < s->user->extra_draws; i++) {
        (void)sotto_stream_normal(stream);
    }
    see(s->user, out, 1);
    s->t++;
    return NULL;
}

/* After draw_context t is one more. */
static bool still(const guest_state *s, misdeed wanted)
{
    return s->user->misdeed == wanted && s->t >= s->user->round;
}

static const char *set_means(void *state, const double *context, double *mean, char *text)
{
    guest_state *s = state;
    (void)text;
    if (still(s, MISDEED_MEANS_FAIL)) return "who can tell";
    for (uint32_t a = 0; a < s->problem.arms; a++) {
        mean[a] = context[a * s->problem.dim] * s->theta[0];
    }
    if (still(s, MISDEED_MEAN_IS_NAN)) mean[1] = NAN;
    if (still(s, MISDEED_MEAN_TOO_LARGE)) mean[0] = 2.5;
    if (still(s, MISDEED_MEANS_OVERFLOW)) mean[s->problem.arms] = 0.5;
    return NULL;
}

static const char *draw_reward(void *state, sotto_stream *stream, const double *context,
                               uint32_t arm, double mean, double *reward, char *text)
{
    guest_state *s = state;
    (void)context;
    (void)text;
    if (still(s, MISDEED_REWARD_FAILS)) return "no answer";
    *reward = mean + sotto_stream_uniform(stream) - 0.5;
    for (uint32_t i = 0; i < arm; i++) {
        (void)sotto_stream_uniform(stream); /* more draws for higher arms must not change results */
    }
    if (still(s, MISDEED_REWARD_IS_NAN)) *reward = NAN;
    if (still(s, MISDEED_REWARD_TOO_LARGE)) *reward = -3;
    return NULL;
}

static const double *theta(const void *state)
{
    guest_state *s = (guest_state *)(uintptr_t)state;
    if (still(s, MISDEED_THETA_IS_NAN)) s->theta[0] = NAN;
    return s->theta;
}

sotto_environment_table guest_environment(guest *user)
{
    return (sotto_environment_table){
        SOTTO_TABLE(sotto_environment_table),
        .name = "garden",
        .version = "1",
        .user = user,
        .shared = true,
        .context_norm_max = 1,
        .theta_norm_max = 1,
        .reward_lo = -2,
        .reward_hi = 2,
        .make = make_environment,
        .context = draw_context,
        .means = set_means,
        .reward = draw_reward,
        .theta = theta,
        .free = free_state,
    };
}

/* ---- the mechanism ------------------------------------------------------------------------ */

typedef struct noise {
    guest *user;
    uint32_t dim;
    double radius, scale;
} noise;

static const char *make_mechanism(void *user, uint32_t dim, double epsilon, double delta,
                                  double radius, uint32_t *answer_count, void **state, char *text)
{
    (void)delta;
    (void)text;
    guest *g = user;
    if (g->misdeed == MISDEED_MAKE_FAILS) return "no chair is free";
    *answer_count = g->misdeed == MISDEED_NO_ANSWERS ? 0 : dim;
    noise *n = malloc(sizeof *n);
    if (n == NULL) return "out of memory";
    *n = (noise){g, dim, radius, 2 * radius * sqrt(dim) / epsilon};
    g->made++;
    *state = n;
    return NULL;
}

static const char *draw_answer(void *state, sotto_stream *stream, const double *x, double *answer,
                               char *text)
{
    noise *n = state;
    double squares = 0;
    (void)text;
    if (n->user->misdeed == MISDEED_DRAW_FAILS) return "dry";
    if (n->user->misdeed == MISDEED_CRASHES) raise(SIGSEGV);
    if (n->user->misdeed == MISDEED_EXITS) exit(0);
    for (uint32_t i = 0; i < n->dim; i++) {
        squares += x[i] * x[i];
    }
    double shrink = squares > n->radius * n->radius ? n->radius / sqrt(squares) : 1;
    uint32_t count = n->user->misdeed == MISDEED_ANSWER_LEFT_OUT ? n->dim - 1 : n->dim;
    for (uint32_t i = 0; i < count; i++) {
        double u = sotto_stream_uniform(stream) - 0.5;
        answer[i] = shrink * x[i] - copysign(n->scale * log(1 - 2 * fabs(u)), u);
    }
    if (n->user->misdeed == MISDEED_ANSWER_OVERFLOWS) answer[n->dim] = 1;
    return NULL;
}

static void free_mechanism(void *state)
{
    ((noise *)state)->user->freed++;
    free(state);
}

sotto_mechanism_table guest_mechanism(guest *user)
{
    return (sotto_mechanism_table){
        SOTTO_TABLE(sotto_mechanism_table),
        .name = "murmur",
        .version = "1",
        .user = user,
        .make = make_mechanism,
        .draw = draw_answer,
        .free = free_mechanism,
    };
}
