/*
 * A learner as bytes, so that a server can stop, and go on as if it had not.
 *
 * Learner frame:
 * offset  size  what (little-endian)
 *      0     4  magic "STK1"
 *      4    16  spec id
 *     20        blocks, in the order below: kind u32, bytes u32, and so many bytes
 *               SHA-256 of all that is before, the first 16 bytes
 *
 *   kind  block      bytes
 *      1  learning   horizon u64, warm_up u64, epoch u64, step u32, project u32 (0 or 1), alpha,
 *                    eta0, shift_scale, elimination_scale f64
 *      2  model      the model frame of the current epoch
 *      3  estimator  repairs u64, then what the estimator keeps, by method:
 *                      sotto averaged (its model has tbar)   nothing
 *                      sotto tracked    1/P f64: 1, or arms; where a phase has nulls: null reports of
 *                                       warm-up and of main, the others of the two, u64
 *                      best-arm         reports of each arm f64, their sums of +1 and -1 f64, arms of both
 *                      ldp-sgd          per-arm: reports of warm-up u64, arms of them
 *                      the others       t f64; then of each block, 1 or arms of them: reports f64;
 *                                       shift f64 (+infinity: no solution); V, packed lower
 *                                       triangles f64; b, dim f64
 *      4  measure    only with measure rounds: count u64 and sum i64 of follow, of recent follow, of
 *                    recent control, and of control by arm, arms of them
 *      6  mean       only where the terms have a mean phase: mean_phase u64 and prior_variance f64 of the
 *                    settings, reports of the phase u64, the sum of their unit codewords, dim f64
 *      5  epoch      one for each open epoch, the oldest first: theta_h of its model, P f64 (ldp-gloc
 *                    only), then its tally frame
 *
 * Valid: the magic, this spec's id, the hash, every block there with exactly the bytes that the spec
 * wants, valid settings, model and tallies, every number of the estimator finite and in its range,
 * and nothing that contradicts another part. All else follows: reports since the last publish are
 * those in the tallies, and an epoch's size is that of schedule.c.
 */
#include "core/bytes.h"
#include "core/digest.h"
#include "core/fault.h"
#include "core/float_environment.h"
#include "kept.h"
#include "learner_fault.h"
#include "learner_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define HEAD_BYTES 20u
#define BLOCK_HEAD_BYTES 8u
#define LEARNING_BYTES 64u
#define CHECK_BYTES 16u

static const uint8_t magic[4] = {'S', 'T', 'K', '1'};

typedef enum block { LEARNING = 1, MODEL, ESTIMATOR, MEASURE, EPOCH, MEAN } block;
static const char *const names[] = {
    [LEARNING] = "learning", [MODEL] = "model", [ESTIMATOR] = "estimator",
    [MEASURE] = "measure",   [EPOCH] = "epoch", [MEAN] = "mean",
};

/* ---- encode --------------------------------------------------------------------------------- */

static size_t epoch_bytes(const sotto_learner *learner, uint32_t back)
{
    return 8 * (size_t)sotto__learner_online(learner) +
           sotto_tally_bytes(sotto__learner_open(learner, back)->tally);
}

static size_t estimator_bytes(const sotto_learner *learner)
{
    return 8 + sotto__kept_bytes(learner->estimator);
}

/* 0 without a mean phase. */
static size_t mean_bytes(const sotto_learner *learner)
{
    return learner->mean.sum == NULL ? 0 : 24 + 8 * (size_t)learner->terms.spec.dim;
}

size_t sotto_learner_bytes(const sotto_learner *learner)
{
    if (learner == NULL) return 0;
    size_t pairs = sotto__learner_pairs(learner);
    size_t blocks = 4u + (pairs > 0) + (mean_bytes(learner) > 0) + sotto__learner_late(learner);
    size_t bytes = HEAD_BYTES + LEARNING_BYTES + sotto_model_bytes(&learner->terms) +
                   estimator_bytes(learner) + 16 * pairs + mean_bytes(learner) + CHECK_BYTES;
    for (uint32_t back = 0; back <= sotto__learner_late(learner); back++) {
        bytes += epoch_bytes(learner, back);
    }
    return bytes + BLOCK_HEAD_BYTES * blocks;
}

