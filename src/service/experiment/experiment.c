/* One experiment: made, read, freed. */
#include "inner.h"
#include "service/system/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#define BODY_BYTES ((size_t)1 << 20)
#define GZIP_BYTES_MAX ((size_t)1 << 20) /* about 30 ms: all requests wait meanwhile */
#define BODY_NS UINT64_C(20000000) /* to fold a body on one core: all requests wait meanwhile */

/* False: no memory. */
static bool fill_around(sottod_experiment *experiment, const journal_experiment *row)
{
    epoch_engine *engine = experiment->engine;
    experiment_life *life = experiment->life = calloc(1, sizeof *experiment->life);
    if (life == NULL || !experiment_take_access(experiment, row)) return false;
    experiment->terms_bytes_count = sotto_terms_encode(&engine->terms, life->terms_bytes);
    experiment->model_bytes = sotto_model_bytes(&engine->terms);
    experiment->model = malloc(experiment->model_bytes);
    if (experiment->model == NULL) return false;
    if (sotto_report_new(&engine->terms, &experiment->report) != SOTTO_OK) return false;
    return sotto__learner_watch(engine->learner) == SOTTO_OK;
}

/* Fills all fields that a deleted experiment does not have. */
static sotto_status fill(const sottod_experiments *all, sottod_experiment *experiment,
                         const journal_experiment *row, uint64_t now_ms, sotto_fault *fault)
{
    access_text access;
    if (!access_text_read(row->labels, &access))
        return sotto__refuse(
            fault, "experiment %u: the origins or keys after its labels are damaged", row->number);
    experiment->engine = engine_new(row, all->settings.nonces_max, now_ms, fault);
    if (experiment->engine == NULL) return SOTTO_E_FAULT;
    return fill_around(experiment, row)
               ? SOTTO_OK
               : sotto__refuse(fault, "experiment %u: no memory", row->number);
}

sottod_experiment *experiment_new(const sottod_experiments *all, const journal_experiment *row,
                                  uint64_t now_ms, sotto_fault *fault)
{
    sottod_experiment *experiment = calloc(1, sizeof *experiment);
    if (experiment == NULL) {
        (void)sotto__refuse(fault, "experiment %u: no memory", row->number);
        return NULL;
    }
    experiment->number = row->number;
    experiment->mark = row->mark;
    memcpy(experiment->id, row->id, sizeof experiment->id);
    spec_id_print(row->id, experiment->id_text);
    experiment->state = row->state;
    experiment->created_minute = row->created_minute;
    experiment->snapshot_ms = now_ms;
    experiment->ready_ms = EXPERIMENT_NEVER_MS;
    sotto_status status = SOTTO_OK;
    if (row->state != JOURNAL_DELETED) status = fill(all, experiment, row, now_ms, fault);
    if (status == SOTTO_OK && !all->kind->begin(experiment))
        status = sotto__refuse(fault, "experiment %u: no memory, or no randomness", row->number);
    if (status != SOTTO_OK) {
        experiment_free(experiment);
        return NULL;
    }
    return experiment;
}

void experiment_empty(sottod_experiment *experiment)
{
    free(experiment->labels);
    free(experiment->model);
    free(experiment->packed.at);
    experiment->packed = (experiment_packed){.tried = false};
    engine_free(experiment->engine);
    experiment->engine = NULL;
    copies_free(experiment->copies);
    sotto_report_free(experiment->report);
    if (experiment->life != NULL) free(experiment->life->origins);
    free(experiment->life);
    experiment->life = NULL;
    experiment->labels = NULL;
    experiment->model = NULL;
    experiment->copies = NULL;
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
    const sotto_model *model = sotto_learner_model(experiment->engine->learner);
    if (sotto_model_encode(&experiment->engine->terms, model, experiment->model,
                           experiment->model_bytes) == SOTTO_OK)
        return true;
    free(experiment->model);
    experiment->model = NULL;
    experiment->model_bytes = 0;
    return false;
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
    return experiment->engine == NULL ? 0 : experiment->engine->seconds_min;
}

uint64_t experiment_epoch_reports_min(const sottod_experiment *experiment)
{
    return experiment->engine == NULL ? 0 : experiment->engine->rule.reports_min;
}

