/*
 * Folding by several threads, compared with sotto_learner_take_frames by one thread: wall time for
 * the same frames in one run, each the minimum of many turns, to exclude the load of other programs
 * as far as possible. Compare only the ratios.
 *
 * The first table has groups of about 2 ms of work. `guess` is the service's estimate of the cost
 * of a frame, `merge` the cost of adding the sums of a thread; `one` is fold_frames with a pool of
 * one thread. The second table has two threads that are always woken, by the amount of work. Waking
 * pays where `woken` exceeds 1; `chosen` is what fold_frames does by itself.
 */
#include "check.h"
#include "kinds.h"
#include "service/fold/inner.h"
#include "threads/threads.h"
#include "timing.h"

#include <math.h>
#include <time.h>

#define GROUP_NS 2e6
#define TURNS 61

/* Lets the helper threads fall asleep before the frames come. */
static void rest(void)
{
    const struct timespec t = {.tv_nsec = 100000};
    nanosleep(&t, NULL);
}

static double alone_ns(bench_reports *r, size_t count)
{
    rest();
    double start = bench_wall_ns();
    bench_check(sotto_learner_take_frames(r->learner, r->frames, count * r->frame_bytes, NULL));
    return bench_wall_ns() - start;
}

static double pool_ns(bench_reports *r, sottod_fold *pool, size_t count)
{
    rest();
    double start = bench_wall_ns();
    bool folded = fold_frames(pool, r->learner, r->frames, count * r->frame_bytes);
    double elapsed = bench_wall_ns() - start;
    bench_check(folded ? SOTTO_OK : SOTTO_E_FRAME);
    return elapsed;
}

/* Measures one frame by one thread, then makes as many frames as fill `work_ns`. */
static double fill_ns(bench_reports *r, double work_ns)
{
    double best = INFINITY;
    bench_reports_fill(r, 64);
    for (int i = 0; i < 21; i++) {
        best = fmin(best, alone_ns(r, r->count) / (double)r->count);
    }
    bench_reports_fill(r, (size_t)fmax(2, work_ns / best));
    return best;
}

/* The time of merging a portion of one frame. */
static double merge_ns(bench_reports *r)
{
    double best = INFINITY;
    sotto__portion *portion = sotto__portion_new();
    bench_check(portion != NULL && sotto__portion_fit(portion, r->learner) ? SOTTO_OK
                                                                           : SOTTO_E_MEMORY);
    for (int i = 0; i < TURNS; i++) {
        bench_check(sotto__portion_take(portion, r->frames, 1) == 1 ? SOTTO_OK : SOTTO_E_FRAME);
        double start = bench_wall_ns();
        sotto__portion_merge(portion, r->learner);
        best = fmin(best, bench_wall_ns() - start);
    }
    sotto__portion_free(portion);
    return best;
}

static void group_row(sottod_fold **pool, bench_kind kind, uint32_t dim, uint32_t arms)
{
    bench_reports r;
    double alone = INFINITY, of[2] = {INFINITY, INFINITY};
    if (!bench_reports_begin(&r, kind, dim, arms)) return;
    fill_ns(&r, GROUP_NS);
    for (int i = 0; i < TURNS; i++) {
        alone = fmin(alone, alone_ns(&r, r.count));
        for (int p = 0; p < 2; p++) {
            of[p] = fmin(of[p], pool_ns(&r, pool[p], r.count));
        }
    }
    printf("%-8s %4u %5u %6zu %7zu %9.0f %9.0f %8.0f %8.0f %6.2f %6.2f\n", r.name, dim, arms,
           r.frame_bytes, r.count, alone / (double)r.count,
           (double)sotto__learner_frame_ns(r.learner), merge_ns(&r),
           (double)sotto__learner_merge_ns(r.learner), alone / of[0], alone / of[1]);
    bench_reports_end(&r);
}

static void threshold_rows(sottod_fold *pool, bench_kind kind, uint32_t dim, uint32_t arms)
{
    static const double work_us[] = {10, 20, 40, 80, 160, 320, 640};
    bench_reports r;
    uint64_t wake_ns = pool->wake_ns;
    if (!bench_reports_begin(&r, kind, dim, arms)) return;
    double frame_ns = fill_ns(&r, 640e3);
    for (size_t w = 0; w < sizeof work_us / sizeof work_us[0]; w++) {
        double alone = INFINITY, chosen = INFINITY, woken = INFINITY;
        size_t count = (size_t)fmin((double)r.count, fmax(2, 1e3 * work_us[w] / frame_ns));
        for (int i = 0; i < 4 * TURNS; i++) {
            alone = fmin(alone, alone_ns(&r, count));
            chosen = fmin(chosen, pool_ns(&r, pool, count));
            pool->wake_ns = 0;
            woken = fmin(woken, pool_ns(&r, pool, count));
            pool->wake_ns = wake_ns;
        }
        printf("%-8s %4u %5u %7zu %9.0f %6.2f %6.2f\n", r.name, dim, arms, count, alone / 1e3,
               alone / woken, alone / chosen);
    }
    bench_reports_end(&r);
}

int main(void)
{
    static const uint32_t dims[] = {2, 20, 100}, arms[] = {2, 10, 100, 1000};
    static const bench_kind one_row[] = {BENCH_SHARED, BENCH_TICKS, BENCH_WARM_UP, BENCH_JOINT,
                                         BENCH_SPLIT};
    sottod_fold *pool[] = {fold_new(1), fold_new(2)};
    bench_check(pool[0] != NULL && pool[1] != NULL ? SOTTO_OK : SOTTO_E_MEMORY);
    printf("folding: times as fast as sotto_learner_take_frames by one thread; %u cores\n\n",
           cores_count(FOLD_THREADS_MAX));
    printf("%-8s %4s %5s %6s %7s %9s %9s %8s %8s %6s %6s\n", "kind", "dim", "arms", "bytes",
           "frames", "ns/frame", "guess", "merge ns", "guess", "one", "two");
    for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++) {
        for (size_t k = 0; k < sizeof arms / sizeof arms[0]; k++) {
            group_row(pool, BENCH_SIGNS, dims[d], arms[k]);
        }
        for (size_t i = 0; i < sizeof one_row / sizeof one_row[0]; i++) {
            group_row(pool, one_row[i], dims[d], 100);
        }
    }
    printf("\n%-8s %4s %5s %7s %9s %6s %6s\n", "kind", "dim", "arms", "frames", "us", "woken",
           "chosen");
    threshold_rows(pool[1], BENCH_SHARED, 20, 10);
    threshold_rows(pool[1], BENCH_SIGNS, 20, 1000);
    fold_free(pool[0]);
    fold_free(pool[1]);
    return 0;
}
