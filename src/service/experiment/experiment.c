/* One experiment: made, read, let go. */
#include "parts.h"
#include "service/system/entropy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODY_BYTES_MIN ((size_t)1 << 20) /* that every experiment takes */

#define NONCES_FIRST                                                                               \
    1000u /* room at the start, the least of nonces_max: experiments must be cheap */

static bool make_nonces(sottod_experiment *experiment)
{
    uint8_t key[SOTTO_NONCE_KEY_BYTES];
    if (!entropy_draw(key, sizeof key)) return false;
    if (sotto_nonce_set_new(experiment->terms, key, NONCES_FIRST, &experiment->nonces) != SOTTO_OK)
        return false;
    uint32_t epoch = sotto_learner_model(experiment->learner)->epoch;
    return sotto_nonce_set_advance(experiment->nonces, epoch) == SOTTO_OK;
}

/* All that a deleted one does not have. */
static bool fill(sottod_experiment *experiment, const journal_experiment *row,
                 const sotto_terms *terms, bool has_nonces)
{
    experiment->life = calloc(1, sizeof *experiment->life);
    experiment->labels = strdup(row->labels);
    experiment->terms = malloc(sizeof *experiment->terms);
    if (experiment->life == NULL || experiment->labels == NULL || experiment->terms == NULL)
        return false;
    experiment_life *life = experiment->life;
    life->age = NAN;
    life->has_report_key = row->has_report_key;
    memcpy(life->report_key, row->report_key, sizeof life->report_key);
    life->hold.quarantine = row->quarantine;
    life->hold.reports_expected = row->epoch_reports_expected;
    *experiment->terms = *terms;
    experiment->terms_bytes_count = sotto_terms_encode(terms, life->terms_bytes);
    experiment->frame_bytes = sotto_report_bytes(terms);
    experiment->model_bytes = sotto_model_bytes(terms);
    experiment->model = malloc(experiment->model_bytes);
    if (experiment->model == NULL) return false;
    if (sotto_report_new(terms, &experiment->report) != SOTTO_OK) return false;
    if (sotto__learner_watch(experiment->learner) != SOTTO_OK) return false;
    if (!told_make(&life->told, experiment->learner, terms)) return false;
    return !has_nonces || row->state == JOURNAL_CLOSED || make_nonces(experiment);
}

sottod_experiment *experiment_new(const journal_experiment *row, const sotto_terms *terms,
                                  sotto_learner *learner, bool has_nonces, uint64_t now_ms)
{
    sottod_experiment *experiment = calloc(1, sizeof *experiment);
    if (experiment == NULL) {
        sotto_learner_free(learner);
        return NULL;
    }
    experiment->number = row->number;
    memcpy(experiment->id, row->id, sizeof experiment->id);
    spec_id_print(row->id, experiment->id_text);
    experiment->state = row->state;
    experiment->created_minute = row->created_minute;
    experiment->epoch_seconds_min = row->epoch_seconds_min;
    experiment->epoch_reports_min = row->epoch_reports_min;
    experiment->knows_unfolded = has_nonces; /* who has them folds what it takes */
    experiment->learner = learner;
    experiment->published_ms = experiment->snapshot_ms = now_ms;
    experiment->ready_ms = EXPERIMENT_NEVER_MS;
    if (row->state != JOURNAL_DELETED && !fill(experiment, row, terms, has_nonces)) {
        experiment_free(experiment);
        return NULL;
    }
    return experiment;
}

void experiment_empty(sottod_experiment *experiment)
{
    free(experiment->labels);
    free(experiment->terms);
    free(experiment->model);
    sotto_learner_free(experiment->learner);
    sotto_nonce_set_free(experiment->nonces);
    sotto_report_free(experiment->report);
    if (experiment->life != NULL) told_free(&experiment->life->told);
    free(experiment->life);
    experiment->life = NULL;
    experiment->labels = NULL;
    experiment->terms = NULL;
    experiment->model = NULL;
    experiment->learner = NULL;
    experiment->nonces = NULL;
    experiment->report = NULL;
    experiment->terms_bytes_count = experiment->model_bytes = 0;
}

void experiment_free(sottod_experiment *experiment)
{
    if (experiment == NULL) return;
    experiment_empty(experiment);
    free(experiment);
}

bool experiment_encode_model(sottod_experiment *experiment)
{
    const sotto_model *model = sotto_learner_model(experiment->learner);
    if (sotto_model_encode(experiment->terms, model, experiment->model, experiment->model_bytes) ==
        SOTTO_OK)
        return true;
    free(experiment->model);
    experiment->model = NULL;
    experiment->model_bytes = 0;
    return false;
}

