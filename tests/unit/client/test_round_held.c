/* A held round: the wrong order, no randomness, ledgers that fail; which report leaves, when the
 * secret is wiped, and that both reports are draws of their own. When it leaves is test_round_due.c's. */
#include "borrowed.h"
#include "client/client.h"
#include "client/inner.h"
#include "core/core.h"
#include "made.h"
#include "person.h"
#include "rounds.h"
#include "test.h"
#include "why.h"

#include <math.h>
#include <string.h>

#define DIM 3
#define ARMS 4
#define CELLS 12
#define FRAME_BYTES 42
#define FRAME_BYTES_MAX 400

/* The linker sends sotto__wipe here: it tells where the context stood when it was wiped. */
static const uint8_t *wiped_context; /* NULL: it was not */
void __real_sotto__wipe(void *secret, size_t bytes);
void __wrap_sotto__wipe(void *secret, size_t bytes);

static const double context[CELLS] = {.1, .2, .3, .3, .6, .1, .2, .1, .7, -.5, .2, .5};

void __wrap_sotto__wipe(void *secret, size_t bytes)
{
    for (size_t at = 0; at + sizeof context <= bytes; at++) {
        const uint8_t *stretch = (const uint8_t *)secret + at;
        if (memcmp(stretch, context, sizeof context) == 0) wiped_context = stretch;
    }
    __real_sotto__wipe(secret, bytes);
}

static person p;
static store s; /* of a ledger behind calls */
static size_t frame_bytes;

static sotto_spec small_spec(void)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM, spec.arms = ARMS, spec.reward_default = 0.25;
    return spec;
}

static void person_begin(sotto_spec spec, bool behind_calls, uint64_t seed)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = INFINITY, policy.delta_lifetime = 0.5, policy.measure_share_max = 0.5;
    memset(&s, 0, sizeof s);
    if (behind_calls) person_join_behind(&p, &s, &spec, &policy, seed);
    if (!behind_calls) person_join(&p, &spec, &policy, seed);
    p.model->phase = SOTTO_PHASE_MAIN;
    p.model->theta[0] = 0.5;
    frame_bytes = sotto_report_bytes(&p.terms);
    assert_true(frame_bytes <= sizeof p.frame);
}

static sotto_status begin(void)
{
    return sotto_round_begin(p.round, p.model);
}

static sotto_status decide(void)
{
    uint32_t count = p.terms.spec.parameters == SOTTO_PARAMETERS_SHARED ? CELLS : DIM;
    return sotto_round_decide(p.round, context, count, &p.arm);
}

static sotto_status finish(double reward)
{
    return sotto_round_finish(p.round, reward, p.frame, frame_bytes);
}

static sotto_status seal(void)
{
    return sotto_round_seal(p.round, p.frame, frame_bytes);
}

static sotto_unsent unsent(void)
{
    sotto_unsent next;
    assert_ok(sotto_ledger_unsent(p.ledger, 0, &next));
    return next;
}

static void held(void)
{
    assert_ok(begin());
    assert_ok(sotto_round_hold(p.round));
    assert_ok(decide());
}

/* ---- refused ------------------------------------------------------------------------------ */

