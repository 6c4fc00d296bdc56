/* The fast normal: its layers, and its law over a million draws (false alarms below 1e-6 each). */
#include "test.h"

#include "core/special.h"
#include "lab/math/statistics.h"
#include "lab/random/ziggurat.h"
#include "stats.h"

#include <math.h>

static void layers_have_equal_areas(void **state)
{
    (void)state;
    sotto__ziggurat z;
    sotto__ziggurat_begin(&z);
    const double area = 0.0049286732339746519516;
    for (int i = 1; i < SOTTO__LAYERS; i++) {
        assert_near(z.x[i] * (z.y[i + 1] - z.y[i]), area, 1e-14);
        assert_true(z.x[i + 1] < z.x[i]);
    }
    /* the base: a box up to R, and the tail, sqrt(pi/2) erfc(R/sqrt 2) */
    double tail = sqrt(M_PI / 2) * erfc(z.x[1] / sqrt(2));
    assert_near(z.x[1] * z.y[1] + tail, area, 1e-15);
    assert_near(z.x[0] * z.y[1], area, 1e-15);
}

#define DRAWS 1000000
#define BINS 64

static double chi_square_of(double (*draw)(const sotto__ziggurat *, sotto__seeded *))
{
    sotto__ziggurat z;
    sotto__seeded seeded;
    sotto__ziggurat_begin(&z);
    sotto__seeded_begin(&seeded, 11);
    uint32_t count[BINS] = {0};
    for (int i = 0; i < DRAWS; i++) {
        double u = exp(sotto__log_normal_cdf(draw(&z, &seeded))); /* uniform, if the law is right */
        count[(int)fmin(BINS - 1, u * BINS)]++;
    }
    double chi = 0;
    for (int i = 0; i < BINS; i++) {
        double wanted = (double)DRAWS / BINS;
        chi += (count[i] - wanted) * (count[i] - wanted) / wanted;
    }
    return sotto__chi_square_tail(chi, BINS - 1);
}

/* A twin that is 1 % too wide. */
static double too_wide(const sotto__ziggurat *z, sotto__seeded *seeded)
{
    return 1.01 * sotto__normal(z, seeded);
}

static void draws_are_normal(void **state)
{
    (void)state;
    assert_true(chi_square_of(sotto__normal) > 1e-6);
    assert_true(chi_square_of(too_wide) < 1e-6);
}

static void moments_and_tails_are_normal(void **state)
{
    (void)state;
    sotto__ziggurat z;
    sotto__seeded seeded;
    sotto__ziggurat_begin(&z);
    sotto__seeded_begin(&seeded, 12);
    double mean = 0, square = 0, beyond = 0, last = 0, lag = 0;
    for (int i = 0; i < DRAWS; i++) {
        double v = sotto__normal(&z, &seeded);
        mean += v, square += v * v, beyond += fabs(v) > 3.7, lag += v * last;
        last = v;
    }
    double n = DRAWS, tail = erfc(3.7 / sqrt(2));
    assert_near(mean / n, 0, Z_FALSE_ALARM / sqrt(n));
    assert_near(square / n, 1, Z_FALSE_ALARM * sqrt(2 / n));
    assert_near(lag / n, 0, Z_FALSE_ALARM / sqrt(n));
    assert_near(beyond / n, tail, 6 * sqrt(tail / n)); /* Poisson with mean 216 */
}

/* In batches of every size, and added to what is there: the very normals of one by one. */
static void batches_are_the_same_normals(void **state)
{
    (void)state;
    static double batch[700], sum[700];
    sotto__ziggurat z;
    sotto__seeded alone, drawn, added;
    sotto__ziggurat_begin(&z);
    sotto__seeded_begin(&alone, 13);
    sotto__seeded_begin(&drawn, 13);
    sotto__seeded_begin(&added, 13);
    for (uint32_t count = 0; count < 700; count += 1 + count / 5) {
        for (uint32_t i = 0; i < count; i++) {
            sum[i] = i;
        }
        sotto__normals(&z, &drawn, batch, count);
        sotto__add_normals(&z, &added, 0.5, sum, count);
        for (uint32_t i = 0; i < count; i++) {
            double one = sotto__normal(&z, &alone);
            assert_true(batch[i] == one);
            assert_true(sum[i] == i + 0.5 * one);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_have_equal_areas),
        cmocka_unit_test(draws_are_normal),
        cmocka_unit_test(moments_and_tails_are_normal),
        cmocka_unit_test(batches_are_the_same_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
