/*
 * The lab's fast noise has the law of the device's: two samples side by side, and a twin of a
 * slightly other law that the comparison must tell apart.
 */
#include "lab/math/statistics.h"
#include "lab/random/fast_noise.h"
#include "lab/random/stream.h"
#include "tape.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define DRAWS 400000u
#define BINS 64
#define SCALE 5000u

static sotto_lattice lattice_of(uint32_t dim, uint32_t scale)
{
    return (sotto_lattice){.dim = dim, .scale_ticks = scale, .clip_ticks = 1};
}

static sotto__fast_rng fast_rng(uint64_t seed)
{
    sotto__fast_rng fast;
    sotto__stream_begin(&fast.seeded, seed, SOTTO__PURPOSE_PRIVACY);
    sotto__ziggurat_begin(&fast.ziggurat);
    return fast;
}

/* Counts in bins of an eighth of the scale; the two outermost hold the tails. */
static void count_into(sotto__noise_function *draw, uint32_t scale, sotto_rng *rng, uint64_t *bin)
{
    enum { AT_ONCE = 1000 };
    static int64_t noise[AT_ONCE];
    sotto_lattice lattice = lattice_of(AT_ONCE, scale);
    for (uint32_t done = 0; done < DRAWS; done += AT_ONCE) {
        assert_ok(draw(&lattice, SOTTO_NOISE_GAUSSIAN, rng, noise));
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            double place = floor(8.0 * (double)noise[i] / SCALE) + BINS / 2;
            bin[(int)fmax(0, fmin(BINS - 1, place))]++;
        }
    }
}

/* Two samples of equal size: chi-square = sum (a - b)^2/(a + b) over bins with enough in them. */
static double two_sample_p(const uint64_t *a, const uint64_t *b)
{
    double chi_square = 0, freedom = -1;
    for (int i = 0; i < BINS; i++) {
        double sum = (double)(a[i] + b[i]), off = (double)a[i] - (double)b[i];
        if (sum < 20) continue;
        chi_square += off * off / sum;
        freedom++;
    }
    return sotto__chi_square_tail(chi_square, freedom);
}

/* False alarms: 1e-6. The twin's scale is 2 % larger: its chi-square is in the hundreds. */
static void gaussian_noise_has_the_device_s_law(void **state)
{
    (void)state;
    tape random = tape_seeded(901);
    sotto__fast_rng fast = fast_rng(902), twin = fast_rng(903);
    uint64_t device[BINS] = {0}, lab[BINS] = {0}, broken[BINS] = {0};
    count_into(sotto__lattice_noise, SCALE, &random.rng, device);
    count_into(sotto__fast_noise, SCALE, &fast.seeded.rng, lab);
    count_into(sotto__fast_noise, SCALE + SCALE / 50, &twin.seeded.rng, broken);
    assert_true(two_sample_p(device, lab) > 1e-6);
    assert_true(two_sample_p(device, broken) < 1e-6);
}

/* Rounded to the nearest tick, not cut: at a scale of 1 tick P(0) = P(|N| < 1/2) = 0.38292; cut
 * towards 0 it would be 0.683. Error of the count: 0.0008 at DRAWS, so 0.004 is beyond 1e-6. */
static void ticks_are_rounded_to_the_nearest(void **state)
{
    (void)state;
    sotto__fast_rng fast = fast_rng(904);
    sotto_lattice lattice = lattice_of(1, 1);
    uint64_t zeros = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        int64_t noise;
        assert_ok(sotto__fast_noise(&lattice, SOTTO_NOISE_GAUSSIAN, &fast.seeded.rng, &noise));
        zeros += noise == 0;
    }
    assert_near((double)zeros / DRAWS, 0.38292, 0.004);
}

static void laplace_noise_is_the_device_s_own(void **state)
{
    (void)state;
    sotto__fast_rng fast = fast_rng(905), same = fast_rng(905);
    sotto_lattice lattice = lattice_of(50, SCALE);
    int64_t lab[50], device[50];
    assert_ok(sotto__fast_noise(&lattice, SOTTO_NOISE_LAPLACE, &fast.seeded.rng, lab));
    assert_ok(sotto__lattice_noise(&lattice, SOTTO_NOISE_LAPLACE, &same.seeded.rng, device));
    assert_memory_equal(lab, device, sizeof lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian_noise_has_the_device_s_law),
        cmocka_unit_test(ticks_are_rounded_to_the_nearest),
        cmocka_unit_test(laplace_noise_is_the_device_s_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
