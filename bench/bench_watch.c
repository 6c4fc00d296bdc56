/*
 * What the watch costs: nanoseconds of folding a report into a tally, without the watch and with
 * the watch along both of its directions, and microseconds of a verdict.
 */
#include "check.h"
#include "core/core.h"
#include "server/server.h"
#include "timing.h"

#include <stdio.h>
#include <string.h>

typedef struct subject {
    const char *name;
    sotto_parameters parameters;
    uint32_t dim, arms;
    double epsilon;
} subject;

static const subject subjects[] = {
    {"shared", SOTTO_PARAMETERS_SHARED, 2, 10, 1},
    {"shared", SOTTO_PARAMETERS_SHARED, 20, 20, 1},
    {"shared", SOTTO_PARAMETERS_SHARED, 200, 20, 1},
    {"per-arm, signs", SOTTO_PARAMETERS_PER_ARM, 20, 3, 1},
    {"per-arm, signs", SOTTO_PARAMETERS_PER_ARM, 20, 100, 1},
    {"per-arm, tags", SOTTO_PARAMETERS_PER_ARM, 20, 3, 5},
};

typedef struct folding {
    sotto_learner *learner;
    sotto_report *report;
    uint64_t reports;
} folding;

static void fold(void *self)
{
    folding *f = self;
    f->reports++;
    memcpy(f->report->nonce, &f->reports, sizeof f->reports);
    f->report->value[0] = (int32_t)(f->reports % 64);
    bench_check(sotto_learner_take(f->learner, f->report));
}

static void judge(void *self)
{
    const folding *f = self;
    sotto__watch_verdict verdict = sotto__learner_verdict(f->learner, SOTTO__WATCH_ALPHA, 0);
    if (verdict.reports == 0) bench_check(SOTTO_E_FAULT);
}

static void begin(folding *f, const subject *row, bool watched)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    sotto_terms terms;
    spec.parameters = row->parameters;
    spec.dim = row->dim, spec.arms = row->arms, spec.epsilon = row->epsilon;
    bench_check(sotto_spec_resolve(&spec, &terms));
    sotto_learning learning = sotto_learning_default(&terms, 1000000);
    learning.warm_up = learning.mean_phase = 0;
    f->reports = 0;
    bench_check(sotto_learner_new(&terms, &learning, &f->learner));
    bench_check(sotto_report_new(&terms, &f->report));
    memcpy(f->report->spec_id, terms.id, SOTTO_SPEC_ID_BYTES);
    for (uint32_t i = 0; i < sotto__parameter_count(&spec); i++) { /* both directions exist */
        f->learner->model->theta[i] = 1.0 / (i + 1);
        if (f->learner->model->tbar != NULL) f->learner->model->tbar[i] = 1.0 / (i + 2);
    }
    if (watched) bench_check(sotto__learner_watch(f->learner));
}

static void end(folding *f)
{
    sotto_report_free(f->report);
    sotto_learner_free(f->learner);
}

int main(void)
{
    printf("nanoseconds of folding a report, and microseconds of a verdict\n\n");
    printf("%-16s %4s %4s %10s %10s %7s %10s\n", "", "d", "K", "alone", "watched", "ratio",
           "verdict");
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        folding plain, watched;
        begin(&plain, &subjects[i], false);
        begin(&watched, &subjects[i], true);
        double alone = bench_time_ns(fold, &plain), beside = bench_time_ns(fold, &watched);
        printf("%-16s %4u %4u %10.1f %10.1f %7.2f %10.1f\n", subjects[i].name, subjects[i].dim,
               subjects[i].arms, alone, beside, beside / alone,
               bench_time_ns(judge, &watched) / 1000);
        end(&plain);
        end(&watched);
    }
    return 0;
}
