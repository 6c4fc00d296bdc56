/* The ledger in memory: adds exactly, stops at the cap, books nothing that it refuses. */
#include "client/client.h"
#include "made.h"
#include "test.h"
#include "why.h"

#include <math.h>
#include <string.h>

static const uint8_t zeros[16];

static sotto_status debit(sotto_ledger *ledger, double epsilon, double lifetime)
{
    uint64_t entry;
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = lifetime;
    sotto__debit one = {zeros, zeros, epsilon, 0, &policy};
    return ledger->debit(ledger, &one, &entry);
}

TEST(a_debit_past_the_cap_books_nothing)
{
    sotto_ledger *ledger = made_ledger();
    assert_status(debit(ledger, 1.001, 1), SOTTO_E_BUDGET);
    assert_status(debit(ledger, INFINITY, 1), SOTTO_E_BUDGET);
    assert_status(debit(ledger, NAN, 1), SOTTO_E_BUDGET);
    assert_status(debit(ledger, 0.5, NAN), SOTTO_E_BUDGET);
    assert_true(sotto_ledger_epsilon(ledger) == 0);
    assert_int_equal(sotto_ledger_rounds(ledger), 0);
    assert_ok(debit(ledger, 0.75, 1));
    assert_status(debit(ledger, 0.5, 1), SOTTO_E_BUDGET);
    assert_true(sotto_ledger_epsilon(ledger) == 0.75);
    assert_int_equal(sotto_ledger_rounds(ledger), 1);
    assert_ok(debit(ledger, 0.25, 1)); /* what still fits is still booked */
}

TEST(exactly_as_many_reports_as_the_cap_allows)
{
    const struct {
        double epsilon, lifetime;
        uint64_t fits;
    } rows[] = {{0.1, 1, 10},   {1, 8, 8}, {0.1, 0.3, 3},   {0.7, 2.1, 3},
                {0.01, 8, 800}, {2, 8, 4}, {1.0 / 3, 1, 3}, {8, 8, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        sotto_ledger *ledger = made_ledger();
        for (uint64_t i = 0; i < rows[r].fits; i++) {
            assert_ok(debit(ledger, rows[r].epsilon, rows[r].lifetime));
        }
        assert_status(debit(ledger, rows[r].epsilon, rows[r].lifetime), SOTTO_E_BUDGET);
        assert_int_equal(sotto_ledger_rounds(ledger), rows[r].fits);
        assert_near(sotto_ledger_epsilon(ledger), rows[r].lifetime, 1e-11);
    }
}

/* The slack for rounding is no room for another experiment. */
TEST(a_full_ledger_takes_not_even_a_little_more)
{
    sotto_ledger *ledger = made_ledger();
    assert_ok(debit(ledger, 8, 8));
    assert_status(debit(ledger, 1e-9, 8), SOTTO_E_BUDGET);
    assert_true(sotto_ledger_epsilon(ledger) == 8);
}

TEST(an_infinite_cap_never_refuses_and_still_adds)
{
    sotto_ledger *ledger = made_ledger();
    for (int i = 0; i < 1000; i++) {
        assert_ok(debit(ledger, 8, INFINITY));
    }
    assert_true(sotto_ledger_epsilon(ledger) == 8000);
    assert_int_equal(sotto_ledger_rounds(ledger), 1000);
}

TEST(one_ledger_adds_over_all_specs)
{
    const uint8_t other[16] = {1};
    sotto_ledger *ledger = made_ledger();
    uint64_t entry;
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = 2;
    sotto__debit first = {zeros, zeros, 1, 0, &policy}, second = {other, other, 1, 0, &policy};
    assert_ok(ledger->debit(ledger, &first, &entry));
    assert_int_equal(entry, 1);
    assert_ok(ledger->debit(ledger, &second, &entry));
    assert_int_equal(entry, 2);
    assert_null(WHY(sotto_ledger_fault, ledger));
    assert_status(ledger->debit(ledger, &second, &entry), SOTTO_E_BUDGET);
    assert_string_equal(WHY(sotto_ledger_fault, ledger),
                        "epsilon = 1: after 2 in 2 rounds, it would exceed epsilon_lifetime 2");
}

TEST(rounds_are_composed_at_the_epsilon_of_the_first_policy)
{
    uint64_t entry;
    sotto_policy first = sotto_policy_default(), other = first;
    first.epsilon_per_report_max = 0.1;
    sotto__debit by_first = {zeros, zeros, 0.1, 0, &first},
                 by_other = {zeros, zeros, 0.1, 0, &other};
    sotto_ledger *ledger = made_ledger();
    for (int i = 0; i < 80; i++) {
        assert_ok(ledger->debit(ledger, i == 0 ? &by_first : &by_other, &entry));
    }
    assert_status(ledger->debit(ledger, &by_other, &entry), SOTTO_E_BUDGET);
    assert_non_null(
        strstr(WHY(sotto_ledger_fault, ledger), "0.1, that of its first policy, not 2"));
    assert_ok(ledger->debit(ledger, &by_first, &entry));
}

TEST(recording_a_frame_costs_nothing)
{
    sotto_ledger *ledger = made_ledger();
    assert_ok(debit(ledger, 1, 8));
    assert_ok(ledger->record(ledger, 1, zeros, sizeof zeros));
    assert_true(sotto_ledger_epsilon(ledger) == 1);
    assert_ints(sotto_ledger_rounds(ledger), 1, sotto_ledger_reports(ledger), 1);
}

TEST(a_ledger_in_memory_recalls_no_report)
{
    uint8_t frame[16] = {0xab};
    bool found = true;
    sotto_ledger *ledger = made_ledger();
    assert_ok(debit(ledger, 1, 8));
    assert_ok(ledger->record(ledger, 1, zeros, sizeof zeros));
    assert_ok(ledger->recall(ledger, zeros, frame, sizeof frame, &found));
    assert_false(found);
    assert_int_equal(frame[0], 0xab);
}

/* What all ledgers tell: the numbers they hold, and why they refused. */

static uint32_t freed;

static void count_free(sotto_ledger *ledger)
{
    (void)ledger;
    freed++;
}

TEST(a_ledger_is_freed_by_its_own_function)
{
    freed = 0;
    sotto_ledger ledger = {.free = count_free};
    sotto_ledger_free(NULL);
    assert_int_equal(freed, 0);
    sotto_ledger_free(&ledger);
    assert_int_equal(freed, 1);
}

TEST(each_question_is_answered_by_its_own_number)
{
    sotto_ledger ledger = {.spent = {.rounds = 100,
                                     .epsilon = 10,
                                     .delta = 1e-7,
                                     .epsilon_max = 0.1,
                                     .delta_max = 1e-9},
                           .reports = 93,
                           .fault.sentence = "why"};
    assert_ints(sotto_ledger_rounds(&ledger), 100, sotto_ledger_reports(&ledger), 93);
    assert_true(sotto_ledger_epsilon(&ledger) == 10);
    assert_true(sotto_ledger_delta(&ledger) == 1e-7);
    assert_true(sotto_ledger_epsilon_optimal(&ledger, 1e-5) ==
                sotto_compose_epsilon(100, 0.1, 1e-9, 1e-5));
    assert_true(sotto_ledger_epsilon_optimal(&ledger, 1e-5) < 5);
    assert_true(isinf(sotto_ledger_epsilon_optimal(&ledger, 0)));
    assert_null(WHY(sotto_ledger_fault, &ledger));
    ledger.refused = SOTTO_E_LEDGER;
    assert_string_equal(WHY(sotto_ledger_fault, &ledger), "why");
}
