/* Composition against exact sums, and never on the wrong side of them. */
#include "test.h"

#include <math.h>

/*
 * Made once by Python's decimal at 60 digits, from the definition, with no step in common with
 * compose.c (D = Decimal; D(float) is the exact value of the double):
 *
 *     def delta_rr(k, eps, total):
 *         e, g = D(eps).exp(), D(total).exp()
 *         p, q, s, l = (e / (1 + e))**k, (1 / (1 + e))**k, D(0), 0
 *         while l <= k and (k - 2*l) * D(eps) > D(total):
 *             s += p - g * q
 *             p, q, l = p * (k - l) / (l + 1) / e, q * (k - l) / (l + 1) * e, l + 1
 *         return s
 *     1 - (1 - D(delta))**k * (1 - delta_rr(k, eps, total))
 */
static const struct {
    uint64_t k;
    double epsilon, delta, epsilon_total, delta_total;
} exact[] = {
    {1, 1, 0, 0.5, 2.87649136644967924922E-1},
    {1, 8, 0, 7, 6.31908577116683978540E-1},
    {1, 0.5, 1e-6, 0, 2.44919417485046725569E-1},
    {2, 1, 0, 1, 3.37834712147041174176E-1},
    {2, 1, 0.001, 0, 4.63192385062646999017E-1},
    {3, 0.5, 0, 0.25, 2.69148698977530005645E-1},
    {10, 0.1, 0, 0.5, 9.92962691738885500371E-3},
    {10, 8, 0, 75.5, 9.85579756186568660959E-1},
    {10, 5, 0, 31.25, 9.98044969916273672084E-1}, /* rounding alone would fall below */
    {50, 2, 0, 90, 4.75954243567560012414E-2},
    {100, 0.1, 0, 4, 3.42231231919677915488E-5},
    {100, 0.1, 1e-8, 4, 3.52230884738617017424E-5},
    {100, 0.01, 0, 0.3, 3.92968901314102984752E-5},
    {400, 1, 0, 399.5, 1.49893218481893412383E-55},
    {1000, 0.1, 0, 20, 3.45798518884973498830E-7},
    {1000, 1e-4, 0, 0.02, 5.24020352227319692054E-14},
    {1000, 1e-9, 0, 1e-8, 8.23814153739223643078E-9},
    {10000, 0.01, 0, 4, 4.69825300986204678895E-5},
    {1000000, 0.001, 0, 4.5, 5.86742756916535182449E-6},
    {1000000, 0.001, 0, 12, 5.19907301200083152354E-32},
};
#define ROWS (sizeof exact / sizeof exact[0])

static void numbers_out_of_range_claim_nothing(void **state)
{
    (void)state;
    const double bad[] = {NAN, -1, -INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_true(sotto_compose_delta(3, bad[i], 0, 1) == 1);
        assert_true(sotto_compose_delta(3, 1, bad[i], 1) == 1);
        assert_true(sotto_compose_delta(3, 1, 0, bad[i]) == 1);
        assert_true(isinf(sotto_compose_epsilon(3, bad[i], 0, 0.1)));
        assert_true(isinf(sotto_compose_epsilon(3, 1, bad[i], 0.1)));
        assert_true(isinf(sotto_compose_epsilon(3, 1, 0, bad[i])));
    }
    assert_true(sotto_compose_delta(3, 701, 0, 1) == 1);
    assert_true(sotto_compose_delta(3, 1, 1, INFINITY) == 1);
    assert_true(isinf(sotto_compose_epsilon(3, INFINITY, 0, 0.1)));
    assert_true(isinf(sotto_compose_epsilon(10, 1, 1e-3, 9.9e-3))); /* ten failures are likelier */
}

static void delta_is_the_exact_sum_rounded_up(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        double delta = sotto_compose_delta(exact[r].k, exact[r].epsilon, exact[r].delta,
                                           exact[r].epsilon_total);
        assert_true(delta >= exact[r].delta_total);
        assert_near(delta / exact[r].delta_total, 1, exact[r].k > 100000 ? 1e-9 : 1e-11);
    }
}

/* Weights below 1e-290 are not summed one by one: the geometric series stands for them. Exact
 * values as above. */
