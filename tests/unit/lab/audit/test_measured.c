/* Layer 0 of measure rounds: the client's pass; every planted fault is told by the row made for it. */
#include "broken_measure.h"
#include "lab/audit/measured.h"
#include "subjects.h"
#include "test.h"

#define RATIO "measure rounds: coins of two rewards' reports (ratio, of allowed)"
#define BLIND "measure rounds: an arm or a report that tells of the context"
#define BOOKED "measure rounds: not booked once, another nonce, or no valid report"
#define BYTES "measure rounds: random bytes that depend on the secret"

static const struct {
    sotto_mechanism_kind kind;
    double epsilon;
} subjects[] = {{SOTTO_MECHANISM_CODEBOOK, 1},
                {SOTTO_MECHANISM_L2BALL, 1},
                {SOTTO_MECHANISM_CODEBOOK, 0.01},
                {SOTTO_MECHANISM_L2BALL, 8}};

static void the_client_s_measure_rounds_pass_and_use_all_of_epsilon(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        sotto__subject subject = subject_of(subjects[i].kind, 3, subjects[i].epsilon);
        sotto_audit_result result = {.rows_count = 0};
        assert_ok(sotto__audit_measured(&subject, 5 + i, &result));
        assert_int_equal(result.rows_count, 4);
        assert_int_equal(failed_rows(&result), 0);
        assert_true(row_named(&result, RATIO)->statistic > 1 - 1e-6); /* weights are of 28 bits */
        sotto__subject_free(&subject);
    }
}

static void mechanisms_without_measure_rounds_have_no_rows(void **state)
{
    (void)state;
    const sotto_mechanism_kind kinds[] = {SOTTO_MECHANISM_GAUSSIAN, SOTTO_MECHANISM_LAPLACE,
                                          SOTTO_MECHANISM_PRIVUNIT};
    for (int i = 0; i < 3; i++) {
        sotto__subject subject = subject_of(kinds[i], 3, 1);
        sotto_audit_result result = {.rows_count = 0};
        assert_ok(sotto__audit_measured(&subject, 5, &result));
        assert_int_equal(result.rows_count, 0);
        sotto__subject_free(&subject);
    }
    sotto__subject subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    sotto_audit_result result = {.rows_count = 0};
    subject.claim.epsilon = 1000; /* no spec can have it */
    assert_ok(sotto__audit_measured(&subject, 5, &result));
    assert_int_equal(result.rows_count, 0);
    sotto__subject_free(&subject);
}

static void every_fault_is_told_by_its_row(void **state)
{
    (void)state;
    static const struct {
        uint32_t fault;
        const char *row;
        bool split; /* only split reports can have it */
    } rows[BROKEN_MEASURES] = {
        {BROKEN_MEASURE_HEAVY, RATIO, false},       {BROKEN_MEASURE_UNCLIPPED, RATIO, false},
        {BROKEN_MEASURE_LATE_ROLE, BLIND, false},   {BROKEN_MEASURE_LATE_ARM, BLIND, false},
        {BROKEN_MEASURE_LATE_NONCE, BOOKED, false}, {BROKEN_MEASURE_BARE, RATIO, false},
        {BROKEN_MEASURE_MORE_BYTES, BYTES, false},  {BROKEN_MEASURE_WIDE_INDEX, BOOKED, false},
        {BROKEN_MEASURE_SECOND_SLOT, BOOKED, true}, {BROKEN_MEASURE_ONE_ARM, BLIND, false},
        {BROKEN_MEASURE_ONE_BARE, RATIO, false},
    };
    for (size_t i = 0; i < BROKEN_MEASURES * 2; i++) {
        uint32_t fault = rows[i / 2].fault;
        bool codebook = i % 2 == 0;
        /* Codebooks of two have no wider index, and the l2-ball is not best-arm's. */
        bool only_codebook = fault == BROKEN_MEASURE_WIDE_INDEX ||
                             fault == BROKEN_MEASURE_ONE_ARM || fault == BROKEN_MEASURE_ONE_BARE;
        if (codebook ? rows[i / 2].split : only_codebook) continue;
        sotto__subject subject =
            subject_of(codebook ? SOTTO_MECHANISM_CODEBOOK : SOTTO_MECHANISM_L2BALL, 3, 1);
        sotto_audit_result result = {.rows_count = 0};
        subject.rounds = broken_measures(fault);
        assert_ok(sotto__audit_measured(&subject, 5, &result));
        if (row_named(&result, rows[i / 2].row)->passed) fail_msg("fault %u was not told", fault);
        sotto__subject_free(&subject);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_client_s_measure_rounds_pass_and_use_all_of_epsilon),
        cmocka_unit_test(mechanisms_without_measure_rounds_have_no_rows),
        cmocka_unit_test(every_fault_is_told_by_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
