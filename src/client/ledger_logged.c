/* A ledger that is a log of entries: applies the rules of ledger_log.c and budget.c to a store. */
#include "core/core.h"
#include "inner.h"

#include <string.h>

/* How often other processes may go first before a call gives up. */
#define TRIES_MAX 100

/* ---- reading ------------------------------------------------------------------------------ */

static size_t frame_bytes_of(uint32_t rest_bytes)
{
    return (size_t)SOTTO__REPORT_HEAD_BYTES + rest_bytes;
}

/* The bytes after the head of the entry `sequence`, which begins at `at`, up to its chain: into the digest,
 * and into `copy` unless that is NULL. */
static sotto_status read_rest(sotto__logged *self, uint64_t sequence, uint64_t at,
                              uint32_t rest_bytes, uint8_t *copy, sotto__digest *digest)
{
    uint8_t part[4096];
    size_t done = 0;
    for (size_t take; done < rest_bytes; done += take) {
        take = rest_bytes - done < sizeof part ? rest_bytes - done : sizeof part;
        sotto_status status =
            self->read(self, sequence, at, SOTTO__ENTRY_HEAD_BYTES + done, part, take);
        if (status != SOTTO_OK) return status;
        sotto__digest_add(digest, part, take);
        if (copy != NULL) memcpy(copy + done, part, take);
    }
    return SOTTO_OK;
}

static sotto_status refuse_entry(sotto__logged *self, uint64_t sequence, uint64_t at,
                                 const char *why)
{
    return sotto__ledger_refuse(&self->base, "entry %llu at byte %llu: %s",
                                (unsigned long long)sequence, (unsigned long long)at, why);
}

/* The chain after an entry whose head was read. */
static sotto_status chain_after(sotto__logged *self, uint64_t sequence, uint64_t at,
                                const uint8_t before[SOTTO__CHAIN_BYTES],
                                const uint8_t head[SOTTO__ENTRY_HEAD_BYTES], uint32_t rest_bytes,
                                uint8_t *copy, uint8_t chain[SOTTO__DIGEST_BYTES])
{
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, before, SOTTO__CHAIN_BYTES);
    sotto__digest_add(&digest, head, SOTTO__ENTRY_HEAD_BYTES);
    sotto_status status = read_rest(self, sequence, at, rest_bytes, copy, &digest);
    sotto__digest_end(&digest, chain);
    return status;
}

/* Reads the entry after the log's last one and checks its meaning and its chain. */
static sotto_status read_entry(sotto__logged *self, const sotto__log *log, uint64_t end,
                               sotto__entry *entry, sotto__log_state *after)
{
    const uint64_t least = SOTTO__ENTRY_HEAD_BYTES + SOTTO__CHAIN_BYTES;
    uint64_t at = log->state.end, number = log->state.sequence + 1;
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES], stored[SOTTO__CHAIN_BYTES], chain[SOTTO__DIGEST_BYTES];
    if (end < at || end - at < least) {
        return refuse_entry(self, number, at, "past the anchored end");
    }
    sotto_status status = self->read(self, number, at, 0, head, sizeof head);
    if (status != SOTTO_OK) return status;
    sotto_fault fault;
    if (sotto__log_fault(log, head, entry, &fault) != SOTTO_OK) {
        return refuse_entry(self, number, at, fault.sentence);
    }
    if (end - at < least + entry->rest_bytes) {
        return refuse_entry(self, number, at, "past the anchored end");
    }
    status = chain_after(self, number, at, log->state.chain, head, entry->rest_bytes, NULL, chain);
    if (status != SOTTO_OK) return status;
    status = self->read(self, number, at, SOTTO__ENTRY_HEAD_BYTES + entry->rest_bytes, stored,
                        sizeof stored);
    if (status != SOTTO_OK) return status;
    if (memcmp(stored, chain, SOTTO__CHAIN_BYTES) != 0) {
        return refuse_entry(self, number, at, "wrong digest");
    }
    *after = sotto__log_after(log, entry, chain);
    return SOTTO_OK;
}

static sotto_status take_entry(sotto__logged *self, sotto__log *log, uint64_t end,
                               sotto__entry *entry)
{
    sotto__log_state after;
    sotto_status status = sotto__log_reserve(log);
    if (status != SOTTO_OK) return status;
    status = read_entry(self, log, end, entry, &after);
    if (status != SOTTO_OK) return status;
    sotto__log_take(log, entry, &after);
    return SOTTO_OK;
}

