/* The budget rule: what it refuses, how many reports it admits, and that no server can do better
 * against it than the policy says. */
#include "client/client.h"
#include "test.h"
#include "why.h"

#include <math.h>
#include <string.h>

static sotto_policy policy_of(double per_report, double lifetime, double delta_lifetime)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = per_report, policy.epsilon_lifetime = lifetime;
    policy.delta_lifetime = delta_lifetime;
    return policy;
}

TEST(costs_below_zero_or_not_finite_are_refused)
{
    const double bad[] = {NAN, INFINITY, -1, -INFINITY};
    const sotto_policy policy = policy_of(2, INFINITY, 0.5);
    const sotto__spent none = {0}, full = {.rounds = UINT64_MAX};
    for (int i = 0; i < 4; i++) {
        assert_non_null(WHY(sotto__budget_refusal, &none, bad[i], 0, &policy));
        assert_non_null(WHY(sotto__budget_refusal, &none, 1, bad[i], &policy));
    }
    assert_non_null(WHY(sotto__budget_refusal, &full, 1, 0, &policy));
    assert_null(WHY(sotto__budget_refusal, &none, 1, 0.25, &policy));
}

TEST(a_refusal_says_which_limit_and_by_how_much)
{
    const sotto_policy policy = policy_of(2, 8, 1e-5);
    sotto__spent spent = {
        .rounds = 7, .epsilon = 7.5, .delta = 4.5e-6, .epsilon_max = 2, .composed_at = 2};
    assert_non_null(WHY(sotto__budget_refusal, &spent, 1, 0, &policy));
    assert_string_equal(why_fault.sentence,
                        "epsilon = 1: after 7.5 in 7 rounds, it would exceed epsilon_lifetime 8");
    assert_non_null(WHY(sotto__budget_refusal, &spent, 0.5, 1e-6, &policy));
    assert_string_equal(
        why_fault.sentence,
        "delta = 1e-06: after 4.5e-06, it would exceed 5e-06, half of delta_lifetime");
    assert_null(WHY(sotto__budget_refusal, &spent, 0.5, 5e-7, &policy));
}

static uint64_t rounds_admitted(const sotto_policy *policy, double epsilon, double delta)
{
    sotto__spent spent = {0};
    while (WHY(sotto__budget_refusal, &spent, epsilon, delta, policy) == NULL) {
        sotto__settle(&spent, policy);
        sotto__spend(&spent, epsilon, delta);
        assert_true(spent.rounds < 100000);
    }
    return spent.rounds;
}

/* `fits` by the sum, or the largest k whose exact delta_rr (as in test_calibrate.c) is at most half
 * of delta_lifetime. */
TEST(exactly_as_many_rounds_as_the_better_of_two_bounds)
{
    const struct {
        double per_report, lifetime, delta_lifetime, epsilon;
        uint64_t fits;
    } rows[] = {
        {0.1, 8, 1e-5, 0.1, 266},  {0.01, 1, 1e-5, 0.01, 664}, {0.5, 8, 1e-5, 0.5, 16},
        {1, 8, 1e-5, 1, 8},        {0.25, 2, 1e-3, 0.25, 8},   {0.1, 8, 0, 0.1, 80},
        {0.1, 8, 1e-5, 0.05, 266}, /* the number of rounds is the policy's, not the server's */
        {0.1, 8, 1e-5, 0.01, 800},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        sotto_policy policy =
            policy_of(rows[r].per_report, rows[r].lifetime, rows[r].delta_lifetime);
        uint64_t admitted = rounds_admitted(&policy, rows[r].epsilon, 0);
        print_message("at most %g a report, %g and %g in a lifetime: %llu reports of %g\n",
                      rows[r].per_report, rows[r].lifetime, rows[r].delta_lifetime,
                      (unsigned long long)admitted, rows[r].epsilon);
        assert_int_equal(admitted, rows[r].fits);
    }
    const sotto_policy policy = policy_of(0.1, 8, 1e-5);
    assert_ints(rounds_admitted(&policy, 0.1, 1e-6), 5, rounds_admitted(&policy, 0.1, 1e-8), 266);
}

/* One report above the per-report limit, from the time of another policy, leaves the sum only. */
TEST(a_larger_report_in_the_past_closes_the_optimal_branch)
{
    const sotto_policy policy = policy_of(0.1, 8, 1e-5);
    sotto__spent spent = {.rounds = 90, .epsilon = 9, .epsilon_max = 0.1, .composed_at = 0.1};
    assert_null(WHY(sotto__budget_refusal, &spent, 0.1, 0, &policy));
    assert_non_null(WHY(sotto__budget_refusal, &spent, 0.100001, 0, &policy));
    spent.epsilon_max = 0.100001;
    assert_non_null(WHY(sotto__budget_refusal, &spent, 0.1, 0, &policy));
}

