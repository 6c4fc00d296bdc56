/* The ledger in memory: adds exactly, stops at the cap, books nothing that it refuses. */
#include "client/ledger.h"
#include "test.h"

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

static sotto_ledger *new_ledger(void)
{
    sotto_ledger *ledger = NULL;
    assert_ok(sotto_ledger_memory_new(&ledger));
    return ledger;
}

static void no_pointer_no_ledger(void **state)
{
    (void)state;
    assert_status(sotto_ledger_memory_new(NULL), SOTTO_E_ARGUMENT);
    sotto_ledger_free(NULL);
}

static void a_debit_past_the_cap_books_nothing(void **state)
{
    (void)state;
    sotto_ledger *ledger = new_ledger();
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
    sotto_ledger_free(ledger);
}

static void exactly_as_many_reports_as_the_cap_allows(void **state)
{
    (void)state;
    const struct {
        double epsilon, lifetime;
        uint64_t fits;
    } rows[] = {{0.1, 1, 10},   {1, 8, 8}, {0.1, 0.3, 3},   {0.7, 2.1, 3},
                {0.01, 8, 800}, {2, 8, 4}, {1.0 / 3, 1, 3}, {8, 8, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        sotto_ledger *ledger = new_ledger();
        for (uint64_t i = 0; i < rows[r].fits; i++) {
            assert_ok(debit(ledger, rows[r].epsilon, rows[r].lifetime));
        }
        assert_status(debit(ledger, rows[r].epsilon, rows[r].lifetime), SOTTO_E_BUDGET);
        assert_int_equal(sotto_ledger_rounds(ledger), rows[r].fits);
        assert_near(sotto_ledger_epsilon(ledger), rows[r].lifetime, 1e-11);
        sotto_ledger_free(ledger);
    }
}

/* The slack for rounding is no room for another experiment. */
static void a_full_ledger_takes_not_even_a_little_more(void **state)
{
    (void)state;
    sotto_ledger *ledger = new_ledger();
    assert_ok(debit(ledger, 8, 8));
    assert_status(debit(ledger, 1e-9, 8), SOTTO_E_BUDGET);
    assert_true(sotto_ledger_epsilon(ledger) == 8);
    sotto_ledger_free(ledger);
}

static void an_infinite_cap_never_refuses_and_still_adds(void **state)
{
    (void)state;
    sotto_ledger *ledger = new_ledger();
    for (int i = 0; i < 1000; i++) {
        assert_ok(debit(ledger, 8, INFINITY));
    }
    assert_true(sotto_ledger_epsilon(ledger) == 8000);
    assert_int_equal(sotto_ledger_rounds(ledger), 1000);
    sotto_ledger_free(ledger);
}

static void one_ledger_adds_over_all_specs(void **state)
{
    (void)state;
    const uint8_t other[16] = {1};
    sotto_ledger *ledger = new_ledger();
    uint64_t entry;
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = 2;
    sotto__debit first = {zeros, zeros, 1, 0, &policy}, second = {other, other, 1, 0, &policy};
    assert_ok(ledger->debit(ledger, &first, &entry));
    assert_int_equal(entry, 1);
    assert_ok(ledger->debit(ledger, &second, &entry));
    assert_int_equal(entry, 2);
    assert_null(sotto_ledger_fault(ledger));
    assert_status(ledger->debit(ledger, &second, &entry), SOTTO_E_BUDGET);
    assert_string_equal(sotto_ledger_fault(ledger),
                        "epsilon 1 more, after 2 in 2 rounds, would pass epsilon_lifetime 2");
    sotto_ledger_free(ledger);
}

static void rounds_are_composed_at_the_epsilon_of_the_first_policy(void **state)
{
    (void)state;
    uint64_t entry;
    sotto_policy first = sotto_policy_default(), other = first;
    first.epsilon_per_report_max = 0.1;
    sotto__debit by_first = {zeros, zeros, 0.1, 0, &first},
                 by_other = {zeros, zeros, 0.1, 0, &other};
    sotto_ledger *ledger = new_ledger();
    for (int i = 0; i < 80; i++) {
        assert_ok(ledger->debit(ledger, i == 0 ? &by_first : &by_other, &entry));
    }
    assert_status(ledger->debit(ledger, &by_other, &entry), SOTTO_E_BUDGET);
    assert_non_null(strstr(sotto_ledger_fault(ledger), "0.1, that of its first policy, not 2"));
    assert_ok(ledger->debit(ledger, &by_first, &entry));
    sotto_ledger_free(ledger);
}

static void recording_a_frame_costs_nothing(void **state)
{
    (void)state;
    sotto_ledger *ledger = new_ledger();
    assert_ok(debit(ledger, 1, 8));
    assert_ok(ledger->record(ledger, 1, zeros, sizeof zeros));
    assert_true(sotto_ledger_epsilon(ledger) == 1);
    assert_int_equal(sotto_ledger_rounds(ledger), 1);
    assert_int_equal(sotto_ledger_reports(ledger), 1);
    sotto_ledger_free(ledger);
}

static void it_forgets_reports(void **state)
{
    (void)state;
    uint8_t frame[16] = {0xab};
    bool found = true;
    sotto_ledger *ledger = new_ledger();
    assert_ok(debit(ledger, 1, 8));
    assert_ok(ledger->record(ledger, 1, zeros, sizeof zeros));
    assert_ok(ledger->recall(ledger, zeros, frame, sizeof frame, &found));
    assert_false(found);
    assert_int_equal(frame[0], 0xab);
    sotto_ledger_free(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_pointer_no_ledger),
        cmocka_unit_test(a_debit_past_the_cap_books_nothing),
        cmocka_unit_test(exactly_as_many_reports_as_the_cap_allows),
        cmocka_unit_test(a_full_ledger_takes_not_even_a_little_more),
        cmocka_unit_test(an_infinite_cap_never_refuses_and_still_adds),
        cmocka_unit_test(one_ledger_adds_over_all_specs),
        cmocka_unit_test(rounds_are_composed_at_the_epsilon_of_the_first_policy),
        cmocka_unit_test(recording_a_frame_costs_nothing),
        cmocka_unit_test(it_forgets_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
