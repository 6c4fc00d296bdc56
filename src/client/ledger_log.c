/*
 * The ledger's format, "STL1". All integers little-endian, all reals IEEE 754 doubles.
 *
 * A file is two head blocks and a log of entries.
 *
 * offset  size  what
 *      0  4096  head block 0
 *   4096  4096  head block 1
 *   8192        entries 1, 2, 3, ..., without gaps, up to `end` of the newer head block;
 *               what follows was never anchored and counts for nothing
 *
 * Head block: the log up to one entry. Each has a page of its own, so that writing one never
 * touches the other.
 *      0     4  magic "STL1"
 *      4     4  which block: 0 or 1
 *      8    16  ledger id, random
 *     24     8  sequence: entries anchored
 *     32     8  end: offset after the last of them
 *     40    16  chain: digest of the last of them
 *     56     8  rounds          64  8  reports
 *     72     8  sum of epsilon  80  8  sum of delta
 *     88     8  largest epsilon 96  8  largest delta
 *    104     8  epsilon_per_report_max of the policy that booked the first round; 0 before it, and
 *               in ledgers from before there was this field, whose rounds are added up only
 *    112  3968  zero
 *   4080    16  SHA-256 of the 4080 bytes before, first half
 *
 * A process that has the file open and sees it rolled back writes two blocks of zeros with the magic
 * "STLX": whoever opens it later must refuse it too.
 *
 * Block s mod 2 is written to anchor entry s. Valid: the newer block has sequence s and is block
 * s mod 2, the other has s - 1; or both have 0. Both must fit the log to the last bit.
 *
 * Entry:
 *      0     1  kind: 1 debit, 2 report, 3 held report, 4 sealed, 5 acknowledged, 6 due,
 *               7 dropped
 *      1     3  zero
 *      4     4  rest: bytes after the first 64 and before the chain; 0 but for reports
 *      8     8  sequence, from 1
 *     16    48  debit: spec id 16, nonce 16, epsilon 8, delta 8
 *               report, held report: sequence of its debit 8, the first 40 bytes of the frame
 *               sealed: sequence of its debit 8, sequence of the report that is sealed 8, zero 32
 *               acknowledged, dropped: sequence of its debit 8, zero 40
 *               due: sequence of its debit 8, begun 8, send at 8, zero 24; both times in
 *               milliseconds since 1970
 *     64  rest  report, held report: the rest of the frame
 *   + rest  16  chain: SHA-256(chain of the entry before | the entry so far), first half;
 *               before entry 1: SHA-256("sotto ledger 1" | ledger id), first half
 *
 * Valid: epsilon finite and not negative, delta 0 to 1. All other entries belong to a debit before
 * them, and of each kind a debit has at most one:
 *   held report   the debit has no report; a frame of that debit's spec id and nonce
 *   report        the same; or it replaces a held report that is not sealed, in a frame as long
 *   sealed        the debit has a report, and this is its last one: these bytes, and no others, may
 *                 leave. A report of kind 2 cannot be replaced, sealed or not
 *   acknowledged  the debit's report is sealed. The round is over
 *   due           the debit has no report. 1 <= begun <= 2^62, and begun <= send at <= begun +
 *                 63,072,000,000: two years, since a reward window and a spread have one each
 *   dropped       the debit has a report, sealed or not: it is never sent, or never again. The
 *                 round is over
 *
 * So a ledger holds what was spent and private reports, at most two for a round, of which a server
 * may see one; and no secret.
 *
 * Elsewhere than in a file (sotto_ledger_calls) a ledger is an anchor and the same entries, each
 * stored by its sequence. The anchor says what the newer head block would:
 *      0     4  magic "STA1"
 *      4     4  zero
 *      8   104  as in a head block
 *    112    16  SHA-256 of the 112 bytes before, first half
 */