TEST(rounds_are_composed_at_the_epsilon_of_the_first_policy_only)
{
    const sotto_policy first = policy_of(0.1, 8, 1e-5), other = policy_of(0.2, 9.25, 1e-5);
    sotto__spent spent = {.composed_at = 7}; /* of no meaning yet */
    sotto__settle(&spent, &first);
    sotto__spend(&spent, 0.1, 0);
    sotto__settle(&spent, &other);
    assert_true(spent.composed_at == 0.1);
    spent = (sotto__spent){.rounds = 90, .epsilon = 9, .epsilon_max = 0.1, .composed_at = 0.1};
    assert_null(WHY(sotto__budget_refusal, &spent, 0.1, 0, &first));
    assert_null(WHY(sotto__budget_refusal, &spent, 0.2, 0, &other)); /* by the sum */
    assert_non_null(WHY(sotto__budget_refusal, &spent, 0.3, 0, &other));
    assert_string_equal(why_fault.sentence,
                        "epsilon = 0.3: after 9 in 90 rounds, it would exceed epsilon_lifetime "
                        "9.25 by the sum; rounds of this ledger are composed at "
                        "epsilon_per_report_max 0.1, that of its first policy, not 0.2");
    spent.composed_at = 0; /* not known */
    assert_non_null(WHY(sotto__budget_refusal, &spent, 0.1, 0, &first));
    assert_non_null(strstr(why_fault.sentence, "records no epsilon at which"));
    spent.composed_at = 0.2;
    assert_null(WHY(sotto__budget_refusal, &spent, 0.1, 0, &other));
    assert_non_null(WHY(sotto__budget_refusal, &spent, 0.1, 0, &first));
}

TEST(spending_adds_and_remembers_the_largest)
{
    sotto__spent spent = {0};
    sotto__spend(&spent, 0.5, 1e-7);
    sotto__spend(&spent, 2, 0);
    sotto__spend(&spent, 0.25, 1e-8);
    assert_int_equal(spent.rounds, 3);
    assert_true(spent.epsilon == 2.75 && spent.epsilon_max == 2);
    assert_near(spent.delta, 1.1e-7, 1e-20);
    assert_true(spent.delta_max == 1e-7);
}

TEST(the_smaller_bound_is_shown)
{
    const sotto__spent few = {.rounds = 3, .epsilon = 1.2, .epsilon_max = 1};
    assert_true(sotto__spent_epsilon(&few, 1e-5) == 1.2);
    const sotto__spent many = {.rounds = 100, .epsilon = 10, .epsilon_max = 0.1};
    assert_near(sotto__spent_epsilon(&many, 3.42231231919677915e-5), 4, 1e-9);
    const sotto__spent failing = {
        .rounds = 10, .epsilon = 1, .delta = 1e-5, .epsilon_max = 0.1, .delta_max = 1e-6};
    assert_true(isinf(sotto__spent_epsilon(&failing, 9e-6)));
    assert_true(sotto__spent_epsilon(&failing, 1.1e-5) <= 1);
    const sotto__spent none = {0};
    assert_true(sotto__spent_epsilon(&none, 0) == 0);
}

/* ---- the best server ---------------------------------------------------------------------- */

/*
 * An adaptive server against a filter, by dynamic programming. Each round it may ask for one of two
 * epsilons, pure or with a chance of failure, and have it booked under any of the person's
 * policies; the person answers with the mechanism that tells most (Kairouz, Oh, Viswanath 2015): on
 * failure everything, otherwise randomised response. A state is (rounds at the small epsilon,
 * rounds at the large one, rounds that could fail, loss so far in units). Its value is the best
 * server's E max(0, 1 - exp(E - loss)), E the largest epsilon_lifetime: the delta of the whole
 * game.
 */
enum { SMALL = 19, LARGE = 14, FAIL = 21, LOSS = 5 * SMALL + 7 * LARGE };

typedef bool admits_function(const sotto__spent *spent, double epsilon, double delta,
                             const sotto_policy *policy);

static bool rule_admits(const sotto__spent *spent, double epsilon, double delta,
                        const sotto_policy *policy)
{
    return WHY(sotto__budget_refusal, spent, epsilon, delta, policy) == NULL;
}