sotto_status sotto__logged_take(sotto__logged *self, sotto__log *log, uint64_t sequence,
                                uint64_t end)
{
    sotto_status status = SOTTO_OK;
    while (status == SOTTO_OK && log->state.sequence < sequence) {
        sotto__entry entry;
        status = take_entry(self, log, end, &entry);
    }
    return status;
}

/* Reads and checks the whole log again; *last is the last round of the spec. */
static sotto_status walk(sotto__logged *self, const uint8_t *spec_id, uint64_t *last)
{
    sotto__log log;
    sotto_status status = SOTTO_OK;
    *last = 0;
    sotto__log_begin(&log, self->log.state.id);
    while (status == SOTTO_OK && log.state.sequence < self->log.state.sequence) {
        sotto__entry entry;
        status = take_entry(self, &log, self->log.state.end, &entry);
        if (status != SOTTO_OK || entry.kind != SOTTO__ENTRY_DEBIT) continue;
        if (memcmp(entry.spec_id, spec_id, SOTTO_SPEC_ID_BYTES) == 0) *last = entry.sequence;
    }
    bool same = memcmp(log.state.chain, self->log.state.chain, SOTTO__CHAIN_BYTES) == 0;
    if (status == SOTTO_OK && !same) {
        status = sotto__ledger_refuse(&self->base, "changed while this process used it");
    }
    sotto__log_end(&log);
    return status;
}

/* Copies the report of an open round. Reads only its entry, which must be bit by bit the one that
 * was checked before, so the time does not depend on the length of the log. */
static sotto_status copy_report(sotto__logged *self, const sotto__open_round *round, uint8_t *frame)
{
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES], chain[SOTTO__DIGEST_BYTES];
    uint64_t number = round->report, at = round->report_at;
    sotto_status status = self->read(self, number, at, 0, head, sizeof head);
    if (status != SOTTO_OK) return status;
    status = chain_after(self, number, at, round->before, head, round->rest_bytes,
                         frame + SOTTO__REPORT_HEAD_BYTES, chain);
    if (status != SOTTO_OK) return status;
    if (memcmp(round->after, chain, SOTTO__CHAIN_BYTES) != 0) {
        memset(frame, 0, frame_bytes_of(round->rest_bytes));
        return refuse_entry(self, number, at, "wrong digest");
    }
    memcpy(frame, head + SOTTO__FRAME_AT, SOTTO__REPORT_HEAD_BYTES);
    return SOTTO_OK;
}

sotto_status sotto__logged_usable(sotto__logged *self)
{
    self->base.refused = self->broken ? SOTTO_E_LEDGER : SOTTO_OK;
    return self->base.refused;
}

void sotto__logged_adopt(sotto__logged *self)
{
    self->base.spent = self->log.state.spent;
    self->base.reports = self->log.state.reports;
    self->base.dropped = self->log.dropped;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Stores an entry, if it may come next. */
static sotto_status add(sotto__logged *self, const uint8_t head[SOTTO__ENTRY_HEAD_BYTES],
                        const uint8_t *rest)
{
    sotto__entry entry;
    self->base.refused = sotto__log_fault(&self->log, head, &entry, &self->base.fault);
    if (self->base.refused != SOTTO_OK) return self->base.refused;
    sotto__addition addition = {.entry = &entry, .head = head, .rest = rest};
    sotto__log_chain(&self->log, head, rest, entry.rest_bytes, addition.chain);
    addition.after = sotto__log_after(&self->log, &entry, addition.chain);
    sotto_status status = self->append(self, &addition);
    if (status != SOTTO_OK) return status;
    sotto__log_take(&self->log, &entry, &addition.after);
    sotto__logged_adopt(self);
    return SOTTO_OK;
}

/* What a call wants to add to the log, once the log is up to date. */
typedef struct wish {
    sotto__entry_kind kind;
    const sotto__debit *debit;
    uint64_t round;       /* of all but debits */
    const uint8_t *frame; /* of reports */
    size_t frame_bytes;
    uint8_t *sealed; /* of seals: for the bytes */
    size_t capacity_bytes;
    const sotto__due *due; /* of dues */
} wish;

static sotto_status add_debit(sotto__logged *self, const sotto__debit *debit)
{
    sotto_ledger *base = &self->base;
    base->refused = sotto__budget_refusal(&base->spent, debit->epsilon, debit->delta, debit->policy,
                                          &base->fault);
    if (base->refused != SOTTO_OK) return base->refused;
    sotto_status status = sotto__log_reserve(&self->log);
    if (status != SOTTO_OK) return status;
    sotto__entry booked = {.kind = SOTTO__ENTRY_DEBIT,
                           .sequence = self->log.state.sequence + 1,
                           .epsilon = debit->epsilon,
                           .delta = debit->delta};
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES];
    memcpy(booked.spec_id, debit->spec_id, SOTTO_SPEC_ID_BYTES);
    memcpy(booked.nonce, debit->nonce, SOTTO_NONCE_BYTES);
    sotto__debit_encode(&booked, head);
    sotto__settle(&self->log.state.spent, debit->policy);
    return add(self, head, head);
}

