/* A ledger that is a log of entries: the rules of ledger_log.c and budget.c, put to a store. */
#include "ledger_logged.h"
#include "core/digest.h"
#include "core/report.h"

#include <string.h>

/* How often others may come first before a call gives up. */
#define TRIES_MAX 100

/* ---- reading ------------------------------------------------------------------------------ */

/* A report to be copied while the log is read and checked. */
typedef struct capture {
    uint64_t sequence; /* 0: none */
    uint8_t *frame;
    size_t frame_bytes;
} capture;

static size_t frame_bytes_of(uint32_t rest_bytes)
{
    return (size_t)SOTTO__REPORT_HEAD_BYTES + rest_bytes;
}

/* The bytes after an entry's head, up to its chain, into the digest and the capture. */
static sotto_status read_rest(sotto__logged *self, const sotto__log *log, const sotto__entry *entry,
                              uint8_t *copy, sotto__digest *digest)
{
    uint8_t part[4096];
    size_t at = SOTTO__ENTRY_HEAD_BYTES;
    for (size_t left = entry->rest_bytes, take; left > 0; left -= take, at += take) {
        take = left < sizeof part ? left : sizeof part;
        sotto_status status = self->read(self, entry->sequence, log->state.end, at, part, take);
        if (status != SOTTO_OK) return status;
        sotto__digest_add(digest, part, take);
        if (copy != NULL) memcpy(copy + (at - SOTTO__ENTRY_HEAD_BYTES), part, take);
    }
    return SOTTO_OK;
}

/* Reads the entry after the log's last one and checks its meaning and its chain. */
static sotto_status read_entry(sotto__logged *self, const sotto__log *log, uint64_t end,
                               const capture *wanted, sotto__entry *entry, sotto__log_state *after)
{
    const uint64_t least = SOTTO__ENTRY_HEAD_BYTES + SOTTO__CHAIN_BYTES;
    uint64_t at = log->state.end, number = log->state.sequence + 1;
    unsigned long long shown = number, place = at;
    uint8_t head[SOTTO__ENTRY_HEAD_BYTES], stored[SOTTO__CHAIN_BYTES], chain[SOTTO__DIGEST_BYTES];
    if (end < at || end - at < least) {
        return sotto__refuse(&self->base, "entry %llu at byte %llu: past the anchored end", shown,
                             place);
    }
    sotto_status status = self->read(self, number, at, 0, head, sizeof head);
    if (status != SOTTO_OK) return status;
    const char *fault = sotto__log_fault(log, head, entry);
    if (fault == NULL && end - at < least + entry->rest_bytes) fault = "past the anchored end";
    if (fault != NULL) {
        return sotto__refuse(&self->base, "entry %llu at byte %llu: %s", shown, place, fault);
    }
    bool copies = wanted->sequence == number;
    if (copies && wanted->frame_bytes != frame_bytes_of(entry->rest_bytes)) {
        return sotto__refuse(&self->base, "changed under this process");
    }
    if (copies) memcpy(wanted->frame, head + SOTTO__FRAME_AT, SOTTO__REPORT_HEAD_BYTES);
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, log->state.chain, SOTTO__CHAIN_BYTES);
    sotto__digest_add(&digest, head, sizeof head);
    status = read_rest(self, log, entry, copies ? wanted->frame + SOTTO__REPORT_HEAD_BYTES : NULL,
                       &digest);
    if (status != SOTTO_OK) return status;
    sotto__digest_end(&digest, chain);
    status = self->read(self, number, at, SOTTO__ENTRY_HEAD_BYTES + entry->rest_bytes, stored,
                        sizeof stored);
    if (status != SOTTO_OK) return status;
    if (memcmp(stored, chain, SOTTO__CHAIN_BYTES) != 0) {
        return sotto__refuse(&self->base, "entry %llu at byte %llu: wrong digest", shown, place);
    }
    *after = sotto__log_after(log, entry, chain);
    return SOTTO_OK;
}

static sotto_status take_entry(sotto__logged *self, sotto__log *log, uint64_t end,
                               const capture *wanted, sotto__entry *entry)
{
    sotto__log_state after;
    sotto_status status = sotto__log_reserve(log);
    if (status != SOTTO_OK) return status;
    status = read_entry(self, log, end, wanted, entry, &after);
    if (status != SOTTO_OK) return status;
    sotto__log_take(log, entry, &after);
    return SOTTO_OK;
}

