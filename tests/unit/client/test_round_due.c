/* When the report of a held round leaves: times that cannot be used, what fails and then spends the
 * round, both ends of the range, the law of the draw; and reports that are given up. */
#include "borrowed.h"
#include "client/client.h"
#include "core/core.h"
#include "lab/math/math.h"
#include "person.h"
#include "test.h"
#include "why.h"

#include <math.h>
#include <string.h>

#define FRAME_BYTES 42
#define NOW UINT64_C(1790000000000)
#define NOW_MAX (UINT64_C(1) << 62)
#define YEAR_S 31536000u

static const double context[4] = {.1, .2, .3, .4};

static person p;
static store s; /* of a ledger behind calls */
static uint64_t send_at_ms;

static sotto_spec timed_spec(uint32_t reward_window_s, uint32_t send_spread_s)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2, spec.arms = 2, spec.reward_window_s = reward_window_s;
    spec.send_spread_s = send_spread_s;
    return spec;
}

static void person_begin(sotto_spec spec, bool behind_calls)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = INFINITY;
    memset(&s, 0, sizeof s);
    if (behind_calls) person_join_behind(&p, &s, &spec, &policy, 1);
    if (!behind_calls) person_join(&p, &spec, &policy, 1);
    memset(p.frame, 0, sizeof p.frame);
    p.model->phase = SOTTO_PHASE_MAIN;
    send_at_ms = 77;
    assert_int_equal(sotto_report_bytes(&p.terms), FRAME_BYTES);
}

static sotto_status begin(void)
{
    return sotto_round_begin(p.round, p.model);
}

static sotto_status hold_at(uint64_t now_ms)
{
    return sotto_round_hold_at(p.round, now_ms, &send_at_ms);
}

static sotto_status decide(void)
{
    return sotto_round_decide(p.round, context, 4, &p.arm);
}

static sotto_status finish(void)
{
    return sotto_round_finish(p.round, 0.5, p.frame, FRAME_BYTES);
}

static sotto_status seal(void)
{
    return sotto_round_seal(p.round, p.frame, FRAME_BYTES);
}

static sotto_unsent unsent(void)
{
    sotto_unsent next;
    assert_ok(sotto_ledger_unsent(p.ledger, 0, &next));
    return next;
}

/* The round is spent and cannot go on; no time was given. */
static void assert_abandoned(uint64_t rounds)
{
    assert_int_equal(send_at_ms, 77);
    p.arm = 88;
    assert_status(decide(), SOTTO_E_ORDER);
    assert_status(hold_at(NOW), SOTTO_E_ORDER);
    assert_status(sotto_round_hold(p.round), SOTTO_E_ORDER);
    assert_status(finish(), SOTTO_E_ORDER);
    assert_status(seal(), SOTTO_E_ORDER);
    assert_ints(p.arm, 88, sotto_ledger_rounds(p.ledger), rounds, sotto_ledger_reports(p.ledger),
                0);
}

/* ---- refused ------------------------------------------------------------------------------ */

TEST(a_time_that_cannot_be_used_spends_the_round)
{
    const uint64_t wrong[] = {0, NOW_MAX + 1, UINT64_MAX};
    for (int behind_calls = 0; behind_calls < 2; behind_calls++) {
        person_begin(timed_spec(10, 10), behind_calls == 1);
        for (size_t i = 0; i < 3; i++) {
            assert_ok(begin());
            assert_status(hold_at(wrong[i]), SOTTO_E_FAULT);
            assert_abandoned(i + 1);
        }
        assert_ok(begin());
        assert_ok(hold_at(1));
        assert_ok(decide());
        assert_int_equal(unsent().begun_ms, 1);
    }
}

TEST(a_round_is_held_once_after_begin)
{
    person_begin(timed_spec(10, 10), true);
    assert_int_equal(sotto_round_entry(p.round), 0);
    assert_status(hold_at(NOW), SOTTO_E_ORDER);
    assert_ok(begin());
    assert_int_equal(sotto_round_entry(p.round), 1);
    assert_status(sotto_round_hold_at(p.round, NOW, NULL), SOTTO_E_ARGUMENT); /* nothing is done */
    assert_ok(sotto_round_hold(p.round));
    assert_status(hold_at(NOW), SOTTO_E_ORDER); /* it has no time, and gets none */
    assert_ok(decide());
    assert_status(hold_at(NOW), SOTTO_E_ORDER);
    assert_ints(unsent().send_at_ms, 0, send_at_ms, 77);
    assert_ok(begin());
    assert_int_equal(sotto_round_entry(p.round), 3);
    assert_ok(hold_at(NOW));
    uint64_t first = send_at_ms;
    assert_status(hold_at(NOW), SOTTO_E_ORDER);
    assert_status(sotto_round_hold(p.round), SOTTO_E_ORDER);
    assert_int_equal(send_at_ms, first);
    assert_ok(decide()); /* the refused calls left the round where it was */
    assert_ok(finish());
    assert_int_equal(sotto_round_entry(p.round), 3);
}