#include "core/core.h"
#include "inner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHECKSUM_AT (SOTTO__HEAD_BLOCK_BYTES - SOTTO__CHAIN_BYTES)
#define ANCHOR_CHECKSUM_AT (SOTTO_LEDGER_ANCHOR_BYTES - SOTTO__CHAIN_BYTES)
#define REST_BYTES_MAX (4 * SOTTO_TICKS_MAX)
#define AWAY_MS_MAX 63072000000u /* two years: reward_window_s and send_spread_s at most */

static const uint8_t magic[4] = {'S', 'T', 'L', '1'};
static const uint8_t anchor_magic[4] = {'S', 'T', 'A', '1'};
static const uint8_t spoiled[4] = {'S', 'T', 'L', 'X'};

static void half_digest(const void *a, size_t a_bytes, const void *b, size_t b_bytes,
                        uint8_t out[SOTTO__CHAIN_BYTES])
{
    uint8_t whole[SOTTO__DIGEST_BYTES];
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, a, a_bytes);
    sotto__digest_add(&digest, b, b_bytes);
    sotto__digest_end(&digest, whole);
    memcpy(out, whole, SOTTO__CHAIN_BYTES);
}

void sotto__log_begin(sotto__log *log, const uint8_t id[SOTTO__LEDGER_ID_BYTES])
{
    static const char start[] = "sotto ledger 1";
    *log = (sotto__log){.state.end = SOTTO__HEAD_BYTES};
    memcpy(log->state.id, id, SOTTO__LEDGER_ID_BYTES);
    half_digest(start, sizeof start - 1, id, SOTTO__LEDGER_ID_BYTES, log->state.chain);
}

void sotto__log_end(sotto__log *log)
{
    free(log->open);
}

sotto_status sotto__log_reserve(sotto__log *log)
{
    if (log->open_count < log->open_capacity) return SOTTO_OK;
    size_t capacity = 2 * log->open_capacity + 16;
    sotto__open_round *open = realloc(log->open, capacity * sizeof *open);
    if (open == NULL) return SOTTO_E_MEMORY;
    log->open = open;
    log->open_capacity = capacity;
    return SOTTO_OK;
}

static sotto_status wrong(sotto_fault *fault, const char *what)
{
    sotto__refuse(fault, "%s", what);
    return SOTTO_E_LEDGER;
}

/* ---- head blocks -------------------------------------------------------------------------- */

/* Bytes 8 to 111 of a head block or an anchor. */
static void state_encode(const sotto__log_state *state, uint8_t *out)
{
    memcpy(out + 8, state->id, SOTTO__LEDGER_ID_BYTES);
    sotto__put_u64(out + 24, state->sequence);
    sotto__put_u64(out + 32, state->end);
    memcpy(out + 40, state->chain, SOTTO__CHAIN_BYTES);
    sotto__put_u64(out + 56, state->spent.rounds);
    sotto__put_u64(out + 64, state->reports);
    sotto__put_f64(out + 72, state->spent.epsilon);
    sotto__put_f64(out + 80, state->spent.delta);
    sotto__put_f64(out + 88, state->spent.epsilon_max);
    sotto__put_f64(out + 96, state->spent.delta_max);
    sotto__put_f64(out + 104, state->spent.rounds == 0 ? 0 : state->spent.composed_at);
}

/* What a reader needs before it reads the entries, which contain the rest. */
static sotto_status state_decode(const uint8_t *bytes, sotto__log_state *out, sotto_fault *fault)
{
    memcpy(out->id, bytes + 8, SOTTO__LEDGER_ID_BYTES);
    out->sequence = sotto__get_u64(bytes + 24);
    out->end = sotto__get_u64(bytes + 32);
    out->spent.composed_at = sotto__get_f64(bytes + 104);
    if (!(out->spent.composed_at >= 0 && isfinite(out->spent.composed_at))) {
        return wrong(fault, "composed at an epsilon out of range");
    }
    return SOTTO_OK;
}

static bool checksum_fits(const uint8_t *bytes, size_t checksum_at)
{
    uint8_t checksum[SOTTO__CHAIN_BYTES];
    half_digest(bytes, checksum_at, NULL, 0, checksum);
    return memcmp(bytes + checksum_at, checksum, sizeof checksum) == 0;
}

