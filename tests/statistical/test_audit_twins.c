/*
 * The audit against twins: every broken one is caught, in the layer that is there to catch it. One
 * audit each, with a fixed seed; how often they are caught is measured by audit_power.c.
 */
#include "broken.h"
#include "test.h"

/* The audits of a slow twin belong to the soak. */
#define CI_TRIALS_MAX 1000000u

static void every_broken_twin_is_caught(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < broken_count(); i++) {
        const broken *twin = broken_at(i);
        sotto_audit_result result;
        bool slow = twin->kind == SOTTO_MECHANISM_CODEBOOK && twin->trials >= CI_TRIALS_MAX;
        if (slow) continue;
        assert_ok(broken_audit(twin, twin->trials, 1 + i, &result));
        if (result.verdict != SOTTO_AUDIT_VIOLATION) fail_msg("not caught: %s", twin->name);
        if (!broken_caught(&result, twin->layer)) {
            fail_msg("not caught in layer %u: %s", twin->layer, twin->name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_broken_twin_is_caught)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
