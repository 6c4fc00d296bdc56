#include "core/core.h"
#include "inner.h"
#include "lab/plugin/plugin.h"
#include "lab/random/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

/* The audit: its settings, its layers in order, its verdict. */

#define TRIALS_MIN 100u /* with fewer trials only the first layer can find anything */
#define TRIALS_MAX 1000000000u
#define HALF_WAY (2 * SOTTO__AUDIT_PAIRS) /* the row after the pairs: R e_d/2 */

sotto_audit_settings sotto_audit_default(const sotto_mechanism_settings *mechanism)
{
    if (mechanism == NULL) return (sotto_audit_settings){0};
    return (sotto_audit_settings){
        .command = NULL,
        .mechanism = *mechanism,
        .trials = 1000000,
        .alpha = 0.01,
        .timeout_s = 10,
    };
}

const char *sotto_audit_verdict_name(sotto_audit_verdict value)
{
    static const char *const name[] = {"no_violation", "violation", "inconclusive"};
    return (uint32_t)value < sizeof name / sizeof name[0] ? name[value] : NULL;
}

/* Checks what a command or a custom mechanism claims. The library's mechanisms check their own
 * settings. */
static sotto_status claim_fault(const sotto_mechanism_settings *claim, sotto_fault *fault)
{
    if (claim->dim < 1 || claim->dim > SOTTO_DIM_MAX) {
        return sotto__fault_at(fault, "dim", "%u: allowed 1 to %u", claim->dim, SOTTO_DIM_MAX);
    }
    if (!(claim->epsilon >= 0.01 && claim->epsilon <= 50)) {
        return sotto__fault_at(fault, "epsilon", "%.15g: allowed 0.01 to 50", claim->epsilon);
    }
    if (!(claim->delta == 0 || (claim->delta >= 1e-12 && claim->delta <= 0.5))) {
        return sotto__fault_at(fault, "delta", "%.15g: allowed 0, or 1e-12 to 0.5", claim->delta);
    }
    if (!(claim->radius >= 1e-6 && claim->radius <= 1e6)) {
        return sotto__fault_at(fault, "radius", "%.10g: allowed 1e-06 to 1000000", claim->radius);
    }
    return SOTTO_OK;
}

