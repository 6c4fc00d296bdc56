/*
 * The report estimates its input without bias: the mean of B z is v, along v and across it, for
 * unit and for shorter inputs, and its squared error is B^2 - ||v||^2. Bounds at a false-alarm rate
 * of 1e-6, whatever the number of draws. Twins with a fault, or with a coarser table of normals, are caught.
 */
#include "client/client.h"
#include "core/core.h"
#include "core/inner.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "stats.h"
#include "test.h"
#include "twin.h"

typedef struct setting {
    uint32_t dim, size;
    double epsilon;
    double norm;
    double angle; /* of the input, from the first axis towards the second */
    uint64_t draws;
} setting;

/* Mean of B z: along v, and in the plane of the first two axes across v. */
typedef struct estimate {
    running along, across, error;
    double scale;
} estimate;

static void coarse_codewords(sotto__seeded *random, uint32_t count, uint32_t dim, double *codeword)
{
    for (uint32_t i = 0; i < count; i++) {
        double squares = 0;
        for (uint32_t j = 0; j < dim; j++) {
            int ones = __builtin_popcountll(sotto__seeded_next(random));
            codeword[i * dim + j] = 2 * ones - 64 + 1e-9; /* a zero codeword has no direction */
            squares += codeword[i * dim + j] * codeword[i * dim + j];
        }
        for (uint32_t j = 0; j < dim; j++) {
            codeword[i * dim + j] /= sqrt(squares);
        }
    }
}

/* One unit codeword z: from the shipping code, or from a twin. */
static void draw(const sotto_terms *terms, const double *v, twin_fault fault, sotto__seeded *random,
                 sotto__door_work *work, sotto_report *report, double *codeword, double *z)
{
    const sotto_codebook *codebook = &terms->codebook[SOTTO_PHASE_MAIN];
    sotto__door door = {.terms = terms, .phase = SOTTO_PHASE_MAIN};
    assert_ok(random->rng.fill(&random->rng, door.nonce, sizeof door.nonce));
    if (fault == TWIN_NONE) {
        int32_t integers[64];
        assert_ok(sotto__privatise(&door, v, 0, &random->rng, work, report));
        memset(z, 0, codebook->dim * sizeof *z);
        if ((uint32_t)report->value[0] >= codebook->size) return; /* a null carries no score */
        assert_ok(sotto_codebook_expand(codebook, terms->stream_key, door.nonce,
                                        (uint32_t)report->value[0], 0, integers));
        for (uint32_t j = 0; j < codebook->dim; j++) {
            z[j] = integers[j] * 0x1p-30;
        }
        return;
    }
    if (fault == TWIN_COARSE_TABLE) {
        coarse_codewords(random, codebook->size / 2, codebook->dim, codeword);
    } else {
        twin_expand(codebook, terms->stream_key, door.nonce, codeword);
    }
    sotto__coins coins;
    assert_ok(sotto__draw_coins(codebook, &random->rng, &coins));
    uint32_t index = twin_choose(codebook, codeword, v, &coins, fault);
    uint32_t half = codebook->size / 2;
    for (uint32_t j = 0; j < codebook->dim; j++) {
        z[j] = codeword[index % half * codebook->dim + j] * (index < half ? 1 : -1);
    }
}

