/* PrivUnit: B times a unit vector, unbiased, in the cap as often as it should be. */
#include "lab/mechanism/inner.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "stats.h"
#include "test.h"

#include <sotto/lab/mechanisms.h>

#define DIM_MAX_HERE 20u
#define WORDS_MAX_HERE 23u
#define DRAWS 200000

static void draw(sotto__seeded *random, const sotto_privunit *constants, const double *x,
                 uint32_t dim, double *z)
{
    uint64_t words[WORDS_MAX_HERE];
    for (size_t i = 0; i < sotto__privunit_words(dim); i++) {
        words[i] = sotto__seeded_next(random);
    }
    sotto__privunit_draw(constants, x, dim, words, z);
}

static double norm_of(const double *z, uint32_t dim)
{
    double norm = 0;
    for (uint32_t i = 0; i < dim; i++) {
        norm = hypot(norm, z[i]);
    }
    return norm;
}

/* x = norm times a unit vector along (1, 2, ..., d), every second sign turned. */
static void input_of(uint32_t dim, double norm, double *x)
{
    for (uint32_t i = 0; i < dim; i++) {
        x[i] = i % 2 == 0 ? i + 1.0 : -1.0 - i;
    }
    double length = norm_of(x, dim);
    for (uint32_t i = 0; i < dim; i++) {
        x[i] *= norm / length;
    }
}

TEST(a_draw_takes_words_enough_for_its_normals)
{
    assert_ints(sotto__privunit_words(1), 5, sotto__privunit_words(2), 5);
    assert_ints(sotto__privunit_words(3), 7, sotto__privunit_words(20), 23);
}

TEST(every_input_and_every_word_gives_length_b)
{
    const uint32_t dims[] = {1, 2, 3, 20};
    const double norms[] = {1, 0.5, 1e-9, 1e-300, 0};
    const uint64_t edges[] = {0, UINT64_MAX};
    for (int at = 0; at < 4 * 5 * 8; at++) {
        uint32_t dim = dims[at % 4];
        double x[DIM_MAX_HERE], z[DIM_MAX_HERE];
        uint64_t words[WORDS_MAX_HERE];
        sotto_privunit constants = sotto_privunit_constants(dim, 2);
        input_of(dim, norms[at / 4 % 5], x);
        for (uint64_t i = 0; i < WORDS_MAX_HERE; i++) {
            words[i] = i < 3 ? edges[at / 20 >> i & 1] : i * UINT64_C(0x9e3779b97f4a7c15);
        }
        sotto__privunit_draw(&constants, x, dim, words, z);
        assert_near(norm_of(z, dim) / constants.scale, 1, 1e-12);
    }
}

/* A vector too short to have a reciprocal length must not turn into NaN. */
TEST(denormal_inputs_give_length_b)
{
    const double x[][2] = {{5e-324, 0}, {0, -1e-310}, {1e-309, 1e-309}};
    const sotto_privunit constants = sotto_privunit_constants(2, 1);
    sotto__seeded random = seeded_of(70);
    for (size_t i = 0; i < 3; i++) {
        double z[2];
        draw(&random, &constants, x[i], 2, z);
        assert_near(norm_of(z, 2) / constants.scale, 1, 1e-12);
    }
}

/* The law: E z = x in every coordinate, and <z, x> >= g B with probability p for a unit x. Returns
 * the largest deviation, in standard errors, of draws made with `made` from the law of `claimed`. */
static double law_deviation(const sotto_privunit *made, const sotto_privunit *claimed, uint32_t dim,
                            double norm, uint64_t seed)
{
    double x[DIM_MAX_HERE], z[DIM_MAX_HERE], largest = 0;
    running mean[DIM_MAX_HERE] = {{0, 0, 0}};
    uint64_t in_cap = 0;
    sotto__seeded random = seeded_of(seed);
    input_of(dim, norm, x);
    for (int i = 0; i < DRAWS; i++) {
        double along = 0;
        draw(&random, made, x, dim, z);
        assert_near(norm_of(z, dim) / made->scale, 1, 1e-12);
        for (uint32_t j = 0; j < dim; j++) {
            running_add(&mean[j], z[j]);
            along += z[j] * x[j];
        }
        in_cap += along >= claimed->cap_height * norm * made->scale;
    }
    for (uint32_t j = 0; j < dim; j++) {
        largest = fmax(largest, fabs(mean[j].mean - x[j]) / running_standard_error(&mean[j]));
    }
    double p = claimed->cap_chance;
    if (norm < 1) return largest;
    return fmax(largest, fabs((double)in_cap / DRAWS - p) / sqrt(p * (1 - p) / DRAWS));
}

