/*
 * Digests: SHA-256 over these bytes. Integers are little-endian; u32 and u64 are unsigned, i64 is two's
 * complement; "text" is its ASCII bytes without an end; bytes(x) is the length of x as u64, then x.
 *
 *   journal     the digest of the row before, of the same experiment and gateway (32 bytes; zeros for the
 *               first) | u32 experiment | u32 gateway | u64 gseq | u32 epoch | u32 late | u32 duplicate |
 *               u32 conflicting | bytes(frames)
 *   experiment  "experiment" | u32 number | id (16 bytes) | u32 state (0 open, 1 paused, 2 closed, 3 deleted) |
 *               u64 created_minute | u32 epoch_seconds_min | u64 epoch_reports_min |
 *               u64 epoch_reports_expected | u32 quarantine (0 or 1) | bytes(report_key; none: empty) |
 *               bytes(terms) | bytes(start) | bytes(labels)
 *   model       "model" | the digest of the model before, of the same experiment (32 bytes; zeros for the
 *               first) | u32 experiment | u32 epoch | u32 kind (1 publish, 2 discard) | u64 minute |
 *               u64 folded | u64 late | u64 duplicate | u64 conflicting | bytes(cut) | bytes(learner) |
 *               bytes(told)
 *   history     "history" | u32 experiment | u32 epoch | u64 minute | u32 publishes | u64 learn |
 *               u64 control | u64 follow | i64 control_sum | i64 follow_sum | u64 late | u64 duplicate |
 *               u64 conflicting | u32 alarms
 *   removed     "removed" | u32 experiment | u32 gateway | u64 gseq | last (32 bytes)
 */
#include "row_digest.h"

#include "core/bytes.h"
#include "core/digest.h"

#include <assert.h>

static_assert(JOURNAL_DIGEST_BYTES == SOTTO__DIGEST_BYTES, "one SHA-256");

static void add_u32(sotto__digest *digest, uint32_t value)
{
    uint8_t bytes[4];
    sotto__put_u32(bytes, value);
    sotto__digest_add(digest, bytes, sizeof bytes);
}

static void add_u64(sotto__digest *digest, uint64_t value)
{
    uint8_t bytes[8];
    sotto__put_u64(bytes, value);
    sotto__digest_add(digest, bytes, sizeof bytes);
}

static void add_bytes(sotto__digest *digest, const void *at, size_t bytes)
{
    add_u64(digest, bytes);
    if (bytes > 0) sotto__digest_add(digest, at, bytes);
}

static void begin(sotto__digest *digest, const char *name)
{
    sotto__digest_begin(digest);
    sotto__digest_add(digest, name, strlen(name));
}

void postgres__digest_row(const uint8_t before[JOURNAL_DIGEST_BYTES], uint32_t gateway,
                          const journal_row *row, uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, before, JOURNAL_DIGEST_BYTES);
    add_u32(&digest, row->experiment);
    add_u32(&digest, gateway);
    add_u64(&digest, row->seq);
    add_u32(&digest, row->epoch);
    add_u32(&digest, row->late);
    add_u32(&digest, row->duplicate);
    add_u32(&digest, row->conflicting);
    add_bytes(&digest, row->frames.at, row->frames.bytes);
    sotto__digest_end(&digest, out);
}

void postgres__digest_experiment(const journal_experiment *experiment,
                                 uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    begin(&digest, "experiment");
    add_u32(&digest, experiment->number);
    sotto__digest_add(&digest, experiment->id, sizeof experiment->id);
    add_u32(&digest, (uint32_t)experiment->state);
    add_u64(&digest, experiment->created_minute);
    add_u32(&digest, experiment->epoch_seconds_min);
    add_u64(&digest, experiment->epoch_reports_min);
    add_u64(&digest, experiment->epoch_reports_expected);
    add_u32(&digest, experiment->quarantine ? 1 : 0);
    add_bytes(&digest, experiment->report_key,
              experiment->has_report_key ? sizeof experiment->report_key : 0);
    add_bytes(&digest, experiment->terms.at, experiment->terms.bytes);
    add_bytes(&digest, experiment->start.at, experiment->start.bytes);
    add_bytes(&digest, experiment->labels, strlen(experiment->labels));
    sotto__digest_end(&digest, out);
}

void postgres__digest_model(const uint8_t before[JOURNAL_DIGEST_BYTES], const folding_model *model,
                            journal_bytes cut, uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    begin(&digest, "model");
    sotto__digest_add(&digest, before, JOURNAL_DIGEST_BYTES);
    add_u32(&digest, model->experiment);
    add_u32(&digest, model->epoch);
    add_u32(&digest, (uint32_t)model->kind);
    add_u64(&digest, model->minute);
    add_u64(&digest, model->counts.folded);
    add_u64(&digest, model->counts.late);
    add_u64(&digest, model->counts.duplicate);
    add_u64(&digest, model->counts.conflicting);
    add_bytes(&digest, cut.at, cut.bytes);
    add_bytes(&digest, model->learner.at, model->learner.bytes);
    add_bytes(&digest, model->told.at, model->told.bytes);
    sotto__digest_end(&digest, out);
}

void postgres__digest_history(const journal_history *history, uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    begin(&digest, "history");
    add_u32(&digest, history->experiment);
    add_u32(&digest, history->epoch);
    add_u64(&digest, history->minute);
    add_u32(&digest, history->publishes);
    add_u64(&digest, history->learn);
    add_u64(&digest, history->control);
    add_u64(&digest, history->follow);
    add_u64(&digest, (uint64_t)history->control_sum);
    add_u64(&digest, (uint64_t)history->follow_sum);
    add_u64(&digest, history->late);
    add_u64(&digest, history->duplicate);
    add_u64(&digest, history->conflicting);
    add_u32(&digest, history->alarms);
    sotto__digest_end(&digest, out);
}

void postgres__digest_removed(uint32_t experiment, const folding_place *place,
                              uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    begin(&digest, "removed");
    add_u32(&digest, experiment);
    add_u32(&digest, place->gateway);
    add_u64(&digest, place->gseq);
    sotto__digest_add(&digest, place->digest, sizeof place->digest);
    sotto__digest_end(&digest, out);
}