void sotto__head_encode(const sotto__log_state *state, uint32_t block,
                        uint8_t out[SOTTO__HEAD_BLOCK_BYTES])
{
    memset(out, 0, SOTTO__HEAD_BLOCK_BYTES);
    memcpy(out, magic, sizeof magic);
    sotto__put_u32(out + 4, block);
    state_encode(state, out);
    half_digest(out, CHECKSUM_AT, NULL, 0, out + CHECKSUM_AT);
}

void sotto__head_spoil(uint8_t out[SOTTO__HEAD_BLOCK_BYTES])
{
    memset(out, 0, SOTTO__HEAD_BLOCK_BYTES);
    memcpy(out, spoiled, sizeof spoiled);
}

sotto_status sotto__head_decode(const uint8_t bytes[SOTTO__HEAD_BLOCK_BYTES], uint32_t block,
                                sotto__log_state *out, sotto_fault *fault)
{
    if (memcmp(bytes, spoiled, sizeof spoiled) == 0)
        return wrong(fault, "a process found it rolled back");
    if (memcmp(bytes, magic, sizeof magic) != 0) return wrong(fault, "not a ledger");
    if (!checksum_fits(bytes, CHECKSUM_AT)) return wrong(fault, "wrong checksum");
    if (sotto__get_u32(bytes + 4) != block)
        return wrong(fault, "it has the number of the other block");
    sotto_status status = state_decode(bytes, out, fault);
    if (status != SOTTO_OK) return status;
    if (out->sequence % 2 != block && out->sequence != 0)
        return wrong(fault, "it has a sequence number of the other block");
    return SOTTO_OK;
}

void sotto__anchor_encode(const sotto__log_state *state, uint8_t out[SOTTO_LEDGER_ANCHOR_BYTES])
{
    memset(out, 0, SOTTO_LEDGER_ANCHOR_BYTES);
    memcpy(out, anchor_magic, sizeof anchor_magic);
    state_encode(state, out);
    half_digest(out, ANCHOR_CHECKSUM_AT, NULL, 0, out + ANCHOR_CHECKSUM_AT);
}

sotto_status sotto__anchor_decode(const uint8_t bytes[SOTTO_LEDGER_ANCHOR_BYTES],
                                  sotto__log_state *out, sotto_fault *fault)
{
    if (memcmp(bytes, anchor_magic, sizeof anchor_magic) != 0) return wrong(fault, "not an anchor");
    if (!checksum_fits(bytes, ANCHOR_CHECKSUM_AT)) return wrong(fault, "wrong checksum");
    return state_decode(bytes, out, fault);
}

/* ---- entries ------------------------------------------------------------------------------ */

static void entry_encode(const sotto__entry *entry, uint8_t out[SOTTO__ENTRY_HEAD_BYTES])
{
    memset(out, 0, SOTTO__ENTRY_HEAD_BYTES);
    out[0] = (uint8_t)entry->kind;
    sotto__put_u32(out + 4, entry->rest_bytes);
    sotto__put_u64(out + 8, entry->sequence);
}

void sotto__debit_encode(const sotto__entry *entry, uint8_t out[SOTTO__ENTRY_HEAD_BYTES])
{
    entry_encode(entry, out);
    memcpy(out + 16, entry->spec_id, SOTTO_SPEC_ID_BYTES);
    memcpy(out + 32, entry->nonce, SOTTO_NONCE_BYTES);
    sotto__put_f64(out + 48, entry->epsilon);
    sotto__put_f64(out + 56, entry->delta);
}

void sotto__report_frame(const sotto__entry *entry, const uint8_t *frame,
                         uint8_t out[SOTTO__ENTRY_HEAD_BYTES])
{
    entry_encode(entry, out);
    sotto__put_u64(out + 16, entry->debit);
    memcpy(out + 24, frame, SOTTO__REPORT_HEAD_BYTES);
}

