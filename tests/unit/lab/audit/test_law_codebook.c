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
    assert_follows_its_law(SOTTO_MECHANISM_CODEBOOK);
    assert_follows_its_law(SOTTO_MECHANISM_L2BALL);
}

/* Indices and nonces made by hand. */
static void judge_stream(bool same_nonce, bool fixed_index, const char *row)
{
    sotto__subject subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    sotto__seeded random;
    sotto__law *law;
    sotto_audit_result result = {.rows_count = 0};
    double value[1];
    sotto__answer answer = {.count = 1, .value = value};
    sotto__seeded_begin(&random, 6);
    assert_ok(sotto__law_codebook(&subject.claim, x, 4000, &law));
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
    sotto__subject_free(&subject);
}

static void answers_of_another_law_are_told(void **state)
{
    (void)state;
    judge_stream(false, false, "index in TOP (share)");
    judge_stream(false, true, "index is uniform");
    judge_stream(true, false, "repeated nonces");
    judge_stream(true, false, "bits of the nonce (worst share of ones)");
}

/* Indices by hand of a law with k nulls, for an input half as long as can be: `null` of 100 answers
 * are null, the others are uniform. */
static void judge_nulls(uint64_t null, bool first_null, const char *row)
{
    const double half[3] = {0, 0, 0.5};
    sotto__subject subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    sotto_codebook *codebook = &subject.claim.codebook;
    codebook->nulls = codebook->top;
    sotto__seeded random;
    sotto__law *law;
    sotto_audit_result result = {.rows_count = 0};
    double value[1];
    sotto__answer answer = {.count = 1, .value = value};
    sotto__seeded_begin(&random, 6);
    assert_ok(sotto__law_codebook(&subject.claim, half, 4000, &law));
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
    sotto__subject_free(&subject);
}

static void nulls_of_another_law_are_told(void **state)
{
    (void)state;
    judge_nulls(0, false, "null (share)");
    judge_nulls(90, false, "null (share)");
    judge_nulls(35, true, "which null is uniform");
    judge_nulls(35, false, "index in TOP (share)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_another_law_are_told),
        cmocka_unit_test(nulls_of_another_law_are_told),
        cmocka_unit_test(the_mechanism_follows_its_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
