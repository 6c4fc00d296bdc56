/* Special functions agree with mpmath (40 digits) over the arguments that calibration uses. */
#include "core/core.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

TEST(arguments_at_and_past_the_ends_of_the_range_give_the_limits)
{
    assert_true(sotto__incomplete_beta(0, 2, 3) == 0);
    assert_true(sotto__incomplete_beta(-0.0, 2, 3) == 0);
    assert_true(sotto__incomplete_beta(-1, 2, 3) == 0);
    assert_true(sotto__incomplete_beta(1, 2, 3) == 1);
    assert_true(sotto__incomplete_beta(1e308, 2, 3) == 1);
    assert_true(sotto__log_normal_cdf(1e308) == 0);
    assert_true(sotto__log_normal_cdf(INFINITY) == 0);
    assert_true(sotto__log_normal_cdf(-INFINITY) == -INFINITY);
}

TEST(nan_comes_out_as_nan)
{
    assert_true(isnan(sotto__log_gamma(NAN)));
    assert_true(isnan(sotto__log_beta(NAN, 1)));
    assert_true(isnan(sotto__incomplete_beta(NAN, 2, 3)));
    assert_true(isnan(sotto__log_normal_cdf(NAN)));
}

/* Relative to the largest of |wanted| and 1: ln Gamma has zeros at 1 and 2. */
static double within(double wanted, double relative)
{
    return relative * fmax(1, fabs(wanted));
}

TEST(log_gamma_agrees_from_denormals_to_a_million)
{
    static const struct {
        double x, wanted;
    } known[] = {
        {5e-324, 744.44007192138126231}, {1e-300, 690.77552789821370518},
        {1e-8, 18.420680738180208884},   {0.1, 2.252712651734205902},
        {0.5, 0.57236494292470008707},   {1, 0.0},
        {1.5, -0.12078223763524522235},  {2, 0.0},
        {3.25, 0.93580193110872535826},  {7, 6.5792512120101009951},
        {11.999, 17.499865227646105739}, {12, 17.502307845873885839},
        {12.5, 18.734347511936445702},   {20, 39.339884187199494036},
        {100, 359.13420536957539878},    {512.5, 2682.9410651732424342},
        {65536, 661276.87176518550363},  {1e6, 1.281550456914761166e+7},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_near(sotto__log_gamma(known[i].x), known[i].wanted, within(known[i].wanted, 1e-14));
    }
}

/* ln Beta is a difference of three ln Gamma, of which the largest sets the error. */
TEST(log_beta_agrees_to_the_error_of_its_largest_term)
{
    static const struct {
        double a, b, wanted;
    } known[] = {
        {0.5, 0.5, 1.1447298858494001741},    {1, 1, 0.0},
        {0.5, 1, 0.69314718055994530942},     {0.5, 4.5, -0.15195231658080331207},
        {0.5, 9.5, -0.54012911635950104157},  {3, 7, -5.5294290875114233067},
        {0.5, 511.5, -2.5460644705334221297}, {0.5, 32670, -4.6247374832326682089},
        {200, 300, -337.98011306546466835},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double largest = sotto__log_gamma(known[i].a + known[i].b);
        double tolerance = within(largest, 1e-15) + 1e-14;
        assert_near(sotto__log_beta(known[i].a, known[i].b), known[i].wanted, tolerance);
        assert_near(sotto__log_beta(known[i].b, known[i].a), known[i].wanted, tolerance);
    }
}

TEST(incomplete_beta_agrees_on_both_sides_of_its_mean)
{
    static const struct {
        double x, a, b, wanted;
    } known[] = {
        {1e-300, 1, 1, 1.0000000000000000251e-300},
        {5e-324, 0.5, 0.5, 1.4150521691252397914e-162},
        {1e-10, 0.5, 0.5, 6.3661977237819168421e-6},
        {0.25, 0.5, 0.5, 0.33333333333333333333},
        {0.5, 0.5, 0.5, 0.5},
        {0.999999, 0.5, 0.5, 0.9993633801215199223},
        {0.3, 1, 1, 0.2999999999999999889},
        {0.1, 2, 3, 0.052300000000000005396},
        {0.5, 2, 3, 0.6875},
        {0.9, 2, 3, 0.9963000000000000024},
        {0.345, 4.5, 4.5, 0.17677035479115172176},
        {0.2, 9.5, 9.5, 0.0020179576908134819597},
        {0.45, 24.5, 24.5, 0.24252871563771345163},
        {0.3, 24.5, 24.5, 0.0018173519251694689998},
        {0.99, 4.5, 0.5, 0.76987499989213652692},
        {0.6, 9.5, 0.5, 0.0020948217639623576958},
        {0.999, 24.5, 0.5, 0.82564671866371492403},
        {0.999, 511.5, 0.5, 0.31180567610251696222},
        {0.98, 511.5, 0.5, 5.4927717015930099389e-6},
        {0.9999, 32670, 0.5, 0.010581524025258200753},
        {0.01, 0.5, 511.5, 0.99865262799691327266},
        {0.4, 200, 300, 0.50242861631993199569},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double a = known[i].a, b = known[i].b;
        /* exp(ln Beta) carries over the absolute error of ln Gamma(a + b). */
        double relative = 1e-13 + 3e-16 * sotto__log_gamma(a + b);
        assert_near(sotto__incomplete_beta(known[i].x, a, b), known[i].wanted,
                    relative * known[i].wanted);
    }
}

