/*
 * Folding by several threads beside sotto_learner_take_frames by one, in one run: wall time of the same
 * frames, each the least of many turns, so that what other programs took from us is left out as far as it
 * can be. Compare ratios.
 *
 * The first table: groups of about 4 ms of work. `guess` is what the service believes a frame costs, and
 * `one` is fold_frames of a pool of one thread. The second: two threads that are always woken, by how much
 * work there is; where the ratio passes 1 waking pays. `chosen` is what fold_frames does by itself.
 */
#include "check.h"
#include "core/bytes.h"
#include "service/fold/cores.h"
#include "service/fold/fold_inside.h"
#include "timing.h"

#include <math.h>
#include <time.h>

#define GROUP_NS 4e6
#define TURNS 41

typedef struct kind {
    const char *name;
    sotto_method method;
    sotto_parameters parameters;
    sotto_score score;
    double epsilon;
    sotto_split split;
    bool warm_up;
} kind;

#define PER_ARM SOTTO_PARAMETERS_PER_ARM
static const kind shared = {"shared", SOTTO_METHOD_SOTTO, 0, SOTTO_SCORE_SIGN, 1, 0, false};
static const kind signs = {"signs", SOTTO_METHOD_SOTTO, PER_ARM, SOTTO_SCORE_SIGN, 1, 0, false};
static const kind tags = {"tags", SOTTO_METHOD_SOTTO, PER_ARM, SOTTO_SCORE_SIGN, 5, 0, false};
static const kind warm_up = {"warm-up", SOTTO_METHOD_SOTTO, PER_ARM, SOTTO_SCORE_SIGN, 1, 0, true};
static const kind joint = {"joint", SOTTO_METHOD_LDP_SGD, PER_ARM, SOTTO_SCORE_GRADIENT, 1, 0,
                           false};
static const kind split = {"split", SOTTO_METHOD_LDP_SGD, PER_ARM, SOTTO_SCORE_GRADIENT,
                           1,       SOTTO_SPLIT_PER_ARM,  false};
static const kind ticks = {"ticks", SOTTO_METHOD_LDP_OLS, 0, SOTTO_SCORE_MOMENTS, 1, 0, false};

typedef struct bench {
    sotto_terms terms;
    sotto_learner *learner;
    uint8_t *frames;
    size_t frame_bytes, count;
    double frame_ns; /* by one thread */
} bench;

