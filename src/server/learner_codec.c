/*
 * A learner as bytes, so that a server can stop and later continue exactly where it was.
 *
 * Learner frame:
 * offset  size  what (little-endian)
 *      0     4  magic "STK1"; "STK2" with the block harm
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
 *      7  harm       only with a fallback, or once there was harm: fallback u32, restarts u32, harm since
 *                    epoch u32, served since epoch u32, 1 if it ends u32, 0 u32; count u64 and sum i64 of
 *                    all and of recent measure rounds since the last restart (server.h)
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
#include "core/core.h"
#include "inner.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define HEAD_BYTES 20u
#define BLOCK_HEAD_BYTES 8u
#define LEARNING_BYTES 64u
#define HARM_BYTES 56u
#define CHECK_BYTES 16u

static const uint8_t magics[2][4] = {{'S', 'T', 'K', '1'}, {'S', 'T', 'K', '2'}};

typedef enum block { LEARNING = 1, MODEL, ESTIMATOR, MEASURE, EPOCH, MEAN, HARM } block;
static const char *const names[] = {
    [LEARNING] = "learning", [MODEL] = "model", [ESTIMATOR] = "estimator", [MEASURE] = "measure",
    [EPOCH] = "epoch",       [MEAN] = "mean",   [HARM] = "harm",
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

static bool keeps_harm(const sotto_learner *learner)
{
    return sotto__harm_is_kept(&learner->harm, learner->learning.fallback);
}

size_t sotto_learner_bytes(const sotto_learner *learner)
{
    if (learner == NULL) return 0;
    size_t pairs = sotto__learner_pairs(learner);
    bool harm = keeps_harm(learner);
    size_t blocks =
        4u + (pairs > 0) + harm + (mean_bytes(learner) > 0) + sotto__learner_late(learner);
    size_t bytes = HEAD_BYTES + LEARNING_BYTES + sotto_model_bytes(&learner->terms) +
                   estimator_bytes(learner) + 16 * pairs + mean_bytes(learner) + CHECK_BYTES +
                   (harm ? HARM_BYTES : 0);
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

static uint8_t *put_harm(const sotto_learner *learner, uint8_t *at)
{
    const sotto__harm *harm = &learner->harm;
    if (!keeps_harm(learner)) return at;
    at = begin_block(at, HARM, HARM_BYTES);
    sotto__put_u32(at, learner->learning.fallback);
    sotto__put_u32(at + 4, harm->restarts);
    sotto__put_u32(at + 8, harm->epoch);
    sotto__put_u32(at + 12, harm->served_epoch);
    sotto__put_u32(at + 16, harm->ends);
    sotto__put_u32(at + 20, 0);
    sotto__put_u64(at + 24, harm->all.count);
    sotto__put_u64(at + 32, (uint64_t)harm->all.sum);
    sotto__put_u64(at + 40, harm->recent.count);
    sotto__put_u64(at + 48, (uint64_t)harm->recent.sum);
    return at + HARM_BYTES;
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

sotto_status sotto_learner_encode(const sotto_learner *learner, uint8_t *out, size_t capacity_bytes)
{
    if (learner == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (capacity_bytes < sotto_learner_bytes(learner)) return SOTTO_E_LENGTH;
    uint8_t check[SOTTO__DIGEST_BYTES];
    size_t model_bytes = sotto_model_bytes(&learner->terms);
    if (sotto__learner_fault(learner, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    memcpy(out, magics[keeps_harm(learner)], sizeof magics[0]);
    memcpy(out + 4, learner->terms.id, SOTTO_SPEC_ID_BYTES);
    uint8_t *at = put_learning(&learner->learning, out + HEAD_BYTES);
    at = begin_block(at, MODEL, model_bytes);
    sotto_status status = sotto_model_encode(&learner->terms, learner->model, at, model_bytes);
    if (status != SOTTO_OK) return status;
    at = put_estimator(learner, at + model_bytes);
    at = put_measures(learner, at);
    at = put_harm(learner, at);
    at = put_mean(learner, at);
    for (uint32_t back = sotto__learner_late(learner) + 1; back-- > 0;) {
        at = put_epoch(learner, back, at);
    }
    check_of(out, (size_t)(at - out), check);
    memcpy(at, check, CHECK_BYTES);
    return SOTTO_OK;
}

/* ---- decode --------------------------------------------------------------------------------- */

/* The bytes left to read, and the fault to fill. */
typedef struct block_reader {
    const uint8_t *at;
    size_t left;
    bool second; /* STK2 */
    sotto_fault *fault;
} block_reader;

