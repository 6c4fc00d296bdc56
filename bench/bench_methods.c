/*
 * What a simulated round of every method costs: microseconds of processor time for the whole round
 * (people, choice, report, fold, estimate), compared with only drawing its random numbers and
 * codeword coordinates in the same run, and with the authors' own code. Compare only the ratios;
 * absolute times depend on the machine.
 *
 * usage: bench_methods [--figures FILE]
 */
#include "check.h"
#include "codewords.h"
#include "core/core.h"
#include "lab/random/random.h"
#include "timing.h"

#include <sotto/lab/runs.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EPSILON 1.0
#define STRETCHES 4
#define STRETCH_NS 1e8 /* long, so that making world and player, about 1 ms, is negligible */

/* ---- what is measured --------------------------------------------------------------------- */

typedef struct subject {
    sotto_player player;
    sotto_calibration calibration;
    sotto_parameters parameters;
    uint32_t dim, arms;
    double authors_us; /* of the authors' code on one core; 0: not measured */
    double ratio_max;  /* the aim for the ratio to the random numbers; 0: none */
    double times_min;  /* the aim: times faster than the authors' code; 0: none */
} subject;

/* The authors' code was timed on the machine on which these aims were set: for shared parameters
 * the whole loop; for per-arm parameters after the warm-up and without drawing people. */
#define ROW(player, calibration, parameters, ...)                                                  \
    {                                                                                              \
        SOTTO_PLAYER_##player, SOTTO_CALIBRATION_##calibration, SOTTO_PARAMETERS_##parameters,     \
            __VA_ARGS__                                                                            \
    }