/* With nulls made for scores of mean size `guess`; 0: without. */
static estimate measure_nulls(const setting *s, double guess, twin_fault fault, uint64_t seed)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = s->dim;
    spec.arms = 2;
    spec.epsilon = s->epsilon;
    sotto_terms terms;
    assert_ok(sotto__spec_resolve_sized(&spec, s->size, &terms));
    if (guess > 0) {
        terms.codebook[SOTTO_PHASE_MAIN] = sotto__codebook_with_nulls(s->dim, 1, s->epsilon, guess);
    }
    sotto__door_work work;
    sotto_report *report;
    assert_ok(sotto__door_work_new(&terms, &work));
    assert_ok(sotto_report_new(&terms, &report));
    sotto__seeded random = seeded_of(seed);
    double *codeword = malloc(s->size / 2 * s->dim * sizeof *codeword);
    double v[64] = {0}, z[64];
    double c = cos(s->angle), d = sin(s->angle);
    v[0] = s->norm * c;
    if (s->dim > 1) v[1] = s->norm * d;

    estimate e = {.scale = terms.codebook[SOTTO_PHASE_MAIN].scale};
    uint64_t draws = getenv("SOTTO_SOAK") != NULL ? 20 * s->draws : s->draws;
    for (uint64_t n = 0; n < draws; n++) {
        draw(&terms, v, fault, &random, &work, report, codeword, z);
        double second = s->dim > 1 ? z[1] : 0, squares = 0;
        for (uint32_t j = 0; j < s->dim; j++) {
            squares += (e.scale * z[j] - v[j]) * (e.scale * z[j] - v[j]);
        }
        running_add(&e.along, e.scale * (c * z[0] + d * second));
        running_add(&e.across, e.scale * (c * second - d * z[0]));
        running_add(&e.error, squares);
    }
    free(codeword);
    sotto_report_free(report);
    sotto__door_work_free(&work);
    return e;
}

static estimate measure(const setting *s, twin_fault fault, uint64_t seed)
{
    return measure_nulls(s, 0, fault, seed);
}

static double z_score(const running *r, double expected)
{
    return (r->mean - expected) / running_standard_error(r);
}

/* Unbiased along and across v, and with this mean squared error. */
static void assert_unbiased(const estimate *e, const setting *s, double squared, size_t i)
{
    double along = z_score(&e->along, s->norm), across = s->dim > 1 ? z_score(&e->across, 0) : 0;
    double error = z_score(&e->error, squared);
    if (!(fabs(along) < Z_FALSE_ALARM)) fail_msg("setting %zu, along: z = %g", i, along);
    if (!(fabs(across) < Z_FALSE_ALARM)) fail_msg("setting %zu, across: z = %g", i, across);
    if (!(fabs(error) < Z_FALSE_ALARM)) fail_msg("setting %zu, error: z = %g", i, error);
}

static const setting grid[] = {
    {2, 2, 1, 1, 0.4, 400000},   {2, 64, 1, 0.5, 0.4, 100000}, {10, 64, 1, 1, 0.8, 100000},
    {20, 64, 0.5, 1, 0, 50000},  {10, 256, 5, 0.3, 1, 20000},  {20, 256, 5, 1, 1, 20000},
    {10, 1024, 8, 1, 1.2, 5000}, {50, 64, 2, 0.9, 2, 30000},   {1, 64, 2, 0.6, 0, 100000},
};

TEST(reports_are_unbiased)
{
    for (size_t i = 0; i < sizeof grid / sizeof grid[0]; i++) {
        estimate e = measure(&grid[i], TWIN_NONE, 100 + i);
        assert_unbiased(&e, &grid[i], e.scale * e.scale - grid[i].norm * grid[i].norm, i);
    }
}

/* With nulls as well; E||B z - v||^2 = B^2 q(||v||) - ||v||^2, whatever size the nulls were made for. */
TEST(reports_with_nulls_are_unbiased)
{
    static const struct {
        setting s;
        double guess;
    } rows[] = {
        {{2, 64, 1, 0.3, 0.4, 50000}, 0.3},   {{10, 64, 1, 1, 0.8, 20000}, 0.3},
        {{10, 256, 5, 0.05, 1, 20000}, 0.05}, {{20, 256, 4, 0.5, 1, 10000}, 0.1},
        {{10, 1024, 8, 0.7, 1.2, 5000}, 0.3}, {{1, 64, 2, 0.6, 0, 50000}, 0.2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const setting *s = &rows[i].s;
        const sotto_codebook c = sotto__codebook_with_nulls(s->dim, 1, s->epsilon, rows[i].guess);
        estimate e = measure_nulls(s, rows[i].guess, TWIN_NONE, 500 + i);
        double squared = sotto__codebook_variance(&c, s->epsilon, s->norm) - s->norm * s->norm;
        assert_unbiased(&e, s, squared, i);
    }
}

/* The published mean squared errors of a unit vector: what epsilon costs. */
TEST(mean_squared_errors_are_the_published_ones)
{
    static const struct {
        setting s;
        double mse;
    } published[] = {
        {{2, 64, 1, 1, 0.4, 150000}, 9.6454},  {{2, 256, 5, 1, 0.4, 20000}, 0.174671},
        {{10, 64, 1, 1, 0.4, 100000}, 60.457}, {{10, 256, 5, 1, 0.4, 20000}, 2.3767},
        {{10, 1024, 8, 1, 0.4, 7500}, 0.8711}, {{20, 64, 1, 1, 0.4, 50000}, 124.488},
        {{20, 256, 5, 1, 0.4, 20000}, 5.3399}, {{50, 64, 1, 1, 0.4, 60000}, 316.73},
        {{50, 1024, 8, 1, 0.4, 3000}, 6.297},
    };
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        estimate e = measure(&published[i].s, TWIN_NONE, 300 + i);
        double z = z_score(&e.error, published[i].mse);
        if (!(fabs(z) < Z_FALSE_ALARM)) fail_msg("setting %zu: z = %g", i, z);
        assert_near(e.error.mean, published[i].mse, 0.05 * published[i].mse);
    }
}

