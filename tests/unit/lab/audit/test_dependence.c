/* Dependence of successive answers: honest streams of several laws pass, re-used noise is told. */
#include "lab/audit/dependence.h"
#include "lab/random/random.h"
#include "subjects.h"
#include "test.h"

#include <math.h>

typedef enum stream {
    NORMAL,
    COIN,
    MANY_VALUES,
    CONSTANT,
    REUSED,
    REPEATED,
    LAGGED,
    SMOOTH
} stream;
#define LAG 40

static uint32_t failures_of(stream kind, uint64_t seed)
{
    sotto__dependence *dependence;
    sotto__seeded random;
    sotto_audit_result result = {.rows_count = 0};
    sotto__seeded_begin(&random, seed);
    assert_ok(sotto__dependence_new(2, &dependence));
    for (int pair = 0; pair < 2; pair++) {
        const double middle[4] = {3, 0, -3, 0};
        double value[2] = {0, 0}, noise[2] = {0, 0}, old[LAG][2];
        sotto__dependence_begin(dependence, middle);
        for (uint64_t t = 0; t < 4000; t++) {
            uint64_t coin = sotto__seeded_next(&random);
            uint32_t secret = coin & 1;
            bool again = (kind == REUSED || kind == REPEATED) && t % 2 == 1;
            uint64_t first = sotto__seeded_next(&random), second = sotto__seeded_next(&random);
            if (!again) sotto__normal_pair(first, second, noise);
            if (kind == LAGGED) { /* every second answer has the noise of LAG answers before */
                double *held = old[t % LAG];
                if (t / LAG % 2 == 0) held[0] = noise[0], held[1] = noise[1];
                noise[0] = held[0], noise[1] = held[1];
            }
            if (kind == SMOOTH) { /* never the same, but like the last */
                old[0][0] = t == 0 ? 0 : 0.4 * old[0][0] + noise[0];
                noise[0] = old[0][0];
            }
            if (kind == MANY_VALUES) noise[0] = rint(4 * noise[0]), noise[1] = rint(noise[1]);
            if (kind == COIN) noise[0] = noise[0] > 0.7 ? 1 : 0, noise[1] = 0;
            if (kind == CONSTANT) noise[0] = noise[1] = 0;
            if (kind == REPEATED && again) {
                sotto__dependence_take(dependence, secret, value);
                continue;
            }
            value[0] = (secret == 0 ? 3 : -3) + noise[0];
            value[1] = noise[1];
            sotto__dependence_take(dependence, secret, value);
        }
        sotto__dependence_end(dependence);
    }
    sotto__dependence_rows(dependence, &result);
    sotto__dependence_free(dependence);
    assert_int_equal(result.rows_count, 2);
    return failed_rows(&result);
}

static void honest_streams_pass(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(failures_of(NORMAL, seed), 0);
        assert_int_equal(failures_of(COIN, seed), 0);
        assert_int_equal(failures_of(MANY_VALUES, seed), 0);
        assert_int_equal(failures_of(CONSTANT, seed), 0);
    }
}

static void reused_noise_is_told(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_true(failures_of(REUSED, seed) > 0);
        assert_true(failures_of(REPEATED, seed) > 0);
        assert_true(failures_of(LAGGED, seed) > 0);
        assert_true(failures_of(SMOOTH, seed) > 0);
    }
}

static void nothing_is_freed_twice(void **state)
{
    (void)state;
    sotto__dependence_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_freed_twice),
        cmocka_unit_test(reused_noise_is_told),
        cmocka_unit_test(honest_streams_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