/* The next block; NULL if it is of another kind or does not have `wanted` bytes. */
static const uint8_t *next_block(block_reader *in, block kind, size_t wanted)
{
    uint32_t found = in->left < BLOCK_HEAD_BYTES ? 0 : sotto__get_u32(in->at);
    uint32_t bytes = found == 0 ? 0 : sotto__get_u32(in->at + 4);
    if (found != (uint32_t)kind) {
        sotto__refuse(in->fault, "a block of kind %" PRIu32 ": expected %u, %s", found,
                      (unsigned)kind, names[kind]);
        return NULL;
    }
    if (bytes != wanted || bytes > in->left - BLOCK_HEAD_BYTES) {
        sotto__refuse(in->fault,
                      "the block %s has %" PRIu32 " bytes: expected %zu, and there are %zu",
                      names[kind], bytes, wanted, in->left - BLOCK_HEAD_BYTES);
        return NULL;
    }
    const uint8_t *content = in->at + BLOCK_HEAD_BYTES;
    in->at = content + bytes;
    in->left -= BLOCK_HEAD_BYTES + (size_t)bytes;
    return content;
}

static sotto_status check_learning(const block_reader *in, const sotto_terms *terms,
                                   const sotto_learning *learning)
{
    sotto_status status = sotto_learning_fault(terms, learning, in->fault);
    return status == SOTTO_OK ? SOTTO_OK : SOTTO_E_FRAME;
}

static sotto_status get_learning(block_reader *in, const sotto_terms *terms,
                                 sotto_learning *learning)
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
        sotto__fault_at(in->fault, "project", "%" PRIu32 ": allowed 0, 1", project);
        return SOTTO_E_FRAME;
    }
    return check_learning(in, terms, learning);
}

static sotto_status get_model(block_reader *in, sotto_learner *learner)
{
    size_t bytes = sotto_model_bytes(&learner->terms);
    const uint8_t *at = next_block(in, MODEL, bytes);
    if (at == NULL) return SOTTO_E_FRAME;
    sotto_status status = sotto_model_decode(&learner->terms, at, bytes, learner->model);
    if (status == SOTTO_OK) return SOTTO_OK;
    sotto__refuse(in->fault, "the model: %s", sotto_status_text(status));
    return SOTTO_E_FRAME;
}

static sotto_status get_estimator(block_reader *in, sotto_learner *learner)
{
    const uint8_t *at = next_block(in, ESTIMATOR, estimator_bytes(learner));
    if (at == NULL) return SOTTO_E_FRAME;
    learner->estimator->repairs = sotto__get_u64(at);
    sotto__kept_get(learner->estimator, at + 8);
    return SOTTO_OK;
}

static sotto_status get_measures(block_reader *in, sotto_learner *learner)
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

/* Derived from the measures if it has no bytes of its own. */
static sotto_status get_harm(block_reader *in, sotto_learner *learner)
{
    sotto__harm *harm = &learner->harm;
    sotto__harm_derive(&learner->measures, harm);
    if (!in->second) return SOTTO_OK;
    const uint8_t *at = next_block(in, HARM, HARM_BYTES);
    if (at == NULL) return SOTTO_E_FRAME;
    uint32_t ends = sotto__get_u32(at + 16);
    learner->learning.fallback = sotto__get_u32(at);
    *harm = (sotto__harm){
        .restarts = sotto__get_u32(at + 4),
        .epoch = sotto__get_u32(at + 8),
        .served_epoch = sotto__get_u32(at + 12),
        .ends = ends == 1,
        .all = {sotto__get_u64(at + 24), (int64_t)sotto__get_u64(at + 32)},
        .recent = {sotto__get_u64(at + 40), (int64_t)sotto__get_u64(at + 48)},
    };
    harm->doublings = sotto__log2_floor(harm->all.count);
    if (ends > 1 || sotto__get_u32(at + 20) != 0 || !keeps_harm(learner)) {
        sotto__refuse(in->fault, "the block harm is empty or impossible");
        return SOTTO_E_FRAME;
    }
    return check_learning(in, &learner->terms, &learner->learning);
}

/* The settings of the mean phase stand in its block, so that all other learners keep their bytes. */
static sotto_status get_mean(block_reader *in, sotto_learner *learner)
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
    return check_learning(in, &learner->terms, &learner->learning);
}

