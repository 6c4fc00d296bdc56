/* Learned witnesses: each kind of leak is found by some guess, and nothing where nothing is. */
#include "lab/audit/witness.h"
#include "lab/random/random.h"
#include "test.h"

#include <math.h>

#define COUNT 4000u
#define WIDTH 3u
#define FRESH (8 * COUNT)

typedef enum leak {
    NOTHING,
    SHIFT,      /* of all numbers */
    CORRELATED, /* small shift against large common noise: only whitening sees it */
    ONE_NUMBER, /* one coordinate without noise */
    SPREAD,     /* another variance */
    RARE_VALUE, /* a number that only one secret's answers hold */
    PARITY,     /* values 0..3, even for one secret more often: no threshold sees it */
    SIGN_OF_0,  /* -0 for one secret */
    RELEASED,   /* one in 50 answers is always the same for a secret */
    DISJOINT,   /* 2,048 values, odd ones for one secret */
} leak;

static double value[2][COUNT * WIDTH];
static uint8_t secret[2][COUNT];

static void make(leak kind, uint64_t seed)
{
    sotto__seeded random;
    sotto__seeded_begin(&random, seed);
    for (uint32_t n = 0; n < 2 * COUNT; n++) {
        double normal[4], *y = value[n / COUNT] + (size_t)(n % COUNT) * WIDTH;
        for (int i = 0; i < 4; i += 2) {
            sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random),
                               normal + i);
        }
        uint64_t coin = sotto__seeded_next(&random);
        uint8_t s = coin & 1;
        secret[n / COUNT][n % COUNT] = s;
        for (uint32_t i = 0; i < WIDTH; i++) {
            y[i] = normal[i] + (kind == SHIFT ? 1.0 * s : 0);
            if (kind == SPREAD) y[i] = normal[i] * (s == 0 ? 1 : 2);
            if (kind == CORRELATED) y[i] = 100 * normal[3] + 0.3 * normal[i];
        }
        if (kind == CORRELATED) y[0] += s;
        if (kind == ONE_NUMBER) y[1] = s;
        if (kind == RARE_VALUE)
            y[0] = s == 0 && (coin >> 8) % 4 == 0 ? 7 : (double)(coin >> 16 & 7);
        if (kind == SIGN_OF_0) y[0] = s == 0 ? 0.0 : -0.0, y[1] = y[2] = 0;
        for (uint32_t i = 0; i < WIDTH && kind == RELEASED && (coin >> 8) % 50 == 0; i++) {
            y[i] = s == 0 ? i + 1 : 3 - i;
        }
        if (kind == DISJOINT) {
            y[0] = (double)(2 * (coin >> 32 & 1023) + s), y[1] = y[2] = 0;
        }
        if (kind == PARITY) {
            bool even = (coin >> 8) % 10 < (s == 0 ? 9 : 1);
            y[0] = (double)(2 * (coin >> 32 & 1) + !even);
            y[1] = y[2] = 0;
        }
    }
}

static double promise_of(leak kind)
{
    static sotto__witnessed_trial trial[COUNT];
    sotto__sample train = {WIDTH, COUNT, value[0], secret[0]};
    sotto__sample choose = {WIDTH, COUNT, value[1], secret[1]};
    sotto__event event;
    sotto__witness *witness;
    make(kind, 40 + kind);
    assert_ok(sotto__witness_learn(&train, &choose, FRESH, 0, 0.01, trial, &event, &witness));
    sotto__answer answer = {.count = WIDTH, .value = value[1]};
    assert_true(isfinite(witness->of(witness, &answer)));
    sotto__witness_free(witness);
    return event.promise;
}

static sotto__witness *learn(leak kind)
{
    static sotto__witnessed_trial trial[COUNT];
    sotto__sample train = {WIDTH, COUNT, value[0], secret[0]};
    sotto__sample choose = {WIDTH, COUNT, value[1], secret[1]};
    sotto__event event;
    sotto__witness *witness;
    make(kind, 3);
    assert_ok(sotto__witness_learn(&train, &choose, FRESH, 0, 0.01, trial, &event, &witness));
    return witness;
}

static double sure(sotto__witness *witness, uint32_t which, double y[WIDTH])
{
    sotto__answer answer = {.count = WIDTH, .value = y};
    return witness->sure(witness, which, &answer);
}

static void leaks_are_found(void **state)
{
    (void)state;
    assert_true(promise_of(SHIFT) > 1.5);
    assert_true(promise_of(CORRELATED) > 1.5);
    assert_true(promise_of(ONE_NUMBER) > 4);
    assert_true(promise_of(SPREAD) > 1);
    assert_true(promise_of(RARE_VALUE) > 0.5);
    assert_true(promise_of(PARITY) > 1.5);
    assert_true(promise_of(SIGN_OF_0) > 4);
    assert_true(promise_of(RELEASED) > 1);
    assert_true(promise_of(DISJOINT) > 3);
}

