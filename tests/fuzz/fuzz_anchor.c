/*
 * Whatever stands where a ledger has its anchor or its head blocks, before entries that are good: refused with a reason,
 * or a ledger that says what these entries say, opens twice alike and can be used. The input is an anchor as it is; and
 * a state, of which an anchor and head blocks are made with checksums that fit, since random bytes never would.
 */
#include "client/client.h"
#include "client/inner.h"
#include "core/core.h"
#include "golden.h"
#include "specs.h"
#include "store.h"
#include "why.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The linker sends fsync here: the disk is not what is tested. */
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
    (void)fd;
    return 0;
}

static uint8_t file[16384]; /* a golden ledger: its head blocks, then its entries */
static size_t file_bytes;
static store entries; /* the same entries behind calls */
static uint64_t rounds_after[STORE_ENTRIES_MAX + 1];

/* Those of the file, and no others. */
static void put_entries(void)
{
    entries.there = true;
    entries.count = 0;
    for (size_t at = SOTTO__HEAD_BYTES; at < file_bytes;) {
        size_t bytes = SOTTO__ENTRY_HEAD_BYTES + sotto__get_u32(file + at + 4) + SOTTO__CHAIN_BYTES;
        memcpy(entries.entry[entries.count], file + at, bytes);
        entries.entry_bytes[entries.count++] = bytes;
        rounds_after[entries.count] =
            rounds_after[entries.count - 1] + (file[at] == SOTTO__ENTRY_DEBIT);
        at += bytes;
    }
}

/* Every field, as a head block has it. */
static sotto__log_state state_of(const uint8_t *bytes)
{
    sotto__log_state state = {.sequence = sotto__get_u64(bytes + 24),
                              .end = sotto__get_u64(bytes + 32),
                              .reports = sotto__get_u64(bytes + 64)};
    memcpy(state.id, bytes + 8, sizeof state.id);
    memcpy(state.chain, bytes + 40, sizeof state.chain);
    state.spent.rounds = sotto__get_u64(bytes + 56);
    state.spent.epsilon = sotto__get_f64(bytes + 72);
    state.spent.delta = sotto__get_f64(bytes + 80);
    state.spent.epsilon_max = sotto__get_f64(bytes + 88);
    state.spent.delta_max = sotto__get_f64(bytes + 96);
    state.spent.composed_at = sotto__get_f64(bytes + 104);
    return state;
}

/* It has the rounds of so many entries, and takes one more if its budget allows. */
static void use(sotto_ledger *ledger, uint64_t sequence)
{
    static const uint8_t any[SOTTO_SPEC_ID_BYTES];
    uint64_t rounds = sotto_ledger_rounds(ledger), entry;
    fuzz_require(sequence <= entries.count && rounds == rounds_after[sequence]);
    fuzz_require(sotto_ledger_reports(ledger) <= rounds && sotto_ledger_epsilon(ledger) >= 0);
    sotto_policy policy = sotto_policy_default();
    const sotto__debit debit = {any, any, 1, 0, &policy};
    sotto_status status = ledger->debit(ledger, &debit, &entry);
    fuzz_require(status == SOTTO_OK || status == SOTTO_E_BUDGET);
    fuzz_require(sotto_ledger_rounds(ledger) == rounds + (status == SOTTO_OK));
}

static void try_anchor(const uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES])
{
    sotto_ledger *ledger, *again;
    memcpy(entries.anchor, anchor, sizeof entries.anchor);
    put_entries();
    const sotto_ledger_calls calls = store_calls(&entries);
    sotto_status opened = sotto_ledger_calls_open(&calls, &ledger);
    if (opened != SOTTO_OK) {
        fuzz_require(opened == SOTTO_E_LEDGER);
        fuzz_require(WHY(sotto_ledger_calls_fault, &calls) != NULL &&
                     why_fault.sentence[0] != '\0');
        return;
    }
    use(ledger, sotto__get_u64(anchor + 24));
    fuzz_require(sotto_ledger_calls_open(&calls, &again) == SOTTO_OK);
    fuzz_require(sotto_ledger_rounds(again) == sotto_ledger_rounds(ledger));
    sotto_ledger_free(again);
    sotto_ledger_free(ledger);
}

/* One head block is of this state, the other one as the golden ledger has it. */
static void try_head(const sotto__log_state *state, uint32_t block)
{
    uint8_t head[SOTTO__HEAD_BYTES];
    char path[64];
    sotto_ledger *ledger, *again;
    memcpy(head, file, sizeof head);
    sotto__head_encode(state, block, head + block * SOTTO__HEAD_BLOCK_BYTES);
    snprintf(path, sizeof path, "fuzz-%ld.ledger", (long)getpid()); /* in the run's own directory */
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    fuzz_require(fd >= 0 && write(fd, head, sizeof head) == (ssize_t)sizeof head);
    size_t rest = file_bytes - sizeof head;
    fuzz_require(write(fd, file + sizeof head, rest) == (ssize_t)rest);
    close(fd);
    sotto_status opened = sotto_ledger_file_open(path, &ledger);
    if (opened != SOTTO_OK) {
        fuzz_require(opened == SOTTO_E_LEDGER);
        fuzz_require(WHY(sotto_ledger_file_fault, path) != NULL && why_fault.sentence[0] != '\0');
        return;
    }
    uint64_t other = sotto__get_u64(head + (1 - block) * SOTTO__HEAD_BLOCK_BYTES + 24);
    use(ledger, state->sequence > other ? state->sequence : other);
    fuzz_require(sotto_ledger_file_open(path, &again) == SOTTO_OK);
    fuzz_require(sotto_ledger_rounds(again) == sotto_ledger_rounds(ledger));
    sotto_ledger_free(again);
    sotto_ledger_free(ledger);
}

/* What a block or an anchor says is read as it was written, or refused. */
static void check_decoders(const sotto__log_state *state, const uint8_t *anchor)
{
    uint8_t head[SOTTO__HEAD_BLOCK_BYTES];
    sotto__log_state got;
    const char *fault = WHY(sotto__anchor_decode, anchor, &got);
    fuzz_require(fault != NULL ||
                 (got.sequence == state->sequence && got.end == state->end &&
                  memcmp(got.id, state->id, sizeof got.id) == 0 && got.spent.composed_at >= 0));
    for (uint32_t block = 0; block < 2; block++) {
        sotto__head_encode(state, block, head);
        fuzz_require(WHY(sotto__head_decode, head, 1 - block, &got) != NULL);
        fault = WHY(sotto__head_decode, head, block, &got);
        fuzz_require(fault != NULL || (got.sequence == state->sequence && got.end == state->end));
        fuzz_require(fault != NULL || state->sequence == 0 || state->sequence % 2 == block);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES] = {0}, sealed[SOTTO_LEDGER_ANCHOR_BYTES];
    if (file_bytes == 0) file_bytes = golden_read("ledger_held.bin", file, sizeof file);
    memcpy(anchor, data, size < sizeof anchor ? size : sizeof anchor);
    const sotto__log_state state = state_of(anchor);
    sotto__anchor_encode(&state, sealed);
    check_decoders(&state, sealed);
    try_anchor(anchor);
    try_anchor(sealed);
    try_head(&state, 0);
    try_head(&state, 1);
    return 0;
}