static const subject subjects[] = {
    ROW(SOTTO, EXACT, SHARED, 2, 10, 0, 3, 0),
    ROW(SOTTO_OLS, EXACT, SHARED, 2, 10, 0, 0, 0),
    ROW(LDP_SGD, EXACT, SHARED, 2, 10, 129.6, 2, 250),
    ROW(LDP_OLS, EXACT, SHARED, 2, 10, 96.8, 2, 250),
    ROW(LDP_UCB, EXACT, SHARED, 2, 10, 125.0, 3, 0),
    ROW(LDP_GLOC, EXACT, SHARED, 2, 10, 164.5, 3, 0),
    ROW(LDP_SGD, PUBLISHED, SHARED, 2, 10, 129.6, 2, 500),
    ROW(LDP_OLS, PUBLISHED, SHARED, 2, 10, 96.8, 2, 500),
    ROW(LDP_UCB, PUBLISHED, SHARED, 2, 10, 125.0, 3, 0),
    ROW(LDP_GLOC, PUBLISHED, SHARED, 2, 10, 164.5, 3, 0),
    ROW(OLS, EXACT, SHARED, 2, 10, 0, 0, 0),
    ROW(SGD, EXACT, SHARED, 2, 10, 0, 0, 0),
    ROW(LINUCB, EXACT, SHARED, 2, 10, 0, 0, 0),
    ROW(GLM_UCB, EXACT, SHARED, 2, 10, 0, 0, 0),
    ROW(RANDOM, EXACT, SHARED, 2, 10, 0, 0, 0),

    ROW(SOTTO, EXACT, SHARED, 20, 20, 0, 3, 0),
    ROW(SOTTO_OLS, EXACT, SHARED, 20, 20, 0, 0, 0),
    ROW(LDP_SGD, EXACT, SHARED, 20, 20, 195.6, 2, 0),
    ROW(LDP_OLS, EXACT, SHARED, 20, 20, 260.5, 2, 80),
    ROW(LDP_UCB, EXACT, SHARED, 20, 20, 328.2, 3, 80),
    ROW(LDP_GLOC, EXACT, SHARED, 20, 20, 367.1, 3, 0),
    ROW(LDP_SGD, PUBLISHED, SHARED, 20, 20, 195.6, 2, 0),
    ROW(LDP_OLS, PUBLISHED, SHARED, 20, 20, 260.5, 2, 80),
    ROW(LDP_UCB, PUBLISHED, SHARED, 20, 20, 328.2, 3, 80),
    ROW(LDP_GLOC, PUBLISHED, SHARED, 20, 20, 367.1, 3, 0),
    ROW(OLS, EXACT, SHARED, 20, 20, 0, 0, 0),
    ROW(SGD, EXACT, SHARED, 20, 20, 0, 0, 0),
    ROW(LINUCB, EXACT, SHARED, 20, 20, 0, 0, 0),
    ROW(GLM_UCB, EXACT, SHARED, 20, 20, 0, 0, 0),
    ROW(RANDOM, EXACT, SHARED, 20, 20, 0, 0, 0),

    ROW(SOTTO, EXACT, PER_ARM, 2, 10, 0, 4, 0),
    ROW(LDP_SGD, EXACT, PER_ARM, 2, 10, 0, 4, 0),
    ROW(LDP_OLS, EXACT, PER_ARM, 2, 10, 0, 4, 0),
    ROW(LDP_UCB, EXACT, PER_ARM, 2, 10, 0, 4, 0),
    ROW(LDP_GLOC, EXACT, PER_ARM, 2, 10, 0, 4, 0),
    ROW(LDP_SGD, PUBLISHED, PER_ARM, 2, 10, 0, 4, 0),
    ROW(LDP_OLS, PUBLISHED, PER_ARM, 2, 10, 0, 4, 0),
    ROW(LDP_UCB, PUBLISHED, PER_ARM, 2, 10, 0, 4, 0),
    ROW(LDP_GLOC, PUBLISHED, PER_ARM, 2, 10, 0, 4, 0),
    ROW(OLS, EXACT, PER_ARM, 2, 10, 0, 0, 0),
    ROW(SGD, EXACT, PER_ARM, 2, 10, 0, 0, 0),
    ROW(LINUCB, EXACT, PER_ARM, 2, 10, 0, 0, 0),
    ROW(GLM_UCB, EXACT, PER_ARM, 2, 10, 0, 0, 0),
    ROW(RANDOM, EXACT, PER_ARM, 2, 10, 0, 0, 0),

    ROW(SOTTO, EXACT, PER_ARM, 20, 20, 0, 4, 0),
    ROW(LDP_SGD, EXACT, PER_ARM, 20, 20, 0, 4, 0),
    ROW(LDP_OLS, EXACT, PER_ARM, 20, 20, 0, 4, 0),
    ROW(LDP_UCB, EXACT, PER_ARM, 20, 20, 0, 4, 0),
    ROW(LDP_GLOC, EXACT, PER_ARM, 20, 20, 0, 4, 0),
    ROW(LDP_SGD, PUBLISHED, PER_ARM, 20, 20, 0, 4, 0),
    ROW(LDP_OLS, PUBLISHED, PER_ARM, 20, 20, 0, 4, 0),
    ROW(LDP_UCB, PUBLISHED, PER_ARM, 20, 20, 0, 4, 0),
    ROW(LDP_GLOC, PUBLISHED, PER_ARM, 20, 20, 0, 4, 0),
    ROW(OLS, EXACT, PER_ARM, 20, 20, 0, 0, 0),
    ROW(SGD, EXACT, PER_ARM, 20, 20, 0, 0, 0),
    ROW(LINUCB, EXACT, PER_ARM, 20, 20, 0, 0, 0),
    ROW(GLM_UCB, EXACT, PER_ARM, 20, 20, 0, 0, 0),
    ROW(RANDOM, EXACT, PER_ARM, 20, 20, 0, 0, 0),

    ROW(LDP_SGD, PUBLISHED, PER_ARM, 20, 3, 67.8, 0, 0),
    ROW(LDP_OLS, PUBLISHED, PER_ARM, 20, 3, 332.7, 0, 0),
    ROW(LDP_UCB, PUBLISHED, PER_ARM, 20, 3, 922.0, 0, 0),
    ROW(LDP_GLOC, PUBLISHED, PER_ARM, 20, 3, 189.2, 0, 0),
    ROW(LDP_SGD, PUBLISHED, PER_ARM, 10, 10, 119.2, 0, 0),
    ROW(LDP_OLS, PUBLISHED, PER_ARM, 10, 10, 404.2, 0, 0),
    ROW(LDP_UCB, PUBLISHED, PER_ARM, 10, 10, 2618.0, 0, 0),
    ROW(LDP_GLOC, PUBLISHED, PER_ARM, 10, 10, 568.0, 0, 0),
};
#define SUBJECTS (sizeof subjects / sizeof subjects[0])

