/* Claimed likelihood ratios, against their definition. */
#include "lab/audit/witness.h"
#include "lab/random/random.h"
#include "subjects.h"
#include "test.h"

#include <math.h>

static double score_of(const sotto__subject *subject, const double *x, const double *other,
                       sotto__answer *answer)
{
    sotto__witness *witness;
    assert_ok(sotto__witness_known(&subject->claim, x, other, &witness));
    double s = witness->of(witness, answer);
    sotto__witness_free(witness);
    return s;
}

static void lattice_ratios(void **state)
{
    (void)state;
    const double x[2] = {1, 0}, other[2] = {0, 0.5};
    for (int laplace = 0; laplace < 2; laplace++) {
        sotto__subject subject =
            subject_of(laplace == 1 ? SOTTO_MECHANISM_LAPLACE : SOTTO_MECHANISM_GAUSSIAN, 2, 1);
        double f[2], g[2], y[2] = {1234, -777}, s = subject.claim.lattice.scale_ticks;
        sotto__lattice_statistic(&subject.claim, x, f);
        sotto__lattice_statistic(&subject.claim, other, g);
        double wanted = 0;
        for (int i = 0; i < 2; i++) {
            wanted += laplace == 1 ? (fabs(y[i] - g[i]) - fabs(y[i] - f[i])) / s
                                   : (pow(y[i] - g[i], 2) - pow(y[i] - f[i], 2)) / (2 * s * s);
        }
        sotto__answer answer = {.count = 2, .value = y};
        assert_near(score_of(&subject, x, other, &answer), wanted, 1e-9);
        assert_near(score_of(&subject, other, x, &answer), -wanted, 1e-9);
        sotto__subject_free(&subject);
    }
}

/* Over all indices the weights of an input add up to W, so e^witness averages to 1 under x'. */
static void codebook_ratios(void **state)
{
    (void)state;
    const double unit[3] = {0, 0.6, 0.8}, half[3] = {0.5, 0, 0}, zero[3] = {0, 0, 0};
    const double *const input[] = {unit, half, zero};
    sotto__subject subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    double value[1];
    sotto__answer answer = {.count = 1, .value = value, .nonce = {9, 9, 9}};
    for (int i = 0; i < 3; i++) {
        double sum = 0, largest = 0;
        for (uint32_t index = 0; index < 64; index++) {
            value[0] = index;
            double s = score_of(&subject, input[i], zero, &answer);
            sum += exp(s) / 64;
            largest = fmax(largest, fabs(s));
        }
        assert_near(sum, 1, 1e-12);
        assert_true(largest <= 1);
        if (i == 2) assert_near(largest, 0, 0);
    }
    sotto__subject_free(&subject);
}

/* With nulls and tags too; between an input as long as can be and 0 a null tells all of epsilon. */
static void ratios_with_nulls(void **state)
{
    (void)state;
    const double unit[3] = {0, 0.6, 0.8}, half[3] = {0.5, 0, 0}, zero[3] = {0, 0, 0};
    const double *const input[] = {unit, half, zero};
    sotto__subject subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    double value[1];
    sotto__answer answer = {.count = 1, .value = value, .nonce = {9, 9, 9}};
    for (uint32_t groups = 1; groups <= 3; groups += 2) {
        sotto_codebook codebook = sotto_codebook_constants(3, 60, groups, 1);
        codebook.nulls = codebook.top;
        subject.claim.codebook = codebook;
        double rest = (double)codebook.weight_rest, top = (double)codebook.weight_top;
        for (int i = 0; i < 3; i++) {
            double sum = 0, largest = 0, total = codebook.top * top + codebook.size * rest;
            for (uint32_t index = 0; index < codebook.size + codebook.nulls; index++) {
                value[0] = index;
                double s = score_of(&subject, input[i], zero, &answer);
                sum += exp(s) * (index < codebook.size ? rest : top) / total;
                largest = fmax(largest, fabs(s));
            }
            assert_near(sum, 1, 1e-12);
            assert_true(largest <= 1);
            if (i == 0) assert_near(largest, log(top / rest), 1e-12);
            if (i == 2) assert_near(largest, 0, 0);
        }
    }
    sotto__subject_free(&subject);
}

static void privunit_ratios(void **state)
{
    (void)state;
    const double x[2] = {1, 0}, opposite[2] = {-1, 0}, zero[2] = {0, 0};
    sotto__subject subject = subject_of(SOTTO_MECHANISM_PRIVUNIT, 2, 1);
    double length = subject.claim.privunit.scale, value[2] = {length, 0};
    sotto__answer answer = {.count = 2, .value = value};
    assert_near(score_of(&subject, x, opposite, &answer), 1, 1e-9);
    assert_near(score_of(&subject, opposite, x, &answer), -1, 1e-9);
    value[0] = 0;
    value[1] = length; /* in neither cap */
    assert_near(score_of(&subject, x, opposite, &answer), 0, 1e-12);
    assert_near(score_of(&subject, zero, zero, &answer), 0, 1e-12);
    sotto__subject_free(&subject);
    subject = subject_of(SOTTO_MECHANISM_PRIVUNIT, 1, 0.5);
    value[0] = subject.claim.privunit.scale;
    assert_near(score_of(&subject, x, opposite, &answer), 0.5, 1e-9);
    sotto__subject_free(&subject);
}

static void no_score_is_freed_too(void **state)
{
    (void)state;
    sotto__witness_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_score_is_freed_too), cmocka_unit_test(lattice_ratios),
        cmocka_unit_test(codebook_ratios),       cmocka_unit_test(ratios_with_nulls),
        cmocka_unit_test(privunit_ratios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
