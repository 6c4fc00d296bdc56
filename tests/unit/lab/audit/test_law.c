/* Layer 1: what the laws share, and for each family that its mechanism follows its law and that
 * other answers are detected. Twins of the mechanisms themselves are in
 * tests/statistical/test_audit_twins.c. */
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "subjects.h"
#include "test.h"

TEST(a_row_fails_below_its_share_of_alpha)
{
    sotto_audit_result result = {.rows_count = 0};
    sotto__law_row(&result, "just so", 1, 2, 1.1e-7);
    sotto__law_row(&result, "no", 1, 2, 0.9e-7);
    assert_true(result.row[0].passed);
    assert_false(result.row[1].passed);
    assert_int_equal(result.row[1].layer, 1);
}

TEST(the_worst_lag_is_named_and_paid_for)
{
    sotto_audit_result result = {.rows_count = 0};
    const sotto__worst_lag worst = {.lag = 7, .correlation = 0.25, .p = 1e-8};
    sotto__law_lag_row(&result, "correlation", &worst, 1);
    sotto__law_lag_row(&result, "correlation", &worst, 20);
    assert_string_equal(result.row[0].name, "correlation, 7 before");
    assert_near(result.row[0].statistic, 0.25, 0);
    assert_near(result.row[1].p_value, 2e-7, 1e-15);
    assert_false(result.row[0].passed);
    assert_true(result.row[1].passed);
}

TEST(every_family_inside_has_its_law)
{
    const double x[2] = {1, 0};
    for (uint32_t kind = 0; sotto_mechanism_kind_name(kind) != NULL; kind++) {
        HELD(sotto__subject) subject = subject_of((sotto_mechanism_kind)kind, 2, 1);
        sotto__law *law;
        assert_ok(sotto__law_new(&subject.claim, x, 1000, &law));
        assert_non_null(law);
        law->free(law);
    }
    sotto__privacy_claim outside = {.family = SOTTO__OUTSIDE};
    sotto__law *none;
    assert_ok(sotto__law_new(&outside, x, 1000, &none));
    assert_null(none);
}

static const double x[3] = {0.48, -0.6, 0.64};

TEST(every_mechanism_follows_its_law)
{
    assert_follows_its_law(SOTTO_MECHANISM_CODEBOOK);
    assert_follows_its_law(SOTTO_MECHANISM_L2BALL);
    assert_follows_its_law(SOTTO_MECHANISM_GAUSSIAN);
    assert_follows_its_law(SOTTO_MECHANISM_LAPLACE);
    assert_follows_its_law(SOTTO_MECHANISM_PRIVUNIT);
}

/* Made-up indices and nonces. */
static void judge_stream(bool same_nonce, bool fixed_index, const char *row)
{
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    sotto__seeded random;
    sotto__law *law;
    sotto_audit_result result = {.rows_count = 0};
    double value[1];
    sotto__subject_answer answer = {.count = 1, .value = value};
    sotto__seeded_begin(&random, 6);
    assert_ok(sotto__law_new(&subject.claim, x, 4000, &law));
    for (uint64_t t = 0; t < 4000; t++) {
        if (t == 0 || !same_nonce) {
            assert_ok(random.rng.fill(&random.rng, answer.nonce, sizeof answer.nonce));
        }
        value[0] = fixed_index ? 5 : (double)(sotto__seeded_next(&random) % 64);
        assert_ok(law->taker.take(&law->taker, t, &answer));
    }
    value[0] = 64; /* no such index: counted in layer 0, ignored here */
    assert_ok(law->taker.take(&law->taker, 4000, &answer));
    law->rows(law, &result);
    assert_false(row_named(&result, row)->passed);
    law->free(law);
}

TEST(indices_of_another_law_are_told)
{
    judge_stream(false, false, "index in TOP (share)");
    judge_stream(false, true, "index is uniform");
    judge_stream(true, false, "repeated nonces");
    judge_stream(true, false, "bits of the nonce (worst share of ones)");
}

/* Made-up indices of a law with k nulls, for an input of half the maximal length: `null` of 100
 * answers are null, the others are uniform. */