void sotto__mark_encode(const sotto__entry *entry, uint8_t out[SOTTO__ENTRY_HEAD_BYTES])
{
    entry_encode(entry, out);
    sotto__put_u64(out + 16, entry->debit);
    if (entry->kind == SOTTO__ENTRY_SEALED) sotto__put_u64(out + 24, entry->report);
    if (entry->kind == SOTTO__ENTRY_DUE) {
        sotto__put_u64(out + 24, entry->due.begun_ms);
        sotto__put_u64(out + 32, entry->due.send_at_ms);
    }
}

void sotto__log_chain(const sotto__log *log, const uint8_t head[SOTTO__ENTRY_HEAD_BYTES],
                      const uint8_t *rest, size_t rest_bytes, uint8_t out[SOTTO__CHAIN_BYTES])
{
    uint8_t whole[SOTTO__DIGEST_BYTES];
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, log->state.chain, SOTTO__CHAIN_BYTES);
    sotto__digest_add(&digest, head, SOTTO__ENTRY_HEAD_BYTES);
    sotto__digest_add(&digest, rest, rest_bytes);
    sotto__digest_end(&digest, whole);
    memcpy(out, whole, SOTTO__CHAIN_BYTES);
}

bool sotto__due_fits(const sotto__due *due)
{
    if (due->begun_ms < 1 || due->begun_ms > SOTTO__BEGUN_MS_MAX) return false;
    return due->send_at_ms >= due->begun_ms && due->send_at_ms - due->begun_ms <= AWAY_MS_MAX;
}