TEST(incomplete_beta_of_mirrored_arguments_adds_up_to_one)
{
    for (int i = 1; i < 64; i++) {
        double x = i / 64.0; /* 1 - x is exact */
        assert_near(sotto__incomplete_beta(x, 4.5, 0.5) + sotto__incomplete_beta(1 - x, 0.5, 4.5),
                    1, 1e-14);
        assert_near(sotto__incomplete_beta(x, 1, 1), x, 1e-14 * x);
    }
}

/* Of ln Phi(x): 1e-13 relative, but 1e-15 absolute where it nears 0, and 1e-10 absolute below -20,
 * where the asymptotic series ends after five terms. From -37.6 on erfc has lost digits, from -38.6
 * on it is 0. */
TEST(log_normal_cdf_agrees_into_both_tails)
{
    static const struct {
        double x, wanted;
    } known[] = {
        {-1e150, -4.9999999999999998084e+299}, {-1e4, -5.0000010129278915181e+7},
        {-100, -5005.5242086942050886},        {-39, -765.08315656437754440},
        {-38.5, -745.69527029041108133},       {-38, -726.55721601882013010},
        {-37.5, -707.66898931750719107},       {-30, -454.32124395634319711},
        {-20.5, -214.06672896326380017},       {-20, -203.91715537109726394},
        {-19.999, -203.89710611679704032},     {-15, -116.13138484571169524},
        {-8, -35.013437159914549896},          {-5, -15.064998393988725736},
        {-2, -3.7831843336820319488},          {-1, -1.8410216450092635058},
        {-0.5, -1.1759117615936186089},        {-1e-300, -0.69314718055994530942},
        {0, -0.69314718055994530942},          {0.5, -0.36894641528865639307},
        {1, -0.17275377902344988953},          {3, -0.0013508099647481937988},
        {6, -9.8658764552437573169e-10},       {8, -6.2209605742717860585e-16},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double floor = known[i].x <= -20 ? 1e-10 : 1e-15;
        double tolerance = fmax(1e-13 * fabs(known[i].wanted), floor);
        assert_near(sotto__log_normal_cdf(known[i].x), known[i].wanted, tolerance);
    }
}

TEST(log_normal_cdf_does_not_jump_where_its_formula_changes)
{
    double above = sotto__log_normal_cdf(nextafter(-20, 0)), below = sotto__log_normal_cdf(-20);
    assert_near(above, below, 1e-10);
}

/* Quadrature: exact for polynomials of degree 15, in panels that cover the interval. */

static double integral_of_power(int power, double from, double to, uint32_t panels)
{
    double sum = 0;
    for (uint32_t i = 0; i < panels * SOTTO__PANEL_NODES; i++) {
        sotto__node node = sotto__quadrature_node(from, to, panels, i);
        sum += node.weight * pow(node.at, power);
    }
    return sum;
}

TEST(polynomials_of_degree_15_are_exact_in_one_panel)
{
    for (int power = 0; power <= 15; power++) {
        double wanted = (pow(2, power + 1) - pow(-1, power + 1)) / (power + 1);
        assert_near(integral_of_power(power, -1, 2, 1), wanted, 1e-13 * pow(2, power + 1));
    }
    double wanted = (pow(2, 17) + 1) / 17;
    assert_true(fabs(integral_of_power(16, -1, 2, 1) - wanted) > 1e-6);
}

TEST(panels_follow_each_other)
{
    double wanted = (pow(2, 17) + 1) / 17;
    assert_near(integral_of_power(16, -1, 2, 64), wanted, 1e-10);
    for (uint32_t i = 0; i < 4 * SOTTO__PANEL_NODES; i++) {
        sotto__node node = sotto__quadrature_node(10, 14, 4, i);
        double panel = i / SOTTO__PANEL_NODES;
        assert_true(node.at > 10 + panel && node.at < 11 + panel);
        assert_true(node.weight > 0);
    }
}

/* Links stay finite for every finite argument, and their slopes are their derivatives. */

static const sotto_link all[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT, SOTTO_LINK_PROBIT,
                                 SOTTO_LINK_LOG};
#define LINKS (sizeof all / sizeof all[0])

