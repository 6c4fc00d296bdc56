/*
 * The budget rule: which reports a policy admits, given what was spent.
 *
 * With k rounds before this one, and e* = policy.epsilon_per_report_max,
 *
 *     D:  sum delta + delta <= delta_lifetime/2, and
 *     B:  sum epsilon + epsilon <= epsilon_lifetime, or
 *     O:  every epsilon, this one included, is at most e*, and k + 1 rounds of (e*, 0) compose
 *         optimally to epsilon_lifetime at delta_lifetime/2, and the ledger's first round was booked
 *         under a policy with the same e*.
 *
 * Then all reports together are (epsilon_lifetime, delta_lifetime)-private, also against a server
 * that chooses each epsilon and delta after seeing the reports before (a privacy filter: Rogers,
 * Roth, Ullman, Vadhan 2016). The number of rounds that O allows follows from the policy alone: a
 * server cannot choose the bound after the fact. Nor can it by turning from one policy to another:
 * the first round, before any report, settles the e* of a ledger, and policies with another one are
 * left with D and B. docs/privacy.md 12.1 has the proof for any number of policies on one ledger,
 * and why each half of delta_lifetime is needed.
 */
#include "client.h"
#include "core/core.h"

#include <math.h>

/* Ten reports at 0.1 fit a budget of 1, although 0.1 is not a binary fraction. */
static const double rounding_slack = 1e-12;

static bool fits(double sum, double limit)
{
    return sum <= limit * (1 + rounding_slack);
}

/* Whether the ledger composes its rounds at another epsilon than this policy does. */
static bool other_composition(const sotto__spent *spent, const sotto_policy *policy)
{
    return spent->rounds > 0 && spent->composed_at != policy->epsilon_per_report_max;
}

static bool optimal_admits(const sotto__spent *spent, double epsilon, const sotto_policy *policy)
{
    double largest = policy->epsilon_per_report_max;
    if (other_composition(spent, policy)) return false;
    if (!(epsilon <= largest && spent->epsilon_max <= largest)) return false;
    return sotto_compose_delta(spent->rounds + 1, largest, 0, policy->epsilon_lifetime) <=
           policy->delta_lifetime / 2;
}

static const char *why_sum_only(const sotto__spent *spent, const sotto_policy *policy,
                                char text[160])
{
    if (!other_composition(spent, policy)) return "";
    if (spent->composed_at == 0) {
        return " by the sum; this ledger records no epsilon at which its rounds are composed";
    }
    sotto__format(
        text, 160,
        " by the sum; rounds of this ledger are composed at epsilon_per_report_max %.9g, that"
        " of its first policy, not %.9g",
        spent->composed_at, policy->epsilon_per_report_max);
    return text;
}

sotto_status sotto__budget_refusal(const sotto__spent *spent, double epsilon, double delta,
                                   const sotto_policy *policy, sotto_fault *fault)
{
    if (!(epsilon >= 0 && isfinite(epsilon) && delta >= 0 && spent->rounds < UINT64_MAX)) {
        sotto__fault_at(fault, "epsilon, delta", "%.15g, %.15g: allowed finite numbers, at least 0",
                        epsilon, delta);
        return SOTTO_E_BUDGET;
    }
    if (!fits(spent->delta + delta, policy->delta_lifetime / 2)) {
        sotto__fault_at(fault, "delta",
                        "%.9g: after %.9g, it would exceed %.9g, half of `delta_lifetime`", delta,
                        spent->delta, policy->delta_lifetime / 2);
        return SOTTO_E_BUDGET;
    }
    if (fits(spent->epsilon + epsilon, policy->epsilon_lifetime)) return SOTTO_OK;
    if (optimal_admits(spent, epsilon, policy)) return SOTTO_OK;
    char why[160];
    sotto__fault_at(fault, "epsilon",
                    "%.9g: after %.9g in %llu rounds, it would exceed `epsilon_lifetime` %.9g%s",
                    epsilon, spent->epsilon, (unsigned long long)spent->rounds,
                    policy->epsilon_lifetime, why_sum_only(spent, policy, why));
    return SOTTO_E_BUDGET;
}

void sotto__settle(sotto__spent *spent, const sotto_policy *policy)
{
    if (spent->rounds == 0) spent->composed_at = policy->epsilon_per_report_max;
}

void sotto__spend(sotto__spent *spent, double epsilon, double delta)
{
    spent->rounds++;
    spent->epsilon += epsilon;
    spent->delta += delta;
    spent->epsilon_max = fmax(spent->epsilon_max, epsilon);
    spent->delta_max = fmax(spent->delta_max, delta);
}

double sotto__spent_epsilon(const sotto__spent *spent, double delta_total)
{
    double optimal =
        sotto_compose_epsilon(spent->rounds, spent->epsilon_max, spent->delta_max, delta_total);
    return spent->delta <= delta_total ? fmin(optimal, spent->epsilon) : optimal;
}
