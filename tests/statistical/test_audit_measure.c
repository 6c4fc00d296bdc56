/*
 * Whole audits of twins of measure rounds: every broken one is a violation, found in layer 0, where
 * no chance is involved. test_audit_correct.c audits correct rounds.
 */
#include "broken.h"
#include "broken_measure.h"
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "test.h"

static sotto_audit_result audit_of(sotto_mechanism_kind kind, double epsilon, uint32_t fault)
{
    sotto_mechanism_settings mechanism = sotto_mechanism_default(kind, 3, epsilon);
    sotto_audit_settings settings = sotto_audit_default(&mechanism);
    sotto__subject subject;
    sotto_audit_result result;
    sotto__seeded random = seeded_of(1 + fault);
    settings.trials = 1000;
    assert_ok(sotto__subject_new(&settings, &subject));
    if (fault < BROKEN_MEASURES) subject.rounds = broken_measures(fault);
    assert_ok(sotto__audit_subject(&settings, &subject, &random.rng, NULL, &result));
    sotto__subject_free(&subject);
    return result;
}

static uint32_t failed_measure_rows(const sotto_audit_result *result)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < result->rows_count; i++) {
        bool own = strncmp(result->row[i].name, "measure rounds:", 15) == 0;
        failed += own && !result->row[i].passed;
    }
    return failed;
}

TEST(every_broken_twin_is_caught)
{
    for (uint32_t fault = 0; fault < BROKEN_MEASURES; fault++) {
        bool split = fault == BROKEN_MEASURE_SECOND_SLOT;
        sotto_mechanism_kind kind = split ? SOTTO_MECHANISM_L2BALL : SOTTO_MECHANISM_CODEBOOK;
        sotto_audit_result result = audit_of(kind, 1, fault);
        if (failed_measure_rows(&result) == 0) fail_msg("not caught: fault %u", fault);
        assert_true(broken_caught(&result, 0));
        assert_int_equal(result.verdict, SOTTO_AUDIT_VIOLATION);
    }
}

/* About one coin in 10^9 differs, whatever epsilon is. */
TEST(a_weight_that_is_one_too_large_is_caught_at_every_epsilon)
{
    const double epsilons[] = {0.01, 0.1, 3, 8};
    for (uint32_t i = 0; i < 4; i++) {
        sotto_audit_result result =
            audit_of(SOTTO_MECHANISM_L2BALL, epsilons[i], BROKEN_MEASURE_HEAVY);
        assert_ints(failed_measure_rows(&result), 1, result.verdict, SOTTO_AUDIT_VIOLATION);
    }
}

/* Without the fault the audit passes, so twins are caught only for their fault. */
TEST(the_real_rounds_are_not)
{
    const double epsilons[] = {0.1, 3};
    for (uint32_t i = 0; i < 4; i++) {
        sotto_mechanism_kind kind = i < 2 ? SOTTO_MECHANISM_CODEBOOK : SOTTO_MECHANISM_L2BALL;
        sotto_audit_result result = audit_of(kind, epsilons[i % 2], BROKEN_MEASURES);
        assert_int_equal(failed_measure_rows(&result), 0);
        assert_false(broken_caught(&result, 0));
    }
}