static void a_tail_that_is_cut_off_still_counts(void **state)
{
    (void)state;
    const struct {
        uint64_t k;
        double epsilon, epsilon_total, delta_total;
    } far[] = {{2000, 0.1, 160, 7.66059655507726501661E-290},
               {2000, 0.01, 15.32, 5.27890872382372380135E-290},
               {10000, 0.01, 36.2, 1.36283025356514635982E-287}};
    for (size_t r = 0; r < sizeof far / sizeof far[0]; r++) {
        double delta = sotto_compose_delta(far[r].k, far[r].epsilon, 0, far[r].epsilon_total);
        assert_true(delta >= far[r].delta_total);
        assert_near(delta / far[r].delta_total, 1, 1e-3);
    }
}

static void epsilon_is_the_inverse_rounded_up(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        double epsilon = sotto_compose_epsilon(exact[r].k, exact[r].epsilon, exact[r].delta,
                                               exact[r].delta_total);
        assert_true(epsilon >= exact[r].epsilon_total);
        assert_near(epsilon, exact[r].epsilon_total,
                    1e-9 * fmax(exact[r].epsilon, exact[r].epsilon_total));
    }
}

static void nothing_sent_costs_nothing(void **state)
{
    (void)state;
    assert_true(sotto_compose_delta(0, 1, 1e-3, 0) == 0);
    assert_true(sotto_compose_epsilon(0, 1, 1e-3, 0) == 0);
    assert_true(sotto_compose_epsilon(5, 0, 0, 0) == 0);
}

/* Where only the sum will do, the sum is given, and to the last bit. */
static void without_a_total_delta_epsilons_add_up(void **state)
{
    (void)state;
    const uint64_t counts[] = {1, 2, 3, 10, 1000, 1000000, UINT64_C(1) << 40};
    const double epsilons[] = {1e-9, 0.1, 1, 8, 50};
    for (size_t i = 0; i < 7; i++) {
        for (size_t j = 0; j < 5; j++) {
            double basic = (double)counts[i] * epsilons[j];
            assert_true(sotto_compose_epsilon(counts[i], epsilons[j], 0, 0) == basic);
            assert_true(sotto_compose_delta(counts[i], epsilons[j], 0, basic) == 0);
            assert_true(sotto_compose_delta(counts[i], epsilons[j], 0, basic * 0.999) > 0);
        }
    }
    assert_true(sotto_compose_epsilon(7, 1, 1e-4, 7 * 1e-4) <= 7);
    assert_true(sotto_compose_epsilon(1, 1, 1e-4, 1e-4) <= 1);
}

static void more_reports_protect_less(void **state)
{
    (void)state;
    double before = 0;
    for (uint64_t k = 1; k <= 3000; k++) {
        double epsilon = sotto_compose_epsilon(k, 0.05, 1e-9, 1e-5);
        assert_true(epsilon > before);
        assert_true(epsilon <= 0.05 * (double)k);
        before = epsilon;
    }
    assert_true(before < 0.05 * 3000 / 7);
}

/* 2^31 reports still come back in time; one more has the sum of epsilons and nothing else. */
static void the_work_is_bounded(void **state)
{
    (void)state;
    const uint64_t most = UINT64_C(1) << 31;
    double delta = sotto_compose_delta(most, 1e-5, 0, 2);
    assert_true(delta > 0 && delta < 1e-3);
    double tail = sotto_compose_delta(most, 1, 0, 0.99 * 0x1p31); /* far below the least weight */
    assert_true(tail > 0 && tail < 1e-200);
    assert_true(sotto_compose_delta(most + 1, 1e-5, 0, 2) == 1);
    assert_true(sotto_compose_epsilon(most + 1, 1e-5, 0, 1e-3) == 1e-5 * ((double)most + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_out_of_range_claim_nothing),
        cmocka_unit_test(delta_is_the_exact_sum_rounded_up),
        cmocka_unit_test(a_tail_that_is_cut_off_still_counts),
        cmocka_unit_test(epsilon_is_the_inverse_rounded_up),
        cmocka_unit_test(nothing_sent_costs_nothing),
        cmocka_unit_test(without_a_total_delta_epsilons_add_up),
        cmocka_unit_test(more_reports_protect_less),
        cmocka_unit_test(the_work_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
