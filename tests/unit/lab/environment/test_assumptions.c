/* The paper's constants against closed forms. Tolerances are the bias of extremes and at least five
 * standard errors, both measured over 40 seeds: false alarms are rarer than 1e-6 each. */
#include "test.h"
#include "worlds.h"

#define DRAWS 100000

static sotto_assumptions assumptions_of(const sotto_match *match, uint64_t seed, uint64_t draws)
{
    sotto_assumptions out;
    memset(&out, 0xff, sizeof out);
    assert_ok(sotto_assumptions_estimate(match, seed, draws, &out));
    assert_int_equal(out.draws, draws);
    return out;
}

TEST(what_cannot_be_drawn_is_refused)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 2, 2);
    sotto_assumptions out, before;
    memset(&out, 0x5a, sizeof out);
    before = out;
    assert_status(sotto_assumptions_estimate(NULL, 1, 1000, &out), SOTTO_E_ARGUMENT);
    assert_status(sotto_assumptions_estimate(&match, 1, 1000, NULL), SOTTO_E_ARGUMENT);
    assert_status(sotto_assumptions_estimate(&match, 1, 0, &out), SOTTO_E_FAULT);
    assert_status(sotto_assumptions_estimate(&match, 1, 99, &out), SOTTO_E_FAULT);
    match.spec.dim = 0;
    assert_status(sotto_assumptions_estimate(&match, 1, 1000, &out), SOTTO_E_FAULT);
    match.spec.dim = 2;
    match.environment.noise = NAN;
    assert_status(sotto_assumptions_estimate(&match, 1, 1000, &out), SOTTO_E_FAULT);
    assert_memory_equal(&out, &before, sizeof out);
}

/* Two arms: swapping signs swaps best and worst, so the greedy vector has E[x x'] = I/d. */
TEST(two_arms_on_the_circle_are_isotropic)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 2, 2);
    sotto_assumptions got = assumptions_of(&match, 1, DRAWS);
    assert_near(got.kappa_u, 1, 0.02);
    assert_near(got.lambda_min, 0.5, 0.01);
    assert_near(got.kappa_l_p, 1, 0.03);
    assert_true(got.zeta == 1);
    assert_near(got.eta0, 2, 0.06); /* d/(kappa_l p* zeta) */
}

/*
 * Three numbers: heights along u are uniform on (-1, 1), so the highest of K has
 * E[h^2] = 4K/(K+2) - 4K/(K+1) + 1 and E[h] = (K-1)/(K+1), and the top gap has
 * P(gap <= h) = 1 - (1 - h/2)^K, here times ||theta*|| = 0.8.
 */
TEST(many_arms_on_the_sphere_narrow_the_greedy_vector)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 3, 5);
    sotto_assumptions got = assumptions_of(&match, 2, DRAWS);
    double along = 20.0 / 7 - 20.0 / 6 + 1, around = (1 - along) / 2;
    assert_near(got.kappa_u, 1, 0.02);
    assert_near(got.lambda_min, around, 0.01);
    assert_near(got.kappa_l_p, 3 * around, 0.03);
    assert_near(got.random_regret, 0.8 * 2 / 3, 0.01);
    assert_near(got.margin_beta, 1, 0.08);
    /* at 3 %, in the middle of the fit */
    double h = 1.6 * (1 - pow(0.97, 0.2));
    assert_near(got.margin_gamma * pow(h, got.margin_beta), 0.03, 0.003);
    assert_near(got.exponent, 0, 0.04); /* log T */
}

TEST(the_largest_eigenvalue_is_that_of_the_spectrum)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_ANISOTROPIC, SOTTO_PARAMETERS_SHARED, 4, 2);
    sotto_assumptions got = assumptions_of(&match, 3, DRAWS);
    assert_near(got.kappa_u, 1, 0.02);
    assert_near(got.lambda_min, 1.0 / 16, 0.003);
    match = match_of(SOTTO_ENVIRONMENT_PUBLISHED, SOTTO_PARAMETERS_PER_ARM, 4, 2);
    assert_near(assumptions_of(&match, 3, DRAWS).kappa_u, 4, 0.13);
}

/* With many arms a spectrum makes some directions worse than theta*. */
TEST(the_worst_direction_counts)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_ANISOTROPIC, SOTTO_PARAMETERS_SHARED, 3, 20);
    double worst = 1;
    for (uint64_t seed = 0; seed < 5; seed++) {
        sotto_assumptions got = assumptions_of(&match, seed, 10000);
        double ratio = got.kappa_l_p / (3 * got.lambda_min);
        assert_true(ratio <= 1);
        worst = fmin(worst, ratio);
    }
    assert_true(worst < 0.8);
}

/* Stands before the directions, and counts them: contexts here are not drawn on a sphere, and
 * theta* has another length. */