static void judge_nulls(uint64_t null, bool first_null, const char *row)
{
    const double half[3] = {0, 0, 0.5};
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    sotto_codebook *codebook = &subject.claim.codebook;
    codebook->nulls = codebook->top;
    sotto__seeded random;
    sotto__law *law;
    sotto_audit_result result = {.rows_count = 0};
    double value[1];
    sotto__subject_answer answer = {.count = 1, .value = value};
    sotto__seeded_begin(&random, 6);
    assert_ok(sotto__law_new(&subject.claim, half, 4000, &law));
    for (uint64_t t = 0; t < 4000; t++) {
        uint64_t word = sotto__seeded_next(&random) >> 8;
        assert_ok(random.rng.fill(&random.rng, answer.nonce, sizeof answer.nonce));
        value[0] = (double)(word % codebook->size);
        if (t % 100 < null) {
            value[0] = codebook->size + (first_null ? 0 : (double)(word % codebook->nulls));
        }
        assert_ok(law->taker.take(&law->taker, t, &answer));
    }
    law->rows(law, &result);
    assert_true(result.rows_count <= SOTTO__LAW_ROWS_MAX);
    assert_false(row_named(&result, row)->passed);
    law->free(law);
}

TEST(nulls_of_another_law_are_told)
{
    judge_nulls(0, false, "null (share)");
    judge_nulls(90, false, "null (share)");
    judge_nulls(35, true, "which null is uniform");
    judge_nulls(35, false, "index in TOP (share)");
}

/* Made-up noise: `shape` transforms a standard normal. */
static void take_normals(sotto__subject *subject, double (*shape)(double z), const char *row)
{
    sotto__seeded random;
    sotto__law *law;
    sotto_audit_result result = {.rows_count = 0};
    double f[3], value[3], sigma = subject->claim.lattice.scale_ticks;
    sotto__subject_answer answer = {.count = 3, .value = value};
    sotto__seeded_begin(&random, 8);
    sotto__lattice_statistic(&subject->claim, x, f);
    assert_ok(sotto__law_new(&subject->claim, x, 20000, &law));
    for (uint64_t t = 0; t < 20000; t++) {
        for (uint32_t i = 0; i < 3; i++) {
            double normal[2];
            sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random), normal);
            value[i] = f[i] + rint(sigma * shape(normal[0]));
        }
        assert_ok(law->taker.take(&law->taker, t, &answer));
    }
    law->rows(law, &result);
    if (row == NULL) assert_int_equal(failed_rows(&result), 0);
    if (row != NULL) assert_false(row_named(&result, row)->passed);
    law->free(law);
}

static double as_it_is(double z)
{
    return z;
}

static double shifted(double z)
{
    return z + 0.1;
}

static double narrow(double z)
{
    return 0.95 * z;
}

/* Mean and variance are right; the tails are cut off. */
static double cut_off(double z)
{
    return fmax(-2.9, fmin(2.9, z));
}

static double two_points(double z)
{
    return z < 0 ? -1 : 1;
}

/* Seven in 10,000 draws have no noise: too few for any other row. */
static double left_out(double z)
{
    return z > 1 && z < 1.003 ? 0 : z;
}

TEST(noise_of_another_law_is_told)
{
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_GAUSSIAN, 3, 1);
    take_normals(&subject, as_it_is, NULL);
    take_normals(&subject, shifted, "mean of the noise (in sd)");
    take_normals(&subject, narrow, "variance of the noise (over the law's)");
    take_normals(&subject, cut_off, "noise beyond 3 sd (share)");
    take_normals(&subject, left_out, "noise that is 0 (share)");
    take_normals(&subject, two_points, "noise in bins (chi-square a bin)");
}

/* The claim of one epsilon with the answers of another, and answers of another length. */
TEST(vectors_of_another_law_are_told)
{
    for (int longer = 0; longer < 2; longer++) {
        HELD(sotto__subject) claimed = subject_of(SOTTO_MECHANISM_PRIVUNIT, 3, 1);
        HELD(sotto__subject) drawn = subject_of(SOTTO_MECHANISM_PRIVUNIT, 3, longer == 1 ? 1 : 2);
        sotto_audit_result result = {.rows_count = 0};
        if (longer == 1) claimed.claim.privunit.scale *= 1.001;
        sotto__law *law;
        assert_ok(sotto__law_new(&claimed.claim, x, 4000, &law));
        ask_again_and_again(&drawn, x, 4000, 3, &law->taker);
        law->rows(law, &result);
        const char *rows[] = {"answer in the cap (share)", "length of the answer (relative error)"};
        assert_false(row_named(&result, rows[longer])->passed);
        law->free(law);
    }
}