bool experiment_reserve_nonces(sottod_experiment *experiment, uint64_t more, uint32_t most)
{
    uint64_t wanted = sotto_nonce_set_count(experiment->nonces) + more;
    uint64_t capacity = sotto_nonce_set_capacity(experiment->nonces);
    if (wanted <= capacity || capacity >= most) return true;
    while (capacity < wanted) {
        capacity *= 2;
    }
    if (capacity > most) capacity = most;
    return sotto_nonce_set_grow(experiment->nonces, (uint32_t)capacity) == SOTTO_OK;
}

uint32_t experiment_oldest_open(const sottod_experiment *experiment)
{
    uint32_t epoch = experiment_epoch(experiment), lag = experiment->terms->spec.epoch_lag_max;
    return epoch < lag ? 0 : epoch - lag;
}

uint32_t experiment_number(const sottod_experiment *experiment)
{
    return experiment->number;
}

const uint8_t *experiment_id(const sottod_experiment *experiment)
{
    return experiment->id;
}

const char *experiment_id_text(const sottod_experiment *experiment)
{
    return experiment->id_text;
}

journal_state experiment_state(const sottod_experiment *experiment)
{
    return experiment->state;
}

const char *experiment_labels(const sottod_experiment *experiment)
{
    return experiment->labels == NULL ? "" : experiment->labels;
}

uint64_t experiment_created_minute(const sottod_experiment *experiment)
{
    return experiment->created_minute;
}

uint32_t experiment_epoch_seconds_min(const sottod_experiment *experiment)
{
    return experiment->epoch_seconds_min;
}

uint64_t experiment_epoch_reports_min(const sottod_experiment *experiment)
{
    return experiment->epoch_reports_min;
}

const uint8_t *experiment_report_key(const sottod_experiment *experiment)
{
    const experiment_life *life = experiment->life;
    return life != NULL && life->has_report_key ? life->report_key : NULL;
}

journal_counts experiment_counts(const sottod_experiment *experiment)
{
    return experiment->life == NULL ? (journal_counts){0} : experiment->life->counts;
}

const sotto_terms *experiment_terms(const sottod_experiment *experiment)
{
    return experiment->terms;
}

const uint8_t *experiment_terms_bytes(const sottod_experiment *experiment, size_t *bytes)
{
    *bytes = experiment->terms_bytes_count;
    return experiment->terms == NULL ? NULL : experiment->life->terms_bytes;
}

const uint8_t *experiment_model_bytes(const sottod_experiment *experiment, size_t *bytes)
{
    *bytes = experiment->model_bytes;
    return experiment->model;
}

const sotto_learner *experiment_learner(const sottod_experiment *experiment)
{
    return experiment->learner;
}

size_t experiment_body_bytes_max(const sottod_experiment *experiment)
{
    size_t frame_bytes = experiment->frame_bytes;
    if (frame_bytes == 0) return 0;
    return frame_bytes > BODY_BYTES_MIN ? frame_bytes : BODY_BYTES_MIN / frame_bytes * frame_bytes;
}

uint32_t experiment_epoch(const sottod_experiment *experiment)
{
    if (experiment->learner == NULL) return 0;
    return sotto_learner_model(experiment->learner)->epoch;
}

sotto_status experiment_measure(const sottod_experiment *experiment, double alpha,
                                sotto_measurement *out)
{
    return sotto__measurement(experiment->terms, &experiment->life->told.results, alpha, out);
}

sotto_status experiment_measure_arm(const sottod_experiment *experiment, double alpha, uint32_t arm,
                                    sotto_arm_measurement *out)
{
    return sotto__arm_measurement(experiment->terms, &experiment->life->told.results, alpha, arm,
                                  out);
}

journal_history experiment_since_publish(const sottod_experiment *experiment)
{
    if (experiment->life == NULL) return (journal_history){.experiment = experiment->number};
    const sotto_unpublished sum = sotto_learner_unpublished(experiment->learner);
    const journal_counts *now = &experiment->life->counts, *then = &experiment->life->published;
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

double experiment_age(const sottod_experiment *experiment)
{
    return experiment->life == NULL ? NAN : experiment->life->age;
}

size_t experiment_memory_bytes(const sottod_experiment *experiment)
{
    size_t bytes = sizeof *experiment;
    if (experiment->learner == NULL) return bytes;
    uint32_t capacity = sotto_nonce_set_capacity(experiment->nonces);
    return bytes + sizeof *experiment->life + sizeof *experiment->terms +
           strlen(experiment->labels) + 1 + experiment->model_bytes +
           sotto_learner_bytes(experiment->learner) + sotto_nonce_set_bytes(capacity);
}
