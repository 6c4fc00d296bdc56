/* Ticks: strange numbers, the clip in integers, the ends of 32 bits, and the block of each arm. */
#include "client/client.h"
#include "tape.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- forgetting --------------------------------------------------------------------------- */

enum { PART = 64 }; /* coordinates that are rounded at a time */

static int64_t forgotten[PART]; /* what stood where it was wiped */
static size_t forgotten_bytes;

void __wrap_sotto__wipe(void *secret, size_t bytes);
void __real_sotto__wipe(void *secret, size_t bytes);
void __wrap_sotto__wipe(void *secret, size_t bytes)
{
    forgotten_bytes += bytes;
    memcpy(forgotten, secret, bytes < sizeof forgotten ? bytes : sizeof forgotten);
    __real_sotto__wipe(secret, bytes);
}

/* The ticks before noise are as telling as the statistic: whatever of them is left at the end, of
 * the last part and of the one before it where the last is short, is wiped. Numbers are rounded two at
 * a time, so that after an odd last part one number of the part before it is not what it was. */
TEST(every_rounded_coordinate_is_wiped)
{
    const uint32_t dims[] = {1, PART - 1, PART, PART + 1, 2 * PART + 22};
    for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++) {
        double f[2 * PART + 22];
        int64_t noise[2 * PART + 22] = {0};
        int32_t value[2 * PART + 22];
        for (uint32_t i = 0; i < dims[d]; i++) {
            f[i] = 1000 + i;
        }
        const sotto_lattice lattice = {.dim = dims[d], .grid_log2 = 0, .clip_ticks = 10000};
        forgotten_bytes = 0;
        memset(forgotten, 0, sizeof forgotten);
        sotto__add_noise(&lattice, f, dims[d], 0, noise, value);
        assert_int_equal(forgotten_bytes, sizeof forgotten);
        uint32_t first = dims[d] < PART ? 0 : dims[d] - PART;
        for (uint32_t i = first; i < dims[d]; i++) {
            bool beside_the_last = dims[d] % 2 == 1 && i + PART == dims[d];
            if (!beside_the_last) assert_int_equal(forgotten[i % PART], 1000 + i);
        }
    }
}

/* ---- rounding ----------------------------------------------------------------------------- */

/* The ticks of one number without noise. */
static int32_t tick_of(int32_t grid_log2, uint32_t clip_ticks, double f)
{
    const sotto_lattice lattice = {.dim = 1, .grid_log2 = grid_log2, .clip_ticks = clip_ticks};
    const int64_t noise = 0;
    int32_t value = 99;
    sotto__add_noise(&lattice, &f, 1, 0, &noise, &value);
    return value;
}

TEST(what_is_not_finite_is_zero)
{
    const double odd[] = {NAN, -NAN, INFINITY, -INFINITY};
    const int32_t grids[] = {-60, -10, 0, 10, 60};
    for (size_t i = 0; i < 4 * 5; i++) {
        assert_int_equal(tick_of(grids[i % 5], 1000, odd[i / 5]), 0);
    }
}

TEST(huge_numbers_are_clipped_and_tiny_ones_round_to_zero)
{
    const double huge[] = {DBL_MAX, 1e308, 1e150, 1e30, 1e23};
    const double tiny[] = {0, 0x1p-1074, 1e-310, 1e-100, 0x1p-62};
    const int32_t grids[] = {-60, -17, 0, 13, 60};
    for (size_t i = 0; i < 5 * 5; i++) {
        assert_int_equal(tick_of(grids[i % 5], 12345, huge[i / 5]), 12345);
        assert_int_equal(tick_of(grids[i % 5], 12345, -huge[i / 5]), -12345);
        assert_int_equal(tick_of(grids[i % 5], 12345, tiny[i / 5]), 0);
        assert_int_equal(tick_of(grids[i % 5], 12345, -tiny[i / 5]), 0);
    }
    assert_ints(tick_of(0, 1u << 30, 1e308), 1 << 30, tick_of(-60, 1u << 30, -1), -(1 << 30),
                tick_of(-1, 0, 3), 0);
}

/* By hand: a grid of 1/4, halves to even. */
TEST(numbers_are_rounded_to_the_nearest_tick)
{
    const struct {
        double f;
        int32_t tick;
    } rows[] = {{0.25, 1},  {0.5, 2},   {-0.75, -3},  {0.374, 1},   {0.376, 2}, {0.375, 2},
                {0.125, 0}, {0.126, 1}, {-0.374, -1}, {-0.376, -2}, {2.25, 9},  {2.26, 9},
                {2.38, 9},  {100, 9},   {-2.25, -9},  {-2.38, -9},  {-7, -9}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(tick_of(-2, 9, rows[i].f), rows[i].tick);
    }
    assert_int_equal(tick_of(3, 100, 44), 6); /* 5.5 to even */
    assert_ints(tick_of(3, 100, 43.9), 5, tick_of(3, 100, -800), -100);
    assert_int_equal(tick_of(3, 100, -804), -100); /* -100.5 */
}