static uint8_t *begin_block(uint8_t *at, block kind, size_t bytes)
{
    assert(bytes <= UINT32_MAX); /* a spec has at most 2^20 ticks and 2^16 parameters */
    sotto__put_u32(at, (uint32_t)kind);
    sotto__put_u32(at + 4, (uint32_t)bytes);
    return at + BLOCK_HEAD_BYTES;
}

static uint8_t *put_learning(const sotto_learning *learning, uint8_t *at)
{
    at = begin_block(at, LEARNING, LEARNING_BYTES);
    sotto__put_u64(at, learning->horizon);
    sotto__put_u64(at + 8, learning->warm_up);
    sotto__put_u64(at + 16, learning->epoch);
    sotto__put_u32(at + 24, (uint32_t)learning->step);
    sotto__put_u32(at + 28, learning->project);
    sotto__put_f64(at + 32, learning->alpha);
    sotto__put_f64(at + 40, learning->eta0);
    sotto__put_f64(at + 48, learning->shift_scale);
    sotto__put_f64(at + 56, learning->elimination_scale);
    return at + LEARNING_BYTES;
}

static uint8_t *put_estimator(const sotto_learner *learner, uint8_t *at)
{
    at = begin_block(at, ESTIMATOR, estimator_bytes(learner));
    sotto__put_u64(at, learner->estimator->repairs);
    sotto__kept_put(learner->estimator, at + 8);
    return at + estimator_bytes(learner);
}

static uint8_t *put_measures(const sotto_learner *learner, uint8_t *at)
{
    if (sotto__learner_pairs(learner) == 0) return at;
    at = begin_block(at, MEASURE, 16 * (size_t)sotto__learner_pairs(learner));
    for (uint32_t i = 0; i < sotto__learner_pairs(learner); i++, at += 16) {
        sotto__put_u64(at, sotto__learner_pair(learner, i)->count);
        sotto__put_u64(at + 8, (uint64_t)sotto__learner_pair(learner, i)->sum);
    }
    return at;
}

static uint8_t *put_mean(const sotto_learner *learner, uint8_t *at)
{
    if (mean_bytes(learner) == 0) return at;
    at = begin_block(at, MEAN, mean_bytes(learner));
    sotto__put_u64(at, learner->learning.mean_phase);
    sotto__put_f64(at + 8, learner->learning.prior_variance);
    sotto__put_u64(at + 16, learner->mean.reports);
    at += 24;
    for (uint32_t i = 0; i < learner->terms.spec.dim; i++, at += 8) {
        sotto__put_f64(at, learner->mean.sum[i]);
    }
    return at;
}

static uint8_t *put_epoch(const sotto_learner *learner, uint32_t back, uint8_t *at)
{
    const sotto__open_epoch *open = sotto__learner_open(learner, back);
    size_t bytes = sotto_tally_bytes(open->tally);
    at = begin_block(at, EPOCH, epoch_bytes(learner, back));
    for (uint32_t i = 0; i < sotto__learner_online(learner); i++, at += 8) {
        sotto__put_f64(at, open->theta_h[i]);
    }
    sotto_status status = sotto_tally_encode(open->tally, at, bytes);
    assert(status == SOTTO_OK); /* there is room */
    (void)status;
    return at + bytes;
}

static void check_of(const uint8_t *bytes, size_t bytes_count, uint8_t out[SOTTO__DIGEST_BYTES])
{
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, bytes, bytes_count);
    sotto__digest_end(&digest, out);
}