static sotto_match match_of(const subject *s, uint64_t horizon)
{
    bool published = s->calibration == SOTTO_CALIBRATION_PUBLISHED;
    sotto_scene scene = {
        .dim = s->dim,
        .arms = s->arms,
        .parameters = s->parameters,
        .link = SOTTO_LINK_IDENTITY,
        .reward_kind = SOTTO_REWARD_CONTINUOUS,
        .environment = published ? SOTTO_ENVIRONMENT_PUBLISHED : SOTTO_ENVIRONMENT_SPHERE,
        .horizon = horizon,
    };
    double delta = published ? 0.01 : 1e-6;
    sotto_match match = sotto_match_default(s->player, s->calibration, &scene, EPSILON, delta);
    bench_check(sotto_match_set_learning(&match));
    /* A short warm-up, because the rounds after it are what matters. */
    bool warms_up = match.learning.warm_up > 0;
    if (warms_up) match.learning.warm_up = s->arms;
    /* The authors use their second scheme at dim 20 and at 10 arms. */
    bool first = s->dim == 2 || s->arms == 3;
    if (published) match.learning.step = first ? SOTTO_STEP_INVERSE : SOTTO_STEP_SQRT;
    /* At the authors' horizon of 1e5, their shift leaves no matrix indefinite. With so few rounds
     * it would, and repairing a matrix costs four times as much as factoring it. A smaller alpha
     * avoids that, because the shift grows with ln(1/alpha). */
    if (published) match.learning.alpha = 1e-6;
    return match;
}

/* ---- the random numbers of a round -------------------------------------------------------- */

typedef struct draws {
    uint32_t normals;
    uint32_t words;          /* of 64 bits */
    uint32_t device, server; /* codewords that the device and the server expand */
    uint32_t codeword_dim;
    uint32_t blocks; /* of public streams, for an arm's signs on device and server */
    sotto_terms terms;
    sotto__ziggurat ziggurat;
    sotto__seeded stream;
    double *normal;
    int32_t *coordinate;
    volatile double sink;
} draws;

/* How many normals the authors' code draws as privacy noise. */
static uint32_t published_normals(const subject *s)
{
    bool shared = s->parameters == SOTTO_PARAMETERS_SHARED;
    uint32_t whole = shared ? s->dim : s->dim * s->arms,
             moments = sotto__tri_count(s->dim) + s->dim;
    if (s->player == SOTTO_PLAYER_LDP_SGD) return whole;
    if (s->player == SOTTO_PLAYER_LDP_OLS) return shared ? moments : s->arms * moments;
    if (s->player == SOTTO_PLAYER_LDP_UCB) return sotto__tri_count(whole) + whole;
    return shared ? moments + s->dim : 1 + 2 * whole;
}

static void shipped_draws(const sotto_match *match, draws *d)
{
    const sotto_spec *spec = &match->spec;
    bench_check(sotto_spec_resolve(spec, &d->terms));
    d->words += 2; /* the nonce */
    if (!sotto__reports_indices(&d->terms)) {
        d->normals += d->terms.lattice.dim;
        return;
    }
    const sotto_codebook *codebook = &d->terms.codebook[SOTTO_PHASE_MAIN];
    uint32_t each = spec->split == SOTTO_SPLIT_PER_ARM ? spec->arms : 1;
    bool signs = spec->parameters == SOTTO_PARAMETERS_PER_ARM && codebook->groups == 1 &&
                 codebook->dim == spec->dim && each == 1;
    d->words += 3 * each; /* coins */
    d->device = each * codebook->size / 2;
    d->server = each;
    d->codeword_dim = codebook->dim;
    d->blocks = signs ? 2 : 0;
}