/* The sum has 64 bits before it is cut off, and clips of 2^30 do not make it wrap. */
TEST(sums_end_at_both_ends_of_32_bits)
{
    const struct {
        double f;
        int64_t noise;
        int32_t value;
    } rows[] = {
        {0, INT32_MAX, INT32_MAX},
        {0, (int64_t)INT32_MAX + 1, INT32_MAX},
        {0, INT32_MAX - 1, INT32_MAX - 1},
        {0, INT32_MIN, INT32_MIN},
        {0, (int64_t)INT32_MIN - 1, INT32_MIN},
        {0, (int64_t)INT32_MIN + 1, INT32_MIN + 1},
        {5, INT32_MAX - 5, INT32_MAX},
        {5, INT32_MAX - 4, INT32_MAX},
        {-5, INT32_MAX, INT32_MAX - 5},
        {-5, INT32_MIN + 5, INT32_MIN},
        {-5, INT32_MIN + 4, INT32_MIN},
        {5, INT32_MIN, INT32_MIN + 5},
        {0x1p40, INT32_MAX, INT32_MAX},
        {0x1p40, INT32_MIN, INT32_MIN + (1 << 30)},
        {-0x1p40, INT64_C(1) << 40, INT32_MAX},
        {0x1p40, -(INT64_C(1) << 40), INT32_MIN},
        {0x1p40, 7, (1 << 30) + 7},
    };
    const sotto_lattice lattice = {.dim = 1, .grid_log2 = 0, .clip_ticks = 1u << 30};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int32_t value;
        sotto__add_noise(&lattice, &rows[i].f, 1, 0, &rows[i].noise, &value);
        assert_int_equal(value, rows[i].value);
    }
}

TEST(each_block_alone_holds_the_statistic)
{
    const double f[3] = {1, -2.5, 30};
    const int64_t rounded[3] = {4, -10, 40}; /* the last clipped */
    const sotto_lattice lattice = {.dim = 12, .grid_log2 = -2, .clip_ticks = 40};
    int64_t noise[12];
    for (int64_t i = 0; i < 12; i++) {
        noise[i] = 1000 * i - 5000;
    }
    for (uint32_t block = 0; block < 4; block++) {
        int32_t value[13];
        value[12] = 77;
        sotto__add_noise(&lattice, f, 3, block, noise, value);
        for (uint32_t i = 0; i < 12; i++) {
            assert_int_equal(value[i], noise[i] + (i / 3 == block ? rounded[i % 3] : 0));
        }
        assert_int_equal(value[12], 77);
    }
}

/* Statistics are rounded part by part: every length up to two parts and more, three blocks of it,
 * against the formula for one coordinate. */
TEST(long_statistics_are_rounded_coordinate_by_coordinate)
{
    enum { LONGEST = 140, BLOCKS = 3 };
    static double f[LONGEST];
    static int64_t noise[BLOCKS * LONGEST];
    static int32_t value[BLOCKS * LONGEST + 1];
    for (uint32_t i = 0; i < LONGEST; i++) {
        f[i] = 0.25 * i - 10;
    }
    for (uint32_t i = 0; i < BLOCKS * LONGEST; i++) {
        noise[i] = 1000 * (int64_t)i;
    }
    for (uint32_t dim = 1; dim <= LONGEST; dim++) {
        const sotto_lattice lattice = {.dim = BLOCKS * dim, .grid_log2 = -2, .clip_ticks = 90};
        for (uint32_t block = 0; block < BLOCKS; block++) {
            value[BLOCKS * dim] = 77;
            sotto__add_noise(&lattice, f, dim, block, noise, value);
            for (uint32_t i = 0; i < BLOCKS * dim; i++) {
                int64_t tick = (int64_t)(i % dim) - 40; /* 0.25 is one tick */
                int64_t clipped = tick < 90 ? tick : 90;
                assert_int_equal(value[i], noise[i] + (i / dim == block ? clipped : 0));
            }
            assert_int_equal(value[BLOCKS * dim], 77);
        }
    }
}

/* Two statistics come no further apart than their distance and one tick per coordinate. */
TEST(rounding_moves_two_statistics_apart_by_a_tick_at_most)
{
    tape random = tape_seeded(6);
    const sotto_lattice lattice = {.dim = 1, .grid_log2 = -4, .clip_ticks = 1000};
    const int64_t noise = 0;
    for (int trial = 0; trial < 100000; trial++) {
        double scale = trial % 3 == 0 ? 200 : 0.5; /* beyond the clip, and around one tick */
        double a = scale * (sotto__uniform(sotto__seeded_next(&random.seeded)) - 0.5);
        double b = scale * (sotto__uniform(sotto__seeded_next(&random.seeded)) - 0.5);
        int32_t first, second;
        sotto__add_noise(&lattice, &a, 1, 0, &noise, &first);
        sotto__add_noise(&lattice, &b, 1, 0, &noise, &second);
        assert_true(fabs((double)first - second) <= fabs(a - b) * 16 + 1);
    }
}
