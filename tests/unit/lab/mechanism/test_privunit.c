/* PrivUnit: B times a unit vector, unbiased, in the cap as often as it should be. */
#include "lab/mechanism/privunit.h"
#include "lab/random/random.h"
#include "stats.h"
#include "test.h"

#include <math.h>

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

static void a_draw_takes_words_enough_for_its_normals(void **state)
{
    (void)state;
    assert_int_equal(sotto__privunit_words(1), 5);
    assert_int_equal(sotto__privunit_words(2), 5);
    assert_int_equal(sotto__privunit_words(3), 7);
    assert_int_equal(sotto__privunit_words(20), 23);
}

static void every_input_and_every_word_gives_length_b(void **state)
{
    (void)state;
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
static void denormal_inputs_give_length_b(void **state)
{
    (void)state;
    const double x[][2] = {{5e-324, 0}, {0, -1e-310}, {1e-309, 1e-309}};
    const sotto_privunit constants = sotto_privunit_constants(2, 1);
    sotto__seeded random;
    sotto__seeded_begin(&random, 70);
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
    sotto__seeded random;
    sotto__seeded_begin(&random, seed);
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
static void twins_with_a_wrong_constant_are_caught(void **state)
{
    (void)state;
    const sotto_privunit right = sotto_privunit_constants(5, 5);
    sotto_privunit likely = right, high = right, brief = right;
    likely.cap_chance += 0.05 * (1 - right.cap_chance);
    high.cap_height *= 1.05;
    brief.scale *= 0.95;
    assert_true(law_deviation(&likely, &right, 5, 1, 77) > Z_FALSE_ALARM);
    assert_true(law_deviation(&high, &right, 5, 1, 78) > Z_FALSE_ALARM);
    assert_true(law_deviation(&brief, &right, 5, 1, 79) > Z_FALSE_ALARM);
}

static void draws_are_unbiased_and_in_the_cap_with_probability_p(void **state)
{
    (void)state;
    assert_law(3, 1, 1, 71);
    assert_law(20, 1, 1, 72);
    assert_law(5, 5, 1, 73);
}

static void short_inputs_are_unbiased_too(void **state)
{
    (void)state;
    assert_law(3, 2, 0.25, 74);
    assert_law(4, 2, 0, 75);
}

/* On a line it is randomised response: e^eps/(1 + e^eps) for the truth. */
static void one_dimension_is_randomised_response(void **state)
{
    (void)state;
    assert_near(sotto_privunit_constants(1, 1).cap_chance, exp(1) / (1 + exp(1)), 1e-12);
    assert_law(1, 1, 1, 76);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draw_takes_words_enough_for_its_normals),
        cmocka_unit_test(every_input_and_every_word_gives_length_b),
        cmocka_unit_test(denormal_inputs_give_length_b),
        cmocka_unit_test(draws_are_unbiased_and_in_the_cap_with_probability_p),
        cmocka_unit_test(short_inputs_are_unbiased_too),
        cmocka_unit_test(one_dimension_is_randomised_response),
        cmocka_unit_test(twins_with_a_wrong_constant_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