static uint32_t directions;

void __wrap_sotto__draw_sphere(const sotto__ziggurat *ziggurat, sotto__seeded *stream, uint32_t dim,
                               double radius, double *out);
void __real_sotto__draw_sphere(const sotto__ziggurat *ziggurat, sotto__seeded *stream, uint32_t dim,
                               double radius, double *out);
void __wrap_sotto__draw_sphere(const sotto__ziggurat *ziggurat, sotto__seeded *stream, uint32_t dim,
                               double radius, double *out)
{
    directions += radius == 1;
    __real_sotto__draw_sphere(ziggurat, stream, dim, radius, out);
}

/* 32 directions besides theta*, whose place is random too; 8 where eigenvalues take long. */
TEST(so_many_directions_are_tried)
{
    const struct {
        uint32_t dim, directions;
    } rows[] = {{2, 1 + 32}, {257, 1 + 8}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        sotto_match match =
            match_of(SOTTO_ENVIRONMENT_GAUSSIAN, SOTTO_PARAMETERS_SHARED, rows[r].dim, 2);
        directions = 0;
        assumptions_of(&match, 14, 100);
        assert_int_equal(directions, rows[r].directions);
    }
}

/* One number, +1 or -1: the covariance is 1 - mean^2, exactly. */
TEST(covariances_are_around_the_mean)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_PER_ARM, 1, 2);
    sotto__world *world = world_of(&match, 4);
    double mean = 0;
    for (int t = 0; t < 101; t++) {
        sotto__world_next(world);
        mean += world->context[0] / 101;
    }
    sotto__world_free(world);
    assert_near(assumptions_of(&match, 4, 101).kappa_u, 1 - mean * mean, 1e-12);
}

/* Two arms share the circle by halves: E[X X' 1{a is best}] = I/4. */
TEST(per_arm_halves_of_the_circle)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_PER_ARM, 2, 2);
    sotto_assumptions got = assumptions_of(&match, 5, DRAWS);
    assert_near(got.kappa_u, 1, 0.02);
    assert_near(got.lambda_min, 0.25, 0.01);
    assert_near(got.kappa_l_p, 0.5, 0.02);
    assert_near(got.eta0, 2, 0.08); /* 1/(kappa_l p' zeta) */
}

/* On the line, arms of the same sign tie: the first of them is best, the others never are. */
TEST(arms_that_are_never_best_do_not_count)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_PER_ARM, 1, 3);
    bool mixed = false;
    for (uint64_t seed = 0; seed < 20; seed++) {
        sotto__world *world = world_of(&match, seed);
        int positive = 0;
        for (int a = 0; a < 3; a++) {
            positive += world->theta[a] > 0;
        }
        sotto__world_free(world);
        if (positive == 0 || positive == 3) continue;
        mixed = true;
        sotto_assumptions got = assumptions_of(&match, seed, DRAWS);
        assert_near(got.lambda_min, 0.5, 0.01);
        assert_near(got.kappa_l_p, 1, 0.02);
    }
    assert_true(mixed);
}

TEST(chosen_margins_are_recovered)
{
    const double betas[] = {1, 0.5, 0.25};
    for (int b = 0; b < 3; b++) {
        sotto_match match = match_of(SOTTO_ENVIRONMENT_MARGIN, SOTTO_PARAMETERS_SHARED, 3, 2);
        match.environment.margin = betas[b];
        sotto_assumptions got = assumptions_of(&match, 7, DRAWS);
        assert_near(got.margin_beta / betas[b], 1, 0.1);
        assert_near(got.exponent, (1 - betas[b]) / 2, 0.05);
        double h = 1.6 * pow(0.03, 1 / betas[b]);
        assert_near(got.margin_gamma * pow(h, got.margin_beta), 0.03, 0.003);
        /* E[a^2] along theta*, the rest around it; either may be the smaller */
        double along = betas[b] / (betas[b] + 2);
        assert_near(got.lambda_min, fmin(along, (1 - along) / 2), 0.01);
        assert_near(got.random_regret, 0.8 * betas[b] / (betas[b] + 1), 0.01);
    }
}

TEST(a_single_gap_has_no_power_law)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_MARGIN, SOTTO_PARAMETERS_SHARED, 3, 2);
    match.environment.margin = 0;
    sotto_assumptions got = assumptions_of(&match, 8, 10000);
    assert_true(got.margin_beta == 0 && got.margin_gamma == 1);
    /* a < 1e-16 drowns in mu(a) - mu(-a) = 0: 8 % of the gaps */
    match = match_of(SOTTO_ENVIRONMENT_MARGIN, SOTTO_PARAMETERS_SHARED, 1, 2);
    match.environment.margin = 0.07;
    match.spec.link = SOTTO_LINK_LOGIT;
    got = assumptions_of(&match, 8, 10000);
    assert_true(got.margin_beta == 0 && got.margin_gamma == 1);
}

