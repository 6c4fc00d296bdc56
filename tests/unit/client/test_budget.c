/* The budget rule: what it refuses, how many reports it admits, and that no server can do better
 * against it than the policy says. */
#include "client/budget.h"
#include "test.h"

#include <math.h>
#include <string.h>

static sotto_policy policy_of(double per_report, double lifetime, double delta_lifetime)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = per_report;
    policy.epsilon_lifetime = lifetime;
    policy.delta_lifetime = delta_lifetime;
    return policy;
}

static void costs_that_are_none_are_refused(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -1, -INFINITY};
    const sotto_policy policy = policy_of(2, INFINITY, 0.5);
    const sotto__spent none = {0}, full = {.rounds = UINT64_MAX};
    char text[SOTTO_FAULT_BYTES];
    for (int i = 0; i < 4; i++) {
        assert_ptr_equal(sotto__budget_refusal(&none, bad[i], 0, &policy, text), text);
        assert_ptr_equal(sotto__budget_refusal(&none, 1, bad[i], &policy, text), text);
    }
    assert_non_null(sotto__budget_refusal(&full, 1, 0, &policy, text));
    assert_null(sotto__budget_refusal(&none, 1, 0.25, &policy, text));
}

static void a_refusal_says_which_limit_and_by_how_much(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    const sotto_policy policy = policy_of(2, 8, 1e-5);
    sotto__spent spent = {.rounds = 7, .epsilon = 7.5, .delta = 4.5e-6, .epsilon_max = 2};
    assert_ptr_equal(sotto__budget_refusal(&spent, 1, 0, &policy, text), text);
    assert_string_equal(text,
                        "epsilon 1 more, after 7.5 in 7 rounds, would pass epsilon_lifetime 8");
    assert_ptr_equal(sotto__budget_refusal(&spent, 0.5, 1e-6, &policy, text), text);
    assert_string_equal(
        text, "delta 1e-06 more, after 4.5e-06, would pass 5e-06, half of delta_lifetime");
    assert_null(sotto__budget_refusal(&spent, 0.5, 5e-7, &policy, text));
}

static uint64_t rounds_admitted(const sotto_policy *policy, double epsilon, double delta)
{
    char text[SOTTO_FAULT_BYTES];
    sotto__spent spent = {0};
    while (sotto__budget_refusal(&spent, epsilon, delta, policy, text) == NULL) {
        sotto__spend(&spent, epsilon, delta);
        assert_true(spent.rounds < 100000);
    }
    return spent.rounds;
}

/* `fits` by the sum, or the largest k whose exact delta_rr (as in test_compose.c) is at most half
 * of delta_lifetime. */
static void exactly_as_many_rounds_as_the_better_of_two_bounds(void **state)
{
    (void)state;
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
    assert_int_equal(rounds_admitted(&policy, 0.1, 1e-6), 5);
    assert_int_equal(rounds_admitted(&policy, 0.1, 1e-8), 266);
}

/* One report above the per-report limit, from the time of another policy, leaves the sum only. */
static void a_larger_report_in_the_past_closes_the_optimal_branch(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    const sotto_policy policy = policy_of(0.1, 8, 1e-5);
    sotto__spent spent = {.rounds = 90, .epsilon = 9, .epsilon_max = 0.1};
    assert_null(sotto__budget_refusal(&spent, 0.1, 0, &policy, text));
    assert_non_null(sotto__budget_refusal(&spent, 0.100001, 0, &policy, text));
    spent.epsilon_max = 0.100001;
    assert_non_null(sotto__budget_refusal(&spent, 0.1, 0, &policy, text));
}

static void spending_adds_and_remembers_the_largest(void **state)
{
    (void)state;
    sotto__spent spent = {0};
    sotto__spend(&spent, 0.5, 1e-7);
    sotto__spend(&spent, 2, 0);
    sotto__spend(&spent, 0.25, 1e-8);
    assert_int_equal(spent.rounds, 3);
    assert_true(spent.epsilon == 2.75 && spent.epsilon_max == 2);
    assert_near(spent.delta, 1.1e-7, 1e-20);
    assert_true(spent.delta_max == 1e-7);
}