TEST(calls_out_of_order_are_refused)
{
    for (int behind_calls = 0; behind_calls < 2; behind_calls++) {
        person_begin(small_spec(), behind_calls == 1, 1);
        assert_status(sotto_round_hold(p.round), SOTTO_E_ORDER);
        assert_status(seal(), SOTTO_E_ORDER);
        assert_status(sotto_round_acknowledge(p.round), SOTTO_E_ORDER);
        assert_ok(begin());
        assert_status(seal(), SOTTO_E_ORDER);
        assert_ok(decide());
        assert_status(sotto_round_hold(p.round), SOTTO_E_ORDER); /* too late */
        assert_status(seal(), SOTTO_E_ORDER);                    /* it is not held */
        assert_ok(begin());
        assert_ok(sotto_round_hold(p.round));
        assert_status(sotto_round_hold(p.round), SOTTO_E_ORDER); /* twice */
        assert_status(seal(), SOTTO_E_ORDER);
        assert_ok(decide());
        assert_status(sotto_round_hold(p.round), SOTTO_E_ORDER);
        assert_status(sotto_round_resend(p.round, p.frame, frame_bytes), SOTTO_E_ORDER);
        assert_status(sotto_round_acknowledge(p.round), SOTTO_E_LEDGER); /* not sealed */
        assert_status(sotto_round_seal(p.round, p.frame, frame_bytes - 1), SOTTO_E_LENGTH);
        assert_false(unsent().sealed);
        assert_ok(seal());
        assert_status(finish(0.5), SOTTO_E_ORDER);
        assert_ok(sotto_round_acknowledge(p.round));
        assert_status(sotto_round_acknowledge(p.round), SOTTO_E_LEDGER);
        assert_int_equal(unsent().entry, 0);
    }
}

TEST(without_randomness_nothing_is_held)
{
    sotto_spec spec = small_spec();
    spec.method = SOTTO_METHOD_LDP_OLS; /* its noise is drawn at hold */
    spec.score = SOTTO_SCORE_MOMENTS, spec.delta = 1e-6;
    person_begin(spec, true, 2);
    assert_ok(begin());
    p.t.fails_after_bytes = p.t.drawn_bytes;
    assert_status(sotto_round_hold(p.round), SOTTO_E_ENTROPY);
    assert_ok(decide()); /* a round as any other */
    assert_int_equal(unsent().entry, 0);
    person_begin(small_spec(), true, 2);
    assert_ok(begin());
    assert_ok(sotto_round_hold(p.round));
    p.t.fails_after_bytes = p.t.drawn_bytes;
    p.arm = 77;
    assert_status(decide(), SOTTO_E_ENTROPY); /* a codebook's coins are drawn with the report */
    assert_ints(p.arm, 77, unsent().entry, 0);
    assert_status(finish(0.5), SOTTO_E_ORDER);
}

TEST(a_ledger_that_cannot_keep_the_report_gives_no_arm)
{
    person_begin(small_spec(), true, 3);
    assert_ok(begin());
    assert_ok(sotto_round_hold(p.round));
    s.fail_at = s.calls + 2;
    p.arm = 77;
    assert_status(decide(), SOTTO_E_LEDGER);
    assert_int_equal(p.arm, 77);
    assert_status(finish(0.5), SOTTO_E_ORDER);
}

/* The report of the default reward is still there, and goes. */
TEST(a_finish_that_the_ledger_refuses_leaves_the_held_report)
{
    uint8_t first[FRAME_BYTES];
    person_begin(small_spec(), true, 4);
    held();
    memcpy(first, s.entry[1] + 24, sizeof first);
    memset(p.frame, 0xab, sizeof p.frame);
    s.fail_at = s.calls + 1; /* load */
    assert_status(finish(0.5), SOTTO_E_LEDGER);
    assert_int_equal(p.frame[0], 0xab);
    assert_status(sotto_round_resend(p.round, p.frame, frame_bytes), SOTTO_E_ORDER);
    sotto_unsent next = unsent();
    assert_true(next.held && !next.sealed);
    assert_ok(sotto_ledger_seal(p.ledger, next.entry, p.frame, frame_bytes));
    assert_memory_equal(p.frame, first, sizeof first);
}

/* Another process sends what the ledger has while this one waits for the reward. */
TEST(a_reward_that_comes_after_another_process_sealed_is_lost)
{
    uint8_t first[FRAME_BYTES], again[FRAME_BYTES];
    OWN(sotto_ledger) second = NULL;
    person_begin(small_spec(), true, 5);
    sotto_ledger_calls calls = store_calls(&s);
    assert_ok(sotto_ledger_calls_open(&calls, &second));
    held();
    assert_ok(sotto_ledger_seal(second, unsent().entry, first, sizeof first));
    assert_status(finish(0.5), SOTTO_E_LEDGER);
    assert_string_equal(WHY(sotto_ledger_fault, p.ledger), "a report that replaces a sealed one");
    assert_ok(sotto_ledger_seal(p.ledger, unsent().entry, again, sizeof again));
    assert_memory_equal(again, first, sizeof first);
}

