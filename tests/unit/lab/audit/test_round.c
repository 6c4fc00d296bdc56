/* Layer 0 of rounds: the client's pass; every planted fault is told by the row made for it. */
#include "broken_round.h"
#include "checked.h"
#include "lab/audit/round.h"
#include "subjects.h"
#include "test.h"

static void the_client_s_rounds_pass(void **state)
{
    (void)state;
    for (uint32_t kind = 0; sotto_mechanism_kind_name(kind) != NULL; kind++) {
        sotto__subject subject = subject_of((sotto_mechanism_kind)kind, 3, 1);
        sotto_audit_result result = {.rows_count = 0};
        assert_ok(sotto__audit_rounds(&subject, 5, &result));
        assert_int_equal(failed_rows(&result), 0);
        assert_int_equal(result.rows_count == 0, kind == SOTTO_MECHANISM_PRIVUNIT);
        sotto__subject_free(&subject);
    }
}

static void every_fault_is_told_by_its_row(void **state)
{
    (void)state;
    static const struct {
        uint32_t fault;
        const char *row;
    } rows[] = {
        {BROKEN_ROUND_NO_LEDGER, "rounds: not booked once and in full, before the context"},
        {BROKEN_ROUND_LATE_BEGIN, "rounds: not booked once and in full, before the context"},
        {BROKEN_ROUND_LATE_NONCE, "rounds: another nonce than the booked one"},
        {BROKEN_ROUND_NEW_RESEND, "rounds: resent with other bytes"},
        {BROKEN_ROUND_LONG_REPORT, "rounds: bytes outside the report's length, or no valid report"},
        {BROKEN_ROUND_SILENT, "rounds: bytes outside the report's length, or no valid report"},
        {BROKEN_ROUND_MORE_BYTES,
         "rounds: random bytes that depend on the secret, or noise drawn after it"},
        {BROKEN_ROUND_BARE_TICK, "rounds: ticks without noise in all of 8 reports"},
        {BROKEN_ROUND_WARM_UP, "rounds: not booked once and in full, before the context"},
        {BROKEN_ROUND_MAIN, "rounds: not booked once and in full, before the context"},
        {BROKEN_ROUND_OTHER_BYTES, "rounds: not recorded once, before the report leaves"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i += LOADS_ARE_CHECKED ? 3 : 1) {
        sotto__subject subject = subject_of(SOTTO_MECHANISM_GAUSSIAN, 3, 1);
        sotto_audit_result result = {.rows_count = 0};
        subject.rounds = broken_rounds(rows[i].fault);
        assert_ok(sotto__audit_rounds(&subject, 5, &result));
        if (row_named(&result, rows[i].row)->passed) fail_msg("fault %zu was not told", i);
        sotto__subject_free(&subject);
    }
}

/* Two of the rows are the codebook's alone, which alone has the phase. */
static void every_fault_of_the_mean_phase_is_told_by_its_row_alone(void **state)
{
    (void)state;
    static const struct {
        uint32_t fault;
        const char *row;
    } rows[] = {
        {BROKEN_ROUND_MEAN, "rounds: not booked once and in full, before the context"},
        {BROKEN_ROUND_MEAN_ARM, "rounds: another arm than the nonce assigns in the mean phase"},
        {BROKEN_ROUND_MEAN_REWARD, "rounds: the reward is in a report of the mean phase"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto__subject subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
        sotto_audit_result result = {.rows_count = 0};
        subject.rounds = broken_rounds(rows[i].fault);
        assert_ok(sotto__audit_rounds(&subject, 5, &result));
        if (row_named(&result, rows[i].row)->passed) fail_msg("fault %zu was not told", i);
        if (i > 0) assert_int_equal(failed_rows(&result), 1);
        sotto__subject_free(&subject);
    }
}

/* Up to half again as far as the noise covers, for both laws of the noise. */
static void reports_further_apart_than_the_noise_covers_are_told(void **state)
{
    (void)state;
    const sotto_mechanism_kind kinds[] = {SOTTO_MECHANISM_GAUSSIAN, SOTTO_MECHANISM_LAPLACE};
    const char *name = "rounds: distance of two reports on the same coins (of allowed)";
    for (int i = 0; i < 2; i++) {
        sotto__subject subject = subject_of(kinds[i], 3, 1);
        sotto_audit_result result = {.rows_count = 0};
        subject.rounds = broken_rounds(BROKEN_ROUND_FAR);
        assert_ok(sotto__audit_rounds(&subject, 5, &result));
        const sotto_audit_row *row = row_named(&result, name);
        assert_false(row->passed);
        assert_true(row->statistic > 1.05 && row->statistic < 1.95);
        sotto__subject_free(&subject);
    }
}

static void an_experiment_that_cannot_be_is_left_out(void **state)
{
    (void)state;
    sotto__subject subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    sotto_audit_result result = {.rows_count = 0};
    subject.claim.epsilon = 1000; /* no spec can have it: that experiment is left out */
    assert_ok(sotto__audit_rounds(&subject, 5, &result));
    assert_int_equal(failed_rows(&result), 0);
    sotto__subject_free(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_experiment_that_cannot_be_is_left_out),
        cmocka_unit_test(every_fault_is_told_by_its_row),
        cmocka_unit_test(every_fault_of_the_mean_phase_is_told_by_its_row_alone),
        cmocka_unit_test(reports_further_apart_than_the_noise_covers_are_told),
        cmocka_unit_test(the_client_s_rounds_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