sotto_status sotto__logged_take(sotto__logged *self, sotto__log *log, uint64_t sequence,
                                uint64_t end)
{
    const capture none = {.sequence = 0};
    sotto_status status = SOTTO_OK;
    while (status == SOTTO_OK && log->state.sequence < sequence) {
        sotto__entry entry;
        status = take_entry(self, log, end, &none, &entry);
    }
    return status;
}

/* Reads and checks all of the log again; *last is the last round of the spec (NULL: of none). What
 * is captured was checked on its way. */
static sotto_status walk(sotto__logged *self, const uint8_t *spec_id, const capture *wanted,
                         uint64_t *last)
{
    sotto__log log;
    sotto_status status = SOTTO_OK;
    *last = 0;
    sotto__log_begin(&log, self->log.state.id);
    while (status == SOTTO_OK && log.state.sequence < self->log.state.sequence) {
        sotto__entry entry;
        status = take_entry(self, &log, self->log.state.end, wanted, &entry);
        if (status != SOTTO_OK || entry.kind != SOTTO__ENTRY_DEBIT || spec_id == NULL) continue;
        if (memcmp(entry.spec_id, spec_id, SOTTO_SPEC_ID_BYTES) == 0) *last = entry.sequence;
    }
    bool same = memcmp(log.state.chain, self->log.state.chain, SOTTO__CHAIN_BYTES) == 0;
    if (status == SOTTO_OK && !same) {
        status = sotto__refuse(&self->base, "changed under this process");
    }
    sotto__log_end(&log);
    return status;
}

/* Copies the report that an open round has. */
static sotto_status copy_report(sotto__logged *self, const sotto__open_round *round, uint8_t *frame)
{
    uint64_t last;
    capture wanted = {round->report, frame, frame_bytes_of(round->rest_bytes)};
    return walk(self, NULL, &wanted, &last);
}

sotto_status sotto__logged_usable(sotto__logged *self)
{
    self->base.fault = self->broken ? self->base.text : NULL;
    return self->broken ? SOTTO_E_LEDGER : SOTTO_OK;
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
    const char *fault = sotto__log_fault(&self->log, head, &entry);
    if (fault != NULL) return sotto__refuse(&self->base, "%s", fault);
    sotto__addition addition = {.entry = &entry, .head = head, .rest = rest};
    sotto__log_chain(&self->log, head, rest, entry.rest_bytes, addition.chain);
    addition.after = sotto__log_after(&self->log, &entry, addition.chain);
    sotto_status status = self->append(self, &addition);
    if (status != SOTTO_OK) return status;
    sotto__log_take(&self->log, &entry, &addition.after);
    sotto__logged_adopt(self);
    return SOTTO_OK;
}

/* What a call wants to do to the log, once it is up to date. */
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
    base->fault = sotto__budget_refusal(&base->spent, debit->epsilon, debit->delta, debit->policy,
                                        base->text);
    if (base->fault != NULL) return SOTTO_E_BUDGET;
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

/* The mark first, then the bytes: none are given before it is stored. */
static sotto_status seal(sotto__logged *self, const wish *w)
{
    const sotto__open_round *round = sotto__log_round(&self->log, w->round);
    if (round == NULL || round->report == 0) {
        return sotto__refuse(&self->base, "round %llu has no unsent report",
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

/* Grants a wish; if another handle came first, looks again whether it may be granted. */
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
    return sotto__refuse(ledger, "others came first %d times", TRIES_MAX);
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

/* A held report that is not sealed is not given: its round may be alive in another process. */
static sotto_status recall(sotto__logged *self, const uint8_t *spec_id, uint8_t *frame,
                           size_t frame_bytes, bool *found)
{
    const capture none = {.sequence = 0};
    uint64_t last;
    sotto_status status = walk(self, spec_id, &none, &last);
    if (status != SOTTO_OK) return status;
    const sotto__open_round *round = sotto__log_round(&self->log, last);
    if (round == NULL || round->report == 0 || !(round->final || round->sealed)) return SOTTO_OK;
    if (frame_bytes_of(round->rest_bytes) != frame_bytes) {
        return sotto__refuse(&self->base,
                             "the report of entry %llu has another length than its spec says",
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
