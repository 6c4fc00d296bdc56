/*
 * What a report costs the service without HTTP and the disk: checking it, looking up its nonce,
 * sorting its group and folding it, compared with folding alone. The journal keeps nothing.
 * Nanoseconds of processor time per report, best of seven.
 *
 * Then the same in wall time with one thread and with two, for folds of different cost: how much of
 * the service's work the second core takes over.
 */
#include "check.h"
#include "core/core.h"
#include "journal_nowhere.h"
#include "service/experiment/experiment.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FRAMES 20000u
#define STRETCHES 7
#define TURNS 41

typedef struct bench {
    sottod_experiments *all;
    sottod_experiment *experiment;
    sottod_intake *intake;
    sotto_learner *bare;
    size_t each;
    uint8_t *frames;
    uint64_t next; /* nonce */
    uint64_t now_ms;
} bench;

static void require(bool done, const char *what)
{
    if (done) return;
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static sotto_spec spec_of(sotto_parameters parameters, uint32_t dim, uint32_t arms, double measure)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.parameters = parameters;
    spec.dim = dim;
    spec.arms = arms;
    spec.epoch_lag_max = 1;
    spec.reward_window_s = spec.send_spread_s = 0;
    spec.measure = (uint32_t)(measure * 0x1p32);
    return spec;
}

static void bench_begin(bench *b, const sotto_spec *spec, uint32_t threads)
{
    sotto_fault fault;
    sottod_refusal why;
    const experiments_settings settings = {
        .nonces_max = 1u << 22, .experiments_max = 10, .threads = threads};
    experiment_request request = {
        .spec = *spec,
        .epoch_seconds_min = 1,
        .epoch_reports_min = 1,
        .labels = "{}",
    };
    sotto_terms terms;
    memset(b, 0, sizeof *b);
    bench_check(sotto_spec_resolve(&request.spec, &terms));
    request.learning = sotto_learning_default(&terms, 0);
    request.learning.warm_up = request.learning.mean_phase = 0;
    require(experiments_open(journal_nowhere(), &settings, NULL, 0, &b->all, &fault) == SOTTO_OK,
            fault.sentence);
    require(experiments_create(b->all, &request, 0, &b->experiment, &why), "create");
    b->intake = intake_new(b->all, 4u << 20);
    require(b->intake != NULL, "memory");
    bench_check(sotto_learner_new(&terms, &request.learning, &b->bare));
    b->each = sotto_report_bytes(&terms);
    b->frames = malloc(FRAMES * b->each);
    require(b->frames != NULL, "memory");
}

static void bench_end(bench *b)
{
    free(b->frames);
    sotto_learner_free(b->bare);
    intake_free(b->intake);
    experiments_free(b->all);
}

/* Makes frames with new nonces, spread like random ones, and index 0 or 1, which every role has. */
static void fill_frames(bench *b, uint32_t epoch, uint32_t count)
{
    sotto_report *report;
    const sotto_terms *terms = experiment_terms(b->experiment);
    bench_check(sotto_report_new(terms, &report));
    report->epoch = epoch;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = ++b->next * UINT64_C(0x9e3779b97f4a7c15);
        sotto__put_u64(report->nonce, number ^ number >> 29);
        report->value[0] = (int32_t)(number >> 63);
        bench_check(sotto_report_encode(terms, report, b->frames + i * b->each, b->each));
    }
    sotto_report_free(report);
}

/* Offers and commits all frames, with `body` frames per body and `bodies` bodies per commit. */
static double take_ns(bench *b, uint32_t body, uint32_t bodies)
{
    sottod_refusal why;
    uint32_t waiting = 0;
    double start = cpu_ns();
    for (uint32_t i = 0; i + body <= FRAMES; i += body) {
        require(
            intake_offer(b->intake, b->experiment, b->frames + i * b->each, body * b->each, &why),
            why.fault.sentence);
        if (++waiting < bodies) continue;
        require(intake_commit(b->intake, &why), why.fault.sentence);
        waiting = 0;
    }
    require(intake_commit(b->intake, &why), why.fault.sentence);
    return (cpu_ns() - start) / FRAMES;
}

static double bare_ns(bench *b)
{
    double start = cpu_ns();
    bench_check(sotto_learner_take_frames(b->bare, b->frames, FRAMES * b->each, NULL));
    return (cpu_ns() - start) / FRAMES;
}

