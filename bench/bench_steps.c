/*
 * The cost of each step of a report in the service, without HTTP and the disk: nanoseconds of
 * processor time per report, the best of seven, in groups of 10,000 reports.
 *
 *     check   decoded, and its values are of its epoch (offer)
 *     nonce   looked up and kept (offer); others are few here, so it is in the cache
 *     sort    copied into the group (offer), and sorted by nonce (commit)
 *     digest  SHA-256 of the row (commit)
 *     fold    by one thread (commit)
 */
#include "check.h"
#include "kinds.h"
#include "service/experiment/experiment.h"
#include "service/experiment/inner.h"
#include "service/store/store.h"
#include "timing.h"

#define FRAMES 10000u

typedef struct bench {
    bench_reports reports;
    sotto_report *report;
    sotto_nonce_set *nonces;
    epoch_engine engine;
    sottod_experiment experiment;
    sottod_group group;
    size_t frames; /* per step; fewer if frames are large */
} bench;

static const uint8_t *frame_at(const bench *b, size_t i)
{
    return b->reports.frames + i * b->reports.frame_bytes;
}

static void check(void *self)
{
    bench *b = self;
    const bench_reports *r = &b->reports;
    for (size_t i = 0; i < b->frames; i++) {
        bench_check(sotto_report_decode(&r->terms, frame_at(b, i), r->frame_bytes, b->report));
        bench_check(sotto_learner_check(r->learner, b->report));
    }
}

/* Adds all nonces, then removes them from the last to the first, so that all are new the next time.
 * This is twice the work. */
static void see(void *self)
{
    bench *b = self;
    sotto_seen seen;
    for (size_t i = 0; i < b->frames; i++) {
        sotto_report head = frame_head(frame_at(b, i));
        bench_check(
            sotto_nonce_set_see(b->nonces, &head, frame_at(b, i), b->reports.frame_bytes, &seen));
    }
    for (size_t i = b->frames; i-- > 0;) {
        sotto_report head = frame_head(frame_at(b, i));
        sotto_nonce_set_remove(b->nonces, &head);
    }
}

static void sort(void *self)
{
    bench *b = self;
    group_slot *slot = group_slot_of(&b->group, &b->experiment);
    bench_check(slot == NULL ? SOTTO_E_MEMORY : SOTTO_OK);
    for (size_t i = 0; i < b->frames; i++) {
        group_add(&b->group, slot, frame_at(b, i), 0);
    }
    group_sort(&b->group);
    group_clear(&b->group);
}

static void digest(void *self)
{
    const bench *b = self;
    uint8_t chain[JOURNAL_DIGEST_BYTES] = {0};
    const journal_row row = {.seq = 1,
                             .experiment = 1,
                             .frames = {b->reports.frames, b->frames * b->reports.frame_bytes}};
    journal__digest_row(chain, &row, chain);
}

static void fold(void *self)
{
    bench *b = self;
    bench_check(sotto_learner_take_frames(b->reports.learner, b->reports.frames,
                                          b->frames * b->reports.frame_bytes, NULL));
}

static void print_row(bench_kind kind, uint32_t dim, uint32_t arms)
{
    static void (*const steps[])(void *self) = {check, see, sort, digest, fold};
    static const uint8_t key[SOTTO_NONCE_KEY_BYTES] = {1};
    bench b = {0};
    if (!bench_reports_begin(&b.reports, kind, dim, arms)) return;
    b.frames = b.reports.frame_bytes > 1000 ? FRAMES / 10 : FRAMES; /* 20 MB, not 200 */
    bench_reports_fill(&b.reports, b.frames);
    bench_check(sotto_report_new(&b.reports.terms, &b.report));
    bench_check(sotto_nonce_set_new(&b.reports.terms, key, 2 * FRAMES, &b.nonces));
    b.engine.frame_bytes = b.reports.frame_bytes;
    b.experiment.engine = &b.engine;
    bench_check(group_make(&b.group, b.frames * b.reports.frame_bytes) ? SOTTO_OK : SOTTO_E_MEMORY);
    printf("%-8s %4u %5u %6zu", b.reports.name, dim, arms, b.reports.frame_bytes);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        double twice = steps[i] == see ? 2 : 1;
        printf(" %8.0f", bench_time_ns(steps[i], &b) / (double)b.frames / twice);
    }
    printf("\n");
    group_free(&b.group);
    sotto_nonce_set_free(b.nonces);
    sotto_report_free(b.report);
    bench_reports_end(&b.reports);
}

int main(void)
{
    static const uint32_t dims[] = {2, 20, 100}, arms[] = {2, 10, 100, 1000};
    printf("nanoseconds per report and step, by one thread\n\n");
    printf("%-8s %4s %5s %6s %8s %8s %8s %8s %8s\n", "kind", "dim", "arms", "bytes", "check",
           "nonce", "sort", "digest", "fold");
    for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++) {
        print_row(BENCH_SHARED, dims[d], 10);
        for (size_t k = 0; k < sizeof arms / sizeof arms[0]; k++) {
            print_row(BENCH_SIGNS, dims[d], arms[k]);
        }
        print_row(BENCH_SPLIT, dims[d], 100);
        print_row(BENCH_TICKS, dims[d], 10);
    }
    return 0;
}