TEST(extreme_arguments_give_finite_means_and_slopes)
{
    static const double v[] = {1e308, DBL_MAX, 710, 700, 40, 5e-324, 0.0};
    for (size_t i = 0; i < LINKS * sizeof v / sizeof v[0]; i++) {
        sotto_link link = all[i % LINKS];
        double at = v[i / LINKS];
        assert_true(isfinite(sotto__link_mean(link, at)));
        assert_true(isfinite(sotto__link_mean(link, -at)));
        assert_true(isfinite(sotto__link_slope(link, at)));
        assert_true(isfinite(sotto__link_slope(link, -at)));
        assert_true(sotto__link_slope(link, at) >= 0);
        assert_true(sotto__link_slope(link, -at) >= 0);
        assert_true(isfinite(sotto__link_slope_max(link, at)));
    }
}

/* From 700 on the exponential is held: mu no longer moves. */
TEST(links_saturate_at_their_limits)
{
    assert_true(sotto__link_mean(SOTTO_LINK_IDENTITY, -1e308) == -1e308);
    assert_true(sotto__link_mean(SOTTO_LINK_LOGIT, 1e308) == 1);
    assert_near(sotto__link_mean(SOTTO_LINK_LOGIT, -1e308), exp(-700), 1e-310);
    assert_true(sotto__link_mean(SOTTO_LINK_LOGIT, -1e308) > 0);
    assert_true(sotto__link_mean(SOTTO_LINK_PROBIT, 1e308) == 1);
    assert_true(sotto__link_mean(SOTTO_LINK_PROBIT, -1e308) == 0);
    assert_true(sotto__link_slope(SOTTO_LINK_PROBIT, 1e308) == 0);
    assert_true(sotto__link_mean(SOTTO_LINK_LOG, 1e308) == exp(700));
    assert_true(sotto__link_mean(SOTTO_LINK_LOG, -1e308) == exp(-700));
}

TEST(means_at_known_points_are_known)
{
    assert_true(sotto__link_mean(SOTTO_LINK_IDENTITY, 0.75) == 0.75);
    assert_near(sotto__link_mean(SOTTO_LINK_LOGIT, 0), 0.5, 0);
    assert_near(sotto__link_mean(SOTTO_LINK_LOGIT, log(3)), 0.75, 1e-15);
    assert_near(sotto__link_mean(SOTTO_LINK_PROBIT, 0), 0.5, 0);
    assert_near(sotto__link_mean(SOTTO_LINK_PROBIT, 1.959963984540054), 0.975, 1e-15);
    assert_near(sotto__link_mean(SOTTO_LINK_LOG, 2), 7.38905609893065, 1e-14);
    assert_near(sotto__link_slope(SOTTO_LINK_IDENTITY, -8), 1, 0);
    assert_near(sotto__link_slope(SOTTO_LINK_LOGIT, 0), 0.25, 0);
    assert_near(sotto__link_slope(SOTTO_LINK_PROBIT, 0), 0.3989422804014327, 1e-16);
    assert_near(sotto__link_slope(SOTTO_LINK_LOG, 0), 1, 0);
}

/* Central differences of step 1e-5 err by about 1e-10 of a scale that is at most e^4 here. */
TEST(slopes_are_the_derivatives_of_the_means)
{
    const double step = 1e-5;
    for (size_t i = 0; i < LINKS * 81; i++) {
        sotto_link link = all[i % LINKS];
        double v = ((double)(i / LINKS) - 40) / 10;
        double rise = sotto__link_mean(link, v + step) - sotto__link_mean(link, v - step);
        assert_near(sotto__link_slope(link, v), rise / (2 * step), 1e-8);
    }
}

/* The bounds hold on a fine scan and are attained within its spacing. */
TEST(extreme_slopes_are_those_of_a_scan)
{
    static const double bound[] = {1e-6, 0.5, 1, 3, 10};
    for (size_t i = 0; i < LINKS * sizeof bound / sizeof bound[0]; i++) {
        sotto_link link = all[i % LINKS];
        double b = bound[i / LINKS], least = INFINITY, most = 0;
        for (int k = -1000; k <= 1000; k++) {
            double slope = sotto__link_slope(link, b * k / 1000);
            least = fmin(least, slope);
            most = fmax(most, slope);
        }
        assert_near(sotto__link_slope_max(link, b), most, 1e-15 * most);
        assert_near(sotto__link_slope_min(link, b), least, 1e-15 * least);
    }
}

/* Shares of 2^32: whole, never 0, and the arm that they give to a nonce. */

static sotto_terms with_arms(uint32_t arms)
{
    sotto_terms terms = {.spec = sotto_spec_default(SOTTO_REWARD_BINARY)};
    terms.spec.arms = arms;
    return terms;
}