static void turn(bench *b)
{
    b->now_ms += 1000;
    require(epochs_turn(b->all, b->now_ms, 1, true), "publish");
}

/* Prints a row. `before` nonces, of reports of the same epoch, are already known. */
static void row(const char *name, uint32_t dim, bool measured, uint32_t body, uint32_t bodies,
                uint32_t before)
{
    bench b;
    double best = INFINITY, bare = INFINITY;
    const sotto_spec spec = spec_of(SOTTO_PARAMETERS_SHARED, dim, 20, measured ? 0.1 : 0);
    bench_begin(&b, &spec, 1);
    for (uint32_t i = 0; i < before / FRAMES; i++) {
        fill_frames(&b, 0, FRAMES);
        take_ns(&b, 1000, 10);
    }
    for (int i = 0; i < STRETCHES; i++) {
        if (before == 0) turn(&b); /* the nonces of all but two stretches are forgotten */
        fill_frames(&b, 0, FRAMES);
        bare = fmin(bare, bare_ns(&b));
        fill_frames(&b, experiment_epoch(b.experiment), FRAMES);
        best = fmin(best, take_ns(&b, body, bodies));
    }
    printf("%-28s %4u %6u %7u %9u %8.0f %8.0f %6.2f\n", name, dim, body, body * bodies, before,
           best, bare, best / bare);
    bench_end(&b);
}

/* Wall time per frame of offering the bodies of `frames` frames and committing them. */
static double group_ns(bench *b, uint32_t frames)
{
    sottod_refusal why;
    turn(b);
    fill_frames(b, experiment_epoch(b->experiment), frames);
    double start = bench_wall_ns();
    for (uint32_t i = 0; i < frames; i += 10) {
        require(intake_offer(b->intake, b->experiment, b->frames + i * b->each, 10 * b->each, &why),
                why.fault.sentence);
    }
    require(intake_commit(b->intake, &why), why.fault.sentence);
    return (bench_wall_ns() - start) / frames;
}

/* Measures one thread and two in short alternating turns, so that other programs slow both
 * alike. */
static void threads_row(sotto_parameters parameters, uint32_t dim, uint32_t arms, uint32_t frames)
{
    const sotto_spec spec = spec_of(parameters, dim, arms, 0);
    bench b[2];
    double best[] = {INFINITY, INFINITY};
    bench_begin(&b[0], &spec, 1);
    bench_begin(&b[1], &spec, 2);
    for (int i = 0; i < 2 * TURNS; i++) {
        best[i % 2] = fmin(best[i % 2], group_ns(&b[i % 2], frames));
    }
    printf("%-28s %4u %6u %6u %8.0f %8.0f %6.2f\n", sotto_parameters_name(parameters), dim, arms,
           frames, best[0], best[1], best[0] / best[1]);
    bench_end(&b[0]);
    bench_end(&b[1]);
}

int main(void)
{
    printf(
        "offer + commit with a journal that keeps nothing, beside sotto_learner_take_frames\n\n");
    printf("%-28s %4s %6s %7s %9s %8s %8s %6s\n", "reports", "dim", "body", "commit", "nonces",
           "ns", "bare", "ratio");
    row("one per body", 10, false, 1, 500, 0);
    row("one per body, commit of one", 10, false, 1, 1, 0);
    row("100 per body", 10, false, 100, 100, 0);
    row("100 per body", 20, false, 100, 100, 0);
    row("100 per body", 50, false, 100, 100, 0);
    row("a million nonces known", 20, false, 100, 100, 1000000);
    row("a tenth are measure rounds", 20, true, 100, 100, 0);
    printf("\n%-28s %4s %6s %6s %8s %8s %6s\n", "wall time, by threads", "dim", "arms", "commit",
           "one", "two", "ratio");
    threads_row(SOTTO_PARAMETERS_SHARED, 20, 10, 4000);
    threads_row(SOTTO_PARAMETERS_SHARED, 100, 10, 2000);
    threads_row(SOTTO_PARAMETERS_PER_ARM, 20, 10, 2000);
    threads_row(SOTTO_PARAMETERS_PER_ARM, 20, 100, 1000);
    threads_row(SOTTO_PARAMETERS_PER_ARM, 20, 1000, 200);
    threads_row(SOTTO_PARAMETERS_PER_ARM, 100, 100, 500);
    return 0;
}
