/* A service without its ports. */
#include "house.h"

#include "reports.h"
#include "service/store/sqlite/sqlite.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

void house_open(house *h)
{
    sotto_fault fault;
    memset(h, 0, sizeof *h);
    h->data = directory_new();
    const journal_settings journal = {.directory = h->data.path};
    if (journal_open(&journal, &h->journal, &fault) != SOTTO_OK) fail_msg("%s", fault.sentence);
    const experiments_settings settings = {
        .nonces_max = 100000, .experiments_max = 100, .threads = 1};
    h->now_ms = 1000;
    if (experiments_open(h->journal, &settings, NULL, h->now_ms, &h->experiments, &fault) !=
        SOTTO_OK) {
        fail_msg("%s", fault.sentence);
    }
    h->intake = intake_new(h->experiments, 4u << 20);
    assert_non_null(h->intake);
    h->service = (api_service){
        .experiments = h->experiments,
        .intake = h->intake,
        .journal = h->journal,
        .admin_address = "127.0.0.1",
        .data = h->data.path,
    };
}

void house_close(house *h)
{
    intake_free(h->intake);
    experiments_free(h->experiments);
    journal_close(h->journal);
    directory_free(&h->data);
}

sottod_experiment *house_experiment(house *h, uint32_t series)
{
    experiment_request request = {.spec = sotto_spec_default(SOTTO_REWARD_BINARY),
                                  .epoch_seconds_min = 1,
                                  .epoch_reports_min = 2,
                                  .labels = "{\"name\":\"a \\\"b\\\"\"}"};
    request.spec.dim = 3;
    request.spec.arms = 2;
    request.spec.epoch_lag_max = 2;
    request.spec.measure = UINT32_C(1) << 31;
    request.spec.series = series;
    sottod_experiment *made = NULL;
    sottod_refusal why;
    sotto_terms terms = resolved(&request.spec);
    request.learning = sotto_learning_default(&terms, 0);
    if (!experiments_create(h->experiments, &request, h->now_ms, &made, &why)) {
        fail_msg("%s", why.fault.sentence);
    }
    return made;
}

void house_frames(const sottod_experiment *experiment, uint64_t seed, uint8_t *frames, size_t bytes)
{
    const sotto_terms *terms = experiment_terms(experiment);
    const sotto_model *model = sotto_learner_model(experiment_learner(experiment));
    size_t each = sotto_report_bytes(terms);
    tape random = tape_seeded(seed);
    for (size_t at = 0; at + each <= bytes; at += each) {
        sotto_report *report = random_report(terms, model->epoch, model->phase, &random);
        report->value[0] %= 2; /* valid in every role */
        assert_ok(sotto_report_encode(terms, report, frames + at, each));
        sotto_report_free(report);
    }
}

void house_epoch(house *h, sottod_experiment *experiment, uint64_t seed, size_t count)
{
    sottod_refusal why;
    size_t bytes = count * sotto_report_bytes(experiment_terms(experiment));
    uint8_t *frames = malloc(bytes);
    assert_non_null(frames);
    house_frames(experiment, seed, frames, bytes);
    if (!intake_offer(h->intake, experiment, frames, bytes, &why))
        fail_msg("%s", why.fault.sentence);
    if (!intake_commit(h->intake, &why)) fail_msg("%s", why.fault.sentence);
    free(frames);
    uint32_t before = experiment_epoch(experiment);
    h->now_ms += 100000;
    assert_true(epochs_turn(h->experiments, h->now_ms, 29000000, true));
    assert_int_equal(experiment_epoch(experiment), before + 1);
}
