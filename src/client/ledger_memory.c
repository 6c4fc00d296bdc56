/* A ledger in memory, for tests, the lab and first trials. */
#include "client.h"
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

/* A held round, until its report is acknowledged or dropped. */
typedef struct kept_report {
    uint64_t entry;
    uint8_t *frame; /* NULL: none yet */
    size_t frame_bytes;
    bool final; /* finish has replaced the report of the default reward */
    bool sealed;
    sotto__due due; /* zeros: it has none */
} kept_report;

typedef struct ledger_memory {
    sotto_ledger base; /* first, so that a pointer to it is a pointer to the whole */
    kept_report *kept; /* unordered */
    size_t kept_count;
    size_t kept_capacity;
} ledger_memory;

static sotto_status memory_debit(sotto_ledger *ledger, const sotto__debit *debit, uint64_t *entry)
{
    ledger->refused = sotto__budget_refusal(&ledger->spent, debit->epsilon, debit->delta,
                                            debit->policy, &ledger->fault);
    if (ledger->refused != SOTTO_OK) return ledger->refused;
    sotto__settle(&ledger->spent, debit->policy);
    sotto__spend(&ledger->spent, debit->epsilon, debit->delta);
    *entry = ledger->spent.rounds;
    return SOTTO_OK;
}

static kept_report *find_round(const ledger_memory *memory, uint64_t entry)
{
    for (size_t i = 0; i < memory->kept_count; i++) {
        if (memory->kept[i].entry == entry) return &memory->kept[i];
    }
    return NULL;
}

/* The entry of the round, if it has a report. */
static kept_report *find_kept(const ledger_memory *memory, uint64_t entry)
{
    kept_report *kept = find_round(memory, entry);
    return kept != NULL && kept->frame != NULL ? kept : NULL;
}

/* A round that was not held keeps the bytes itself, for as long as this ledger would. */
static sotto_status memory_record(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                                  size_t frame_bytes)
{
    (void)entry, (void)frame, (void)frame_bytes;
    ledger->refused = SOTTO_OK;
    ledger->reports++;
    return SOTTO_OK;
}

static sotto_status memory_replace(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                                   size_t frame_bytes)
{
    kept_report *kept = find_kept((ledger_memory *)ledger, entry);
    ledger->refused = SOTTO_OK;
    if (kept == NULL) return sotto__ledger_refuse(ledger, "a report for no open round");
    if (kept->sealed) return sotto__ledger_refuse(ledger, "a report that replaces a sealed one");
    if (kept->final) return sotto__ledger_refuse(ledger, "a second report of a round");
    if (kept->frame_bytes != frame_bytes) {
        return sotto__ledger_refuse(ledger, "a report of another length than the held one");
    }
    memcpy(kept->frame, frame, frame_bytes);
    kept->final = true;
    return SOTTO_OK;
}

static sotto_status reserve(ledger_memory *memory)
{
    if (memory->kept_count < memory->kept_capacity) return SOTTO_OK;
    size_t capacity = 2 * memory->kept_capacity + 16;
    kept_report *kept = realloc(memory->kept, capacity * sizeof *kept);
    if (kept == NULL) return SOTTO_E_MEMORY;
    memory->kept = kept;
    memory->kept_capacity = capacity;
    return SOTTO_OK;
}

/* The round of this number, made if it is not there. */
static sotto_status add_round(ledger_memory *memory, uint64_t entry, kept_report **out)
{
    *out = find_round(memory, entry);
    if (*out != NULL) return SOTTO_OK;
    sotto_status status = reserve(memory);
    if (status != SOTTO_OK) return status;
    *out = &memory->kept[memory->kept_count++];
    **out = (kept_report){.entry = entry};
    return SOTTO_OK;
}

static sotto_status memory_due(sotto_ledger *ledger, uint64_t entry, const sotto__due *due)
{
    kept_report *kept;
    ledger->refused = SOTTO_OK;
    sotto_status status = add_round((ledger_memory *)ledger, entry, &kept);
    if (status != SOTTO_OK) return status;
    if (kept->frame != NULL) return sotto__ledger_refuse(ledger, "send times after the report");
    if (kept->due.begun_ms != 0) return sotto__ledger_refuse(ledger, "a second send time");
    kept->due = *due;
    return SOTTO_OK;
}