/* The phase of a tally determines its length, so its block has the length. */
static sotto_status get_epoch(block_reader *in, uint32_t back, sotto_learner *learner)
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
        sotto__refuse(in->fault, "the tally of epoch %" PRIu32 ": %s", epoch,
                      sotto_status_text(status));
        return SOTTO_E_FRAME;
    }
    sotto_tally_free(open->tally);
    open->tally = tally;
    learner->taken += sotto__learner_counted(learner, tally);
    if (tally->epoch == epoch) return SOTTO_OK;
    sotto__refuse(in->fault, "a tally of epoch %" PRIu32 ": expected epoch %" PRIu32, tally->epoch,
                  epoch);
    return SOTTO_E_FRAME;
}

/* Everything after the settings. */
static sotto_status get_blocks(block_reader *in, sotto_learner *learner)
{
    sotto_status status = get_model(in, learner);
    if (status == SOTTO_OK) status = get_estimator(in, learner);
    if (status == SOTTO_OK) status = get_measures(in, learner);
    if (status == SOTTO_OK) status = get_harm(in, learner);
    if (status == SOTTO_OK) status = get_mean(in, learner);
    if (status != SOTTO_OK) return status;
    for (uint32_t back = sotto__learner_late(learner) + 1; back-- > 0;) {
        status = get_epoch(in, back, learner);
        if (status != SOTTO_OK) return status;
    }
    if (in->left > 0) {
        sotto__refuse(in->fault, "%zu bytes after the last block", in->left);
        return SOTTO_E_FRAME;
    }
    learner->wanted = sotto__learner_wants(learner);
    return sotto__learner_fault(learner, in->fault) == SOTTO_OK ? SOTTO_OK : SOTTO_E_FRAME;
}

static sotto_status check_head(const sotto_terms *terms, const uint8_t *bytes, size_t bytes_count,
                               sotto_fault *fault)
{
    uint8_t check[SOTTO__DIGEST_BYTES];
    if (bytes_count < HEAD_BYTES + CHECK_BYTES) {
        sotto__refuse(fault, "%zu bytes: shorter than any learner", bytes_count);
        return SOTTO_E_FRAME;
    }
    if (memcmp(bytes, magics[0], sizeof magics[0]) != 0 &&
        memcmp(bytes, magics[1], sizeof magics[1]) != 0) {
        bool other = memcmp(bytes, magics[0], 3) == 0 && bytes[3] >= '0' && bytes[3] <= '9';
        if (other)
            sotto__refuse(fault, "version STK%c: this library reads STK1 and STK2", bytes[3]);
        if (!other) sotto__refuse(fault, "the first four bytes are neither STK1 nor STK2");
        return SOTTO_E_FRAME;
    }
    if (memcmp(bytes + 4, terms->id, SOTTO_SPEC_ID_BYTES) != 0) {
        return sotto__fault_status(fault, SOTTO_E_SPEC);
    }
    check_of(bytes, bytes_count - CHECK_BYTES, check);
    if (memcmp(bytes + bytes_count - CHECK_BYTES, check, CHECK_BYTES) != 0) {
        sotto__refuse(fault,
                      "damaged, cut or extended: the last 16 bytes are not the hash of the others");
        return SOTTO_E_FRAME;
    }
    return SOTTO_OK;
}

/* *out is NULL before. */
static sotto_status decode(const sotto_terms *terms, const uint8_t *bytes, size_t bytes_count,
                           sotto_learner **out, sotto_fault *fault)
{
    sotto_learning learning;
    sotto_status status = check_head(terms, bytes, bytes_count, fault);
    if (status != SOTTO_OK) return status;
    bool second = memcmp(bytes, magics[1], sizeof magics[1]) == 0;
    block_reader in = {bytes + HEAD_BYTES, bytes_count - HEAD_BYTES - CHECK_BYTES, second, fault};
    status = get_learning(&in, terms, &learning);
    if (status != SOTTO_OK) return status;
    sotto_learner *learner;
    status = sotto_learner_new(terms, &learning, &learner);
    if (status != SOTTO_OK) return sotto__fault_status(fault, status);
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
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (terms == NULL || bytes == NULL) return SOTTO_E_ARGUMENT;
    return decode(terms, bytes, bytes_count, out, NULL);
}

sotto_status sotto_learner_bytes_fault(const sotto_terms *terms, const uint8_t *bytes,
                                       size_t bytes_count, sotto_fault *fault)
{
    if (terms == NULL || bytes == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto_learner *learner = NULL;
    sotto_status status = decode(terms, bytes, bytes_count, &learner, fault);
    sotto_learner_free(learner);
    return status;
}