static void assert_law(uint32_t dim, double epsilon, double norm, uint64_t seed)
{
    const sotto_privunit constants = sotto_privunit_constants(dim, epsilon);
    assert_near(law_deviation(&constants, &constants, dim, norm, seed), 0, Z_FALSE_ALARM);
}

/* A cap too likely, a cap too high, a report too short: each 5 % off. */
TEST(twins_with_a_wrong_constant_are_caught)
{
    const sotto_privunit right = sotto_privunit_constants(5, 5);
    sotto_privunit likely = right, high = right, brief = right;
    likely.cap_chance += 0.05 * (1 - right.cap_chance);
    high.cap_height *= 1.05;
    brief.scale *= 0.95;
    assert_true(law_deviation(&likely, &right, 5, 1, 77) > Z_FALSE_ALARM);
    assert_true(law_deviation(&high, &right, 5, 1, 78) > Z_FALSE_ALARM);
    assert_true(law_deviation(&brief, &right, 5, 1, 79) > Z_FALSE_ALARM);
}

TEST(draws_are_unbiased_and_in_the_cap_with_probability_p)
{
    assert_law(3, 1, 1, 71);
    assert_law(20, 1, 1, 72);
    assert_law(5, 5, 1, 73);
}

TEST(short_inputs_are_unbiased_too)
{
    assert_law(3, 2, 0.25, 74);
    assert_law(4, 2, 0, 75);
}

/* On a line it is randomised response: e^eps/(1 + e^eps) for the truth. */
TEST(one_dimension_is_randomised_response)
{
    assert_near(sotto_privunit_constants(1, 1).cap_chance, exp(1) / (1 + exp(1)), 1e-12);
    assert_law(1, 1, 1, 76);
}

/* What the paper's constants really guarantee. */

/* The claim holds for C_B = 1 up to epsilon 5.74 (delta 0.1), 6.77 (1e-2), 8.42 (1e-5), 8.78
 * (1e-6): where the classical Gaussian formula first fails. */
TEST(the_claim_holds_up_to_the_known_epsilon)
{
    const double rows[][2] = {{0.1, 5.74}, {1e-2, 6.77}, {1e-5, 8.42}, {1e-6, 8.78}};
    for (int i = 0; i < 4; i++) {
        double delta = rows[i][0], edge = rows[i][1];
        assert_true(sotto_paper_moments_calibrate(edge - 0.01, delta, 1).epsilon < edge - 0.01);
        assert_true(sotto_paper_moments_calibrate(edge + 0.01, delta, 1).epsilon > edge + 0.01);
        assert_true(sotto_paper_moments_calibrate(edge - 0.01, delta, 1).delta < delta);
        assert_true(sotto_paper_moments_calibrate(edge + 0.01, delta, 1).delta > delta);
    }
}

TEST(the_constants_are_the_printed_ones)
{
    sotto_paper_moments paper = sotto_paper_moments_calibrate(1, 0.01, 1);
    assert_nears(1e-12, paper.sigma, 2 * sqrt(2 * log(125)), paper.whitened, 2 / paper.sigma);
}

/* Entries on and below the diagonal over 2 C, and r x - s y over C: sigma = c_r = 1, dim 2. */
static double distance(double bound, const double *x, double r, const double *y, double s)
{
    double square = 0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j <= i; j++) {
            square += pow((x[i] * x[j] - y[i] * y[j]) / (2 * bound), 2);
        }
        square += pow((r * x[i] - s * y[i]) / bound, 2);
    }
    return sqrt(square);
}

TEST(the_diameter_is_the_largest_over_all_directions)
{
    const double bounds[] = {0.5, 1, 1.5, 3, 10};
    for (int i = 0; i < 5; i++) {
        double bound = bounds[i], largest = 0;
        for (int a = 0; a < 360; a++) {
            for (int b = 0; b < 360; b++) {
                double x[] = {bound * cos(a * M_PI / 180), bound * sin(a * M_PI / 180)};
                double y[] = {bound * cos(b * M_PI / 180), bound * sin(b * M_PI / 180)};
                largest = fmax(largest, distance(bound, x, 1, y, -1));
                largest = fmax(largest, distance(bound, x, 1, y, 1));
            }
        }
        sotto_paper_moments paper = sotto_paper_moments_calibrate(1, 1e-6, bound);
        double diameter = paper.whitened * paper.sigma;
        assert_true(largest <= diameter * (1 + 1e-12));
        assert_near(largest, diameter, 1e-3 * diameter);
    }
}

