/* Layer 1 of this family: the mechanism follows its law, and answers that do not are told. Twins of
 * the mechanisms themselves are in tests/statistical/test_audit_twins.c. */
#include "lab/audit/law.h"
#include "lab/audit/law_rows.h"
#include "lab/random/random.h"
#include "subjects.h"
#include "test.h"

#include <math.h>
#include <string.h>

static const double x[3] = {0.48, -0.6, 0.64};

static void the_mechanism_follows_its_law(void **state)
{
    (void)state;
    assert_follows_its_law(SOTTO_MECHANISM_GAUSSIAN);
    assert_follows_its_law(SOTTO_MECHANISM_LAPLACE);
}

/* Noise made by hand: `shape` bends a standard normal. */
static void take_normals(sotto__subject *subject, double (*shape)(double z), const char *row)
{
    sotto__seeded random;
    sotto__law *law;
    sotto_audit_result result = {.rows_count = 0};
    double f[3], value[3], sigma = subject->claim.lattice.scale_ticks;
    sotto__answer answer = {.count = 3, .value = value};
    sotto__seeded_begin(&random, 8);
    sotto__lattice_statistic(&subject->claim, x, f);
    assert_ok(sotto__law_lattice(&subject->claim, x, 20000, &law));
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

/* Seven in 10,000 draws are not noise at all: too few for any other row. */
static double left_out(double z)
{
    return z > 1 && z < 1.003 ? 0 : z;
}

static void noise_of_another_law_is_told(void **state)
{
    (void)state;
    sotto__subject subject = subject_of(SOTTO_MECHANISM_GAUSSIAN, 3, 1);
    take_normals(&subject, as_it_is, NULL);
    take_normals(&subject, shifted, "mean of the noise (in sd)");
    take_normals(&subject, narrow, "variance of the noise (over the law's)");
    take_normals(&subject, cut_off, "noise beyond 3 sd (share)");
    take_normals(&subject, left_out, "noise that is 0 (share)");
    take_normals(&subject, two_points, "noise in bins (chi-square a bin)");
    sotto__subject_free(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_of_another_law_is_told),
        cmocka_unit_test(the_mechanism_follows_its_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
