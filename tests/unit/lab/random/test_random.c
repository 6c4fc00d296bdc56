/* Seeded randomness: known answers, the same for the same seed, and numbers of the right law. */
#include "lab/random/random.h"
#include "stats.h"
#include "test.h"

#include <math.h>

/* The authors' generator from state 1, 2, 3, 4, computed in another language. */
static void the_generator_gives_its_known_answers(void **state)
{
    (void)state;
    const uint64_t known[] = {
        0x2800001,          0x3800067,          0xcc00003800067,    0xcc201994400b2,
        0x8012a2019ac433cd, 0x8a69978acdee33ba, 0xc271134733154abd, 0xac2ba09179169e97,
        0xdbf3190a8f073fd8, 0x9105f14ab2229220,
    };
    sotto__seeded seeded;
    sotto__seeded_begin(&seeded, 0);
    for (uint64_t i = 0; i < 4; i++) {
        seeded.state[i] = i + 1;
    }
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(sotto__seeded_next(&seeded), known[i]);
    }
}

/* splitmix64 fills the state: likewise. */
static void seeds_give_their_known_answers(void **state)
{
    (void)state;
    const struct {
        uint64_t seed, state[4], next[3];
    } rows[] = {
        {0,
         {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x6c45d188009454f, 0xf88bb8a8724c81ec},
         {0x53175d61490b23df, 0x61da6f3dc380d507, 0x5c0fdf91ec9a7bfc}},
        {1,
         {0x910a2dec89025cc1, 0xbeeb8da1658eec67, 0xf893a2eefb32555e, 0x71c18690ee42c90b},
         {0xcfc5d07f6f03c29b, 0xbf424132963fe08d, 0x19a37d5757aaf520}},
        {UINT64_MAX,
         {0xe4d971771b652c20, 0xe99ff867dbf682c9, 0x382ff84cb27281e9, 0x6d1db36ccba982d2},
         {0x56ccf8ce948e27b2, 0xe68588432e5a5b90, 0xe3e9b5a48119ca8b}},
    };
    for (size_t r = 0; r < 3; r++) {
        sotto__seeded seeded;
        sotto__seeded_begin(&seeded, rows[r].seed);
        assert_memory_equal(seeded.state, rows[r].state, sizeof seeded.state);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(sotto__seeded_next(&seeded), rows[r].next[i]);
        }
    }
}

static void filling_writes_little_endian_words_and_no_byte_more(void **state)
{
    (void)state;
    const uint8_t known[] = {0xdf, 0x23, 0x0b, 0x49, 0x61, 0x5d, 0x17, 0x53,  /* seed 0, word 1 */
                             0x07, 0xd5, 0x80, 0xc3, 0x3d, 0x6f, 0xda, 0x61}; /* word 2 */
    for (size_t count = 0; count <= sizeof known; count++) {
        uint8_t out[sizeof known + 1] = {0};
        sotto__seeded seeded;
        sotto__seeded_begin(&seeded, 0);
        assert_ok(seeded.rng.fill(&seeded.rng, out, count));
        assert_memory_equal(out, known, count);
        assert_int_equal(out[count], 0);
    }
}

static void different_seeds_give_different_streams(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        sotto__seeded first, second, again;
        sotto__seeded_begin(&first, seed);
        sotto__seeded_begin(&second, seed + 1);
        sotto__seeded_begin(&again, seed);
        uint64_t word = sotto__seeded_next(&first);
        assert_true(word != sotto__seeded_next(&second));
        assert_true(word == sotto__seeded_next(&again));
    }
}

static void uniforms_are_never_zero_or_one(void **state)
{
    (void)state;
    assert_true(sotto__uniform(0) == 0x1p-53);
    assert_true(sotto__uniform(UINT64_MAX) == 1 - 0x1p-53);
    assert_true(sotto__uniform(UINT64_C(1) << 63) == 0.5 + 0x1p-53);
    assert_true(sotto__uniform(UINT64_C(1) << 62) == 0.25 + 0x1p-53);
}

static void normal_pairs_are_finite_at_every_edge(void **state)
{
    (void)state;
    const uint64_t edges[] = {0, 1, 4095, 4096, UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_MAX};
    for (size_t i = 0; i < 49; i++) {
        double pair[2];
        sotto__normal_pair(edges[i / 7], edges[i % 7], pair);
        double radius = sqrt(-2 * log(sotto__uniform(edges[i / 7])));
        assert_near(hypot(pair[0], pair[1]), radius, 1e-12);
    }
}

static void normals_have_mean_0_variance_1_kurtosis_3_and_no_correlation(void **state)
{
    (void)state;
    enum { MOMENTS = 7 };
    const double wanted[MOMENTS] = {0, 0, 1, 1, 3, 3, 0};
    running moment[MOMENTS] = {{0, 0, 0}};
    sotto__seeded seeded;
    sotto__seeded_begin(&seeded, 61);
    for (int i = 0; i < 500000; i++) {
        double x[2];
        uint64_t first = sotto__seeded_next(&seeded), second = sotto__seeded_next(&seeded);
        sotto__normal_pair(first, second, x);
        const double value[MOMENTS] = {x[0],         x[1],         x[0] * x[0], x[1] * x[1],
                                       pow(x[0], 4), pow(x[1], 4), x[0] * x[1]};
        for (int m = 0; m < MOMENTS; m++) {
            running_add(&moment[m], value[m]);
        }
    }
    for (int m = 0; m < MOMENTS; m++) {
        assert_near(moment[m].mean, wanted[m], Z_FALSE_ALARM * running_standard_error(&moment[m]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_gives_its_known_answers),
        cmocka_unit_test(seeds_give_their_known_answers),
        cmocka_unit_test(filling_writes_little_endian_words_and_no_byte_more),
        cmocka_unit_test(different_seeds_give_different_streams),
        cmocka_unit_test(uniforms_are_never_zero_or_one),
        cmocka_unit_test(normal_pairs_are_finite_at_every_edge),
        cmocka_unit_test(normals_have_mean_0_variance_1_kurtosis_3_and_no_correlation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
