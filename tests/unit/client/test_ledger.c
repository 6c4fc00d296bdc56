/* What all ledgers tell: the numbers they hold, and why they refused. */
#include "client/ledger.h"
#include "test.h"

#include <math.h>

static uint32_t freed;

static void count_free(sotto_ledger *ledger)
{
    (void)ledger;
    freed++;
}

static void no_ledger_is_freed_as_well(void **state)
{
    (void)state;
    freed = 0;
    sotto_ledger ledger = {.free = count_free};
    sotto_ledger_free(NULL);
    assert_int_equal(freed, 0);
    sotto_ledger_free(&ledger);
    assert_int_equal(freed, 1);
}

static void each_number_is_its_own(void **state)
{
    (void)state;
    sotto_ledger ledger = {.spent = {.rounds = 100,
                                     .epsilon = 10,
                                     .delta = 1e-7,
                                     .epsilon_max = 0.1,
                                     .delta_max = 1e-9},
                           .reports = 93,
                           .text = "why"};
    assert_int_equal(sotto_ledger_rounds(&ledger), 100);
    assert_int_equal(sotto_ledger_reports(&ledger), 93);
    assert_true(sotto_ledger_epsilon(&ledger) == 10);
    assert_true(sotto_ledger_delta(&ledger) == 1e-7);
    assert_true(sotto_ledger_epsilon_optimal(&ledger, 1e-5) ==
                sotto_compose_epsilon(100, 0.1, 1e-9, 1e-5));
    assert_true(sotto_ledger_epsilon_optimal(&ledger, 1e-5) < 5);
    assert_true(isinf(sotto_ledger_epsilon_optimal(&ledger, 0)));
    assert_null(sotto_ledger_fault(&ledger));
    ledger.fault = ledger.text;
    assert_string_equal(sotto_ledger_fault(&ledger), "why");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_ledger_is_freed_as_well),
        cmocka_unit_test(each_number_is_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