journal_counts experiment_counts(const sottod_experiment *experiment)
{
    return experiment->engine == NULL ? (journal_counts){0} : experiment->engine->counts;
}

const sotto_terms *experiment_terms(const sottod_experiment *experiment)
{
    return experiment->engine == NULL ? NULL : &experiment->engine->terms;
}

const uint8_t *experiment_terms_bytes(const sottod_experiment *experiment, size_t *bytes)
{
    *bytes = experiment->terms_bytes_count;
    return experiment->life == NULL ? NULL : experiment->life->terms_bytes;
}

const uint8_t *experiment_model_bytes(const sottod_experiment *experiment, size_t *bytes)
{
    *bytes = experiment->model_bytes;
    return experiment->model;
}

const sotto_learner *experiment_learner(const sottod_experiment *experiment)
{
    return experiment->engine == NULL ? NULL : experiment->engine->learner;
}

size_t experiment_body_bytes_max(const sottod_experiment *experiment)
{
    if (experiment->engine == NULL) return 0;
    const size_t frame_bytes = experiment->engine->frame_bytes;
    const uint64_t quick = BODY_NS / sotto__terms_frame_ns(&experiment->engine->terms);
    size_t frames = BODY_BYTES / frame_bytes;
    if (quick < frames) frames = (size_t)quick;
    return (frames > 0 ? frames : 1) * frame_bytes;
}

uint32_t experiment_epoch(const sottod_experiment *experiment)
{
    return experiment->engine == NULL ? 0 : engine_epoch(experiment->engine);
}

sotto_status experiment_measure(const sottod_experiment *experiment, double alpha,
                                sotto_measurement *out)
{
    return sotto__measurement(&experiment->engine->terms, &experiment->engine->results.shown, alpha,
                              out);
}

sotto_status experiment_measure_arm(const sottod_experiment *experiment, double alpha, uint32_t arm,
                                    sotto_arm_measurement *out)
{
    return sotto__arm_measurement(&experiment->engine->terms, &experiment->engine->results.shown,
                                  alpha, arm, out);
}

size_t experiment_memory_bytes(const sottod_experiment *experiment)
{
    size_t bytes = sizeof *experiment;
    if (experiment->engine == NULL) return bytes;
    uint32_t capacity = sotto_nonce_set_capacity(experiment->engine->nonces);
    return bytes + sizeof *experiment->life + sizeof *experiment->engine +
           strlen(experiment->labels) + 1 + strlen(experiment->life->origins) + 1 +
           experiment->model_bytes + (experiment->packed.at != NULL ? experiment->model_bytes : 0) +
           sotto_learner_bytes(experiment->engine->learner) + sotto_nonce_set_bytes(capacity);
}

/* ---- the model, compressed when first requested so */

#define GZIP_WINDOW (15 + 16) /* a window of 32 KiB, with the head and tail of gzip */
#define GZIP_MEMORY 8

/* The compressed length; 0: compression failed, or does not make it shorter. */
static size_t pack(const uint8_t *model, size_t bytes, uint8_t *out)
{
    z_stream stream = {.zalloc = Z_NULL};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    stream.next_in = model;
    stream.avail_in = (uInt)bytes;
    stream.next_out = out;
    stream.avail_out = (uInt)(bytes - 1);
    bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    size_t packed = whole ? (size_t)stream.total_out : 0;
    deflateEnd(&stream);
    return packed;
}

const uint8_t *experiment_model_gzip(sottod_experiment *experiment, size_t *bytes)
{
    experiment_packed *packed = &experiment->packed;
    const uint32_t epoch = experiment_epoch(experiment);
    size_t plain = 0;
    const uint8_t *model = experiment_model_bytes(experiment, &plain);
    *bytes = 0;
    if (model == NULL || plain < 2 || plain > GZIP_BYTES_MAX) return NULL;
    if (!packed->tried || packed->epoch != epoch) {
        /* all models of an experiment have the same length */
        if (packed->at == NULL) packed->at = malloc(plain);
        if (packed->at == NULL) return NULL;
        packed->tried = true;
        packed->epoch = epoch;
        packed->bytes = pack(model, plain, packed->at);
    }
    *bytes = packed->bytes;
    return packed->bytes > 0 ? packed->at : NULL;
}
