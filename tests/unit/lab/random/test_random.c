/* Seeded randomness: known answers, the same for the same seed, and numbers with the right law. */
#include "core/core.h"
#include "lab/math/math.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "stats.h"
#include "tape.h"
#include "test.h"

/* The authors' generator from state 1, 2, 3, 4, computed in another language. */
TEST(the_generator_gives_its_known_answers)
{
    const uint64_t known[] = {0x2800001,          0x3800067,          0xcc00003800067,
                              0xcc201994400b2,    0x8012a2019ac433cd, 0x8a69978acdee33ba,
                              0xc271134733154abd, 0xac2ba09179169e97, 0xdbf3190a8f073fd8,
                              0x9105f14ab2229220};
    sotto__seeded seeded = seeded_of(0);
    for (uint64_t i = 0; i < 4; i++) {
        seeded.state[i] = i + 1;
    }
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(sotto__seeded_next(&seeded), known[i]);
    }
}

/* splitmix64 fills the state: likewise. */
TEST(seeds_give_their_known_answers)
{
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

TEST(filling_writes_little_endian_words_and_no_byte_more)
{
    const uint8_t known[] = {0xdf, 0x23, 0x0b, 0x49, 0x61, 0x5d, 0x17, 0x53,  /* seed 0, word 1 */
                             0x07, 0xd5, 0x80, 0xc3, 0x3d, 0x6f, 0xda, 0x61}; /* word 2 */
    for (size_t count = 0; count <= sizeof known; count++) {
        uint8_t out[sizeof known + 1] = {0};
        sotto__seeded seeded = seeded_of(0);
        assert_ok(seeded.rng.fill(&seeded.rng, out, count));
        assert_memory_equal(out, known, count);
        assert_int_equal(out[count], 0);
    }
}

TEST(different_seeds_give_different_streams)
{
    for (uint64_t seed = 0; seed < 1000; seed++) {
        sotto__seeded first, second, again;
        sotto__seeded_begin(&first, seed);
        sotto__seeded_begin(&second, seed + 1);
        sotto__seeded_begin(&again, seed);
        uint64_t word = sotto__seeded_next(&first);
        assert_true(word != sotto__seeded_next(&second) && word == sotto__seeded_next(&again));
    }
}

TEST(uniforms_are_never_zero_or_one)
{
    assert_true(sotto__uniform(0) == 0x1p-53 && sotto__uniform(UINT64_MAX) == 1 - 0x1p-53);
    assert_true(sotto__uniform(UINT64_C(1) << 63) == 0.5 + 0x1p-53);
    assert_true(sotto__uniform(UINT64_C(1) << 62) == 0.25 + 0x1p-53);
}

TEST(normal_pairs_are_finite_at_every_edge)
{
    const uint64_t edges[] = {0, 1, 4095, 4096, UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_MAX};
    for (size_t i = 0; i < 49; i++) {
        double pair[2];
        sotto__normal_pair(edges[i / 7], edges[i % 7], pair);
        double radius = sqrt(-2 * log(sotto__uniform(edges[i / 7])));
        assert_near(hypot(pair[0], pair[1]), radius, 1e-12);
    }
}

TEST(normals_have_mean_0_variance_1_kurtosis_3_and_no_correlation)
{
    enum { MOMENTS = 7 };
    const double wanted[MOMENTS] = {0, 0, 1, 1, 3, 3, 0};
    running moment[MOMENTS] = {{0, 0, 0}};
    sotto__seeded seeded = seeded_of(61);
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

/* Streams by purpose: known states, all different. */

#define PURPOSES (SOTTO__PURPOSE_LIARS + 1)

/* SHA-256("sotto lab stream" | seed | purpose), computed in another language. */
TEST(states_are_the_hash_of_seed_and_purpose)
{
    const struct {
        uint64_t seed;
        sotto__purpose purpose;
        uint64_t state[4];
    } rows[] = {
        {0,
         SOTTO__PURPOSE_PARAMETERS,
         {0xc9b1505aecdf0d0a, 0x2f4c20f74a1ac2a7, 0x404ac71e8b002ba7, 0xdb60628605cb1207}},
        {1,
         SOTTO__PURPOSE_CONTEXTS,
         {0x4fb2e664c305afcd, 0xcbf51a235d80da93, 0x462b13671df2d744, 0x3f65ae623ddb2036}},
        {UINT64_MAX,
         SOTTO__PURPOSE_INITIAL,
         {0x63777a1be4b034f8, 0xe8d35fcb03c3d13a, 0x3982cc356d94e87c, 0xf274e78548cb2d62}},
        {7,
         SOTTO__PURPOSE_LIARS,
         {0x900e12556e211628, 0xfef7845df403976a, 0xe7827e33f69bc8e2, 0x58a2407d4797696b}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        sotto__seeded stream;
        sotto__stream_begin(&stream, rows[r].seed, rows[r].purpose);
        assert_memory_equal(stream.state, rows[r].state, sizeof stream.state);
    }
}

TEST(a_stream_fills_bytes_like_any_seeded_one)
{
    sotto__seeded stream, words;
    sotto__stream_begin(&stream, 5, SOTTO__PURPOSE_PRIVACY);
    sotto__stream_begin(&words, 5, SOTTO__PURPOSE_PRIVACY);
    uint8_t byte[8];
    assert_ok(stream.rng.fill(&stream.rng, byte, sizeof byte));
    uint64_t word = sotto__seeded_next(&words);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(byte[i], word >> (8 * i) & 255);
    }
}

TEST(no_two_seeds_or_purposes_share_a_stream)
{
    const uint64_t seeds[] = {0, 1, 2, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX};
    enum { SEEDS = sizeof seeds / sizeof seeds[0], ALL = SEEDS * PURPOSES };
    sotto__seeded stream[ALL];
    for (size_t i = 0; i < ALL; i++) {
        sotto__stream_begin(&stream[i], seeds[i / PURPOSES], (sotto__purpose)(i % PURPOSES));
        for (size_t j = 0; j < i; j++) {
            for (int k = 0; k < 4; k++) {
                assert_true(stream[i].state[k] != stream[j].state[k]);
            }
        }
    }
}

/* The fast normal: its layers, and its law over a million draws (false alarms below 1e-6 each). */

TEST(layers_have_equal_areas)
{
    sotto__ziggurat z;
    sotto__ziggurat_begin(&z);
    const double area = 0.0049286732339746519516;
    for (int i = 1; i < SOTTO__LAYERS; i++) {
        assert_near(z.x[i] * (z.y[i + 1] - z.y[i]), area, 1e-14);
        assert_true(z.x[i + 1] < z.x[i]);
    }
    /* the base: a box up to R, and the tail, sqrt(pi/2) erfc(R/sqrt 2) */
    double tail = sqrt(M_PI / 2) * erfc(z.x[1] / sqrt(2));
    assert_nears(1e-15, z.x[1] * z.y[1] + tail, area, z.x[0] * z.y[1], area);
}

#define DRAWS 1000000
#define BINS 64

static double chi_square_of(double (*draw)(const sotto__ziggurat *, sotto__seeded *))
{
    sotto__ziggurat z;
    sotto__seeded seeded = seeded_of(11);
    sotto__ziggurat_begin(&z);
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

TEST(draws_are_normal)
{
    assert_true(chi_square_of(sotto__normal) > 1e-6 && chi_square_of(too_wide) < 1e-6);
}

TEST(moments_and_tails_are_normal)
{
    sotto__ziggurat z;
    sotto__seeded seeded = seeded_of(12);
    sotto__ziggurat_begin(&z);
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

/* In batches of every size, and added to existing values: exactly the normals drawn one by one. */
TEST(batches_are_the_same_normals)
{
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
            assert_true(batch[i] == one && sum[i] == i + 0.5 * one);
        }
    }
}

/*
 * The lab's fast noise has the law of the device's: two samples are compared, and a twin with a
 * slightly different law must be detected.
 */

#define DRAWS_FAST_NOISE 400000u
#define BINS_FAST_NOISE 64
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
    for (uint32_t done = 0; done < DRAWS_FAST_NOISE; done += AT_ONCE) {
        assert_ok(draw(&lattice, SOTTO_NOISE_GAUSSIAN, rng, noise));
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            double place = floor(8.0 * (double)noise[i] / SCALE) + BINS_FAST_NOISE / 2;
            bin[(int)fmax(0, fmin(BINS_FAST_NOISE - 1, place))]++;
        }
    }
}

