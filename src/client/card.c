/* The card: what a person should know before taking part, in numbers. */
#include "client.h"
#include "core/core.h"

#include <math.h>
#include <string.h>

/* Whether the policy admits another round of the terms after `count` more of them. Adds one round
 * at a time, as the ledger does, so that both round the same way. */
static bool admits_another(sotto__spent spent, uint32_t count, const sotto_spec *spec,
                           const sotto_policy *policy)
{
    for (uint32_t i = 0; i < count; i++) {
        sotto__settle(&spent, policy);
        sotto__spend(&spent, spec->epsilon, spec->delta);
    }
    return sotto__budget_refusal(&spent, spec->epsilon, spec->delta, policy, NULL) == SOTTO_OK;
}

/* How many rounds the policy allows, by bisection: if a part of the rule (budget.c) refuses a
 * round, it refuses all later ones. */
static uint32_t rounds_left(const sotto__spent *spent, const sotto_spec *spec,
                            const sotto_policy *policy)
{
    uint32_t allowed = 0, asked = 1; /* `allowed` rounds fit; whether `asked` fit is unknown */
    while (asked <= SOTTO_CARD_ROUNDS_MAX && admits_another(*spent, asked - 1, spec, policy)) {
        allowed = asked;
        asked *= 2;
    }
    uint32_t refused = asked <= SOTTO_CARD_ROUNDS_MAX ? asked : SOTTO_CARD_ROUNDS_MAX + 1;
    while (refused - allowed > 1) {
        uint32_t middle = allowed + (refused - allowed) / 2;
        if (admits_another(*spent, middle - 1, spec, policy)) {
            allowed = middle;
        } else {
            refused = middle;
        }
    }
    return allowed;
}

static sotto_status card_make(const sotto_terms *terms, const sotto_policy *policy,
                              const sotto_ledger *ledger, sotto_card *out)
{
    const sotto_spec *spec = &terms->spec;
    sotto_status status = sotto_terms_check(terms);
    if (status != SOTTO_OK) return status;
    if (sotto_policy_fault(policy, NULL) != SOTTO_OK) return SOTTO_E_FAULT;

    *out = (sotto_card){
        .report_bytes = sotto_report_bytes(terms),
        .reward_window_s = spec->reward_window_s,
        .send_spread_s = spec->send_spread_s,
        .epsilon = spec->epsilon,
        .delta = spec->delta,
        .odds_factor = exp(spec->epsilon),
        .measure_share = ldexp(spec->measure, -32),
        .rounds_before = sotto_ledger_rounds(ledger),
        .dropped_before = sotto_ledger_dropped(ledger),
        .epsilon_before = sotto_ledger_epsilon(ledger),
        .delta_before = sotto_ledger_delta(ledger),
        .epsilon_before_optimal = sotto_ledger_epsilon_optimal(ledger, policy->delta_lifetime),
        .refused = sotto_policy_refusal(policy, spec, NULL) != SOTTO_OK,
        .epsilon_lifetime = policy->epsilon_lifetime,
        .delta_lifetime = policy->delta_lifetime,
    };
    if (!out->refused) out->rounds_left = rounds_left(&ledger->spent, spec, policy);
    return SOTTO_OK;
}

sotto_status sotto_card_make(const sotto_terms *terms, const sotto_policy *policy,
                             const sotto_ledger *ledger, sotto_card *out)
{
    SOTTO__DEFAULT_FLOATS;
    if (out != NULL) memset(out, 0, sizeof *out);
    if (terms == NULL || policy == NULL || ledger == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    return SOTTO__UNSEEN(card_make)(terms, policy, ledger, out);
}
