/*
 * Digests: SHA-256 over these bytes. Integers are little-endian; u32 and u64 are unsigned, i64 is two's
 * complement; "text" is its ASCII bytes without an end; bytes(x) is the length of x as u64, then x.
 *
 *   journal     the digest of the row before, of the same experiment and gateway (32 bytes; zeros for the
 *               first) | u32 experiment | u32 gateway | u64 gseq | u32 epoch | u32 late | u32 duplicate |
 *               u32 conflicting | bytes(frames)
 *   experiment, history  as in service/store/digest.c
 *   model       "model" | the digest of the model before, of the same experiment (32 bytes; zeros for the
 *               first) | u32 experiment | u32 epoch | u32 kind (1 publish, 2 discard) | u64 minute |
 *               u64 folded | u64 late | u64 duplicate | u64 conflicting | bytes(cut) | bytes(learner) |
 *               bytes(told)
 *   held        "held" | u32 experiment | u32 epoch | u32 alarms | u64 reports | u32 decision (0 none, 1 publish,
 *               2 discard)
 *   ended       "ended" | u32 experiment | u32 epoch | u64 folded | u64 late | u64 duplicate | u64 conflicting |
 *               bytes(cut) | bytes(learner)
 *   removed     "removed" | u32 experiment | u32 gateway | u64 gseq | last (32 bytes)
 */
#include "inner.h"

#include "service/store/store.h"

void postgres__digest_row(const uint8_t before[JOURNAL_DIGEST_BYTES], uint32_t gateway,
                          const journal_row *row, uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, before, JOURNAL_DIGEST_BYTES);
    journal__add_u32(&digest, row->experiment);
    journal__add_u32(&digest, gateway);
    journal__add_u64(&digest, row->seq);
    journal__add_u32(&digest, row->epoch);
    journal__add_u32(&digest, row->late);
    journal__add_u32(&digest, row->duplicate);
    journal__add_u32(&digest, row->conflicting);
    journal__add_bytes(&digest, row->frames.at, row->frames.bytes);
    sotto__digest_end(&digest, out);
}

void postgres__digest_model(const uint8_t before[JOURNAL_DIGEST_BYTES], const folding_model *model,
                            journal_bytes cut, uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    journal__begin_digest(&digest, "model");
    sotto__digest_add(&digest, before, JOURNAL_DIGEST_BYTES);
    journal__add_u32(&digest, model->experiment);
    journal__add_u32(&digest, model->epoch);
    journal__add_u32(&digest, (uint32_t)model->kind);
    journal__add_u64(&digest, model->minute);
    journal__add_u64(&digest, model->counts.folded);
    journal__add_u64(&digest, model->counts.late);
    journal__add_u64(&digest, model->counts.duplicate);
    journal__add_u64(&digest, model->counts.conflicting);
    journal__add_bytes(&digest, cut.at, cut.bytes);
    journal__add_bytes(&digest, model->learner.at, model->learner.bytes);
    journal__add_bytes(&digest, model->results.at, model->results.bytes);
    sotto__digest_end(&digest, out);
}

void postgres__digest_removed(uint32_t experiment, const folding_place *place,
                              uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    journal__begin_digest(&digest, "removed");
    journal__add_u32(&digest, experiment);
    journal__add_u32(&digest, place->gateway);
    journal__add_u64(&digest, place->gseq);
    sotto__digest_add(&digest, place->digest, sizeof place->digest);
    sotto__digest_end(&digest, out);
}

void postgres__digest_held(const journal_held *held, uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    journal__begin_digest(&digest, "held");
    journal__add_u32(&digest, held->experiment);
    journal__add_u32(&digest, held->epoch);
    journal__add_u32(&digest, held->alarms);
    journal__add_u64(&digest, held->reports);
    journal__add_u32(&digest, (uint32_t)held->decision);
    sotto__digest_end(&digest, out);
}

void postgres__digest_ended(const folding_model *ended, journal_bytes cut,
                            uint8_t out[JOURNAL_DIGEST_BYTES])
{
    sotto__digest digest;
    journal__begin_digest(&digest, "ended");
    journal__add_u32(&digest, ended->experiment);
    journal__add_u32(&digest, ended->epoch);
    journal__add_u64(&digest, ended->counts.folded);
    journal__add_u64(&digest, ended->counts.late);
    journal__add_u64(&digest, ended->counts.duplicate);
    journal__add_u64(&digest, ended->counts.conflicting);
    journal__add_bytes(&digest, cut.at, cut.bytes);
    journal__add_bytes(&digest, ended->learner.at, ended->learner.bytes);
    sotto__digest_end(&digest, out);
}
