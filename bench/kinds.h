/* Experiments of many kinds, and reports for them. The cost of folding depends on the kind. */
#ifndef SOTTO_BENCH_KINDS_H
#define SOTTO_BENCH_KINDS_H

#include <sotto/server.h>

typedef enum bench_kind {
    BENCH_SHARED,
    BENCH_SIGNS,
    BENCH_WARM_UP, /* of signs */
    BENCH_JOINT,
    BENCH_SPLIT,
    BENCH_TICKS
} bench_kind;

/* An experiment, its learner, and frames of epoch 0 with nonces spread like random ones. */
typedef struct bench_reports {
    const char *name;
    sotto_terms terms;
    sotto_learner *learner;
    uint8_t *frames;
    size_t frame_bytes, count;
} bench_reports;

/* False if there is no such experiment. */
bool bench_reports_begin(bench_reports *reports, bench_kind kind, uint32_t dim, uint32_t arms);
/* Replaces the frames by `count` new ones. */
void bench_reports_fill(bench_reports *reports, size_t count);
void bench_reports_end(bench_reports *reports);

#endif
