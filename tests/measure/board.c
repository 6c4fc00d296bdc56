/* What a feature of the device takes of a small board: board.py compiles this file once per feature, with all of core
 * and client, and runs it. Prints the bytes of heap while a round is decided, and the bytes of stack of the whole. */
#include <sotto/client.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEATURE_NOTHING 0 /* the program without Sotto, for comparison */
#define FEATURE_TERMS 1   /* decodes terms and a model */
#define FEATURE_MEMORY 2  /* and plays rounds, with a ledger in memory */
#define FEATURE_FILE 3    /* in a file */
#define FEATURE_CALLS 4   /* behind calls */

#define STACK_BYTES (256u * 1024u)
#define PAINT 0xa5
#define CELLS_MAX 400u
#define MODEL_BYTES_MAX 65536u
#define ENTRIES_MAX 16u
#define ENTRY_BYTES_MAX 256u

static struct {
    uint8_t terms[SOTTO_TERMS_BYTES], model[MODEL_BYTES_MAX];
    size_t terms_bytes, model_bytes;
    double context[CELLS_MAX];
    const char *path;
    size_t heap_bytes;
} given;

#if FEATURE != FEATURE_NOTHING

static void check(sotto_status status)
{
    if (status == SOTTO_OK) return;
    fprintf(stderr, "%s\n", sotto_status_text(status));
    exit(1);
}

static void prepare(uint32_t dim, uint32_t arms)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    sotto_terms terms;
    sotto_model *model;
    spec.dim = dim;
    spec.arms = arms;
    check(sotto_spec_resolve(&spec, &terms));
    check(sotto_model_new(&terms, &model));
    given.terms_bytes = sotto_terms_encode(&terms, given.terms);
    given.model_bytes = sotto_model_bytes(&terms);
    check(sotto_model_encode(&terms, model, given.model, sizeof given.model));
    sotto_model_free(model);
}

#if FEATURE == FEATURE_CALLS

static struct {
    bool there;
    uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES], entry[ENTRIES_MAX][ENTRY_BYTES_MAX];
} store;

static sotto_status load(void *state, uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES], bool *found)
{
    (void)state;
    memcpy(anchor, store.anchor, sizeof store.anchor);
    *found = store.there;
    return SOTTO_OK;
}

static sotto_status read_entry(void *state, uint64_t sequence, size_t offset, uint8_t *bytes,
                               size_t count)
{
    (void)state;
    memcpy(bytes, store.entry[sequence - 1] + offset, count);
    return SOTTO_OK;
}

static sotto_status append(void *state, const uint8_t *before,
                           const uint8_t after[SOTTO_LEDGER_ANCHOR_BYTES], uint64_t sequence,
                           const uint8_t *entry, size_t entry_bytes, bool *stored)
{
    (void)state, (void)before;
    if (sequence > ENTRIES_MAX || entry_bytes > ENTRY_BYTES_MAX) return SOTTO_E_FULL;
    if (sequence > 0) memcpy(store.entry[sequence - 1], entry, entry_bytes);
    memcpy(store.anchor, after, sizeof store.anchor);
    store.there = *stored = true;
    return SOTTO_OK;
}

#endif

#if FEATURE > FEATURE_TERMS

static sotto_ledger *open_ledger(void)
{
    sotto_ledger *ledger;
#if FEATURE == FEATURE_MEMORY
    check(sotto_ledger_memory_new(&ledger));
#elif FEATURE == FEATURE_FILE
    check(sotto_ledger_file_create(given.path));
    check(sotto_ledger_file_open(given.path, &ledger));
#else
    const sotto_ledger_calls calls = {
        SOTTO_LEDGER_CALLS_VERSION, NULL, load, read_entry, append, NULL};
    check(sotto_ledger_calls_create(&calls));
    check(sotto_ledger_calls_open(&calls, &ledger));
#endif
    return ledger;
}

static void play_round(const sotto_terms *terms, const sotto_model *model)
{
    uint8_t frame[64];
    uint32_t arm;
    uint64_t send_at_ms;
    sotto_client *client;
    sotto_round *round;
    sotto_policy policy = sotto_policy_default();
    sotto_ledger *ledger = open_ledger();
    check(sotto_client_new(&policy, ledger, &client));
    check(sotto_round_new(client, terms, &round));
    check(sotto_round_begin(round, model));
    check(sotto_round_hold_at(round, 1000, &send_at_ms));
    check(sotto_round_decide(round, given.context, terms->spec.arms * terms->spec.dim, &arm));
    given.heap_bytes = mallinfo2().uordblks;
    check(sotto_round_finish(round, .5, frame, sizeof frame));
    check(sotto_round_seal(round, frame, sizeof frame));
    check(sotto_round_acknowledge(round));
    sotto_round_free(round);
    sotto_client_free(client);
    sotto_ledger_free(ledger);
}

#endif

__attribute__((noinline)) static void play(void)
{
    sotto_terms terms;
    sotto_model *model;
    check(sotto_terms_decode(given.terms, given.terms_bytes, &terms));
    check(sotto_model_new(&terms, &model));
    check(sotto_model_decode(&terms, given.model, given.model_bytes, model));
    given.heap_bytes = mallinfo2().uordblks;
#if FEATURE > FEATURE_TERMS
    play_round(&terms, model);
#endif
    sotto_model_free(model);
}

#else

static void prepare(uint32_t dim, uint32_t arms)
{
    (void)dim, (void)arms;
}

__attribute__((noinline)) static void play(void)
{
}

#endif

__attribute__((noinline)) static void paint(void)
{
    uint8_t room[STACK_BYTES];
    memset(room, PAINT, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
}

/* How much of what was painted is not so any more. */
__attribute__((noinline)) static size_t painted_over(void)
{
    uint8_t room[STACK_BYTES];
    size_t at = 0;
    __asm__ volatile("" : : "r"(room) : "memory");
    while (at < sizeof room && room[at] == PAINT) {
        at++;
    }
    return sizeof room - at;
}

int main(int count, char **word)
{
    if (count != 4) return 2;
    given.path = word[3];
    for (uint32_t i = 0; i < CELLS_MAX; i++) {
        given.context[i] = (i * 7 % 11 - 5.0) / 10;
    }
    prepare((uint32_t)atoi(word[1]), (uint32_t)atoi(word[2]));
    size_t before = mallinfo2().uordblks;
    paint();
    play();
    size_t stack = painted_over();
    printf("%zu %zu\n", given.heap_bytes > before ? given.heap_bytes - before : 0, stack);
    return 0;
}