static void draws_begin(const subject *s, draws *d)
{
    sotto_match match = match_of(s, 1000000);
    bool shared = s->parameters == SOTTO_PARAMETERS_SHARED;
    memset(d, 0, sizeof *d);
    d->normals = s->dim * (shared ? s->arms : 1);
    if (match.environment.law == SOTTO_LAW_GAUSSIAN) {
        d->normals++;
    } else {
        d->words++;
    }
    if (s->calibration == SOTTO_CALIBRATION_PUBLISHED) {
        d->normals += published_normals(s);
        d->words += s->player == SOTTO_PLAYER_LDP_SGD ? 2 : 0;
    } else if (sotto_player_is_private(s->player)) {
        shipped_draws(&match, d);
    }
    d->words += s->player == SOTTO_PLAYER_RANDOM;
    sotto__ziggurat_begin(&d->ziggurat);
    sotto__stream_begin(&d->stream, 1, SOTTO__PURPOSE_CONTEXTS);
    d->normal = malloc(d->normals * sizeof d->normal[0]);
    d->coordinate = malloc((8 * d->codeword_dim + 1) * sizeof d->coordinate[0]);
    if (d->normal == NULL || d->coordinate == NULL) bench_check(SOTTO_E_MEMORY);
}

static void draws_end(draws *d)
{
    free(d->normal);
    free(d->coordinate);
}

static void draw_round(void *self)
{
    draws *d = self;
    uint8_t nonce[SOTTO_NONCE_BYTES] = {0}, block[SOTTO__BLOCK_BYTES];
    uint64_t word = 0;
    double sum = 0;
    sotto__normals(&d->ziggurat, &d->stream, d->normal, d->normals);
    for (uint32_t i = 0; i < d->words; i++) {
        word ^= sotto__seeded_next(&d->stream);
    }
    memcpy(nonce, &word, sizeof word);
    sum += bench_expand_codewords(&d->terms, nonce, d->device, d->codeword_dim, d->coordinate);
    sum += bench_expand_codewords(&d->terms, nonce, d->server, d->codeword_dim, d->coordinate);
    for (uint32_t i = 0; i < d->blocks; i++) {
        sotto__block_at at = {d->terms.stream_key, nonce, SOTTO__STREAM_SIGNS, 0, i};
        sotto__public_block(&at, 0, block);
        sum += block[0];
    }
    d->sink = sum + d->normal[0] + (double)word;
}

/* ---- whole rounds ------------------------------------------------------------------------- */

/* Nanoseconds of processor time of a run, as the run itself measured them. */
static double run_ns(const sotto_match *match)
{
    sotto_point point = {.t = match->horizon};
    sotto_run_result result;
    bool finished;
    bench_check(sotto_match_play(match, 1, &point, 1, NULL, &result, &finished));
    return 1e9 * result.seconds;
}

/* The number of rounds that take about one stretch. */
static uint64_t rounds_of(const subject *s)
{
    uint64_t rounds = 8;
    double ns = 0;
    while (ns < STRETCH_NS / 8 && rounds < UINT64_C(1) << 30) {
        rounds *= 2;
        sotto_match match = match_of(s, rounds);
        ns = run_ns(&match);
    }
    return (uint64_t)((double)rounds * STRETCH_NS / ns) + 1;
}

static bool heard(void *state, uint64_t run, const sotto_point *point,
                  const sotto_run_result *result)
{
    (void)state, (void)run, (void)point, (void)result;
    return true;
}

/* Wall time in nanoseconds of four runs on `threads` threads. */
static double sweep_ns(const sotto_match *match, uint32_t threads)
{
    sotto_sweep sweep = {
        .match = match,
        .matches_count = 1,
        .first_seed = 1,
        .seeds_count = 4,
        .at = &match->horizon,
        .at_count = 1,
        .threads = threads,
    };
    sotto_sweep_listener listener = {.finished = heard};
    double start = bench_wall_ns();
    bench_check(sotto_sweep_run(&sweep, &listener));
    return bench_wall_ns() - start;
}

