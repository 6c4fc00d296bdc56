/* Experiments of many kinds. */
#include "kinds.h"
#include "check.h"
#include "core/core.h"

typedef struct row {
    const char *name;
    sotto_method method;
    sotto_parameters parameters;
    sotto_score score;
    sotto_split split;
} row;

#define PER_ARM SOTTO_PARAMETERS_PER_ARM
static const row rows[] = {
    [BENCH_SHARED] = {"shared", SOTTO_METHOD_SOTTO, 0, SOTTO_SCORE_SIGN, 0},
    [BENCH_SIGNS] = {"signs", SOTTO_METHOD_SOTTO, PER_ARM, SOTTO_SCORE_SIGN, 0},
    [BENCH_WARM_UP] = {"warm-up", SOTTO_METHOD_SOTTO, PER_ARM, SOTTO_SCORE_SIGN, 0},
    [BENCH_JOINT] = {"joint", SOTTO_METHOD_LDP_SGD, PER_ARM, SOTTO_SCORE_GRADIENT, 0},
    [BENCH_SPLIT] = {"split", SOTTO_METHOD_LDP_SGD, PER_ARM, SOTTO_SCORE_GRADIENT,
                     SOTTO_SPLIT_PER_ARM},
    [BENCH_TICKS] = {"ticks", SOTTO_METHOD_LDP_OLS, 0, SOTTO_SCORE_MOMENTS, 0},
};

bool bench_reports_begin(bench_reports *reports, bench_kind kind, uint32_t dim, uint32_t arms)
{
    const row *r = &rows[kind];
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = r->method;
    spec.parameters = r->parameters;
    spec.score = r->score;
    spec.split = r->split;
    spec.dim = dim;
    spec.arms = arms;
    if (kind == BENCH_TICKS) spec.delta = 1e-6;
    *reports = (bench_reports){.name = r->name};
    if (sotto_spec_fault(&spec, NULL) != SOTTO_OK) return false;
    bench_check(sotto_spec_resolve(&spec, &reports->terms));
    sotto_learning learning = sotto_learning_default(&reports->terms, 1000000);
    learning.mean_phase = 0;
    if (kind != BENCH_WARM_UP) learning.warm_up = 0;
    bench_check(sotto_learner_new(&reports->terms, &learning, &reports->learner));
    reports->frame_bytes = sotto_report_bytes(&reports->terms);
    return true;
}

void bench_reports_fill(bench_reports *reports, size_t count)
{
    sotto_report *report;
    const sotto_terms *terms = &reports->terms;
    size_t each = reports->frame_bytes;
    free(reports->frames);
    reports->count = count;
    reports->frames = malloc(count * each);
    bench_check(reports->frames == NULL ? SOTTO_E_MEMORY : SOTTO_OK);
    bench_check(sotto_report_new(terms, &report));
    for (size_t i = 0; i < count; i++) {
        uint64_t number = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        sotto__put_u64(report->nonce, number ^ number >> 29);
        for (uint32_t v = 0; v < report->count; v++) {
            report->value[v] = (int32_t)((number >> 40) + v) & 1;
        }
        bench_check(sotto_report_encode(terms, report, reports->frames + i * each, each));
    }
    sotto_report_free(report);
}

void bench_reports_end(bench_reports *reports)
{
    free(reports->frames);
    sotto_learner_free(reports->learner);
}