TEST(long_contexts_break_the_claim)
{
    assert_true(sotto_paper_moments_calibrate(1, 1e-6, 2).epsilon < 1);
    assert_true(sotto_paper_moments_calibrate(1, 1e-6, 10).epsilon > 1);
    assert_true(sotto_paper_moments_calibrate(1, 1e-6, 10).delta > 1e-6);
}

/* ---- compared with the exact noise --------------------------------------------------------- */

/* The paper's by its formula; the exact one by its promise: delta at epsilon, no more. */
TEST(both_noises_are_what_they_say)
{
    const double cases[][3] = {{0.5, 0.1, 1}, {1, 1e-6, 3}, {10, 1e-2, 5}};
    for (int i = 0; i < 3; i++) {
        double epsilon = cases[i][0], delta = cases[i][1], bound = cases[i][2];
        sotto_paper_comparison row = sotto_paper_compare(epsilon, delta, bound);
        double sigma = 2 * sqrt(2 * log(1.25 / delta)) / epsilon;
        assert_true(row.epsilon == epsilon && row.delta == delta && row.context_norm_max == bound);
        assert_near(row.paper_square, 2 * bound * sigma, 1e-12 * sigma);
        assert_near(row.paper_product, bound * sigma, 1e-12 * sigma);
        assert_near(row.exact_square, row.exact_product / sqrt(2), 1e-12 * row.exact_product);
        /* x x'/sqrt 2 off the diagonal and r x: as far apart as |x| = |y| = C, r = -s = 1 can be. */
        double widest = 0;
        for (int degree = 0; degree <= 360; degree++) {
            double t = cos(degree * M_PI / 360);
            widest = fmax(widest, 2 * bound * bound * bound * bound * (1 - t * t) +
                                      2 * bound * bound * (1 + t));
        }
        double promise = sotto_gaussian_delta(epsilon, sqrt(widest) / row.exact_product);
        assert_near(promise, delta, 1e-3 * delta);
    }
}

TEST(a_claim_holds_if_the_true_epsilon_is_no_larger)
{
    for (int i = 0; i < 100; i++) {
        sotto_paper_comparison row = sotto_paper_compare(0.1 * (i + 1), 1e-5, 1);
        assert_int_equal(row.holds, row.true_epsilon <= row.epsilon);
        assert_int_equal(row.holds, row.true_delta <= row.delta);
    }
    assert_true(sotto_paper_compare(1, 1e-6, 2).holds);
    assert_false(sotto_paper_compare(1, 1e-6, 10).holds);
}

TEST(what_is_given_stands_in_for_the_grid)
{
    static sotto_paper_comparison row[SOTTO_PAPER_GRID_MAX];
    const double epsilon = 3, delta = 1e-4, bound = 1.5;
    assert_int_equal(sotto_paper_grid(&epsilon, &delta, &bound, row), 1);
    assert_true(row[0].epsilon == 3 && row[0].delta == 1e-4 && row[0].context_norm_max == 1.5);
    assert_int_equal(sotto_paper_grid(&epsilon, NULL, NULL, row), 16);
    assert_true(row[15].epsilon == 3 && row[15].delta == 1e-6 && row[15].context_norm_max == 5);
    assert_int_equal(sotto_paper_grid(NULL, &delta, NULL, row), 24);
    assert_true(row[5].epsilon == 10 && row[6].epsilon == 0.5 && row[6].context_norm_max == 2);
    assert_int_equal(sotto_paper_grid(NULL, NULL, &bound, row), 24);
    assert_true(row[6].delta == 1e-2 && row[23].context_norm_max == 1.5);
    assert_int_equal(sotto_paper_grid(NULL, NULL, NULL, row), SOTTO_PAPER_GRID_MAX);
    assert_true(row[1].epsilon == 1 && row[1].delta == 0.1 && row[1].context_norm_max == 1);
    assert_true(row[95].epsilon == 10 && row[95].delta == 1e-6 && row[95].context_norm_max == 5);
}