/* Off-axis bias below 0.2 %: at d = 2 the plane is where a coarse table bends directions most, and
 * 22.5 degrees is where it bends them furthest. One standard error is 0.032 %. */
static const setting off_axis = {2, 64, 5, 1, 0.39269908169872414, 1000000};

TEST(directions_bend_by_less_than_two_per_mille)
{
    estimate e = measure(&off_axis, TWIN_NONE, 7);
    print_message("off-axis bias %.4f %%, standard error %.4f %%\n", 100 * e.across.mean,
                  100 * running_standard_error(&e.across));
    assert_true(running_standard_error(&e.across) < 0.0004);
    assert_nears(0.002, e.across.mean, 0, e.along.mean, 1);
}

/* d = 2, M = 2 without any chance: the mean of the better sign of (n_i, n_j)/norm over all 2^24 pairs
 * of table entries, beside 2/pi for a uniform direction. Relative errors, along and across v. */
static void exact_bias(double angle, double *along, double *across)
{
    double c = cos(angle), d = sin(angle), sum_along = 0, sum_across = 0;
    for (uint32_t i = 0; i < SOTTO__TABLE_SIZE; i++) {
        for (uint32_t j = 0; j < SOTTO__TABLE_SIZE; j++) {
            double x = sotto__normal_table[i], y = sotto__normal_table[j];
            double product = c * x + d * y, norm = sqrt(x * x + y * y);
            sum_along += fabs(product) / norm;
            sum_across += (product < 0 ? -1 : 1) * (c * y - d * x) / norm;
        }
    }
    double whole = (double)SOTTO__TABLE_SIZE * SOTTO__TABLE_SIZE * 2 / acos(-1);
    *along = sum_along / whole - 1;
    *across = sum_across / whole;
}

TEST(the_table_itself_bends_directions_by_less_than_half_a_per_mille)
{
    const double diagonal = acos(-1) / 4;
    const double angles[] = {0.1, 0.3, 0.39269908169872414, 0.5, diagonal + 1e-15};
    for (size_t i = 0; i < sizeof angles / sizeof angles[0]; i++) {
        double along, across;
        exact_bias(angles[i], &along, &across);
        print_message("angle %.4f rad: along %+.5f %%, across %+.5f %%\n", angles[i], 100 * along,
                      100 * across);
        assert_nears(5e-4, along, 0, across, 0);
    }
}

TEST(biased_twins_are_caught)
{
    estimate coarse = measure(&off_axis, TWIN_COARSE_TABLE, 8);
    assert_true(fabs(coarse.across.mean) > 0.002);

    static const twin_fault faults[] = {TWIN_NO_FLIP, TWIN_FLIP_INVERTED, TWIN_WORST_SIGN,
                                        TWIN_REST_OVERLAPS, TWIN_SIGNED_RANK};
    static const setting s = {10, 64, 1, 0.5, 0.4, 40000};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        estimate e = measure(&s, faults[i], 9 + i);
        if (fabs(z_score(&e.along, s.norm)) < Z_FALSE_ALARM) fail_msg("twin %zu not caught", i);
    }
}