static sotto_status memory_hold(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                                size_t frame_bytes)
{
    ledger_memory *memory = (ledger_memory *)ledger;
    ledger->refused = SOTTO_OK;
    if (frame_bytes < SOTTO__REPORT_HEAD_BYTES) return SOTTO_E_LENGTH;
    if (find_kept(memory, entry) != NULL) {
        return sotto__ledger_refuse(ledger, "a second report of a round");
    }
    kept_report *kept;
    sotto_status status = add_round(memory, entry, &kept);
    if (status != SOTTO_OK) return status;
    kept->frame = malloc(frame_bytes);
    if (kept->frame == NULL) return SOTTO_E_MEMORY;
    memcpy(kept->frame, frame, frame_bytes);
    kept->frame_bytes = frame_bytes;
    ledger->reports++;
    return SOTTO_OK;
}

static sotto_status memory_seal(sotto_ledger *ledger, uint64_t entry, uint8_t *frame,
                                size_t capacity_bytes)
{
    kept_report *kept = find_kept((ledger_memory *)ledger, entry);
    ledger->refused = SOTTO_OK;
    if (kept == NULL) {
        return sotto__ledger_refuse(ledger, "round %llu has no unsent report",
                                    (unsigned long long)entry);
    }
    if (capacity_bytes < kept->frame_bytes) return SOTTO_E_LENGTH;
    kept->sealed = true;
    memcpy(frame, kept->frame, kept->frame_bytes);
    return SOTTO_OK;
}

static void forget(ledger_memory *memory, kept_report *kept)
{
    free(kept->frame);
    *kept = memory->kept[--memory->kept_count];
}

static sotto_status memory_acknowledge(sotto_ledger *ledger, uint64_t entry)
{
    ledger_memory *memory = (ledger_memory *)ledger;
    kept_report *kept = find_kept(memory, entry);
    ledger->refused = SOTTO_OK;
    if (kept == NULL || !kept->sealed) {
        return sotto__ledger_refuse(ledger, "an acknowledgement of a report that is not sealed");
    }
    forget(memory, kept);
    return SOTTO_OK;
}

static sotto_status memory_drop(sotto_ledger *ledger, uint64_t entry)
{
    ledger_memory *memory = (ledger_memory *)ledger;
    kept_report *kept = find_kept(memory, entry);
    ledger->refused = SOTTO_OK;
    if (kept == NULL) return sotto__ledger_refuse(ledger, "a drop for a round without a report");
    forget(memory, kept);
    ledger->dropped++;
    return SOTTO_OK;
}

static sotto_status memory_unsent(sotto_ledger *ledger, uint64_t after, sotto_unsent *out)
{
    const ledger_memory *memory = (const ledger_memory *)ledger;
    const kept_report *next = NULL;
    ledger->refused = SOTTO_OK;
    for (size_t i = 0; i < memory->kept_count; i++) {
        const kept_report *kept = &memory->kept[i];
        if (kept->frame == NULL || kept->entry <= after) continue;
        if (next == NULL || kept->entry < next->entry) next = kept;
    }
    if (next == NULL) return SOTTO_OK;
    *out = (sotto_unsent){.entry = next->entry,
                          .frame_bytes = next->frame_bytes,
                          .held = !next->final,
                          .sealed = next->sealed,
                          .begun_ms = next->due.begun_ms,
                          .send_at_ms = next->due.send_at_ms};
    memcpy(out->spec_id, next->frame + SOTTO__REPORT_SPEC_ID_AT, SOTTO_SPEC_ID_BYTES);
    memcpy(out->nonce, next->frame + SOTTO__REPORT_NONCE_AT, SOTTO_NONCE_BYTES);
    return SOTTO_OK;
}

static sotto_status memory_recall(sotto_ledger *ledger, const uint8_t *spec_id, uint8_t *frame,
                                  size_t frame_bytes, bool *found)
{
    (void)spec_id, (void)frame, (void)frame_bytes;
    ledger->refused = SOTTO_OK;
    *found = false;
    return SOTTO_OK;
}

static void memory_free(sotto_ledger *ledger)
{
    ledger_memory *memory = (ledger_memory *)ledger;
    for (size_t i = 0; i < memory->kept_count; i++) {
        free(memory->kept[i].frame);
    }
    free(memory->kept);
    free(memory);
}

sotto_status sotto_ledger_memory_new(sotto_ledger **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    ledger_memory *memory = malloc(sizeof *memory);
    if (memory == NULL) return SOTTO_E_MEMORY;
    *memory = (ledger_memory){.base = {.debit = memory_debit,
                                       .record = memory_record,
                                       .replace = memory_replace,
                                       .due = memory_due,
                                       .hold = memory_hold,
                                       .seal = memory_seal,
                                       .acknowledge = memory_acknowledge,
                                       .drop = memory_drop,
                                       .unsent = memory_unsent,
                                       .recall = memory_recall,
                                       .free = memory_free}};
    *out = &memory->base;
    return SOTTO_OK;
}