/* The twin: the same two branches, each with the whole of delta_lifetime. */
static bool unshared_admits(const sotto__spent *spent, double epsilon, double delta,
                            const sotto_policy *policy)
{
    double failures = spent->delta + delta;
    if (spent->epsilon + epsilon <= policy->epsilon_lifetime * (1 + 1e-12)) {
        return failures <= policy->delta_lifetime * (1 + 1e-12);
    }
    return failures + sotto_compose_delta(spent->rounds + 1, policy->epsilon_per_report_max, 0,
                                          policy->epsilon_lifetime) <=
           policy->delta_lifetime;
}

/* The twin: a policy composes whatever another one booked first. */
static bool crossed_admits(const sotto__spent *spent, double epsilon, double delta,
                           const sotto_policy *policy)
{
    sotto__spent own = *spent;
    own.composed_at = policy->epsilon_per_report_max;
    return rule_admits(&own, epsilon, delta, policy);
}

typedef struct game {
    admits_function *admits;
    double unit;
    int step[2]; /* the small and the large epsilon, in units */
    int policies;
    sotto_policy policy[2];
    int first;          /* the policy that books the first round */
    double fail_chance; /* 1: no policy admits it, and all reports are pure */
} game;

static double value[SMALL + 2][LARGE + 2][FAIL + 2][2 * LOSS + 3];

static double epsilon_of(const game *g, int large)
{
    return g->step[large] * g->unit;
}

static double lifetime_of(const game *g)
{
    return fmax(g->policy[0].epsilon_lifetime, g->policy[g->policies - 1].epsilon_lifetime);
}

/* Which of the four questions a policy admits: small and large, pure, then failing. */
static void find_moves(const game *g, const int at[3], bool admitted[4])
{
    const sotto__spent spent = {.rounds = (uint64_t)(at[0] + at[1]),
                                .epsilon = (at[0] * g->step[0] + at[1] * g->step[1]) * g->unit,
                                .delta = at[2] * g->fail_chance,
                                .epsilon_max = at[1] > 0   ? epsilon_of(g, 1)
                                               : at[0] > 0 ? epsilon_of(g, 0)
                                                           : 0,
                                .delta_max = at[2] > 0 ? g->fail_chance : 0,
                                .composed_at = g->policy[g->first].epsilon_per_report_max};
    for (int move = 0; move < 4; move++) {
        double epsilon = epsilon_of(g, move % 2), delta = move < 2 ? 0 : g->fail_chance;
        admitted[move] = false;
        for (int p = 0; p < g->policies; p++) {
            if (spent.rounds == 0 && p != g->first) continue;
            admitted[move] |= g->admits(&spent, epsilon, delta, &g->policy[p]);
        }
        bool beyond = at[move % 2] > (move % 2 == 0 ? SMALL : LARGE) || at[2] > FAIL;
        assert_false(admitted[move] && beyond); /* the table is too small */
    }
}

static double best_move(const game *g, const bool admitted[4], const int at[3], int loss)
{
    double lost = (loss - LOSS - 1) * g->unit;
    double best = fmax(0, -expm1(lifetime_of(g) - lost)); /* stop here */
    for (int move = 0; move < 4; move++) {
        if (!admitted[move]) continue;
        int large = move % 2, step = g->step[large];
        const double *next = value[at[0] + !large][at[1] + large][at[2] + (move > 1)];
        double up = 1 / (1 + exp(-epsilon_of(g, large))), fail = move < 2 ? 0 : g->fail_chance;
        double kept = up * next[loss + step] + (1 - up) * next[loss - step];
        best = fmax(best, fail + (1 - fail) * kept);
    }
    return best;
}

static double best_server(const game *g)
{
    memset(value, 0, sizeof value);
    for (int state = (SMALL + 1) * (LARGE + 1) * (FAIL + 1) - 1; state >= 0; state--) {
        const int at[3] = {state / (FAIL + 1) / (LARGE + 1), state / (FAIL + 1) % (LARGE + 1),
                           state % (FAIL + 1)};
        if (at[2] * g->fail_chance > 1) continue; /* never reached */
        bool admitted[4];
        int reach = g->step[0] * at[0] + g->step[1] * at[1];
        find_moves(g, at, admitted);
        for (int loss = LOSS + 1 - reach; loss <= LOSS + 1 + reach; loss++) {
            value[at[0]][at[1]][at[2]][loss] = best_move(g, admitted, at, loss);
        }
    }
    return value[0][0][0][LOSS + 1];
}