/* Two samples of equal size: chi-square = sum (a - b)^2/(a + b) over bins with enough in them. */
static double two_sample_p(const uint64_t *a, const uint64_t *b)
{
    double chi_square = 0, freedom = -1;
    for (int i = 0; i < BINS_FAST_NOISE; i++) {
        double sum = (double)(a[i] + b[i]), off = (double)a[i] - (double)b[i];
        if (sum < 20) continue;
        chi_square += off * off / sum;
        freedom++;
    }
    return sotto__chi_square_tail(chi_square, freedom);
}

/* False alarms: 1e-6. The twin's scale is 2 % larger: its chi-square is in the hundreds. */
TEST(gaussian_noise_has_the_device_s_law)
{
    tape random = tape_seeded(901);
    sotto__fast_rng fast = fast_rng(902), twin = fast_rng(903);
    uint64_t device[BINS_FAST_NOISE] = {0}, lab[BINS_FAST_NOISE] = {0},
             broken[BINS_FAST_NOISE] = {0};
    count_into(sotto__lattice_noise, SCALE, &random.rng, device);
    count_into(sotto__fast_noise, SCALE, &fast.seeded.rng, lab);
    count_into(sotto__fast_noise, SCALE + SCALE / 50, &twin.seeded.rng, broken);
    assert_true(two_sample_p(device, lab) > 1e-6 && two_sample_p(device, broken) < 1e-6);
}

/* Rounded to the nearest tick, not cut: at a scale of 1 tick P(0) = P(|N| < 1/2) = 0.38292; cut
 * towards 0 it would be 0.683. Error of the count: 0.0008 at DRAWS_FAST_NOISE, so 0.004 is beyond 1e-6. */
TEST(ticks_are_rounded_to_the_nearest)
{
    sotto__fast_rng fast = fast_rng(904);
    sotto_lattice lattice = lattice_of(1, 1);
    uint64_t zeros = 0;
    for (uint32_t i = 0; i < DRAWS_FAST_NOISE; i++) {
        int64_t noise;
        assert_ok(sotto__fast_noise(&lattice, SOTTO_NOISE_GAUSSIAN, &fast.seeded.rng, &noise));
        zeros += noise == 0;
    }
    assert_near((double)zeros / DRAWS_FAST_NOISE, 0.38292, 0.004);
}

TEST(laplace_noise_is_the_device_s_own)
{
    sotto__fast_rng fast = fast_rng(905), same = fast_rng(905);
    sotto_lattice lattice = lattice_of(50, SCALE);
    int64_t lab[50], device[50];
    assert_ok(sotto__fast_noise(&lattice, SOTTO_NOISE_LAPLACE, &fast.seeded.rng, lab));
    assert_ok(sotto__lattice_noise(&lattice, SOTTO_NOISE_LAPLACE, &same.seeded.rng, device));
    assert_memory_equal(lab, device, sizeof lab);
}