static int compare(const void *first, const void *second)
{
    double x = *(const double *)first, y = *(const double *)second;
    return (x > y) - (x < y);
}

/* The straight line through (log gap, log share) of the gaps from 1 % to 10 %, by its normal
 * equations. */
static void fit_line(double *gap, int n, double *beta, double *gamma)
{
    qsort(gap, (size_t)n, sizeof *gap, compare);
    double count = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = n / 100; i < n / 10; i++) {
        double h = log(gap[i]), share = log((i + 0.5) / n);
        count++, x += h, y += share, xx += h * h, xy += h * share;
    }
    *beta = (count * xy - x * y) / (count * xx - x * x);
    *gamma = exp((y - *beta * x) / count);
}

/* The same people again, counted by hand: two numbers, ten arms, means that do not average to 0. */
TEST(the_same_people_give_the_same_sums)
{
    enum { PEOPLE = 5000, ARMS = 10 };
    static double gap[PEOPLE];
    sotto_match match = match_of(SOTTO_ENVIRONMENT_ANISOTROPIC, SOTTO_PARAMETERS_SHARED, 2, ARMS);
    match.spec.link = SOTTO_LINK_LOG;
    sotto__world *world = world_of(&match, 14);
    double a = 0, b = 0, c = 0, regret = 0; /* E[x x'] = (a b; b c) */
    for (int t = 0; t < PEOPLE; t++) {
        sotto__world_next(world);
        double second = -INFINITY;
        for (uint32_t arm = 0; arm < ARMS; arm++) {
            const double *x = world->context + 2 * (size_t)arm;
            regret += (world->value_best - world->mean[arm]) / ARMS / PEOPLE;
            if (world->mean[arm] < world->value_best) {
                second = fmax(second, world->mean[arm]);
                continue;
            }
            a += x[0] * x[0] / PEOPLE, b += x[0] * x[1] / PEOPLE, c += x[1] * x[1] / PEOPLE;
        }
        gap[t] = world->value_best - second;
    }
    sotto__world_free(world);
    double beta, gamma;
    fit_line(gap, PEOPLE, &beta, &gamma);
    sotto_assumptions got = assumptions_of(&match, 14, PEOPLE);
    assert_near(got.lambda_min, (a + c) / 2 - hypot((a - c) / 2, b), 1e-12);
    assert_near(got.random_regret, regret, 1e-12);
    assert_nears(1e-9, got.margin_beta, beta, got.margin_gamma, gamma);
}

/* Doubling the worth of every arm doubles the regret; theta* and the people do not change. */
TEST(regret_and_gaps_are_by_worth)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 2, 3);
    sotto_assumptions plain = assumptions_of(&match, 9, 1000);
    match.worth = (double[]){2, 2, 2};
    sotto_assumptions weighed = assumptions_of(&match, 9, 1000);
    assert_near(weighed.random_regret, 2 * plain.random_regret, 1e-12);
    assert_near(weighed.margin_beta, plain.margin_beta, 1e-9);
    assert_true(weighed.lambda_min == plain.lambda_min);
}

TEST(zeta_is_taken_at_the_bounds_of_the_spec)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 2, 2);
    match.spec.link = SOTTO_LINK_LOGIT;
    match.spec.context_norm_max = 2;
    match.spec.theta_norm_max = 1.5;
    assert_near(assumptions_of(&match, 9, 100).zeta, exp(3) / pow(1 + exp(3), 2), 1e-15);
}

/* A hundred people span no more than a hundred of 300 directions. */
TEST(many_numbers_are_handled)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 300, 2);
    sotto_assumptions got = assumptions_of(&match, 10, 100);
    assert_near(got.lambda_min, 0, 1e-12);
    assert_near(got.kappa_l_p, 0, 1e-9);
    assert_true(got.kappa_u > 1);
}

TEST(more_people_than_gaps_kept_are_handled)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_PER_ARM, 2, 2);
    sotto_assumptions got = assumptions_of(&match, 11, 1100000);
    assert_near(got.lambda_min, 0.25, 0.003);
    assert_near(got.margin_beta, 1, 0.05);
}

TEST(the_same_seed_gives_the_same_numbers)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_BALL, SOTTO_PARAMETERS_SHARED, 3, 3);
    sotto_assumptions first = assumptions_of(&match, 12, 1000);
    sotto_assumptions again = assumptions_of(&match, 12, 1000);
    sotto_assumptions other = assumptions_of(&match, 13, 1000);
    assert_true(first.kappa_l_p == again.kappa_l_p && first.margin_beta == again.margin_beta);
    assert_true(first.kappa_l_p != other.kappa_l_p && first.margin_beta != other.margin_beta);
}
