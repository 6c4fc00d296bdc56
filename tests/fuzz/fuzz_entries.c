/*
 * Whatever the entries of a ledger: refused with a reason, or a ledger that opens twice alike and
 * can be used. The digests are made to fit, since random bytes would never pass them: what is tried
 * is what the reader makes of entries that nobody wrote. Damage is test_ledger_damage.c's.
 */
#include "client/client.h"
#include "client/inner.h"
#include "core/core.h"
#include "specs.h"
#include "why.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BYTES_MAX 16384

/* The linker sends fsync here: the disk is not what is tested. */
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
    (void)fd;
    return 0;
}

/* Chains the entry at the log's end; false if its bytes are not all there. */
static bool seal_entry(sotto__log *log, uint8_t *bytes, size_t size, sotto__log_state *after,
                       bool *valid)
{
    size_t at = log->state.end;
    sotto__entry entry;
    if (size < at + SOTTO__ENTRY_HEAD_BYTES + SOTTO__CHAIN_BYTES) return false;
    *valid = WHY(sotto__log_fault, log, bytes + at, &entry) == NULL;
    size_t room = size - at - SOTTO__ENTRY_HEAD_BYTES - SOTTO__CHAIN_BYTES;
    if (entry.rest_bytes > room) return false;
    uint8_t chain[SOTTO__DIGEST_BYTES];
    size_t covered = SOTTO__ENTRY_HEAD_BYTES + entry.rest_bytes;
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, log->state.chain, SOTTO__CHAIN_BYTES);
    sotto__digest_add(&digest, bytes + at, covered);
    sotto__digest_end(&digest, chain);
    memcpy(bytes + at + covered, chain, SOTTO__CHAIN_BYTES);
    *after = sotto__log_after(log, &entry, chain);
    fuzz_require(sotto__log_reserve(log) == SOTTO_OK);
    if (*valid) sotto__log_take(log, &entry, after);
    return true;
}

/* The valid entries, and the first one that is not, anchored as if it were. */
static void seal(uint8_t *bytes, size_t size)
{
    static const uint8_t id[SOTTO__LEDGER_ID_BYTES];
    sotto__log log;
    sotto__log_begin(&log, id);
    sotto__log_state newer = log.state, older = log.state, after;
    for (bool valid = true; valid && seal_entry(&log, bytes, size, &after, &valid);) {
        older = newer;
        newer = after;
    }
    uint32_t block = newer.sequence % 2;
    sotto__head_encode(&newer, block, bytes + block * SOTTO__HEAD_BLOCK_BYTES);
    sotto__head_encode(&older, 1 - block, bytes + (1 - block) * SOTTO__HEAD_BLOCK_BYTES);
    sotto__log_end(&log);
}

/* Drops one, and sends all others that are unsent; each report once, and never another in its place. */
static void send_all(sotto_ledger *ledger)
{
    static uint8_t frame[BYTES_MAX], again[BYTES_MAX];
    sotto_unsent next = {.entry = 0};
    uint64_t last = 0, dropped = sotto_ledger_dropped(ledger);
    fuzz_require(dropped <= sotto_ledger_reports(ledger));
    fuzz_require(sotto_ledger_unsent(ledger, 0, &next) == SOTTO_OK);
    if (next.entry != 0) {
        fuzz_require(sotto_ledger_drop(ledger, next.entry) == SOTTO_OK);
        fuzz_require(sotto_ledger_dropped(ledger) == dropped + 1);
        fuzz_require(sotto_ledger_seal(ledger, next.entry, frame, sizeof frame) == SOTTO_E_LEDGER);
        fuzz_require(sotto_ledger_acknowledge(ledger, next.entry) == SOTTO_E_LEDGER);
        fuzz_require(sotto_ledger_drop(ledger, next.entry) == SOTTO_E_LEDGER);
    }
    for (;; last = next.entry) {
        fuzz_require(sotto_ledger_unsent(ledger, last, &next) == SOTTO_OK);
        if (next.entry == 0) break;
        fuzz_require(next.entry > last && next.frame_bytes <= sizeof frame);
        fuzz_require(next.send_at_ms >= next.begun_ms);
        fuzz_require(next.begun_ms <= SOTTO__BEGUN_MS_MAX);
        fuzz_require(sotto_ledger_acknowledge(ledger, next.entry) ==
                     (next.sealed ? SOTTO_OK : SOTTO_E_LEDGER));
        if (next.sealed) continue;
        fuzz_require(sotto_ledger_seal(ledger, next.entry, frame, sizeof frame) == SOTTO_OK);
        fuzz_require(memcmp(frame + 24, next.nonce, sizeof next.nonce) == 0);
        fuzz_require(ledger->record(ledger, next.entry, frame, next.frame_bytes) == SOTTO_E_LEDGER);
        fuzz_require(sotto_ledger_seal(ledger, next.entry, again, sizeof again) == SOTTO_OK);
        fuzz_require(memcmp(frame, again, next.frame_bytes) == 0);
        fuzz_require(sotto_ledger_acknowledge(ledger, next.entry) == SOTTO_OK);
    }
    fuzz_require(sotto_ledger_unsent(ledger, 0, &next) == SOTTO_OK && next.entry == 0);
}

static void try_bytes(const char *path, const uint8_t *bytes, size_t size)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    fuzz_require(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    close(fd);
    sotto_ledger *ledger, *again;
    sotto_status opened = sotto_ledger_file_open(path, &ledger);
    if (opened != SOTTO_OK) {
        fuzz_require(opened == SOTTO_E_LEDGER);
        fuzz_require(WHY(sotto_ledger_file_fault, path) != NULL && why_fault.sentence[0] != '\0');
        return;
    }
    fuzz_require(sotto_ledger_reports(ledger) <= sotto_ledger_rounds(ledger));
    fuzz_require(sotto_ledger_epsilon(ledger) >= 0);
    sotto_policy policy = sotto_policy_default();
    sotto__debit debit = {bytes, bytes, 1, 0, &policy};
    uint64_t entry, rounds = sotto_ledger_rounds(ledger);
    sotto_status status = ledger->debit(ledger, &debit, &entry);
    fuzz_require(status == SOTTO_OK || status == SOTTO_E_BUDGET);
    fuzz_require(sotto_ledger_rounds(ledger) == rounds + (status == SOTTO_OK));
    send_all(ledger);
    fuzz_require(sotto_ledger_file_open(path, &again) == SOTTO_OK);
    fuzz_require(sotto_ledger_rounds(again) == sotto_ledger_rounds(ledger));
    fuzz_require(sotto_ledger_dropped(again) == sotto_ledger_dropped(ledger));
    sotto_ledger_free(again);
    sotto_ledger_free(ledger);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[BYTES_MAX];
    char path[64];
    if (size > sizeof bytes - SOTTO__HEAD_BYTES) return 0;
    snprintf(path, sizeof path, "fuzz-%ld.ledger", (long)getpid()); /* in the run's own directory */
    memcpy(bytes + SOTTO__HEAD_BYTES, data, size);
    seal(bytes, SOTTO__HEAD_BYTES + size);
    try_bytes(path, bytes, SOTTO__HEAD_BYTES + size);
    return 0;
}