/* The number of open rounds below this number, by bisection in their order. */
static size_t open_below(const sotto__log *log, uint64_t debit)
{
    size_t low = 0, high = log->open_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (log->open[middle].entry < debit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static sotto__open_round *find_open(const sotto__log *log, uint64_t debit)
{
    size_t at = open_below(log, debit);
    return at < log->open_count && log->open[at].entry == debit ? &log->open[at] : NULL;
}

const sotto__open_round *sotto__log_round(const sotto__log *log, uint64_t debit)
{
    return find_open(log, debit);
}

const sotto__open_round *sotto__log_unsent(const sotto__log *log, uint64_t after)
{
    if (after == UINT64_MAX) return NULL;
    for (size_t at = open_below(log, after + 1); at < log->open_count; at++) {
        if (log->open[at].report != 0) return &log->open[at];
    }
    return NULL;
}

static sotto_status debit_decode(const uint8_t *head, sotto__entry *out, sotto_fault *fault)
{
    if (out->rest_bytes != 0) return wrong(fault, "a debit of the wrong length");
    memcpy(out->spec_id, head + 16, SOTTO_SPEC_ID_BYTES);
    memcpy(out->nonce, head + 32, SOTTO_NONCE_BYTES);
    out->epsilon = sotto__get_f64(head + 48);
    out->delta = sotto__get_f64(head + 56);
    if (!(out->epsilon >= 0 && isfinite(out->epsilon))) return wrong(fault, "epsilon out of range");
    if (!(out->delta >= 0 && out->delta <= 1)) return wrong(fault, "delta out of range");
    return SOTTO_OK;
}

static sotto_status report_decode(const sotto__log *log, const uint8_t *head, sotto__entry *out,
                                  sotto_fault *fault)
{
    if (out->rest_bytes > REST_BYTES_MAX) return wrong(fault, "a report of the wrong length");
    out->debit = sotto__get_u64(head + 16);
    const sotto__open_round *round = find_open(log, out->debit);
    if (round == NULL) return wrong(fault, "a report for no open round");
    if (!sotto__report_head_is(head + SOTTO__FRAME_AT, round->spec_id, round->nonce)) {
        return wrong(fault, "a report of another round's spec or nonce");
    }
    if (round->report == 0) return SOTTO_OK;
    if (round->final || out->kind == SOTTO__ENTRY_HELD)
        return wrong(fault, "a second report of a round");
    if (round->sealed) return wrong(fault, "a report that replaces a sealed one");
    if (round->rest_bytes != out->rest_bytes)
        return wrong(fault, "a report of another length than the held one");
    return SOTTO_OK;
}

/* All entries except debits and reports: `used` bytes of the head have a meaning, the others are
 * zero. */
static sotto_status mark_decode(const sotto__log *log, const uint8_t *head, size_t used,
                                sotto__entry *out, const sotto__open_round **round,
                                sotto_fault *fault)
{
    static const uint8_t zero[SOTTO__ENTRY_HEAD_BYTES] = {0};
    if (out->rest_bytes != 0) return wrong(fault, "a mark of the wrong length");
    if (memcmp(head + used, zero, SOTTO__ENTRY_HEAD_BYTES - used) != 0)
        return wrong(fault, "unknown bytes");
    out->debit = sotto__get_u64(head + 16);
    *round = find_open(log, out->debit);
    return *round == NULL ? wrong(fault, "a mark for no open round") : SOTTO_OK;
}

static sotto_status seal_decode(const sotto__log *log, const uint8_t *head, sotto__entry *out,
                                sotto_fault *fault)
{
    const sotto__open_round *round;
    sotto_status status = mark_decode(log, head, 32, out, &round, fault);
    if (status != SOTTO_OK) return status;
    out->report = sotto__get_u64(head + 24);
    if (round->report == 0) return wrong(fault, "a seal for a round without a report");
    if (round->report != out->report)
        return wrong(fault, "a seal for another report than the round's");
    return round->sealed ? wrong(fault, "a second seal") : SOTTO_OK;
}

static sotto_status acknowledgement_decode(const sotto__log *log, const uint8_t *head,
                                           sotto__entry *out, sotto_fault *fault)
{
    const sotto__open_round *round;
    sotto_status status = mark_decode(log, head, 24, out, &round, fault);
    if (status != SOTTO_OK) return status;
    return round->sealed ? SOTTO_OK
                         : wrong(fault, "an acknowledgement of a report that is not sealed");
}

static sotto_status due_decode(const sotto__log *log, const uint8_t *head, sotto__entry *out,
                               sotto_fault *fault)
{
    const sotto__open_round *round;
    sotto_status status = mark_decode(log, head, 40, out, &round, fault);
    if (status != SOTTO_OK) return status;
    out->due.begun_ms = sotto__get_u64(head + 24);
    out->due.send_at_ms = sotto__get_u64(head + 32);
    if (!sotto__due_fits(&out->due)) return wrong(fault, "times out of range");
    if (round->report != 0) return wrong(fault, "send times after the report");
    return round->due.begun_ms == 0 ? SOTTO_OK : wrong(fault, "a second send time");
}

static sotto_status drop_decode(const sotto__log *log, const uint8_t *head, sotto__entry *out,
                                sotto_fault *fault)
{
    const sotto__open_round *round;
    sotto_status status = mark_decode(log, head, 24, out, &round, fault);
    if (status != SOTTO_OK) return status;
    return round->report == 0 ? wrong(fault, "a drop for a round without a report") : SOTTO_OK;
}

sotto_status sotto__log_fault(const sotto__log *log, const uint8_t head[SOTTO__ENTRY_HEAD_BYTES],
                              sotto__entry *out, sotto_fault *fault)
{
    static const uint8_t zero[3] = {0};
    *out = (sotto__entry){.kind = (sotto__entry_kind)head[0],
                          .rest_bytes = sotto__get_u32(head + 4),
                          .sequence = sotto__get_u64(head + 8)};
    if (memcmp(head + 1, zero, sizeof zero) != 0) return wrong(fault, "an unknown kind of entry");
    if (out->sequence != log->state.sequence + 1) return wrong(fault, "out of order");
    switch (out->kind) {
    case SOTTO__ENTRY_DEBIT: return debit_decode(head, out, fault);
    case SOTTO__ENTRY_REPORT:
    case SOTTO__ENTRY_HELD: return report_decode(log, head, out, fault);
    case SOTTO__ENTRY_SEALED: return seal_decode(log, head, out, fault);
    case SOTTO__ENTRY_ACKNOWLEDGED: return acknowledgement_decode(log, head, out, fault);
    case SOTTO__ENTRY_DUE: return due_decode(log, head, out, fault);
    case SOTTO__ENTRY_DROPPED: return drop_decode(log, head, out, fault);
    }
    return wrong(fault, "an unknown kind of entry");
}

sotto__log_state sotto__log_after(const sotto__log *log, const sotto__entry *entry,
                                  const uint8_t chain[SOTTO__CHAIN_BYTES])
{
    sotto__log_state after = log->state;
    after.sequence++;
    after.end += SOTTO__ENTRY_HEAD_BYTES + entry->rest_bytes + SOTTO__CHAIN_BYTES;
    memcpy(after.chain, chain, SOTTO__CHAIN_BYTES);
    if (entry->kind == SOTTO__ENTRY_DEBIT) {
        sotto__spend(&after.spent, entry->epsilon, entry->delta);
    }
    bool report = entry->kind == SOTTO__ENTRY_REPORT || entry->kind == SOTTO__ENTRY_HELD;
    const sotto__open_round *round = report ? find_open(log, entry->debit) : NULL;
    if (round != NULL && round->report == 0) after.reports++; /* otherwise it replaces one */
    return after;
}

static void take_debit(sotto__log *log, const sotto__entry *entry)
{
    assert(log->open_count < log->open_capacity);
    sotto__open_round *round = &log->open[log->open_count++];
    *round = (sotto__open_round){.entry = entry->sequence};
    memcpy(round->spec_id, entry->spec_id, SOTTO_SPEC_ID_BYTES);
    memcpy(round->nonce, entry->nonce, SOTTO_NONCE_BYTES);
}

static void take_report(const sotto__log *log, const sotto__entry *entry,
                        const sotto__log_state *after)
{
    sotto__open_round *round = find_open(log, entry->debit);
    assert(round != NULL);
    round->report = entry->sequence;
    round->report_at = log->state.end;
    memcpy(round->before, log->state.chain, SOTTO__CHAIN_BYTES);
    memcpy(round->after, after->chain, SOTTO__CHAIN_BYTES);
    round->rest_bytes = entry->rest_bytes;
    round->final = entry->kind == SOTTO__ENTRY_REPORT;
}

static void take_seal(const sotto__log *log, const sotto__entry *entry)
{
    sotto__open_round *round = find_open(log, entry->debit);
    assert(round != NULL);
    round->sealed = true;
}

static void take_due(const sotto__log *log, const sotto__entry *entry)
{
    sotto__open_round *round = find_open(log, entry->debit);
    assert(round != NULL);
    round->due = entry->due;
}

/* The round is over: it was acknowledged or dropped. */
static void take_end(sotto__log *log, const sotto__entry *entry)
{
    const sotto__open_round *round = find_open(log, entry->debit);
    assert(round != NULL);
    size_t at = (size_t)(round - log->open);
    log->open_count--;
    memmove(&log->open[at], &log->open[at + 1], (log->open_count - at) * sizeof *round);
}

void sotto__log_take(sotto__log *log, const sotto__entry *entry, const sotto__log_state *after)
{
    switch (entry->kind) {
    case SOTTO__ENTRY_DEBIT: take_debit(log, entry); break;
    case SOTTO__ENTRY_REPORT:
    case SOTTO__ENTRY_HELD: take_report(log, entry, after); break;
    case SOTTO__ENTRY_SEALED: take_seal(log, entry); break;
    case SOTTO__ENTRY_DUE: take_due(log, entry); break;
    case SOTTO__ENTRY_DROPPED:
        log->dropped++;
        take_end(log, entry);
        break;
    case SOTTO__ENTRY_ACKNOWLEDGED: take_end(log, entry); break;
    }
    log->state = *after;
}