sotto_status sotto_audit_fault(const sotto_audit_settings *settings, sotto_fault *fault)
{
    if (settings == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    if (settings->trials < 1 || settings->trials > TRIALS_MAX) {
        return sotto__fault_at(fault, "trials", "%" PRIu64 ": allowed 1 to 1000000000",
                               settings->trials);
    }
    if (!(settings->alpha >= 1e-5 && settings->alpha <= 0.5)) {
        return sotto__fault_at(fault, "alpha", "%.15g: allowed 1e-05 to 0.5", settings->alpha);
    }
    if (!(settings->timeout_s >= 0.01 && settings->timeout_s <= 86400)) {
        return sotto__fault_at(fault, "timeout_s", "%.15g: allowed 0.01 to 86400",
                               settings->timeout_s);
    }
    if (settings->custom != NULL) {
        if (sotto__mechanism_table_fault(settings->custom, fault) != SOTTO_OK) return SOTTO_E_FAULT;
        if (settings->command != NULL) {
            return sotto__fault_at(fault, "command",
                                   "%.100s: give only one of it and the custom mechanism %s",
                                   settings->command, settings->custom->name);
        }
        return claim_fault(&settings->mechanism, fault);
    }
    if (settings->command != NULL) return claim_fault(&settings->mechanism, fault);
    return sotto_mechanism_fault(&settings->mechanism, fault);
}

/* ---- layers --------------------------------------------------------------------------------- */

/* Layer 1: draws many answers to one input. */
static sotto_status run_law(sotto__subject *subject, const sotto__script *script, sotto_rng *rng,
                            sotto_audit_result *result)
{
    sotto__law *law;
    sotto_status status = sotto__law_new(&subject->claim, script->input, script->trials, &law);
    if (status != SOTTO_OK) return status;
    status = sotto__ask(subject, script, rng, &law->taker);
    if (status == SOTTO_OK) law->rows(law, result);
    law->free(law);
    return status;
}

/* Layers 0 and 1, for subjects that run in this process. All coins of `script` are still 0 here. */
static sotto_status run_inside(sotto__subject *subject, const sotto__script *script, sotto_rng *rng,
                               sotto_audit_result *result)
{
    uint64_t seed;
    sotto_status status = sotto__draw_u64(rng, &seed);
    if (status == SOTTO_OK) status = sotto__audit_deterministic(subject, seed, result);
    if (status == SOTTO_OK) status = sotto__audit_rounds(subject, seed, result);
    if (status == SOTTO_OK) status = sotto__audit_measured(subject, seed, result);
    if (status != SOTTO_OK || script->trials < TRIALS_MIN) return status;
    sotto__script fixed = *script;
    fixed.pairs = 1;
    /* R u, the first input of the third pair. With nulls R e_d/2, which favours the nulls half of
     * the time. */
    bool nulls = sotto__claim_has_nulls(&subject->claim);
    fixed.input = script->input + (nulls ? HALF_WAY : 4) * (size_t)script->dim;
    return run_law(subject, &fixed, rng, result);
}

static sotto_status run_layers(const sotto_audit_settings *settings, sotto__subject *subject,
                               sotto_rng *rng, const sotto_audit_progress *progress,
                               sotto_audit_result *result)
{
    const sotto__privacy_claim *claim = &subject->claim;
    bool inside = claim->family != SOTTO__OUTSIDE;
    uint64_t trials = settings->trials, total = SOTTO__AUDIT_PAIRS * trials;
    double *input = calloc((HALF_WAY + 1) * (size_t)claim->dim, sizeof *input);
    uint8_t *coins = calloc((size_t)(total / 8 + 1), 1);
    sotto__script script = {.dim = claim->dim,
                            .pairs = SOTTO__AUDIT_PAIRS,
                            .trials = trials,
                            .input = input,
                            .coins = coins,
                            .progress = progress,
                            .progress_total = total + (inside ? trials : 0)};
    sotto__trial_shares shares = sotto__trial_shares_of(claim, trials, settings->alpha);
    result->pairs = SOTTO__AUDIT_PAIRS;
    sotto_status status = SOTTO_E_MEMORY;
    if (input == NULL || coins == NULL) goto cleanup;
    status = sotto__audit_pairs(claim->dim, claim->radius, rng, input);
    input[(HALF_WAY + 1) * (size_t)claim->dim - 1] = claim->radius / 2;
    if (sotto__claim_has_nulls(claim)) input[9 * (size_t)claim->dim - 1] = claim->radius;
    if (status == SOTTO_OK && inside) status = run_inside(subject, &script, rng, result);
    if (trials < TRIALS_MIN) goto cleanup;
    if (status == SOTTO_OK) status = rng->fill(rng, coins, (size_t)(total / 8 + 1));
    if (status != SOTTO_OK) goto cleanup;
    script.progress_start = script.progress_total - total;
    status = sotto__audit_trials(subject, &script, &shares, rng, result);
cleanup:
    free(input);
    free(coins);
    return status;
}

/* Sorts the rows by layer and keeps their order within a layer. */
static void group_rows(sotto_audit_result *result)
{
    sotto_audit_row *row = result->row;
    for (uint32_t i = 1; i < result->rows_count; i++) {
        for (uint32_t j = i; j > 0 && row[j - 1].layer > row[j].layer; j--) {
            sotto_audit_row other = row[j];
            row[j] = row[j - 1];
            row[j - 1] = other;
        }
    }
}

/* ---- verdict -------------------------------------------------------------------------------- */

/* The smallest number of trials, to within 10 %, that could show a violation; above TRIALS_MAX if
 * no audit can. */
static double trials_needed(const sotto__privacy_claim *claim, double alpha)
{
    double trials = TRIALS_MIN;
    for (; trials < TRIALS_MAX; trials *= 1.1) {
        sotto__trial_shares shares = sotto__trial_shares_of(claim, (uint64_t)trials, alpha);
        if (sotto__trials_suffice(claim, &shares)) break;
    }
    return trials;
}

static void judge(const sotto_audit_settings *settings, const sotto__subject *subject,
                  sotto_audit_result *result)
{
    const sotto__privacy_claim *claim = &subject->claim;
    result->reason = subject->fault;
    for (uint32_t i = 0; i < result->rows_count; i++) {
        if (result->row[i].passed) continue;
        result->verdict = SOTTO_AUDIT_VIOLATION; /* even if the subject failed later */
        return;
    }
    if (subject->fault.sentence[0] != '\0') {
        result->verdict = SOTTO_AUDIT_INCONCLUSIVE;
        result->epsilon_lower = NAN;
        return;
    }
    sotto__trial_shares shares = sotto__trial_shares_of(claim, settings->trials, settings->alpha);
    if (settings->trials >= TRIALS_MIN && sotto__trials_suffice(claim, &shares)) return;
    double needed = trials_needed(claim, settings->alpha);
    result->verdict = SOTTO_AUDIT_INCONCLUSIVE;
    (void)sotto__refuse(
        &result->reason,
        "too few trials: even publishing the input could not be distinguished from epsilon = %g in "
        "%" PRIu64 " trials per pair; %s %.0f are needed",
        claim->epsilon, settings->trials, needed < TRIALS_MAX ? "about" : "more than",
        fmin(needed, TRIALS_MAX));
}

sotto_status sotto__audit_subject(const sotto_audit_settings *settings, sotto__subject *subject,
                                  sotto_rng *rng, const sotto_audit_progress *progress,
                                  sotto_audit_result *result)
{
    struct timespec start, end;
    *result = (sotto_audit_result){.verdict = SOTTO_AUDIT_NO_VIOLATION, .epsilon_lower = NAN};
    clock_gettime(CLOCK_MONOTONIC, &start);
    sotto_status status = run_layers(settings, subject, rng, progress, result);
    group_rows(result);
    clock_gettime(CLOCK_MONOTONIC, &end);
    result->seconds =
        (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    if (status == SOTTO_OK) judge(settings, subject, result);
    return status;
}

sotto_status sotto_audit_run(const sotto_audit_settings *settings,
                             const sotto_audit_progress *progress, sotto_audit_result *result)
{
    if (settings == NULL || result == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_audit_fault(settings, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_rng system = sotto__system_rng();
    sotto__seeded seeded;
    sotto__seeded_begin(&seeded, settings->mechanism.seed);
    sotto__subject subject;
    sotto_status status = sotto__subject_new(settings, &subject);
    if (status != SOTTO_OK) return status;
    sotto_rng *rng = settings->mechanism.seeded ? &seeded.rng : &system;
    status = sotto__audit_subject(settings, &subject, rng, progress, result);
    sotto__subject_free(&subject);
    return status;
}
