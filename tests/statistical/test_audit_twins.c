/*
 * The audit against twins: every broken one is caught, in the layer that is there to catch it. One
 * audit each, with a fixed seed; how often they are caught is measured by audit_power.c.
 */
#include "broken.h"
#include "test.h"

/* The soak runs the audits of slower twins. */
#define CI_TRIALS_MAX 1000000u

/* Uses a quarter of the trials for twins that are still caught with so few. */
static uint64_t trials_of(const broken *twin)
{
    static const char *const plain[] = {
        "laplace, 0.95 b",
        "program, laplace, its input once in 4,000",
        "program, gaussian, its input once in 4,000",
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (strcmp(twin->name, plain[i]) == 0) return twin->trials / 4;
    }
    return twin->trials;
}

TEST(every_broken_twin_is_caught)
{
    for (uint32_t i = 0; i < broken_count(); i++) {
        const broken *twin = broken_at(i);
        sotto_audit_result result;
        bool slow = twin->kind == SOTTO_MECHANISM_CODEBOOK && twin->trials >= CI_TRIALS_MAX;
        if (slow) continue;
        assert_ok(broken_audit(twin, trials_of(twin), 1 + i, &result));
        if (result.verdict != SOTTO_AUDIT_VIOLATION) fail_msg("not caught: %s", twin->name);
        if (!broken_caught(&result, twin->layer)) {
            fail_msg("not caught in layer %u: %s", twin->layer, twin->name);
        }
    }
}