static sotto_status add_report(sotto__logged *self, const wish *w)
{
    sotto__entry kept = {.kind = w->kind,
                         .sequence = self->log.state.sequence + 1,
                         .debit = w->round,
                         .rest_bytes = (uint32_t)(w->frame_bytes - SOTTO__REPORT_HEAD_BYTES)};
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES];
    sotto__report_frame(&kept, w->frame, head);
    return add(self, head, w->frame + SOTTO__REPORT_HEAD_BYTES);
}

/* `report` is of seals. */
static sotto_status add_mark(sotto__logged *self, const wish *w, uint64_t report)
{
    sotto__entry mark = {.kind = w->kind,
                         .sequence = self->log.state.sequence + 1,
                         .debit = w->round,
                         .report = report};
    if (w->due != NULL) mark.due = *w->due;
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES];
    sotto__mark_encode(&mark, head);
    return add(self, head, head);
}

/* Stores the mark first, then gives the bytes. */
static sotto_status seal(sotto__logged *self, const wish *w)
{
    const sotto__open_round *round = sotto__log_round(&self->log, w->round);
    if (round == NULL || round->report == 0) {
        return sotto__ledger_refuse(&self->base, "round %llu has no unsent report",
                                    (unsigned long long)w->round);
    }
    if (w->capacity_bytes < frame_bytes_of(round->rest_bytes)) return SOTTO_E_LENGTH;
    sotto_status status = SOTTO_OK;
    if (!round->sealed) status = add_mark(self, w, round->report);
    return status == SOTTO_OK ? copy_report(self, round, w->sealed) : status;
}

static sotto_status grant(sotto__logged *self, const wish *w)
{
    switch (w->kind) {
    case SOTTO__ENTRY_DEBIT: return add_debit(self, w->debit);
    case SOTTO__ENTRY_REPORT:
    case SOTTO__ENTRY_HELD: return add_report(self, w);
    case SOTTO__ENTRY_SEALED: return seal(self, w);
    case SOTTO__ENTRY_ACKNOWLEDGED:
    case SOTTO__ENTRY_DUE:
    case SOTTO__ENTRY_DROPPED: return add_mark(self, w, 0);
    }
    return SOTTO_E_ARGUMENT;
}

/* Grants a wish. If another handle went first, checks again whether it may be granted. */
static sotto_status grant_in_turn(sotto_ledger *ledger, const wish *w)
{
    sotto__logged *self = (sotto__logged *)ledger;
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        sotto_status status = self->enter(self);
        if (status != SOTTO_OK) return status;
        status = grant(self, w);
        self->leave(self);
        if (status != SOTTO_E_EXISTS) return status;
    }
    return sotto__ledger_refuse(ledger, "other writers came first %d times in a row", TRIES_MAX);
}

/* ---- a ledger's functions ----------------------------------------------------------------- */

static sotto_status logged_debit(sotto_ledger *ledger, const sotto__debit *debit, uint64_t *entry)
{
    sotto_status status = grant_in_turn(ledger, &(wish){SOTTO__ENTRY_DEBIT, .debit = debit});
    if (status == SOTTO_OK) *entry = ((sotto__logged *)ledger)->log.state.sequence;
    return status;
}

