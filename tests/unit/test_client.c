/* A client: only with a usable policy, on the ledger it was given, with the system's randomness. */
#include "client.h"
#include "test.h"

#include <math.h>

static void missing_pointers_are_refused(void **state)
{
    (void)state;
    sotto_policy policy = sotto_policy_default();
    sotto_ledger *ledger;
    sotto_client *client = NULL;
    assert_ok(sotto_ledger_memory_new(&ledger));
    assert_status(sotto_client_new(NULL, ledger, &client), SOTTO_E_ARGUMENT);
    assert_status(sotto_client_new(&policy, NULL, &client), SOTTO_E_ARGUMENT);
    assert_status(sotto_client_new(&policy, ledger, NULL), SOTTO_E_ARGUMENT);
    sotto_client_free(NULL);
    sotto_ledger_free(ledger);
}

static void a_policy_at_fault_makes_no_client(void **state)
{
    (void)state;
    sotto_ledger *ledger;
    assert_ok(sotto_ledger_memory_new(&ledger));
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
    sotto_ledger_free(ledger);
}

static void the_policy_is_copied_and_the_ledger_borrowed(void **state)
{
    (void)state;
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = 3;
    sotto_ledger *ledger;
    sotto_client *client;
    assert_ok(sotto_ledger_memory_new(&ledger));
    assert_ok(sotto_client_new(&policy, ledger, &client));
    policy.epsilon_lifetime = 1000;
    assert_true(client->policy.epsilon_lifetime == 3);
    assert_ptr_equal(client->ledger, ledger);
    sotto_client_free(client);
    assert_int_equal(sotto_ledger_rounds(ledger), 0); /* still there */
    sotto_ledger_free(ledger);
}

static void the_randomness_is_the_system_s(void **state)
{
    (void)state;
    sotto_policy policy = sotto_policy_default();
    sotto_ledger *ledger;
    sotto_client *client;
    assert_ok(sotto_ledger_memory_new(&ledger));
    assert_ok(sotto_client_new(&policy, ledger, &client));
    assert_ptr_equal(client->rng, &client->system);
    assert_ptr_equal(client->system.fill, sotto__system_rng().fill);
    sotto_client_free(client);
    sotto_ledger_free(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_pointers_are_refused),
        cmocka_unit_test(a_policy_at_fault_makes_no_client),
        cmocka_unit_test(the_policy_is_copied_and_the_ledger_borrowed),
        cmocka_unit_test(the_randomness_is_the_system_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
