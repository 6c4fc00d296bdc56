/* A service of one experiment. */
#include "desk.h"
#include "learners.h"
#include "service/experiment/inner.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static void open_all(desk *d)
{
    sotto_fault fault;
    if (experiments_open(d->journal, &d->settings, d->log, d->now_ms, &d->all, &fault) != SOTTO_OK)
        fail_msg("%s", fault.sentence);
    d->intake = intake_new(d->all, DESK_GROUP_BYTES);
    assert_non_null(d->intake);
}

desk desk_of(uint64_t seed)
{
    desk d = {
        .journal = journal_memory_new(),
        .settings = {.nonces_max = 100000, .experiments_max = 1000, .threads = 1},
        .now_ms = 5000,
        .random = tape_seeded(seed),
    };
    open_all(&d);
    return d;
}

static void close_all(desk *d)
{
    intake_free(d->intake);
    experiments_free(d->all);
}

void desk_free(desk *d)
{
    close_all(d);
    journal_memory_free(d->journal);
}

void desk_restart(desk *d)
{
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    bool has_one = d->experiment != NULL;
    if (has_one) memcpy(id, experiment_id(d->experiment), sizeof id);
    close_all(d);
    d->journal = journal_memory_again(d->journal);
    open_all(d);
    d->experiment = has_one ? experiments_find(d->all, id) : NULL;
}

experiment_request desk_request(void)
{
    experiment_request request = {
        .spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS),
        .epoch_seconds_min = 1,
        .epoch_reports_min = 3,
        .labels = "{\"name\":\"desk\"}",
    };
    request.spec.dim = request.spec.arms = 3;
    request.spec.epoch_lag_max = 2;
    request.spec.reward_window_s = request.spec.send_spread_s = 0;
    sotto_terms terms = resolved(&request.spec);
    request.learning = sotto_learning_default(&terms, 0);
    request.learning.epoch = 10;
    return request;
}

sottod_experiment *desk_create(desk *d, const experiment_request *request)
{
    const experiment_request usual = desk_request();
    sottod_refusal why;
    if (!experiments_create(d->all, request != NULL ? request : &usual, d->now_ms, &d->experiment,
                            &why))
        fail_msg("%s %s %s %s", why.fault.sentence, why.fault.field, why.fault.value,
                 why.fault.allowed);
    return d->experiment;
}

desk desk_with(uint64_t seed, const experiment_request *request)
{
    desk d = desk_of(seed);
    desk_create(&d, request);
    return d;
}

static uint8_t *frames_of(desk *d, const sottod_experiment *experiment, bool any, uint32_t epoch,
                          uint32_t count)
{
    const sotto_terms *terms = experiment_terms(experiment);
    const sotto_learner *learner = experiment_learner(experiment);
    size_t each = sotto_report_bytes(terms);
    uint8_t *frames = malloc(count * each + 1);
    assert_non_null(frames);
    for (uint32_t i = 0; i < count;) {
        sotto_report *report = report_for(learner, &d->random);
        if (!any) report->epoch = epoch;
        if (sotto_learner_check(learner, report) == SOTTO_OK)
            assert_ok(sotto_report_encode(terms, report, frames + i++ * each, each));
        sotto_report_free(report);
    }
    return frames;
}

uint8_t *desk_frames(desk *d, const sottod_experiment *experiment, uint32_t count)
{
    return frames_of(d, experiment, true, 0, count);
}

uint8_t *desk_frames_of(desk *d, const sottod_experiment *experiment, uint32_t epoch,
                        uint32_t count)
{
    return frames_of(d, experiment, false, epoch, count);
}

bool desk_offer(desk *d, const uint8_t *frames, uint32_t count, sottod_refusal *why)
{
    size_t each = sotto_report_bytes(experiment_terms(d->experiment));
    return intake_offer(d->intake, d->experiment, frames, count * each, why);
}

void desk_commit(desk *d)
{
    sottod_refusal why;
    if (!intake_commit(d->intake, &why)) fail_msg("%s", why.fault.sentence);
}

void desk_give(desk *d, const uint8_t *frames, uint32_t count)
{
    sottod_refusal why;
    if (!desk_offer(d, frames, count, &why)) fail_msg("%s", why.fault.sentence);
}

void desk_take_frames(desk *d, const uint8_t *frames, uint32_t count)
{
    desk_give(d, frames, count);
    desk_commit(d);
}

void desk_take(desk *d, uint32_t count)
{
    FREED_BY(free_memory) uint8_t *frames = desk_frames(d, d->experiment, count);
    desk_take_frames(d, frames, count);
}

uint32_t desk_epoch(desk *d, uint32_t count)
{
    desk_take(d, count);
    return desk_turned(d, 1000);
}

bool desk_turn(desk *d, uint64_t later_ms)
{
    d->now_ms += later_ms;
    return epochs_turn(d->all, d->now_ms, DESK_MINUTE + d->now_ms / 60000, true);
}

uint32_t desk_turned(desk *d, uint64_t later_ms)
{
    assert_true(desk_turn(d, later_ms));
    return experiment_epoch(d->experiment);
}

journal_history desk_since_publish(const sottod_experiment *experiment)
{
    const epoch_engine *engine = experiment->engine;
    if (engine == NULL) return (journal_history){.experiment = experiment->number};
    const sotto_unpublished sum = sotto_learner_unpublished(engine->learner);
    const journal_counts *now = &engine->counts, *then = &engine->published;
    return (journal_history){
        .experiment = experiment->number,
        .epoch = experiment_epoch(experiment),
        .learn = sum.learn,
        .control = sum.control,
        .follow = sum.follow,
        .control_sum = sum.control_sum,
        .follow_sum = sum.follow_sum,
        .late = now->late - then->late,
        .duplicate = now->duplicate - then->duplicate,
        .conflicting = now->conflicting - then->conflicting,
    };
}

/* Compares field by field, because padding may differ. */
static bool same_history(const journal_history *a, const journal_history *b)
{
#define SAME(sign, width, type, name) &&a->name == b->name
    return a->experiment == b->experiment && a->epoch == b->epoch &&
           a->minute == b->minute JOURNAL_STATISTIC_MAP(SAME);
#undef SAME
}

bool desk_same(const sottod_experiment *one, const sottod_experiment *other)
{
    size_t bytes, other_bytes;
    const uint8_t *model = experiment_model_bytes(one, &bytes);
    const uint8_t *other_model = experiment_model_bytes(other, &other_bytes);
    const journal_counts counts = experiment_counts(one), other_counts = experiment_counts(other);
    const journal_history since = desk_since_publish(one);
    const journal_history other_since = desk_since_publish(other);
    return bytes == other_bytes && memcmp(model, other_model, bytes) == 0 &&
           learners_have_same_bytes(experiment_learner(one), experiment_learner(other)) &&
           memcmp(&counts, &other_counts, sizeof counts) == 0 && same_history(&since, &other_since);
}

void desk_assert_counts(const sottod_experiment *experiment, uint64_t folded, uint64_t late,
                        uint64_t duplicate, uint64_t conflicting)
{
    const journal_counts counts = experiment_counts(experiment);
    assert_int_equal(counts.folded, folded);
    assert_int_equal(counts.late, late);
    assert_int_equal(counts.duplicate, duplicate);
    assert_int_equal(counts.conflicting, conflicting);
}