static void nothing_is_found_where_nothing_is(void **state)
{
    (void)state;
    assert_true(promise_of(NOTHING) < 0.1);
}

/* Small shift against large common noise, in answers too wide for their whole covariance. */
static void common_noise_of_wide_answers_is_found(void **state)
{
    (void)state;
    enum { WIDE = 100, TRIALS = 1000 };
    static double wide[2][TRIALS * WIDE];
    static sotto__witnessed_trial trial[TRIALS];
    sotto__seeded random;
    sotto__seeded_begin(&random, 77);
    for (uint32_t n = 0; n < 2 * TRIALS; n++) {
        double normal[2];
        uint8_t s = sotto__seeded_next(&random) & 1;
        sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random), normal);
        secret[n / TRIALS][n % TRIALS] = s;
        for (uint32_t i = 0; i < WIDE; i++) {
            wide[n / TRIALS][n % TRIALS * WIDE + i] = 100 * normal[0] + (i == 70 ? s : 0);
        }
    }
    sotto__sample train = {WIDE, TRIALS, wide[0], secret[0]};
    sotto__sample choose = {WIDE, TRIALS, wide[1], secret[1]};
    sotto__event event;
    sotto__witness *witness;
    assert_ok(sotto__witness_learn(&train, &choose, FRESH, 0, 0.01, trial, &event, &witness));
    assert_true(event.promise > 4);
    sotto__witness_free(witness);
}

static void the_direction_is_half_way_at_0(void **state)
{
    (void)state;
    sotto__witness *witness = learn(SHIFT);
    double middle[3] = {0.5, 0.5, 0.5}, zero[3] = {0, 0, 0};
    assert_near(sure(witness, SOTTO__SURE_DIRECTION, middle), 0, 0.2);
    assert_true(sure(witness, SOTTO__SURE_DIRECTION, zero) > 0.5); /* speaks for secret 0 */
    sotto__witness_free(witness);
}

/* One in 50 answers is (1, 2, 3) for secret 0 and (3, 2, 1) for secret 1, or nearly so. */
static void answers_that_come_again_are_known_exactly_and_nearly(void **state)
{
    (void)state;
    double first[3] = {1, 2, 3}, second[3] = {3, 2, 1}, near[3] = {1 + 1e-12, 2, 3};
    double far[3] = {1.01, 2, 3};
    sotto__witness *witness = learn(RELEASED);
    assert_int_equal(witness->sure_count, 4);
    for (uint32_t which = 1; which <= 2; which++) { /* whole answers, and cells */
        assert_true(sure(witness, which, first) > 2);
        assert_true(sure(witness, which, second) < -2);
        assert_near(sure(witness, which, far), 0, 0);
    }
    assert_near(sure(witness, 1, near), 0, 0);
    assert_true(sure(witness, 2, near) > 2);
    sotto__witness_free(witness);
    witness = learn(ONE_NUMBER);
    double other[3] = {7, 1, 8};
    assert_true(sure(witness, 3, other) < -2); /* the second number alone tells */
    sotto__witness_free(witness);
}

/* Few answers of one number: the whole is the coordinate, and is not judged twice. */
static void a_single_number_has_one_table_less(void **state)
{
    (void)state;
    static sotto__witnessed_trial trial[COUNT];
    sotto__sample train = {1, COUNT, value[0], secret[0]}, choose = {1, COUNT, value[1], secret[1]};
    sotto__event event;
    sotto__witness *witness;
    make(SHIFT, 3);
    assert_ok(sotto__witness_learn(&train, &choose, FRESH, 0, 0.01, trial, &event, &witness));
    assert_int_equal(witness->sure_count, 3);
    sotto__witness_free(witness);
}

/* Numbers whose squares overflow give witnesses that are still numbers. */
static void huge_numbers_do_no_harm(void **state)
{
    (void)state;
    static sotto__witnessed_trial trial[COUNT];
    sotto__sample train = {WIDTH, COUNT, value[0], secret[0]};
    sotto__sample choose = {WIDTH, COUNT, value[1], secret[1]};
    sotto__event event;
    sotto__witness *witness;
    make(SHIFT, 4);
    for (uint32_t n = 0; n < COUNT * WIDTH; n += 5) {
        value[0][n] = value[1][n] = n % 2 == 0 ? 1.7e308 : -1.7e308;
    }
    assert_ok(sotto__witness_learn(&train, &choose, FRESH, 0, 0.01, trial, &event, &witness));
    sotto__witness_free(witness);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_numbers_do_no_harm),
        cmocka_unit_test(nothing_is_found_where_nothing_is),
        cmocka_unit_test(common_noise_of_wide_answers_is_found),
        cmocka_unit_test(leaks_are_found),
        cmocka_unit_test(the_direction_is_half_way_at_0),
        cmocka_unit_test(answers_that_come_again_are_known_exactly_and_nearly),
        cmocka_unit_test(a_single_number_has_one_table_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