/* ---- which report leaves ------------------------------------------------------------------ */

TEST(the_report_of_the_reward_takes_the_place_of_the_default_s)
{
    for (int behind_calls = 0; behind_calls < 2; behind_calls++) {
        uint8_t finished[FRAME_BYTES];
        person_begin(small_spec(), behind_calls == 1, 6);
        held();
        assert_true(unsent().held);
        assert_ok(finish(0.5));
        memcpy(finished, p.frame, sizeof finished);
        assert_false(unsent().held);
        assert_int_equal(sotto_ledger_reports(p.ledger), 1);
        assert_ok(seal());
        assert_memory_equal(p.frame, finished, sizeof finished);
        assert_memory_equal(p.frame + 24, unsent().nonce, SOTTO_NONCE_BYTES);
        assert_memory_equal(p.frame + 4, p.terms.id, SOTTO_SPEC_ID_BYTES);
        assert_ok(seal()); /* again, for a retry */
        assert_memory_equal(p.frame, finished, sizeof finished);
        assert_ok(sotto_round_acknowledge(p.round));
        assert_ok(sotto_round_resend(p.round, p.frame, frame_bytes));
        assert_memory_equal(p.frame, finished, sizeof finished);
    }
}

/* The same draws, and the same report as of a round that ends without a reward. Gives its role. */
static sotto_role assert_holds_the_default(sotto_spec spec, uint64_t seed)
{
    uint8_t wanted[FRAME_BYTES_MAX];
    person_begin(spec, true, seed);
    assert_ok(begin());
    assert_ok(decide());
    assert_ok(finish(NAN));
    memcpy(wanted, p.frame, frame_bytes);
    person_begin(spec, true, seed);
    held();
    assert_ok(seal());
    assert_memory_equal(p.frame, wanted, frame_bytes);
    assert_ok(sotto_round_resend(p.round, p.frame, frame_bytes));
    assert_memory_equal(p.frame, wanted, frame_bytes);
    sotto_role role = sotto__role_of(&p.terms, p.frame + 24, true);
    return role;
}

TEST(the_held_report_is_that_of_the_default_reward)
{
    sotto_spec lattice = small_spec(), measured = small_spec();
    lattice.method = SOTTO_METHOD_LDP_OLS;
    lattice.score = SOTTO_SCORE_MOMENTS;
    lattice.delta = 1e-6;
    measured.measure = 1u << 31; /* half of the rounds report the reward alone */
    assert_int_equal(assert_holds_the_default(small_spec(), 7), SOTTO_ROLE_LEARN);
    assert_int_equal(assert_holds_the_default(lattice, 7), SOTTO_ROLE_LEARN);
    uint32_t seen = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        seen |= 1u << assert_holds_the_default(measured, seed);
    }
    assert_int_equal(seen,
                     1u << SOTTO_ROLE_LEARN | 1u << SOTTO_ROLE_CONTROL | 1u << SOTTO_ROLE_FOLLOW);
}

/* With one noise for both, their difference would be the reward's. */
TEST(the_two_reports_of_a_round_are_draws_of_their_own)
{
    sotto_spec spec = small_spec();
    spec.method = SOTTO_METHOD_LDP_OLS, spec.score = SOTTO_SCORE_MOMENTS, spec.delta = 1e-6;
    person_begin(spec, true, 8);
    sotto_report *first, *second;
    assert_ok(sotto_report_new(&p.terms, &first));
    assert_ok(sotto_report_new(&p.terms, &second));
    held();
    assert_ok(sotto_report_decode(&p.terms, s.entry[1] + 24, frame_bytes, first));
    assert_ok(finish(spec.reward_default)); /* the same statistic */
    assert_ok(sotto_report_decode(&p.terms, p.frame, frame_bytes, second));
    assert_memory_equal(first->nonce, second->nonce, SOTTO_NONCE_BYTES);
    uint32_t equal = 0;
    for (uint32_t i = 0; i < first->count; i++) {
        equal += first->value[i] == second->value[i];
    }
    assert_true(first->count >= 9 && equal < 3);
    sotto_report_free(first);
    sotto_report_free(second);
}

