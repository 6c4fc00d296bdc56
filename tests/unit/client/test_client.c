/* A client: only with a usable policy, on the ledger it was given, with the system's randomness. */
#include "client/client.h"
#include "made.h"
#include "test.h"

#include <math.h>
#include <string.h>

TEST(a_policy_at_fault_makes_no_client)
{
    sotto_ledger *ledger = made_ledger();
    for (int fault = 0; fault < 5; fault++) {
        sotto_policy policy = sotto_policy_default();
        if (fault == 0) policy.epsilon_per_report_max = NAN;
        if (fault == 1) policy.epsilon_lifetime = 0;
        if (fault == 2) policy.delta_max = 1;
        if (fault == 3) policy.dim_max = 0;
        if (fault == 4) policy.arms_max = 1;
        sotto_client *client = (sotto_client *)&policy; /* anything but NULL */
        assert_status(sotto_client_new(&policy, ledger, &client), SOTTO_E_FAULT);
        assert_null(client);
    }
}

TEST(the_policy_is_copied_and_the_ledger_borrowed)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = 3;
    sotto_client *client;
    sotto_ledger *ledger = made_ledger();
    assert_ok(sotto_client_new(&policy, ledger, &client));
    policy.epsilon_lifetime = 1000;
    assert_true(client->policy.epsilon_lifetime == 3);
    assert_ptr_equal(client->ledger, ledger);
    sotto_client_free(client);
    assert_int_equal(sotto_ledger_rounds(ledger), 0); /* still there */
}

TEST(the_randomness_is_the_system_s)
{
    sotto_policy policy = sotto_policy_default();
    OWN(sotto_client) client = NULL;
    sotto_ledger *ledger = made_ledger();
    assert_ok(sotto_client_new(&policy, ledger, &client));
    assert_ptr_equal(client->rng, &client->system);
    assert_ptr_equal(client->system.fill, sotto__system_rng().fill);
    assert_true(client->noise == sotto__lattice_noise);
}

/* A ledger that watches: what it was told, in which order, and how it answers. */
typedef struct watcher {
    sotto_ledger ledger; /* first, so that a pointer to it is a pointer to the whole */
    uint8_t nonce[SOTTO_NONCE_BYTES];
    uint8_t frame[64];
    size_t frame_bytes;
    sotto_status debit_answer, record_answer, recall_answer;
    bool recalls;
} watcher;

static sotto_status watch_debit(sotto_ledger *ledger, const sotto__debit *debit, uint64_t *entry)
{
    watcher *w = (watcher *)ledger;
    assert_true(debit->epsilon == 1 && debit->delta == 0 && debit->policy->epsilon_lifetime == 8);
    memcpy(w->nonce, debit->nonce, sizeof w->nonce);
    *entry = 77;
    return w->debit_answer;
}

static sotto_status watch_record(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                                 size_t frame_bytes)
{
    watcher *w = (watcher *)ledger;
    assert_int_equal(entry, 77);
    assert_true(frame_bytes <= sizeof w->frame);
    memcpy(w->frame, frame, frame_bytes);
    w->frame_bytes = frame_bytes;
    return w->record_answer;
}

static sotto_status watch_recall(sotto_ledger *ledger, const uint8_t *spec_id, uint8_t *frame,
                                 size_t frame_bytes, bool *found)
{
    watcher *w = (watcher *)ledger;
    (void)spec_id;
    *found = w->recalls;
    if (w->recalls) memset(frame, 0xcd, frame_bytes);
    return w->recall_answer;
}

/* A round on a watching ledger; returns what finish says, or what begin says if that fails. */
static sotto_status round_on(watcher *w, uint8_t frame[64])
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    OWN(sotto_client) client = NULL;
    double context[100] = {0};
    uint32_t arm;
    w->ledger =
        (sotto_ledger){.debit = watch_debit, .record = watch_record, .recall = watch_recall};
    memset(frame, 0xab, 64);
    sotto_terms terms = resolved(&spec);
    assert_ok(sotto_client_new(&policy, &w->ledger, &client));
    sotto_round *round = made_round(client, &terms);
    sotto_model *model = made_model(&terms);
    sotto_status status = sotto_round_begin(round, model);
    if (status == SOTTO_OK) {
        assert_ok(sotto_round_decide(round, context, 100, &arm));
        status = sotto_round_finish(round, 0, frame, 64);
    }
    uint8_t again[64];
    assert_status(sotto_round_resend(round, again, 64),
                  status == SOTTO_OK ? SOTTO_OK : SOTTO_E_ORDER);
    return status;
}

TEST(a_ledger_that_cannot_book_or_record_stops_the_report)
{
    uint8_t frame[64], untouched[64];
    memset(untouched, 0xab, sizeof untouched);
    watcher w = {.debit_answer = SOTTO_E_MEMORY};
    assert_status(round_on(&w, frame), SOTTO_E_MEMORY);
    assert_int_equal(w.frame_bytes, 0);
    assert_memory_equal(frame, untouched, sizeof frame);
    w = (watcher){.record_answer = SOTTO_E_MEMORY};
    assert_status(round_on(&w, frame), SOTTO_E_MEMORY);
    assert_memory_equal(frame, untouched, sizeof frame);
}

TEST(the_ledger_books_the_nonce_and_keeps_the_bytes_that_leave)
{
    uint8_t frame[64];
    watcher w = {.frame_bytes = 0};
    assert_ok(round_on(&w, frame));
    assert_int_equal(w.frame_bytes, 42);
    assert_memory_equal(w.frame, frame, 42);
    assert_memory_equal(w.nonce, frame + 24, SOTTO_NONCE_BYTES);
}

/* As after a restart: what the ledger kept can be sent again; with a ledger that fails none joins.
 */
TEST(a_round_begins_with_what_the_ledger_kept)
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    OWN(sotto_client) client = NULL;
    OWN(sotto_round) round = NULL;
    uint8_t frame[42], wanted[42];
    memset(wanted, 0xcd, sizeof wanted);
    watcher w = {.recall_answer = SOTTO_E_LEDGER, .recalls = true};
    w.ledger = (sotto_ledger){.debit = watch_debit, .record = watch_record, .recall = watch_recall};
    sotto_terms terms = resolved(&spec);
    assert_ok(sotto_client_new(&policy, &w.ledger, &client));
    assert_status(sotto_round_new(client, &terms, &round), SOTTO_E_LEDGER);
    assert_null(round);
    w.recall_answer = SOTTO_OK;
    assert_ok(sotto_round_new(client, &terms, &round));
    assert_ok(sotto_round_resend(round, frame, sizeof frame));
    assert_memory_equal(frame, wanted, sizeof frame);
}
