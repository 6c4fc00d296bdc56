/*
 * Compares your own method with ours by callbacks: the lab calls the functions of a table that this
 * program defines. People, their rewards and the method's noise come from the seed, so all methods
 * meet the same people, and the numbers are the same every time.
 *
 * The method is the simplest one: each person sends reward times context with Laplace noise on
 * every number, the server adds these vectors up, and the next person gets the arm that points in
 * the direction of the sum. Two secrets are at most 2 R C sqrt(dim) apart in L1, so noise of that
 * scale divided by epsilon is private.
 */
#include <sotto/lab.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 3, ARMS = 4, HORIZON = 20000, SEEDS = 3 };

typedef struct noisy {
    sotto_problem problem;
    double scale; /* of the noise */
    double sum[]; /* dim numbers */
} noisy;

static const char *make(void *user, const sotto_problem *problem, double epsilon, double delta,
                        sotto_stream *stream, void **state, char *text)
{
    (void)user, (void)delta, (void)stream, (void)text;
    if (problem->parameters != SOTTO_PARAMETERS_SHARED) return "only shared parameters";
    noisy *self = calloc(1, sizeof *self + problem->dim * sizeof self->sum[0]);
    if (self == NULL) return "out of memory";
    double reward = fmax(fabs(problem->reward_lo), fabs(problem->reward_hi));
    self->problem = *problem;
    self->scale = 2 * reward * problem->context_norm_max * sqrt(problem->dim) / epsilon;
    *state = self;
    return NULL;
}

static size_t report_bytes_max(const void *state)
{
    return ((const noisy *)state)->problem.dim * sizeof(double);
}

/* Runs on the device, which can read what is learnt but not change it. */
static const char *decide(const void *state, sotto_stream *stream, const double *context,
                          uint32_t *arm, char *text)
{
    (void)stream, (void)text;
    const noisy *self = state;
    double best = -INFINITY;
    for (uint32_t a = 0; a < self->problem.arms; a++) {
        double value = 0;
        for (uint32_t i = 0; i < self->problem.dim; i++) {
            value += context[a * self->problem.dim + i] * self->sum[i];
        }
        if (value > best) *arm = a;
        best = fmax(best, value);
    }
    return NULL;
}

/* Runs on the device. Only what is written to `out` leaves it. */
static const char *report(const void *state, sotto_stream *stream, const double *context,
                          uint32_t arm, double reward, uint8_t *out, size_t *out_bytes, char *text)
{
    (void)text;
    const noisy *self = state;
    for (uint32_t i = 0; i < self->problem.dim; i++) {
        double u = sotto_stream_uniform(stream) - 0.5;
        double noise = -copysign(self->scale * log(1 - 2 * fabs(u)), u);
        double number = reward * context[arm * self->problem.dim + i] + noise;
        memcpy(out + i * sizeof number, &number, sizeof number);
    }
    *out_bytes = self->problem.dim * sizeof(double);
    return NULL;
}

/* Runs on the server, which has only the report. */
static const char *learn(void *state, const uint8_t *in, size_t in_bytes, char *text)
{
    (void)in_bytes, (void)text;
    noisy *self = state;
    for (uint32_t i = 0; i < self->problem.dim; i++) {
        double number;
        memcpy(&number, in + i * sizeof number, sizeof number);
        self->sum[i] += number;
    }
    return NULL;
}

static const sotto_player_table own = {
    SOTTO_TABLE(sotto_player_table),
    .name = "noisy",
    .version = "1",
    .claims_privacy = true,
    .make = make,
    .report_bytes_max = report_bytes_max,
    .decide = decide,
    .report = report,
    .learn = learn,
    .free = free,
};

/* The mean regret over the seeds; a failure says which table failed, where and how. */
static void compare(const char *name, const sotto_match *match)
{
    double sum = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        sotto_point point = {.t = HORIZON};
        sotto_run_result result;
        bool finished;
        sotto_status status = sotto_match_play(match, seed, &point, 1, NULL, &result, &finished);
        if (status != SOTTO_OK) {
            fprintf(stderr, "%s: %s\n", sotto_status_text(status), result.fault.sentence);
            exit(EXIT_FAILURE);
        }
        sum += point.regret;
    }
    printf("%-10s regret %7.1f after %d rounds\n", name, sum / SEEDS, HORIZON);
}

int main(void)
{
    const sotto_scene scene = {.dim = DIM, .arms = ARMS, .horizon = HORIZON};
    const sotto_player ours[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_LDP_SGD, SOTTO_PLAYER_RANDOM};
    for (int i = 0; i < 3; i++) {
        sotto_match match = sotto_match_default(ours[i], SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
        if (sotto_match_set_learning(&match) != SOTTO_OK) return EXIT_FAILURE;
        compare(sotto_player_name(ours[i]), &match);
    }
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
    match.custom = &own;
    compare(own.name, &match);
    return EXIT_SUCCESS;
}
