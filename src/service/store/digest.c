/*
 * Digests: SHA-256 over these bytes. Integers are little-endian; u32 and u64 are unsigned, i64 is two's
 * complement; "text" is its ASCII bytes without terminator; bytes(x) is the length of x as u64, then x.
 *
 *   row         the digest of the previous row (32 bytes; zeros for the first of an experiment) |
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
 *   history     "history" | u32 experiment | u32 epoch | u64 minute | JOURNAL_STATISTIC_MAP, in its
 *               order and widths | u32 alarms
 *   recovery    "recovery" | u32 number | u64 kept_to | u64 last */
#include "store.h"

void journal__digest_row(const uint8_t before[JOURNAL_DIGEST_BYTES], const journal_row *row,
                         uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, before, JOURNAL_DIGEST_BYTES);
    journal__add_u64(&digest, row->seq);
    journal__add_u32(&digest, row->experiment);
    journal__add_u32(&digest, (uint32_t)row->kind);
    journal__add_u32(&digest, row->epoch);
    journal__add_u64(&digest, row->minute);
    journal__add_u32(&digest, row->late);
    journal__add_u32(&digest, row->duplicate);
    journal__add_u32(&digest, row->conflicting);
    journal__add_bytes(&digest, row->frames.at, row->frames.bytes);
    sotto__digest_end(&digest, out);
}

void journal__digest_experiment(const journal_experiment *experiment,
                                uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    journal__begin_digest(&digest, "experiment");
    journal__add_u32(&digest, experiment->number);
    sotto__digest_add(&digest, experiment->id, sizeof experiment->id);
    journal__add_u32(&digest, (uint32_t)experiment->state);
    journal__add_u64(&digest, experiment->created_minute);
    journal__add_u32(&digest, experiment->epoch_seconds_min);
    journal__add_u64(&digest, experiment->epoch_reports_min);
    journal__add_bytes(&digest, experiment->terms.at, experiment->terms.bytes);
    journal__add_bytes(&digest, experiment->start.at, experiment->start.bytes);
    journal__add_bytes(&digest, experiment->labels, strlen(experiment->labels));
    journal__add_u64(&digest, experiment->epoch_reports_expected);
    journal__add_u32(&digest, experiment->quarantine);
    journal__add_bytes(&digest, experiment->report_key,
                       experiment->has_report_key ? sizeof experiment->report_key : 0);
    sotto__digest_end(&digest, out);
}

void journal__digest_ends(uint32_t experiment, const journal_ends *ends,
                          uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    journal__begin_digest(&digest, "ends");
    journal__add_u32(&digest, experiment);
    journal__add_u64(&digest, ends->anchor_seq);
    sotto__digest_add(&digest, ends->anchor, sizeof ends->anchor);
    journal__add_u64(&digest, ends->head_seq);
    sotto__digest_add(&digest, ends->head, sizeof ends->head);
    sotto__digest_end(&digest, out);
}

void journal__digest_snapshot(const journal_snapshot *snapshot, uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    journal__begin_digest(&digest, "snapshot");
    journal__add_u32(&digest, snapshot->experiment);
    journal__add_u64(&digest, snapshot->seq);
    journal__add_u64(&digest, snapshot->counts.folded);
    journal__add_u64(&digest, snapshot->counts.late);
    journal__add_u64(&digest, snapshot->counts.duplicate);
    journal__add_u64(&digest, snapshot->counts.conflicting);
    journal__add_bytes(&digest, snapshot->learner.at, snapshot->learner.bytes);
    sotto__digest_end(&digest, out);
}

void journal__digest_history(const journal_history *history, uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    journal__begin_digest(&digest, "history");
    journal__add_u32(&digest, history->experiment);
    journal__add_u32(&digest, history->epoch);
    journal__add_u64(&digest, history->minute);
#define ADD(sign, width, type, name) journal__add_##width(&digest, history->name);
    JOURNAL_STATISTIC_MAP(ADD)
#undef ADD
    journal__add_u32(&digest, history->alarms);
    sotto__digest_end(&digest, out);
}

void journal__digest_recovery(const journal_recovery *recovery, uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    journal__begin_digest(&digest, "recovery");
    journal__add_u32(&digest, recovery->number);
    journal__add_u64(&digest, recovery->kept_to);
    journal__add_u64(&digest, recovery->last);
    sotto__digest_end(&digest, out);
}