static void require(bool done, const char *what)
{
    if (done) return;
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static bool resolve(const kind *k, uint32_t dim, uint32_t arms, sotto_terms *out)
{
    char text[SOTTO_FAULT_BYTES];
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = k->method;
    spec.parameters = k->parameters;
    spec.score = k->score;
    spec.epsilon = k->epsilon;
    spec.split = k->split;
    spec.dim = dim;
    spec.arms = arms;
    if (k->method == SOTTO_METHOD_LDP_OLS) spec.delta = 1e-6;
    if (sotto_spec_fault(&spec, text) != NULL) return false;
    bench_check(sotto_spec_resolve(&spec, out));
    return true;
}

static void fill_frames(bench *b, size_t count)
{
    sotto_report *report;
    b->frame_bytes = sotto_report_bytes(&b->terms);
    b->count = count;
    free(b->frames);
    b->frames = malloc(count * b->frame_bytes);
    require(b->frames != NULL, "memory");
    bench_check(sotto_report_new(&b->terms, &report));
    for (size_t i = 0; i < count; i++) {
        uint64_t number = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        sotto__put_u64(report->nonce, number ^ number >> 29);
        for (uint32_t v = 0; v < report->count; v++) {
            report->value[v] = (int32_t)((number >> 40) + v) & 1;
        }
        bench_check(
            sotto_report_encode(&b->terms, report, b->frames + i * b->frame_bytes, b->frame_bytes));
    }
    sotto_report_free(report);
}

/* Helpers are asleep when the frames come. */
static void rest(void)
{
    const struct timespec t = {.tv_nsec = 200000};
    nanosleep(&t, NULL);
}

static double alone_ns(bench *b, size_t count)
{
    rest();
    double start = bench_wall_ns();
    bench_check(sotto_learner_take_frames(b->learner, b->frames, count * b->frame_bytes, NULL));
    return bench_wall_ns() - start;
}

static double pool_ns(bench *b, sottod_fold *pool, size_t count)
{
    rest();
    double start = bench_wall_ns();
    require(fold_frames(pool, b->learner, b->frames, count * b->frame_bytes), "a frame");
    return bench_wall_ns() - start;
}

static bool bench_begin(bench *b, const kind *k, uint32_t dim, uint32_t arms)
{
    *b = (bench){0};
    if (!resolve(k, dim, arms, &b->terms)) return false;
    sotto_learning learning = sotto_learning_default(&b->terms, 1000000);
    learning.mean_phase = 0;
    if (!k->warm_up) learning.warm_up = 0;
    bench_check(sotto_learner_new(&b->terms, &learning, &b->learner));
    fill_frames(b, 64);
    b->frame_ns = INFINITY;
    for (int i = 0; i < TURNS; i++) {
        b->frame_ns = fmin(b->frame_ns, alone_ns(b, b->count) / (double)b->count);
    }
    return true;
}

static void bench_end(bench *b)
{
    free(b->frames);
    sotto_learner_free(b->learner);
}

static void group_row(sottod_fold **pool, const kind *k, uint32_t dim, uint32_t arms)
{
    bench b;
    double alone = INFINITY, of[2] = {INFINITY, INFINITY};
    if (!bench_begin(&b, k, dim, arms)) return;
    fill_frames(&b, (size_t)fmax(2, GROUP_NS / b.frame_ns));
    for (int i = 0; i < TURNS; i++) {
        alone = fmin(alone, alone_ns(&b, b.count));
        for (int p = 0; p < 2; p++) {
            of[p] = fmin(of[p], pool_ns(&b, pool[p], b.count));
        }
    }
    printf("%-8s %4u %5u %6zu %7zu %9.0f %9.0f %6.2f %6.2f\n", k->name, dim, arms, b.frame_bytes,
           b.count, alone / (double)b.count, (double)sotto__learner_frame_ns(b.learner),
           alone / of[0], alone / of[1]);
    bench_end(&b);
}

static void threshold_row(sottod_fold *pool, const kind *k, uint32_t dim, uint32_t arms)
{
    static const double work_us[] = {10, 20, 40, 80, 160, 320, 640, 1280};
    bench b;
    uint64_t wake_ns = pool->wake_ns;
    if (!bench_begin(&b, k, dim, arms)) return;
    fill_frames(&b, (size_t)fmax(2, 1280e3 / b.frame_ns));
    for (size_t w = 0; w < sizeof work_us / sizeof work_us[0]; w++) {
        double alone = INFINITY, chosen = INFINITY, woken = INFINITY;
        size_t count = (size_t)fmax(2, 1e3 * work_us[w] / b.frame_ns);
        if (count > b.count) count = b.count;
        for (int i = 0; i < 3 * TURNS; i++) {
            alone = fmin(alone, alone_ns(&b, count));
            chosen = fmin(chosen, pool_ns(&b, pool, count));
            pool->wake_ns = 0;
            woken = fmin(woken, pool_ns(&b, pool, count));
            pool->wake_ns = wake_ns;
        }
        printf("%-8s %4u %5u %7zu %9.0f %6.2f %6.2f\n", k->name, dim, arms, count, alone / 1e3,
               alone / woken, alone / chosen);
    }
    bench_end(&b);
}

int main(void)
{
    static const uint32_t dims[] = {2, 20, 100}, arms[] = {2, 10, 100, 1000};
    static const kind *const per_arm[] = {&signs, &tags, &warm_up, &joint, &split};
    sottod_fold *pool[] = {fold_new(1), fold_new(2)};
    require(pool[0] != NULL && pool[1] != NULL, "no thread");
    printf("folding: times as fast as sotto_learner_take_frames by one thread; %u cores\n\n",
           cores_count());
    printf("%-8s %4s %5s %6s %7s %9s %9s %6s %6s\n", "kind", "dim", "arms", "bytes", "frames",
           "ns/frame", "guess", "one", "two");
    for (size_t d = 0; d < 3; d++) {
        group_row(pool, &shared, dims[d], 10);
        group_row(pool, &ticks, dims[d], 10);
        for (size_t i = 0; i < sizeof per_arm / sizeof per_arm[0]; i++) {
            for (size_t k = 0; k < 4; k++) {
                group_row(pool, per_arm[i], dims[d], arms[k]);
            }
        }
    }
    printf("\n%-8s %4s %5s %7s %9s %6s %6s\n", "kind", "dim", "arms", "frames", "us", "woken",
           "chosen");
    threshold_row(pool[1], &shared, 20, 10);
    threshold_row(pool[1], &signs, 20, 100);
    threshold_row(pool[1], &signs, 100, 1000);
    fold_free(pool[0]);
    fold_free(pool[1]);
    return 0;
}
