/* Rounds are found by the ledger's number while they have a place, and a refusal says what the ledger said. */
#include "client/ledger.h"
#include "test.h"
#include "transport/places.h"

#include <string.h>

static void test_no_number_finds_no_round(void **state)
{
    (void)state;
    sotto__device_round round[2] = {{0}};
    const sotto_device device = {.round = round, .options.rounds_max = 2};
    assert_null(sotto__device_find(&device, 0)); /* the number of places that are free */
    assert_null(sotto__device_find(&device, 7));
}

static void test_a_round_is_found_until_it_is_forgotten(void **state)
{
    (void)state;
    sotto__device_report report = {0};
    sotto__device_round round[3] = {
        {.entry = 4}, {.entry = 9, .decided = true, .finished = true, .report = &report}};
    const sotto_device device = {.round = round, .options.rounds_max = 3};
    assert_ptr_equal(sotto__device_find(&device, 9), &round[1]);
    assert_ptr_equal(sotto__device_find(&device, 4), &round[0]);
    sotto__device_forget(&round[1]);
    assert_null(sotto__device_find(&device, 9));
    assert_false(round[1].decided || round[1].finished);
    assert_null(round[1].report);
}

static void test_a_refusal_has_the_words_of_the_ledger_if_it_has_any(void **state)
{
    (void)state;
    sotto_ledger ledger = {0};
    sotto_device device = {.options.ledger = &ledger};
    assert_status(sotto__device_refuse(&device, SOTTO_E_ENTROPY), SOTTO_E_ENTROPY);
    assert_string_equal(device.fault, sotto_status_text(SOTTO_E_ENTROPY));
    ledger.fault = "it was rolled back";
    assert_status(sotto__device_refuse(&device, SOTTO_E_LEDGER), SOTTO_E_LEDGER);
    assert_non_null(strstr(device.fault, sotto_status_text(SOTTO_E_LEDGER)));
    assert_non_null(strstr(device.fault, "it was rolled back"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_number_finds_no_round),
        cmocka_unit_test(test_a_round_is_found_until_it_is_forgotten),
        cmocka_unit_test(test_a_refusal_has_the_words_of_the_ledger_if_it_has_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