TEST(without_randomness_the_round_is_spent)
{
    sotto_spec lattice = timed_spec(10, 10);
    lattice.method = SOTTO_METHOD_LDP_OLS; /* its noise is drawn at hold */
    lattice.score = SOTTO_SCORE_MOMENTS;
    lattice.delta = 1e-6;
    person_begin(timed_spec(10, 10), true);
    assert_ok(begin());
    p.t.fails_after_bytes = p.t.drawn_bytes; /* no U */
    assert_status(hold_at(NOW), SOTTO_E_ENTROPY);
    assert_abandoned(1);
    release(p.round);
    p.t.fails_after_bytes = SIZE_MAX;
    assert_ok(sotto_spec_resolve(&lattice, &p.terms));
    assert_ok(sotto_round_new(p.client, &p.terms, &p.round));
    release(p.model);
    assert_ok(sotto_model_new(&p.terms, &p.model));
    assert_ok(begin());
    p.t.fails_after_bytes = p.t.drawn_bytes; /* no noise */
    assert_status(hold_at(NOW), SOTTO_E_ENTROPY);
    assert_abandoned(2);
    sotto_model_free(p.model);
    sotto_round_free(p.round);
}

/* Each call of the store fails in its turn, with the entry stored or not. */
TEST(a_time_that_is_not_booked_spends_the_round)
{
    const store_failure failures[] = {STORE_FAILS, STORE_DONE_FAILS};
    for (size_t failure = 0; failure < 2; failure++) {
        for (uint64_t call = 1; call <= 2; call++) { /* load, append */
            person_begin(timed_spec(10, 10), true);
            assert_ok(begin());
            s.failure = failures[failure];
            s.fail_at = s.calls + call;
            assert_status(hold_at(NOW), SOTTO_E_LEDGER);
            assert_abandoned(1);
            assert_true(s.fail_at <= s.calls);
        }
    }
}

/* ---- the time ----------------------------------------------------------------------------- */

static void assert_u_of(const uint64_t *words, size_t count, uint32_t spread_s, uint64_t u_ms)
{
    uint8_t bytes[SOTTO_NONCE_BYTES + 16] = {0};
    size_t bytes_count = SOTTO_NONCE_BYTES + count * sizeof *words;
    memcpy(bytes + SOTTO_NONCE_BYTES, words, count * sizeof *words);
    person_begin(timed_spec(7, spread_s), true);
    p.t = tape_of(bytes, bytes_count);
    p.client->rng = &p.t.rng;
    assert_ok(begin());
    assert_ok(hold_at(NOW));
    assert_ints(p.t.drawn_bytes, bytes_count, send_at_ms, NOW + 7000 + u_ms);
}

/* Words past the last whole multiple of 1001 below 2^64 are drawn again. */
TEST(both_ends_of_the_spread_and_no_bias_beyond)
{
    const uint64_t excess = (UINT64_MAX % 1001 + 1) % 1001;
    const uint64_t rejected[2] = {UINT64_MAX - excess + 1, 5}, last = UINT64_MAX - excess;
    const uint64_t words[] = {0, 1, 999, 1000, 1001, last};
    const uint64_t u_ms[] = {0, 1, 999, 1000, 0, 1000};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        assert_u_of(&words[i], 1, 1, u_ms[i]);
        assert_u_of(&words[i], 1, 0, 0);
    }
    assert_true(excess > 0);
    assert_u_of(rejected, 2, 1, 5);
}

TEST(the_largest_times_fit)
{
    const uint64_t most = UINT64_C(1000) * YEAR_S;
    uint8_t bytes[SOTTO_NONCE_BYTES + 8] = {0};
    sotto__put_u64(bytes + SOTTO_NONCE_BYTES, most);
    person_begin(timed_spec(YEAR_S, YEAR_S), true);
    p.t = tape_of(bytes, sizeof bytes);
    p.client->rng = &p.t.rng;
    assert_ok(begin());
    assert_ok(hold_at(NOW_MAX));
    assert_int_equal(send_at_ms, NOW_MAX + 2 * most);
}

