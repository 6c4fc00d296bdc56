/*
 * Digests: SHA-256 over these bytes. Integers are little-endian; u32 and u64 are unsigned, i64 is two's
 * complement; "text" is its ASCII bytes without an end; bytes(x) is the length of x as u64, then x.
 *
 *   row         the digest of the row before (32 bytes; zeros for the first of an experiment) |
 *               u64 seq | u32 experiment | u32 kind (0 reports, 1 publish, 2 discard) | u32 epoch |
 *               u64 minute | u32 late | u32 duplicate | u32 conflicting | bytes(frames)
 *   experiment  "experiment" | u32 number | id (16 bytes) | u32 state (0 open, 1 paused, 2 closed,
 *               3 deleted) | u64 created_minute | u32 epoch_seconds_min | u64 epoch_reports_min |
 *               bytes(terms) | bytes(start) | bytes(labels) | u64 epoch_reports_expected |
 *               u32 quarantine (0 or 1) | bytes(report_key: 32 bytes, or none)
 *   ends        "ends" | u32 experiment | u64 anchor_seq | anchor (32 bytes) | u64 head_seq |
 *               head (32 bytes)
 *   snapshot    "snapshot" | u32 experiment | u64 seq | u64 folded | u64 late | u64 duplicate |
 *               u64 conflicting | bytes(learner)
 *   history     "history" | u32 experiment | u32 epoch | u64 minute | u32 publishes | u64 learn |
 *               u64 control | u64 follow | i64 control_sum | i64 follow_sum | u64 late |
 *               u64 duplicate | u64 conflicting | u32 alarms
 *   recovery    "recovery" | u32 number | u64 kept_to | u64 last
 *
 * In format 1 an experiment ends with its labels, and history with conflicting. A later format appends what
 * it adds.
 */
#include "journal_digest.h"

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

void journal__digest_row(const uint8_t before[JOURNAL_DIGEST_BYTES], const journal_row *row,
                         uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, before, JOURNAL_DIGEST_BYTES);
    add_u64(&digest, row->seq);
    add_u32(&digest, row->experiment);
    add_u32(&digest, (uint32_t)row->kind);
    add_u32(&digest, row->epoch);
    add_u64(&digest, row->minute);
    add_u32(&digest, row->late);
    add_u32(&digest, row->duplicate);
    add_u32(&digest, row->conflicting);
    add_bytes(&digest, row->frames.at, row->frames.bytes);
    sotto__digest_end(&digest, out);
}

void journal__digest_experiment(const journal_experiment *experiment, uint32_t format,
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
    add_bytes(&digest, experiment->terms.at, experiment->terms.bytes);
    add_bytes(&digest, experiment->start.at, experiment->start.bytes);
    add_bytes(&digest, experiment->labels, strlen(experiment->labels));
    if (format >= 2) {
        add_u64(&digest, experiment->epoch_reports_expected);
        add_u32(&digest, experiment->quarantine);
        add_bytes(&digest, experiment->report_key,
                  experiment->has_report_key ? sizeof experiment->report_key : 0);
    }
    sotto__digest_end(&digest, out);
}

void journal__digest_ends(uint32_t experiment, const journal_ends *ends,
                          uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    begin(&digest, "ends");
    add_u32(&digest, experiment);
    add_u64(&digest, ends->anchor_seq);
    sotto__digest_add(&digest, ends->anchor, sizeof ends->anchor);
    add_u64(&digest, ends->head_seq);
    sotto__digest_add(&digest, ends->head, sizeof ends->head);
    sotto__digest_end(&digest, out);
}

void journal__digest_snapshot(const journal_snapshot *snapshot, uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    begin(&digest, "snapshot");
    add_u32(&digest, snapshot->experiment);
    add_u64(&digest, snapshot->seq);
    add_u64(&digest, snapshot->counts.folded);
    add_u64(&digest, snapshot->counts.late);
    add_u64(&digest, snapshot->counts.duplicate);
    add_u64(&digest, snapshot->counts.conflicting);
    add_bytes(&digest, snapshot->learner.at, snapshot->learner.bytes);
    sotto__digest_end(&digest, out);
}

void journal__digest_history(const journal_history *history, uint32_t format,
                             uint8_t out[JOURNAL_DIGEST_BYTES])
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
    if (format >= 2) add_u32(&digest, history->alarms);
    sotto__digest_end(&digest, out);
}

void journal__digest_recovery(const journal_recovery *recovery, uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    begin(&digest, "recovery");
    add_u32(&digest, recovery->number);
    add_u64(&digest, recovery->kept_to);
    add_u64(&digest, recovery->last);
    sotto__digest_end(&digest, out);
}
