/* The library's mechanisms as subjects. */
#include "subjects.h"
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

sotto__subject subject_of(sotto_mechanism_kind kind, uint32_t dim, double epsilon)
{
    sotto_mechanism_settings mechanism = sotto_mechanism_default(kind, dim, epsilon);
    sotto_audit_settings settings = sotto_audit_default(&mechanism);
    sotto__subject subject;
    assert_ok(sotto__subject_new(&settings, &subject));
    return subject;
}

void ask_again_and_again(sotto__subject *subject, const double *x, uint64_t trials, uint64_t seed,
                         sotto__taker *taker)
{
    sotto__seeded random;
    sotto__seeded_begin(&random, seed);
    uint8_t *coins = calloc((size_t)(trials / 8 + 1), 1);
    sotto__script script = {
        .dim = subject->claim.dim, .pairs = 1, .trials = trials, .input = x, .coins = coins};
    assert_non_null(coins);
    assert_ok(sotto__ask(subject, &script, &random.rng, taker));
    free(coins);
}

const sotto_audit_row *row_named(const sotto_audit_result *result, const char *name)
{
    for (uint32_t i = 0; i < result->rows_count; i++) {
        if (strcmp(result->row[i].name, name) == 0) return &result->row[i];
    }
    fail_msg("no row \"%s\"", name);
    return NULL;
}

uint32_t failed_rows(const sotto_audit_result *result)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < result->rows_count; i++) {
        failed += !result->row[i].passed;
    }
    return failed;
}

void assert_follows_its_law(sotto_mechanism_kind kind)
{
    static const double input[2][3] = {{-1}, {0.48, -0.6, 0.64}};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t dim = 1 + 2 * i;
        sotto__subject subject = subject_of(kind, dim, 1);
        sotto_audit_result result = {.rows_count = 0};
        sotto__law *law;
        assert_ok(sotto__law_new(&subject.claim, input[i], 4000, &law));
        ask_again_and_again(&subject, input[i], 4000, 20 + dim, &law->taker);
        law->rows(law, &result);
        assert_true(result.rows_count >= 3);
        assert_int_equal(failed_rows(&result), 0);
        law->free(law);
        sotto__subject_free(&subject);
    }
}
