/* Subjects: the claim is the mechanism's, and the answers are its reports. */
#include "client/clip.h"
#include "subjects.h"
#include "test.h"

#include <math.h>

static void claims_are_the_mechanism_s(void **state)
{
    (void)state;
    sotto__subject codebook = subject_of(SOTTO_MECHANISM_CODEBOOK, 5, 1);
    assert_int_equal(codebook.claim.family, SOTTO__CODEBOOK);
    assert_int_equal(codebook.claim.codebook.size, 64);
    assert_int_equal(codebook.claim.answer_count, 1);
    assert_near(codebook.claim.delta, 0, 0);
    sotto__subject_free(&codebook);
    sotto__subject gaussian = subject_of(SOTTO_MECHANISM_GAUSSIAN, 4, 1);
    const sotto_lattice *lattice = &gaussian.claim.lattice;
    assert_int_equal(gaussian.claim.family, SOTTO__LATTICE);
    assert_near(gaussian.claim.delta, 1e-6, 0);
    assert_near(gaussian.claim.diameter_ticks, ldexp(2, -lattice->grid_log2) + 2, 1e-9);
    sotto__subject_free(&gaussian);
    sotto__subject laplace = subject_of(SOTTO_MECHANISM_LAPLACE, 4, 1);
    lattice = &laplace.claim.lattice;
    assert_near(laplace.claim.diameter_ticks, ldexp(4, -lattice->grid_log2) + 4, 1e-9);
    sotto__subject_free(&laplace);
    sotto__subject privunit = subject_of(SOTTO_MECHANISM_PRIVUNIT, 4, 1);
    assert_int_equal(privunit.claim.family, SOTTO__VECTOR);
    assert_int_equal(privunit.claim.answer_count, 4);
    sotto__subject_free(&privunit);
}

static void a_command_is_taken_at_its_word(void **state)
{
    (void)state;
    sotto_mechanism_settings claim = sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 3, 2);
    claim.delta = 1e-5;
    sotto_audit_settings settings = sotto_audit_default(&claim);
    settings.command = "true";
    sotto__subject subject;
    assert_ok(sotto__subject_new(&settings, &subject));
    assert_int_equal(subject.claim.family, SOTTO__OUTSIDE);
    assert_near(subject.claim.delta, 1e-5, 0);
    assert_null(subject.mechanism);
    sotto__subject_free(&subject);
}

static void the_statistic_is_clipped_and_rounded(void **state)
{
    (void)state;
    sotto__subject subject = subject_of(SOTTO_MECHANISM_GAUSSIAN, 2, 1);
    double far_out[2] = {30, 40}, ticks[2], unit = ldexp(1, -subject.claim.lattice.grid_log2);
    sotto__lattice_statistic(&subject.claim, far_out, ticks);
    assert_near(ticks[0], rint(0.6 * unit), 0);
    assert_near(ticks[1], rint(0.8 * unit), 0);
    sotto__subject_free(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_are_the_mechanism_s),
        cmocka_unit_test(a_command_is_taken_at_its_word),
        cmocka_unit_test(the_statistic_is_clipped_and_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