/* Rounds that are not held draw what they always drew, whatever came before. */
TEST(a_round_that_is_not_held_is_as_before)
{
    uint8_t wanted[FRAME_BYTES];
    person_begin(small_spec(), false, 9);
    assert_ok(begin());
    assert_ok(decide());
    assert_ok(finish(0.5));
    memcpy(wanted, p.frame, sizeof wanted);
    person_begin(small_spec(), false, 1);
    held();
    assert_ok(seal());
    p.t = tape_seeded(9);
    p.client->rng = &p.t.rng;
    assert_ok(begin());
    assert_ok(decide());
    assert_ok(finish(0.5));
    assert_memory_equal(p.frame, wanted, sizeof wanted);
    assert_int_equal(unsent().entry, 1); /* only the held one is the ledger's to send */
}

/* It is kept until the reward has come or can no longer count, and not longer. */
TEST(the_secret_is_wiped_when_it_is_no_longer_needed)
{
    static const uint8_t zeros[sizeof context];
    enum { SEALED, FINISHED, ABANDONED, REFUSED, NOT_KEPT, ENDS };
    for (int end = 0; end < ENDS; end++) {
        person_begin(small_spec(), true, 12);
        assert_ok(begin());
        assert_ok(sotto_round_hold(p.round));
        wiped_context = NULL;
        if (end == NOT_KEPT) s.fail_at = s.calls + 1;
        assert_status(decide(), end == NOT_KEPT ? SOTTO_E_LEDGER : SOTTO_OK);
        assert_int_equal(wiped_context != NULL, end == NOT_KEPT);
        if (end == SEALED) assert_ok(seal());
        if (end == FINISHED) assert_ok(finish(0.5));
        if (end == ABANDONED) assert_ok(begin());
        if (end == REFUSED) {
            s.fail_at = s.calls + 1;
            assert_status(seal(), SOTTO_E_LEDGER);
            assert_null(wiped_context); /* not sealed: the reward may still come */
            s.fail_at = s.calls + 2;
            assert_status(finish(0.5), SOTTO_E_LEDGER);
        }
        assert_non_null(wiped_context);
        assert_memory_equal(wiped_context, zeros, sizeof zeros);
        for (uint64_t i = 0; i < s.count; i++) {
            for (size_t at = 0; at + 8 <= s.entry_bytes[i]; at++) {
                assert_memory_not_equal(s.entry[i] + at, &context[1], 8);
            }
        }
    }
}

TEST(an_abandoned_round_leaves_its_held_report)
{
    person_begin(small_spec(), true, 10);
    held();
    assert_ok(begin());
    assert_status(seal(), SOTTO_E_ORDER); /* of the new round there is none yet */
    sotto_unsent next = unsent();
    assert_int_equal(next.entry, 1);
    assert_true(next.held && !next.sealed);
    assert_int_equal(sotto_ledger_rounds(p.ledger), 2);
}

/* After a restart the report is the ledger's to send: the handle does not know its number. */
TEST(a_recalled_report_is_sealed_through_the_ledger)
{
    person_begin(small_spec(), true, 11);
    held();
    assert_ok(finish(0.5));
    release(p.round);
    assert_ok(sotto_round_new(p.client, &p.terms, &p.round));
    assert_ok(sotto_round_resend(p.round, p.frame, frame_bytes));
    assert_status(seal(), SOTTO_E_ORDER);
    assert_status(sotto_round_acknowledge(p.round), SOTTO_E_ORDER);
    assert_ok(sotto_ledger_seal(p.ledger, unsent().entry, p.frame, frame_bytes));
    assert_ok(sotto_ledger_acknowledge(p.ledger, unsent().entry));
    sotto_round_free(p.round);
}
