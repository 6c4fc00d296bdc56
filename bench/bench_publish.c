/*
 * What the end of an epoch costs: microseconds for an estimator to absorb the sums of 1, 4,096 and
 * 200,000 reports. The time depends on the number of parameters. Beyond 4,096 reports it does not
 * grow with the number of reports, because closed forms replace the loop.
 */
#include "check.h"
#include "server/server.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct epoch {
    sotto_terms terms;
    sotto_learning learning;
    sotto_model *model;
    sotto__estimator *estimator;
    sotto__batch batch;
    double *sum;
    uint64_t *arm_count;
} epoch;

typedef struct subject {
    const char *name;
    sotto_method method;
    sotto_score score;
    sotto_parameters parameters;
    uint32_t dim, arms;
    uint64_t window;
} subject;

#define ROW(name, method, score, parameters, ...)                                                  \
    {                                                                                              \
        name, SOTTO_METHOD_##method, SOTTO_SCORE_##score, SOTTO_PARAMETERS_##parameters,           \
            __VA_ARGS__                                                                            \
    }
static const subject subjects[] = {
    ROW("sotto, shared", SOTTO, SIGN, SHARED, 20, 100, 0),
    ROW("sotto, shared, window", SOTTO, SIGN, SHARED, 20, 100, 30000),
    ROW("sotto, per-arm", SOTTO, SIGN, PER_ARM, 20, 100, 0),
    ROW("sotto, per-arm, window", SOTTO, SIGN, PER_ARM, 20, 100, 30000),
    ROW("sotto, per-arm, self", SOTTO, SELF, PER_ARM, 20, 100, 0),
    ROW("ldp-sgd, shared", LDP_SGD, GRADIENT, SHARED, 20, 100, 0),
    ROW("ldp-sgd, per-arm", LDP_SGD, GRADIENT, PER_ARM, 20, 100, 0),
};

static void absorb(void *self)
{
    epoch *e = self;
    e->estimator->absorb(e->estimator, &e->batch, e->model);
}

static void epoch_begin(epoch *e, const subject *row)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = row->method;
    spec.score = row->score;
    spec.parameters = row->parameters;
    spec.dim = row->dim;
    spec.arms = row->arms;
    spec.window_reports = row->window;
    bench_check(sotto_spec_resolve(&spec, &e->terms));
    e->learning = sotto_learning_default(&e->terms, 0);
    bench_check(sotto_model_new(&e->terms, &e->model));
    bench_check(sotto__estimator_new(&e->terms, &e->learning, &e->estimator));
    e->sum = calloc((size_t)row->dim * row->arms, sizeof e->sum[0]);
    e->arm_count = calloc(row->arms, sizeof e->arm_count[0]);
    if (e->sum == NULL || e->arm_count == NULL) bench_check(SOTTO_E_MEMORY);
    e->batch = (sotto__batch){.phase = SOTTO_PHASE_MAIN, .sum = e->sum, .arm_count = e->arm_count};
}

static void epoch_end(epoch *e)
{
    free(e->arm_count);
    free(e->sum);
    sotto__estimator_free(e->estimator);
    sotto_model_free(e->model);
}

int main(void)
{
    static const uint64_t counts[] = {1, 4096, 200000};
    printf("microseconds to absorb an epoch, by its reports\n\n");
    printf("%-24s %4s %5s %10s %10s %10s\n", "", "d", "K", "1", "4096", "200000");
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        printf("%-24s %4u %5u", subjects[i].name, subjects[i].dim, subjects[i].arms);
        for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++) {
            epoch e;
            epoch_begin(&e, &subjects[i]);
            e.batch.count = counts[j];
            printf(" %10.1f", bench_time_ns(absorb, &e) / 1000);
            epoch_end(&e);
        }
        printf("\n");
    }
    return 0;
}