/* Also for who opens the ledger later; and finish and seal change nothing of it. */
TEST(the_ledger_knows_the_times)
{
    for (int behind_calls = 0; behind_calls < 2; behind_calls++) {
        person_begin(timed_spec(60, 600), behind_calls == 1);
        assert_ok(begin());
        assert_ok(hold_at(NOW));
        assert_in_range(send_at_ms, NOW + 60000, NOW + 660000);
        assert_int_equal(unsent().entry, 0); /* there is no report yet */
        assert_ok(decide());
        for (int step = 0; step < 3; step++) {
            sotto_ledger *again = p.ledger;
            sotto_ledger_calls calls = store_calls(&s);
            sotto_unsent next;
            if (behind_calls) assert_ok(sotto_ledger_calls_open(&calls, &again));
            assert_ok(sotto_ledger_unsent(again, 0, &next));
            assert_ints(next.entry, sotto_round_entry(p.round), next.begun_ms, NOW, next.send_at_ms,
                        send_at_ms);
            if (behind_calls) sotto_ledger_free(again);
            assert_ok(step == 0 ? finish() : seal());
        }
    }
}

/* A generator that gives the lowest ten bits alone: % 1001 makes 0 to 22 twice as likely. */
static sotto_status fill_ten_bits(sotto_rng *rng, void *out, size_t bytes)
{
    tape *t = (tape *)rng;
    tape whole = tape_seeded(0);
    whole.seeded = t->seeded;
    sotto_status status = whole.rng.fill(&whole.rng, out, bytes);
    t->seeded = whole.seeded;
    if (bytes == 8) sotto__put_u64(out, sotto__get_u64(out) & 1023);
    return status;
}

/* P(a draw as uneven as 24,000 of U | it is uniform over 0 to 1000). */
static double evenness(bool is_broken)
{
    enum { ROUNDS = 24000, PLACES = 1001 };
    static uint64_t count[PLACES];
    memset(count, 0, sizeof count);
    person_begin(timed_spec(3, 1), false);
    if (is_broken) p.t.rng.fill = fill_ten_bits;
    for (int i = 0; i < ROUNDS; i++) {
        assert_ok(begin());
        assert_ok(hold_at(NOW));
        assert_in_range(send_at_ms, NOW + 3000, NOW + 4000);
        count[send_at_ms - NOW - 3000]++;
        assert_ok(decide());
        assert_ok(sotto_ledger_drop(p.ledger, sotto_round_entry(p.round)));
    }
    assert_int_equal(sotto_ledger_dropped(p.ledger), ROUNDS);
    return sotto__uniform_p(count, PLACES);
}

/* A false alarm has probability 1e-6. */
TEST(the_spread_is_uniform_to_the_millisecond)
{
    assert_true(evenness(false) > 1e-6);
}

TEST(a_generator_of_ten_bits_is_caught)
{
    assert_true(evenness(true) < 1e-6);
}

/* ---- given up ----------------------------------------------------------------------------- */

TEST(a_round_whose_report_was_dropped_releases_nothing)
{
    for (int behind_calls = 0; behind_calls < 2; behind_calls++) {
        person_begin(timed_spec(10, 10), behind_calls == 1);
        assert_ok(begin());
        assert_ok(hold_at(NOW));
        assert_status(sotto_ledger_drop(p.ledger, sotto_round_entry(p.round)), SOTTO_E_LEDGER);
        assert_ok(decide());
        assert_ok(sotto_ledger_drop(p.ledger, sotto_round_entry(p.round)));
        assert_status(seal(), SOTTO_E_LEDGER);
        assert_status(sotto_round_acknowledge(p.round), SOTTO_E_LEDGER);
        assert_status(finish(), SOTTO_E_LEDGER); /* the round is over, and spent */
        assert_string_equal(WHY(sotto_ledger_fault, p.ledger), "a report for no open round");
        assert_int_equal(p.frame[0], 0);
        assert_status(finish(), SOTTO_E_ORDER);
        assert_status(seal(), SOTTO_E_ORDER);
        assert_status(sotto_round_resend(p.round, p.frame, FRAME_BYTES), SOTTO_E_ORDER);
        assert_ints(unsent().entry, 0, sotto_ledger_dropped(p.ledger), 1);
        assert_ok(begin()); /* the next one is as any */
        assert_ok(hold_at(NOW));
        assert_ok(decide());
        assert_ok(finish());
    }
}

/* The ledger sent the default's report and forgot it: the reward must not make a second. */
TEST(a_reward_after_the_acknowledgement_releases_nothing)
{
    for (int behind_calls = 0; behind_calls < 2; behind_calls++) {
        uint8_t sent[FRAME_BYTES];
        person_begin(timed_spec(10, 10), behind_calls == 1);
        assert_ok(begin());
        assert_ok(hold_at(NOW));
        assert_ok(decide());
        uint64_t entry = sotto_round_entry(p.round);
        assert_ok(sotto_ledger_seal(p.ledger, entry, sent, sizeof sent));
        assert_ok(sotto_ledger_acknowledge(p.ledger, entry));
        assert_status(finish(), SOTTO_E_LEDGER);
        assert_ints(p.frame[0], 0, sotto_ledger_reports(p.ledger), 1);
    }
}
