/* The self test: the default terms have the same bits as on other machines, and a short audit of
 * the mechanisms that ship. */
#include "inner.h"

#include <sotto/lab/audits.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the same bits -------------------------------------------------------------------------- */

/* The id of the default terms, tests/golden/spec_default.bin. A change in the floating-point
 * calibration or in SHA-256 changes it. */
#define KNOWN_ID "229c7db25900c15a48a40234d8b17ddc"

static bool test_bits(facts *list)
{
    char text[2 * SOTTO_SPEC_ID_BYTES + 1] = "";
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    sotto_terms terms;
    if (sotto_spec_resolve(&spec, &terms) == SOTTO_OK) {
        for (uint32_t i = 0; i < SOTTO_SPEC_ID_BYTES; i++) {
            snprintf(text + 2 * i, 3, "%02x", terms.id[i]);
        }
    }
    bool fine = strcmp(text, KNOWN_ID) == 0;
    fact_flag(list, "same_bits", fine, "terms have the same id as on other machines");
    return fine;
}

/* ---- audits --------------------------------------------------------------------------------- */

#define ALPHA 1e-5 /* small, so that a false alarm is rarer than one in thousands of runs */
#define PILOT 2000u
#define TRIALS_MAX 10000000u

static const struct {
    sotto_mechanism_kind kind;
    const char *name, *trials;
} mechanisms[] = {
    {SOTTO_MECHANISM_CODEBOOK, "codebook", "codebook_trials"},
    {SOTTO_MECHANISM_GAUSSIAN, "gaussian", "gaussian_trials"},
};
#define MECHANISMS (sizeof mechanisms / sizeof mechanisms[0])

static bool audit(sotto_mechanism_kind kind, uint64_t trials, sotto_audit_result *result)
{
    const sotto_mechanism_settings mechanism = sotto_mechanism_default(kind, 5, 1);
    sotto_audit_settings settings = sotto_audit_default(&mechanism);
    settings.trials = trials;
    settings.alpha = ALPHA;
    return sotto_audit_run(&settings, NULL, result) == SOTTO_OK;
}

/* A short audit first measures how many trials fit into `seconds`. */
static bool test_mechanism(facts *list, size_t which, double seconds)
{
    static sotto_audit_result result;
    uint64_t trials = PILOT;
    bool ran = audit(mechanisms[which].kind, trials, &result);
    if (ran && result.seconds < seconds) {
        double fit = PILOT * (seconds - result.seconds) / fmax(result.seconds, 1e-4);
        if (fit > PILOT) {
            trials = fit < TRIALS_MAX ? (uint64_t)fit : TRIALS_MAX;
            ran = audit(mechanisms[which].kind, trials, &result);
        }
    }
    const char *verdict = ran ? sotto_audit_verdict_name(result.verdict) : "failed";
    fact_text(list, mechanisms[which].name, verdict, "audit at epsilon 1, system randomness");
    fact_natural(list, mechanisms[which].trials, trials, "of each pair of inputs");
    return ran && result.verdict == SOTTO_AUDIT_NO_VIOLATION;
}

bool doctor_self_test(facts *list, double seconds)
{
    bool fine = test_bits(list);
    for (size_t i = 0; i < MECHANISMS; i++) {
        fine = test_mechanism(list, i, seconds / MECHANISMS) && fine;
    }
    return fine;
}
