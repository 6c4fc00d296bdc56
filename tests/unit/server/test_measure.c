/* What measure rounds add up to: widths by hand, intervals that hold whenever one looks, and a twin that
 * peeks with ordinary ones. The sums are tested with what is made of them, in test_uplift.c. */
#include "lab/random/random.h"
#include "server/server.h"
#include "test.h"

#include <math.h>

/* Half-widths of a mean reward in [0, 1], alpha 0.05, as the specification lists them. */
TEST(widths_are_those_of_the_formula)
{
    static const struct {
        double epsilon, n, half;
    } rows[] = {{1, 1e4, .033},  {1, 1e5, .011}, {.5, 1e4, .062},
                {.5, 1e5, .021}, {4, 1e4, .016}, {4, 1e5, .005}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double scale = 1 / tanh(rows[i].epsilon / 2);
        double half = scale * sotto__measure_width((uint64_t)rows[i].n, 0.05) / 2;
        assert_near(half, rows[i].half, 5e-4);
    }
    assert_true(isinf(sotto__measure_width(0, 0.05)));
}

/* ---- at any time --------------------------------------------------------------------------- */

#define PATHS 1000
#define LENGTH 10000

typedef double width_function(uint64_t n, double alpha);

static double ordinary(uint64_t n, double alpha)
{
    (void)alpha;
    return 1.96 / sqrt((double)n);
}

/* How many paths ever leave the interval. Each report is +1 with a chance that moves. */
static int paths_outside(width_function *width)
{
    sotto__seeded random;
    int outside = 0;
    sotto__seeded_begin(&random, 2026);
    for (int path = 0; path < PATHS; path++) {
        double sum = 0, means = 0;
        bool out = false;
        for (uint64_t n = 1; n <= LENGTH; n++) {
            double mean = 0.3 * sin(1e-3 * (double)n);
            double u = (double)(sotto__seeded_next(&random) >> 11) * 0x1p-53;
            sum += u < (1 + mean) / 2 ? 1 : -1;
            means += mean;
            out |= n >= 10 && fabs(sum - means) > (double)n * width(n, 0.05);
        }
        outside += out;
    }
    return outside;
}

/* At most alpha = 0.05 of the paths leave by the theorem. 85 of 1,000 is 5 standard deviations above:
 * a false alarm has a chance below 1e-6. */
TEST(intervals_hold_whenever_one_looks)
{
    int outside = paths_outside(sotto__measure_width);
    print_message("ever outside: %d of %d paths, at alpha 0.05\n", outside, PATHS);
    assert_true(outside <= 85);
}

TEST(ordinary_intervals_do_not)
{
    int outside = paths_outside(ordinary);
    print_message("with ordinary intervals: %d\n", outside);
    assert_true(outside > 200);
}