typedef struct measured {
    double round_us, random_us;
    double scaling; /* the time of one thread divided by that of two */
} measured;

/* The best of several stretches of each. They alternate, so that other load slows all of them. */
static measured measure(const subject *s)
{
    sotto_match match = match_of(s, rounds_of(s)), brief = match_of(s, match.horizon / 4 + 1);
    draws d;
    draws_begin(s, &d);
    double round = INFINITY, random = INFINITY, one = INFINITY, two = INFINITY;
    for (int stretch = 0; stretch < STRETCHES; stretch++) {
        round = fmin(round, run_ns(&match) / (double)match.horizon);
        if (stretch % 2 == 0) continue;
        random = fmin(random, bench_time_ns(draw_round, &d));
        one = fmin(one, sweep_ns(&brief, 1));
        two = fmin(two, sweep_ns(&brief, 2));
    }
    draws_end(&d);
    return (measured){round / 1e3, random / 1e3, one / two};
}

/* ---- the table ---------------------------------------------------------------------------- */

static void show(const subject *s, const measured *m)
{
    printf("%-10s %-10s %-8s %4u %4u %9.3f %9.3f %6.2f", sotto_player_name(s->player),
           sotto_calibration_name(s->calibration), sotto_parameters_name(s->parameters), s->dim,
           s->arms, m->round_us, m->random_us, m->round_us / m->random_us);
    if (s->authors_us > 0) {
        printf(" %9.1f %7.0f", s->authors_us, s->authors_us / m->round_us);
    } else {
        printf(" %9s %7s", "-", "-");
    }
    printf(" %8.2f\n", m->scaling);
    fflush(stdout);
}

/* Writes an aim for the table of all measurements: one JSON object per line. */
static void keep(FILE *figures, const subject *s, const char *what, double wanted, bool at_most,
                 double got)
{
    bool pass = at_most ? got <= wanted : got >= wanted;
    fprintf(figures,
            "{\"figure\": \"%s: %s %s %s d=%u K=%u\", \"wanted\": \"%s %g\", \"got\": \"%.3g\", "
            "\"passed\": %s}\n",
            what, sotto_player_name(s->player), sotto_calibration_name(s->calibration),
            sotto_parameters_name(s->parameters), s->dim, s->arms, at_most ? "<=" : ">=", wanted,
            got, pass ? "true" : "false");
}

int main(int argc, char **argv)
{
    FILE *figures = NULL;
    if (argc == 3 && strcmp(argv[1], "--figures") == 0) figures = fopen(argv[2], "a");
    if ((argc != 1) != (figures != NULL)) {
        fprintf(stderr, "usage: bench_methods [--figures FILE]\n");
        return 2;
    }
    printf(
        "microseconds per round at epsilon %g, one core; random = drawing its random numbers and "
        "codeword\ncoordinates alone; authors = their code's round, timed once elsewhere, and how "
        "many times ours is faster;\nthreads = time of one over time of two\n\n",
        EPSILON);
    printf("%-10s %-10s %-8s %4s %4s %9s %9s %6s %9s %7s %8s\n", "method", "as", "params", "dim",
           "arms", "us", "random", "ratio", "authors", "times", "threads");
    for (size_t i = 0; i < SUBJECTS; i++) {
        const subject *s = &subjects[i];
        measured m = measure(s);
        show(s, &m);
        if (figures == NULL) continue;
        double ratio = m.round_us / m.random_us, times = s->authors_us / m.round_us;
        if (s->ratio_max > 0) keep(figures, s, "round/random", s->ratio_max, true, ratio);
        if (s->times_min > 0) keep(figures, s, "authors/round", s->times_min, false, times);
        keep(figures, s, "two threads", 1.9, false, m.scaling);
    }
    if (figures != NULL) fclose(figures);
    return 0;
}