TEST(other_sums_are_not_whole)
{
    const uint32_t less[] = {1u << 31, (1u << 31) - 1}, more[] = {1u << 31, (1u << 31) + 1};
    const uint32_t none[] = {0, 0}, twice[] = {UINT32_MAX, UINT32_MAX, 2},
                   whole[] = {0, UINT32_MAX, 1};
    assert_false(sotto__shares_are_whole(less, 2));
    assert_false(sotto__shares_are_whole(more, 2));
    assert_false(sotto__shares_are_whole(none, 2));
    assert_false(sotto__shares_are_whole(twice, 3));
    assert_true(sotto__shares_are_whole(whole, 3));
}

TEST(an_arm_that_nobody_can_beat_leaves_one_to_each_other)
{
    const double chance[] = {0, 1, 1e-30};
    uint32_t shares[3];
    sotto__shares_set(chance, 3, shares);
    assert_ints(shares[0], 1, shares[2], 1, shares[1], UINT32_MAX - 1);
}

/* 2^32/3 = 1431655765.33: the first of equals takes the one that is left. */
TEST(the_largest_takes_what_is_left)
{
    const double third[] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, half[] = {0.25, 0.5 + 1e-9, 0.25};
    uint32_t shares[3], equal[3];
    sotto__shares_set(third, 3, shares);
    assert_ints(shares[0], 1431655766, shares[1], 1431655765, shares[2], 1431655765);
    sotto__shares_set_equal(3, equal);
    assert_memory_equal(equal, shares, sizeof shares);
    sotto__shares_set(half, 3, shares);
    assert_ints(shares[0], 1u << 30, shares[1], 1u << 31);
}

TEST(all_sizes_are_whole)
{
    static double chance[SOTTO_ARMS_MAX];
    static uint32_t shares[SOTTO_ARMS_MAX];
    for (uint32_t arms = 2; arms <= SOTTO_ARMS_MAX; arms++) {
        sotto__shares_set_equal(arms, shares);
        assert_true(sotto__shares_are_whole(shares, arms));
        for (uint32_t k = 0; k < arms; k++) {
            chance[k] = 2.0 * (k + 1) / (arms * (arms + 1.0));
        }
        sotto__shares_set(chance, arms, shares);
        assert_true(sotto__shares_are_whole(shares, arms));
        for (uint32_t k = 0; k < arms; k++) {
            assert_true(fabs(shares[k] - 0x1p32 * chance[k]) <= arms);
        }
    }
}

/* By the definition: the smallest a with u < share_0 + ... + share_a. */
TEST(the_arm_is_the_first_whose_end_is_above)
{
    const sotto_terms terms = with_arms(4);
    const uint32_t shares[] = {1u << 30, 1, (1u << 31) - 1, 1u << 30};
    uint32_t seen[4] = {0};
    for (uint32_t i = 0; i < 2000; i++) {
        uint8_t nonce[SOTTO_NONCE_BYTES] = {(uint8_t)i, (uint8_t)(i >> 8)};
        const sotto__block_at at = {terms.stream_key, nonce, SOTTO__STREAM_ARM, 0, 0};
        uint32_t word[16], wanted = 0;
        sotto__public_words(&at, 0, word);
        for (uint64_t end = shares[0]; word[0] >= end; end += shares[wanted]) {
            wanted++;
        }
        assert_int_equal(sotto__shared_arm(&terms, shares, nonce), wanted);
        seen[wanted]++;
    }
    assert_true(seen[0] > 400 && seen[0] < 600);
    assert_int_equal(seen[1], 0);
    assert_true(seen[2] > 900 && seen[2] < 1100);
}

/* An arm begins at the sum of the shares before it: u itself is the first number that is not below it. */
TEST(an_arm_begins_where_those_before_it_end)
{
    const sotto_terms terms = with_arms(2);
    const uint8_t nonce[SOTTO_NONCE_BYTES] = {1};
    const sotto__block_at at = {terms.stream_key, nonce, SOTTO__STREAM_ARM, 0, 0};
    uint32_t word[16];
    sotto__public_words(&at, 0, word);
    const uint32_t before[] = {word[0], 0u - word[0]}, after[] = {word[0] + 1, ~word[0]};
    assert_int_equal(sotto__shared_arm(&terms, before, nonce), 1);
    assert_int_equal(sotto__shared_arm(&terms, after, nonce), 0);
}

/* 0 and all of 2^32 but one: arms without a share are never given. */
TEST(an_arm_without_a_share_is_never_given)
{
    const sotto_terms terms = with_arms(3);
    const uint32_t shares[] = {0, UINT32_MAX, 1};
    for (uint32_t i = 0; i < 200; i++) {
        uint8_t nonce[SOTTO_NONCE_BYTES] = {(uint8_t)i};
        assert_int_equal(sotto__shared_arm(&terms, shares, nonce), 1);
    }
}