static void the_smaller_bound_is_shown(void **state)
{
    (void)state;
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
 * An adaptive server against a filter, by dynamic programming. Each round it may ask for e or for
 * half of e, pure or with a chance of failure; the person answers with the mechanism that tells
 * most (Kairouz, Oh, Viswanath 2015): on failure everything, otherwise randomised response. A state
 * is (rounds at e, rounds at e/2, rounds that could fail, loss so far in units of e/2). Its value
 * is the best server's E max(0, 1 - exp(epsilon_lifetime - loss)): the delta of the whole game.
 */
enum { FULL = 14, HALF = 18, FAIL = 21, LOSS = 2 * FULL + HALF };
static const double full_epsilon = 0.5;

typedef bool admits_function(const sotto__spent *spent, double epsilon, double delta,
                             const sotto_policy *policy);

static bool rule_admits(const sotto__spent *spent, double epsilon, double delta,
                        const sotto_policy *policy)
{
    char text[SOTTO_FAULT_BYTES];
    return sotto__budget_refusal(spent, epsilon, delta, policy, text) == NULL;
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

typedef struct game {
    admits_function *admits;
    sotto_policy policy;
    double fail_chance;
} game;

static double value[FULL + 2][HALF + 2][FAIL + 2][2 * LOSS + 3];

/* The value after one answer, given the values of later states. */
static double answer(int full, int half, int fail, int loss, double epsilon, int step)
{
    double up = 1 / (1 + exp(-epsilon));
    const double *next = value[full][half][fail];
    return up * next[loss + step] + (1 - up) * next[loss - step];
}

/* Which of the four questions the rule admits: pure e, pure e/2, failing e, failing e/2. */
static void find_moves(const game *g, int full, int half, int fail, bool admitted[4])
{
    const sotto__spent spent = {.rounds = (uint64_t)(full + half),
                                .epsilon = (2 * full + half) * full_epsilon / 2,
                                .delta = fail * g->fail_chance,
                                .epsilon_max = full > 0   ? full_epsilon
                                               : half > 0 ? full_epsilon / 2
                                                          : 0,
                                .delta_max = fail > 0 ? g->fail_chance : 0};
    for (int move = 0; move < 4; move++) {
        double epsilon = move % 2 == 0 ? full_epsilon : full_epsilon / 2;
        double delta = move < 2 ? 0 : g->fail_chance;
        admitted[move] = g->admits(&spent, epsilon, delta, &g->policy);
        assert_false(admitted[move] && (full + (move % 2 == 0) > FULL + 1 || half > HALF ||
                                        fail + (move > 1) > FAIL + 1)); /* the table is too small */
    }
}

static double best_move(const game *g, const bool admitted[4], const int at[3], int loss)
{
    double lost = (loss - LOSS - 1) * full_epsilon / 2;
    double best = fmax(0, -expm1(g->policy.epsilon_lifetime - lost)); /* stop here */
    for (int move = 0; move < 4; move++) {
        if (!admitted[move]) continue;
        int full = at[0] + (move % 2 == 0), half = at[1] + (move % 2 == 1);
        double fail = move < 2 ? 0 : g->fail_chance;
        double epsilon = move % 2 == 0 ? full_epsilon : full_epsilon / 2;
        double kept = answer(full, half, at[2] + (move > 1), loss, epsilon, move % 2 == 0 ? 2 : 1);
        best = fmax(best, fail + (1 - fail) * kept);
    }
    return best;
}

static double best_server(const game *g)
{
    memset(value, 0, sizeof value);
    for (int state = (FULL + 1) * (HALF + 1) * (FAIL + 1) - 1; state >= 0; state--) {
        const int at[3] = {state / (FAIL + 1) / (HALF + 1), state / (FAIL + 1) % (HALF + 1),
                           state % (FAIL + 1)};
        bool admitted[4];
        int reach = 2 * at[0] + at[1];
        find_moves(g, at[0], at[1], at[2], admitted);
        for (int loss = LOSS + 1 - reach; loss <= LOSS + 1 + reach; loss++) {
            value[at[0]][at[1]][at[2]][loss] = best_move(g, admitted, at, loss);
        }
    }
    return value[0][0][0][LOSS + 1];
}

static void no_server_gets_more_than_delta_lifetime(void **state)
{
    (void)state;
    const sotto_policy policy = policy_of(full_epsilon, 4, 0.02);
    const game any = {rule_admits, policy, 0.001}, pure = {rule_admits, policy, 1};
    double delta = best_server(&any), pure_delta = best_server(&pure);
    print_message("best server: delta %.4g, pure %.4g, of %.4g\n", delta, pure_delta,
                  policy.delta_lifetime);
    assert_true(delta <= policy.delta_lifetime);
    assert_true(pure_delta <= policy.delta_lifetime / 2);
    assert_true(pure_delta > policy.delta_lifetime / 8); /* the game is worth something */
    assert_true(delta > pure_delta + policy.delta_lifetime / 4);
}

static void a_rule_that_does_not_share_delta_lifetime_is_beaten(void **state)
{
    (void)state;
    const game unshared = {unshared_admits, policy_of(full_epsilon, 4, 0.02), 0.001};
    double delta = best_server(&unshared);
    print_message("twin: delta %.4g of %.4g\n", delta, unshared.policy.delta_lifetime);
    assert_true(delta > 1.2 * unshared.policy.delta_lifetime);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_that_are_none_are_refused),
        cmocka_unit_test(a_refusal_says_which_limit_and_by_how_much),
        cmocka_unit_test(exactly_as_many_rounds_as_the_better_of_two_bounds),
        cmocka_unit_test(a_larger_report_in_the_past_closes_the_optimal_branch),
        cmocka_unit_test(spending_adds_and_remembers_the_largest),
        cmocka_unit_test(the_smaller_bound_is_shown),
        cmocka_unit_test(no_server_gets_more_than_delta_lifetime),
        cmocka_unit_test(a_rule_that_does_not_share_delta_lifetime_is_beaten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