/* Epsilons of 1/4 and 1/2, and a policy for the large one. */
static game game_of(admits_function *admits, double fail_chance)
{
    return (game){.admits = admits,
                  .unit = 0.25,
                  .step = {1, 2},
                  .policies = 1,
                  .policy = {policy_of(0.5, 4, 0.02)},
                  .fail_chance = fail_chance};
}

TEST(no_server_gets_more_than_delta_lifetime)
{
    const game any = game_of(rule_admits, 0.001), pure = game_of(rule_admits, 1);
    double delta = best_server(&any), pure_delta = best_server(&pure);
    double limit = any.policy[0].delta_lifetime;
    print_message("best server: delta %.4g, pure %.4g, of %.4g\n", delta, pure_delta, limit);
    assert_true(delta <= limit);
    assert_true(pure_delta <= limit / 2);
    assert_true(pure_delta > limit / 8); /* the game is worth something */
    assert_true(delta > pure_delta + limit / 4);
}

TEST(a_rule_that_does_not_share_delta_lifetime_is_beaten)
{
    const game unshared = game_of(unshared_admits, 0.001);
    double delta = best_server(&unshared), limit = unshared.policy[0].delta_lifetime;
    print_message("twin: delta %.4g of %.4g\n", delta, limit);
    assert_true(delta > 1.2 * limit);
}

/* ---- two policies ------------------------------------------------------------------------- */

/* A policy in a game of two: its epsilon_per_report_max in units, and its lifetime. */
typedef struct limits {
    int step;
    double epsilon, delta;
} limits;

typedef struct pair {
    double unit;
    limits one, other;
} pair;

/* The best server's delta; it has one of the policies book the first round, and may fail with all
 * that the larger one has for it, at once. */
static double best_of_two(const pair *p, admits_function *admits, bool pure)
{
    int large = p->other.step, small = p->one.step < large ? p->one.step : large - 2;
    double best = 0;
    game g = {.admits = admits,
              .unit = p->unit,
              .step = {small, large},
              .policies = 2,
              .policy = {policy_of(p->one.step * p->unit, p->one.epsilon, p->one.delta),
                         policy_of(large * p->unit, p->other.epsilon, p->other.delta)},
              .fail_chance = pure ? 1 : fmax(p->one.delta, p->other.delta) / 2};
    for (g.first = 0; g.first < 2; g.first++) {
        best = fmax(best, best_server(&g));
    }
    return best;
}

/* Those that cross: both compose more rounds than their sums allow, at different epsilons. Then some
 * that do not: one epsilon_per_report_max, or a policy that is spent by its sum. */
static const pair pairs[] = {
    {0.025, {5, 1.2249, 0.00246}, {7, 1.2249, 0.00246}},
    {0.025, {5, 1.2249, 0.00246}, {7, 1.1, 0.00246}},
    {0.025, {5, 1.2249, 0.0012}, {7, 1.2249, 0.00246}},
    {0.025, {5, 1.1, 0.00246}, {7, 1.2249, 0.0012}},
    {0.12, {2, 2.519, 0.009}, {3, 2.519, 0.009}},
    {0.08, {4, 2.3997, 0.0184}, {5, 2.3997, 0.0184}},
    {0.2, {1, 0.9, 0.1}, {2, 0.9, 0.1}},
    {0.025, {7, 1.2249, 0.00246}, {7, 0.9, 0.00246}},
    {0.025, {7, 1.1, 0.02}, {7, 1.2249, 0.00246}},
    {0.1, {2, 1, 0.05}, {5, 1, 0.05}},
    {0.25, {1, 1.5, 0.03}, {4, 1, 0.03}},
};

/* docs/privacy.md 12.1, theorem 2. */
TEST(two_policies_cost_what_the_larger_one_does)
{
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const pair *p = &pairs[i];
        double larger = fmax(p->one.delta, p->other.delta);
        double delta = best_of_two(p, rule_admits, false), pure = best_of_two(p, rule_admits, true);
        print_message("two policies: delta %.6g, pure %.6g, the larger has %.6g\n", delta, pure,
                      larger);
        assert_true(delta <= larger);
        assert_true(pure <= larger / 2);
        assert_true(delta > larger / 2 && pure > 0); /* more than its failures */
    }
}

TEST(a_rule_that_lets_policies_cross_is_beaten)
{
    double delta = best_of_two(&pairs[0], crossed_admits, false);
    double pure = best_of_two(&pairs[0], crossed_admits, true), limit = pairs[0].one.delta;
    print_message("twin: delta %.6g, pure %.6g, of %.6g\n", delta, pure, limit);
    assert_true(delta > 1.01 * limit);
    assert_true(pure > 1.02 * limit / 2);
}