static sotto_status keep(sotto_ledger *ledger, sotto__entry_kind kind, uint64_t entry,
                         const uint8_t *frame, size_t frame_bytes)
{
    if (frame_bytes < SOTTO__REPORT_HEAD_BYTES || frame_bytes > UINT32_MAX) return SOTTO_E_LENGTH;
    return grant_in_turn(ledger,
                         &(wish){kind, .round = entry, .frame = frame, .frame_bytes = frame_bytes});
}

static sotto_status logged_record(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                                  size_t frame_bytes)
{
    return keep(ledger, SOTTO__ENTRY_REPORT, entry, frame, frame_bytes);
}

static sotto_status logged_hold(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                                size_t frame_bytes)
{
    return keep(ledger, SOTTO__ENTRY_HELD, entry, frame, frame_bytes);
}

static sotto_status logged_seal(sotto_ledger *ledger, uint64_t entry, uint8_t *frame,
                                size_t capacity_bytes)
{
    return grant_in_turn(ledger, &(wish){SOTTO__ENTRY_SEALED, .round = entry, .sealed = frame,
                                         .capacity_bytes = capacity_bytes});
}

static sotto_status logged_acknowledge(sotto_ledger *ledger, uint64_t entry)
{
    return grant_in_turn(ledger, &(wish){SOTTO__ENTRY_ACKNOWLEDGED, .round = entry});
}

static sotto_status logged_drop(sotto_ledger *ledger, uint64_t entry)
{
    return grant_in_turn(ledger, &(wish){SOTTO__ENTRY_DROPPED, .round = entry});
}

static sotto_status logged_due(sotto_ledger *ledger, uint64_t entry, const sotto__due *due)
{
    return grant_in_turn(ledger, &(wish){SOTTO__ENTRY_DUE, .round = entry, .due = due});
}

static sotto_status logged_unsent(sotto_ledger *ledger, uint64_t after, sotto_unsent *out)
{
    sotto__logged *self = (sotto__logged *)ledger;
    sotto_status status = self->enter(self);
    if (status != SOTTO_OK) return status;
    self->leave(self);
    const sotto__open_round *round = sotto__log_unsent(&self->log, after);
    if (round == NULL) return SOTTO_OK;
    *out = (sotto_unsent){.entry = round->entry,
                          .frame_bytes = frame_bytes_of(round->rest_bytes),
                          .held = !round->final,
                          .sealed = round->sealed,
                          .begun_ms = round->due.begun_ms,
                          .send_at_ms = round->due.send_at_ms};
    memcpy(out->spec_id, round->spec_id, SOTTO_SPEC_ID_BYTES);
    memcpy(out->nonce, round->nonce, SOTTO_NONCE_BYTES);
    return SOTTO_OK;
}

/* Does not give a held report that is not sealed: its round may be running in another process. */
static sotto_status recall(sotto__logged *self, const uint8_t *spec_id, uint8_t *frame,
                           size_t frame_bytes, bool *found)
{
    uint64_t last;
    sotto_status status = walk(self, spec_id, &last);
    if (status != SOTTO_OK) return status;
    const sotto__open_round *round = sotto__log_round(&self->log, last);
    if (round == NULL || round->report == 0 || !(round->final || round->sealed)) return SOTTO_OK;
    if (frame_bytes_of(round->rest_bytes) != frame_bytes) {
        return sotto__ledger_refuse(&self->base,
                                    "the report of entry %llu does not have the length in its spec",
                                    (unsigned long long)round->report);
    }
    status = copy_report(self, round, frame);
    *found = status == SOTTO_OK;
    return status;
}

static sotto_status logged_recall(sotto_ledger *ledger, const uint8_t *spec_id, uint8_t *frame,
                                  size_t frame_bytes, bool *found)
{
    sotto__logged *self = (sotto__logged *)ledger;
    *found = false;
    sotto_status status = self->enter(self);
    if (status != SOTTO_OK) return status;
    status = recall(self, spec_id, frame, frame_bytes, found);
    self->leave(self);
    return status;
}

void sotto__logged_begin(sotto__logged *self)
{
    self->base = (sotto_ledger){.debit = logged_debit,
                                .record = logged_record,
                                .replace = logged_record,
                                .due = logged_due,
                                .hold = logged_hold,
                                .seal = logged_seal,
                                .acknowledge = logged_acknowledge,
                                .drop = logged_drop,
                                .unsent = logged_unsent,
                                .recall = logged_recall};
}

void sotto__logged_end(sotto__logged *self)
{
    sotto__log_end(&self->log);
}