static sotto_status encode(const sotto_learner *learner, uint8_t *out)
{
    char text[SOTTO_FAULT_BYTES];
    uint8_t check[SOTTO__DIGEST_BYTES];
    size_t model_bytes = sotto_model_bytes(&learner->terms);
    if (sotto__learner_fault(learner, text) != NULL) return SOTTO_E_FAULT;
    memcpy(out, magic, sizeof magic);
    memcpy(out + 4, learner->terms.id, SOTTO_SPEC_ID_BYTES);
    uint8_t *at = put_learning(&learner->learning, out + HEAD_BYTES);
    at = begin_block(at, MODEL, model_bytes);
    sotto_status status = sotto_model_encode(&learner->terms, learner->model, at, model_bytes);
    if (status != SOTTO_OK) return status;
    at = put_estimator(learner, at + model_bytes);
    at = put_measures(learner, at);
    at = put_mean(learner, at);
    for (uint32_t back = sotto__learner_late(learner) + 1; back-- > 0;) {
        at = put_epoch(learner, back, at);
    }
    check_of(out, (size_t)(at - out), check);
    memcpy(at, check, CHECK_BYTES);
    return SOTTO_OK;
}

sotto_status sotto_learner_encode(const sotto_learner *learner, uint8_t *out, size_t capacity_bytes)
{
    SOTTO__DEFAULT_FLOATS;
    if (learner == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (capacity_bytes < sotto_learner_bytes(learner)) return SOTTO_E_LENGTH;
    return SOTTO__UNSEEN(encode)(learner, out);
}

/* ---- decode --------------------------------------------------------------------------------- */

/* What is left to read, and where a sentence goes about what is wrong with it. */
typedef struct reader {
    const uint8_t *at;
    size_t left;
    char *text;
} reader;

/* The next block; NULL if it is another one, or has other than `wanted` bytes. */
static const uint8_t *next_block(reader *in, block kind, size_t wanted)
{
    uint32_t found = in->left < BLOCK_HEAD_BYTES ? 0 : sotto__get_u32(in->at);
    uint32_t bytes = found == 0 ? 0 : sotto__get_u32(in->at + 4);
    if (found != (uint32_t)kind) {
        sotto__fault(in->text, "a block of kind %" PRIu32 ": expected %u, %s", found,
                     (unsigned)kind, names[kind]);
        return NULL;
    }
    if (bytes != wanted || bytes > in->left - BLOCK_HEAD_BYTES) {
        sotto__fault(in->text,
                     "the block %s has %" PRIu32 " bytes: expected %zu, and there are %zu",
                     names[kind], bytes, wanted, in->left - BLOCK_HEAD_BYTES);
        return NULL;
    }
    const uint8_t *content = in->at + BLOCK_HEAD_BYTES;
    in->at = content + bytes;
    in->left -= BLOCK_HEAD_BYTES + (size_t)bytes;
    return content;
}

static sotto_status get_learning(reader *in, const sotto_terms *terms, sotto_learning *learning)
{
    const uint8_t *at = next_block(in, LEARNING, LEARNING_BYTES);
    if (at == NULL) return SOTTO_E_FRAME;
    uint32_t project = sotto__get_u32(at + 28);
    *learning = (sotto_learning){
        .horizon = sotto__get_u64(at),
        .warm_up = sotto__get_u64(at + 8),
        .epoch = sotto__get_u64(at + 16),
        .step = (sotto_step)sotto__get_u32(at + 24),
        .project = project == 1,
        .alpha = sotto__get_f64(at + 32),
        .eta0 = sotto__get_f64(at + 40),
        .shift_scale = sotto__get_f64(at + 48),
        .elimination_scale = sotto__get_f64(at + 56),
        .prior_variance = sotto_learning_default(terms, 0).prior_variance, /* until get_mean */
    };
    if (project > 1) {
        return sotto__fault(in->text, "project = %" PRIu32 ": allowed 0, 1", project),
               SOTTO_E_FRAME;
    }
    return sotto_learning_fault(terms, learning, in->text) == NULL ? SOTTO_OK : SOTTO_E_FRAME;
}

static sotto_status get_model(reader *in, sotto_learner *learner)
{
    size_t bytes = sotto_model_bytes(&learner->terms);
    const uint8_t *at = next_block(in, MODEL, bytes);
    if (at == NULL) return SOTTO_E_FRAME;
    sotto_status status = sotto_model_decode(&learner->terms, at, bytes, learner->model);
    if (status == SOTTO_OK) return SOTTO_OK;
    return sotto__fault(in->text, "the model: %s", sotto_status_text(status)), SOTTO_E_FRAME;
}

static sotto_status get_estimator(reader *in, sotto_learner *learner)
{
    const uint8_t *at = next_block(in, ESTIMATOR, estimator_bytes(learner));
    if (at == NULL) return SOTTO_E_FRAME;
    learner->estimator->repairs = sotto__get_u64(at);
    sotto__kept_get(learner->estimator, at + 8);
    return SOTTO_OK;
}

static sotto_status get_measures(reader *in, sotto_learner *learner)
{
    sotto__measures *m = &learner->measures;
    if (sotto__learner_pairs(learner) == 0) return SOTTO_OK;
    const uint8_t *at = next_block(in, MEASURE, 16 * (size_t)sotto__learner_pairs(learner));
    if (at == NULL) return SOTTO_E_FRAME;
    for (uint32_t i = 0; i < sotto__learner_pairs(learner); i++, at += 16) {
        sotto__learner_pair(learner, i)->count = sotto__get_u64(at);
        sotto__learner_pair(learner, i)->sum = (int64_t)sotto__get_u64(at + 8);
    }
    uint64_t sum = 0; /* unsigned, because nothing is checked yet */
    for (uint32_t a = 0; a < learner->terms.spec.arms; a++) {
        m->control.count += m->control_arm[a].count;
        sum += (uint64_t)m->control_arm[a].sum;
    }
    m->control.sum = (int64_t)sum;
    m->doublings = sotto__measures_doublings(m);
    return SOTTO_OK;
}

/* The settings stand here, so that all other learners keep their bytes. */
static sotto_status get_mean(reader *in, sotto_learner *learner)
{
    if (mean_bytes(learner) == 0) return SOTTO_OK;
    const uint8_t *at = next_block(in, MEAN, mean_bytes(learner));
    if (at == NULL) return SOTTO_E_FRAME;
    learner->learning.mean_phase = sotto__get_u64(at);
    learner->learning.prior_variance = sotto__get_f64(at + 8);
    learner->mean.reports = sotto__get_u64(at + 16);
    for (uint32_t i = 0; i < learner->terms.spec.dim; i++) {
        learner->mean.sum[i] = sotto__get_f64(at + 24 + 8 * i);
    }
    const char *fault = sotto_learning_fault(&learner->terms, &learner->learning, in->text);
    return fault == NULL ? SOTTO_OK : SOTTO_E_FRAME;
}

/* A tally is as long as its phase says, so its block says how long it is. */
static sotto_status get_epoch(reader *in, uint32_t back, sotto_learner *learner)
{
    size_t online = sotto__learner_online(learner), bytes = 0;
    sotto__open_epoch *open = sotto__learner_open(learner, back);
    if (in->left >= BLOCK_HEAD_BYTES) bytes = sotto__get_u32(in->at + 4);
    if (bytes < 8 * online) bytes = 8 * online;
    const uint8_t *at = next_block(in, EPOCH, bytes);
    if (at == NULL) return SOTTO_E_FRAME;
    for (size_t i = 0; i < online; i++, at += 8) {
        open->theta_h[i] = sotto__get_f64(at);
    }
    sotto_tally *tally;
    uint32_t epoch = learner->model->epoch - back;
    sotto_status status = sotto_tally_decode(&learner->terms, at, bytes - 8 * online, &tally);
    if (status == SOTTO_E_MEMORY) return status;
    if (status != SOTTO_OK) {
        sotto__fault(in->text, "the tally of epoch %" PRIu32 ": %s", epoch,
                     sotto_status_text(status));
        return SOTTO_E_FRAME;
    }
    sotto_tally_free(open->tally);
    open->tally = tally;
    learner->taken += tally->count;
    if (tally->epoch == epoch) return SOTTO_OK;
    sotto__fault(in->text, "a tally of epoch %" PRIu32 ": expected epoch %" PRIu32, tally->epoch,
                 epoch);
    return SOTTO_E_FRAME;
}

/* All that follows the settings. */
static sotto_status get_blocks(reader *in, sotto_learner *learner)
{
    sotto_status status = get_model(in, learner);
    if (status == SOTTO_OK) status = get_estimator(in, learner);
    if (status == SOTTO_OK) status = get_measures(in, learner);
    if (status == SOTTO_OK) status = get_mean(in, learner);
    if (status != SOTTO_OK) return status;
    for (uint32_t back = sotto__learner_late(learner) + 1; back-- > 0;) {
        status = get_epoch(in, back, learner);
        if (status != SOTTO_OK) return status;
    }
    if (in->left > 0) {
        return sotto__fault(in->text, "%zu bytes after the last block", in->left), SOTTO_E_FRAME;
    }
    learner->wanted = sotto__learner_wants(learner);
    return sotto__learner_fault(learner, in->text) == NULL ? SOTTO_OK : SOTTO_E_FRAME;
}

static sotto_status check_head(const sotto_terms *terms, const uint8_t *bytes, size_t bytes_count,
                               char *text)
{
    uint8_t check[SOTTO__DIGEST_BYTES];
    if (bytes_count < HEAD_BYTES + CHECK_BYTES) {
        return sotto__fault(text, "%zu bytes: a learner has more", bytes_count), SOTTO_E_FRAME;
    }
    if (memcmp(bytes, magic, sizeof magic) != 0) {
        bool other = memcmp(bytes, magic, 3) == 0 && bytes[3] >= '0' && bytes[3] <= '9';
        if (other) sotto__fault(text, "version STK%c: this library reads STK1", bytes[3]);
        if (!other) sotto__fault(text, "the first four bytes are not STK1");
        return SOTTO_E_FRAME;
    }
    if (memcmp(bytes + 4, terms->id, SOTTO_SPEC_ID_BYTES) != 0) {
        return sotto__fault(text, "%s", sotto_status_text(SOTTO_E_SPEC)), SOTTO_E_SPEC;
    }
    check_of(bytes, bytes_count - CHECK_BYTES, check);
    if (memcmp(bytes + bytes_count - CHECK_BYTES, check, CHECK_BYTES) != 0) {
        return sotto__fault(text, "damaged, cut or extended: the last 16 bytes are not the hash"),
               SOTTO_E_FRAME;
    }
    return SOTTO_OK;
}

/* *out is NULL before. `text` says why, unless SOTTO_OK. */
static sotto_status decode(const sotto_terms *terms, const uint8_t *bytes, size_t bytes_count,
                           char *text, sotto_learner **out)
{
    sotto_learning learning;
    sotto_status status = check_head(terms, bytes, bytes_count, text);
    if (status != SOTTO_OK) return status;
    reader in = {bytes + HEAD_BYTES, bytes_count - HEAD_BYTES - CHECK_BYTES, text};
    status = get_learning(&in, terms, &learning);
    if (status != SOTTO_OK) return status;
    sotto_learner *learner;
    status = sotto_learner_new(terms, &learning, &learner);
    if (status != SOTTO_OK) {
        return sotto__fault(text, "%s", sotto_status_text(status)), status;
    }
    status = get_blocks(&in, learner);
    if (status != SOTTO_OK) {
        sotto_learner_free(learner);
        return status;
    }
    *out = learner;
    return SOTTO_OK;
}

sotto_status sotto_learner_decode(const sotto_terms *terms, const uint8_t *bytes,
                                  size_t bytes_count, sotto_learner **out)
{
    SOTTO__DEFAULT_FLOATS;
    char text[SOTTO_FAULT_BYTES];
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (terms == NULL || bytes == NULL) return SOTTO_E_ARGUMENT;
    return SOTTO__UNSEEN(decode)(terms, bytes, bytes_count, text, out);
}

const char *sotto_learner_bytes_fault(const sotto_terms *terms, const uint8_t *bytes,
                                      size_t bytes_count, char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    if (terms == NULL || bytes == NULL || text == NULL) return sotto_status_text(SOTTO_E_ARGUMENT);
    sotto_learner *learner = NULL;
    sotto_status status = SOTTO__UNSEEN(decode)(terms, bytes, bytes_count, text, &learner);
    sotto_learner_free(learner);
    return status == SOTTO_OK ? NULL : text;
}
