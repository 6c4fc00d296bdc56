/* Layer 0 of rounds: the client's pass; every planted fault is detected by the row made for it. */
#include "broken_measure.h"
#include "broken_round.h"
#include "checked.h"
#include "client/client.h"
#include "lab/audit/inner.h"
#include "seeds.h"
#include "subjects.h"
#include "test.h"

OWNED(sotto_client, sotto_client_free)
OWNED(sotto_round, sotto_round_free)
OWNED(sotto_model, sotto_model_free)

/* The rows of a layer about a mechanism of epsilon 1; rounds NULL: the client's. */
static sotto_audit_result rows_of(sotto__layer_0 *layer, sotto_mechanism_kind kind,
                                  const sotto__rounds *rounds)
{
    HELD(sotto__subject) subject = subject_of(kind, 3, 1);
    sotto_audit_result result = {.rows_count = 0};
    if (rounds != NULL) subject.rounds = *rounds;
    assert_ok(layer(&subject, 5, &result));
    return result;
}

TEST(the_client_s_rounds_pass)
{
    for (uint32_t kind = 0; sotto_mechanism_kind_name(kind) != NULL; kind++) {
        sotto_audit_result result = rows_of(sotto__audit_rounds, (sotto_mechanism_kind)kind, NULL);
        assert_int_equal(failed_rows(&result), 0);
        assert_int_equal(result.rows_count == 0, kind == SOTTO_MECHANISM_PRIVUNIT);
    }
}

TEST(every_fault_is_told_by_its_row)
{
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
        const sotto__rounds rounds = broken_rounds(rows[i].fault);
        sotto_audit_result result = rows_of(sotto__audit_rounds, SOTTO_MECHANISM_GAUSSIAN, &rounds);
        if (row_named(&result, rows[i].row)->passed) fail_msg("fault %zu was not told", i);
    }
}

/* Two of the rows are the codebook's alone, which alone has the phase. */
TEST(every_fault_of_the_mean_phase_is_told_by_its_row_alone)
{
    static const struct {
        uint32_t fault;
        const char *row;
    } rows[] = {
        {BROKEN_ROUND_MEAN, "rounds: not booked once and in full, before the context"},
        {BROKEN_ROUND_MEAN_ARM, "rounds: another arm than the nonce assigns in the mean phase"},
        {BROKEN_ROUND_MEAN_REWARD, "rounds: the reward is in a report of the mean phase"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const sotto__rounds rounds = broken_rounds(rows[i].fault);
        sotto_audit_result result = rows_of(sotto__audit_rounds, SOTTO_MECHANISM_CODEBOOK, &rounds);
        if (row_named(&result, rows[i].row)->passed) fail_msg("fault %zu was not told", i);
        if (i > 0) assert_int_equal(failed_rows(&result), 1);
    }
}

/* Up to half again as far as the noise covers, for both laws of the noise. */
TEST(reports_further_apart_than_the_noise_covers_are_told)
{
    const sotto_mechanism_kind kinds[] = {SOTTO_MECHANISM_GAUSSIAN, SOTTO_MECHANISM_LAPLACE};
    const char *name = "rounds: distance of two reports on the same coins (of allowed)";
    for (int i = 0; i < 2; i++) {
        const sotto__rounds rounds = broken_rounds(BROKEN_ROUND_FAR);
        sotto_audit_result result = rows_of(sotto__audit_rounds, kinds[i], &rounds);
        const sotto_audit_row *row = row_named(&result, name);
        assert_false(row->passed);
        assert_true(row->statistic > 1.05 && row->statistic < 1.95);
    }
}

TEST(an_experiment_that_cannot_be_is_left_out)
{
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    sotto_audit_result result = {.rows_count = 0};
    subject.claim.epsilon = 1000; /* no spec allows it: that experiment is left out */
    assert_ok(sotto__audit_rounds(&subject, 5, &result));
    assert_int_equal(failed_rows(&result), 0);
}

/* Layer 0 of measure rounds: the client's pass; every planted fault is detected by the row made for
 * it. */

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

TEST(the_client_s_measure_rounds_pass_and_use_all_of_epsilon)
{
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        HELD(sotto__subject) subject = subject_of(subjects[i].kind, 3, subjects[i].epsilon);
        sotto_audit_result result = {.rows_count = 0};
        assert_ok(sotto__audit_measured(&subject, 5 + i, &result));
        assert_ints(result.rows_count, 4, failed_rows(&result), 0);
        assert_true(row_named(&result, RATIO)->statistic > 1 - 1e-6); /* weights are of 28 bits */
    }
}

TEST(mechanisms_without_measure_rounds_have_no_rows)
{
    const sotto_mechanism_kind kinds[] = {SOTTO_MECHANISM_GAUSSIAN, SOTTO_MECHANISM_LAPLACE,
                                          SOTTO_MECHANISM_PRIVUNIT};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rows_of(sotto__audit_measured, kinds[i], NULL).rows_count, 0);
    }
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_CODEBOOK, 3, 1);
    sotto_audit_result result = {.rows_count = 0};
    subject.claim.epsilon = 1000; /* no spec can have it */
    assert_ok(sotto__audit_measured(&subject, 5, &result));
    assert_int_equal(result.rows_count, 0);
}

TEST(every_fault_of_measure_rounds_is_told_by_its_row)
{
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
        const sotto__rounds rounds = broken_measures(fault);
        sotto_audit_result result =
            rows_of(sotto__audit_measured,
                    codebook ? SOTTO_MECHANISM_CODEBOOK : SOTTO_MECHANISM_L2BALL, &rounds);
        if (row_named(&result, rows[i / 2].row)->passed) fail_msg("fault %u was not told", fault);
    }
}

/* Players of a round under audit: refused terms leave nothing allocated, all others play. */

static sotto_terms terms_of(sotto_parameters parameters)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 3;
    spec.arms = 4;
    spec.epsilon = 8; /* more than a policy allows by default, like the next value */
    spec.measure = UINT32_C(1) << 31;
    spec.parameters = parameters;
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    return terms;
}

TEST(terms_that_a_device_refuses_have_no_round)
{
    sotto__audit_device device;
    sotto__recording_rng rng;
    sotto__recording_rng_begin(&rng, 1);
    sotto_terms terms = terms_of(SOTTO_PARAMETERS_SHARED);
    terms.id[0] ^= 1;
    assert_status(sotto__audit_device_begin(&device, &sotto__client_rounds, &terms, &rng.rng),
                  SOTTO_E_SPEC);
    assert_null(device.round);
    sotto__audit_device_end(&device);
}

TEST(the_cast_plays_and_is_watched)
{
    static const double context[12] = {0.5, 0, 0, 0, 0.5};
    for (int per_arm = 0; per_arm < 2; per_arm++) {
        sotto__audit_device device;
        sotto__recording_rng rng;
        sotto__recording_rng_begin(&rng, 1);
        sotto_terms terms = terms_of((sotto_parameters)per_arm);
        assert_ok(sotto__audit_device_begin(&device, &sotto__client_rounds, &terms, &rng.rng));
        assert_int_equal(device.context_count, per_arm ? 3 : 12);
        uint8_t frame[SOTTO__RECORDING_FRAME_BYTES];
        uint32_t arm;
        assert_ok(device.rounds->begin(device.round, device.model));
        assert_ok(device.rounds->decide(device.round, context, device.context_count, &arm));
        assert_ok(device.rounds->finish(device.round, 0.5, frame, sizeof frame));
        assert_int_equal(device.ledger.debits, 1);
        assert_true(rng.drawn_bytes > 0);
        size_t bytes = sotto_report_bytes(&device.terms);
        assert_ok(sotto_report_decode(&device.terms, frame, bytes, device.report));
        sotto__audit_device_end(&device);
    }
}

/* Spies behave like the objects they replace, and record calls. */

TEST(the_generator_counts_and_is_the_seed_s)
{
    sotto__recording_rng recorder;
    sotto__seeded seeded = seeded_of(7);
    uint8_t ours[24], theirs[24];
    sotto__recording_rng_begin(&recorder, 7);
    assert_ok(recorder.rng.fill(&recorder.rng, ours, 24));
    assert_ok(seeded.rng.fill(&seeded.rng, theirs, 24));
    assert_memory_equal(ours, theirs, 24);
    assert_int_equal(recorder.drawn_bytes, 24);
}

/* Uses a real round, so that the ledger's interface is the client's. */
TEST(the_ledger_remembers_a_round)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2;
    spec.arms = 2;
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    sotto__recording_ledger recorder;
    sotto__recording_ledger_begin(&recorder);
    sotto_policy policy = sotto_policy_default();
    OWN(sotto_client) client;
    OWN(sotto_round) round;
    OWN(sotto_model) model;
    assert_ok(sotto_client_new(&policy, &recorder.ledger, &client));
    assert_ok(sotto_round_new(client, &terms, &round));
    assert_ok(sotto_model_new(&terms, &model));
    model->phase = SOTTO_PHASE_MAIN;
    const double context[4] = {1, 0, 0, 1};
    uint8_t frame[64];
    uint32_t arm;

    recorder.refuses_debit = true;
    assert_status(sotto_round_begin(round, model), SOTTO_E_BUDGET);
    recorder.refuses_debit = false;
    assert_ok(sotto_round_begin(round, model));
    assert_int_equal(recorder.debits, 2);
    assert_ok(sotto_round_decide(round, context, 4, &arm));
    assert_ok(sotto_round_finish(round, 1, frame, sizeof frame));
    assert_ints(recorder.records, 1, recorder.frame_bytes, sotto_report_bytes(&terms));
    assert_memory_equal(recorder.frame, frame, recorder.frame_bytes);
    assert_memory_equal(recorder.nonce, frame + 24, SOTTO_NONCE_BYTES);

    recorder.refuses_record = true;
    assert_ok(sotto_round_begin(round, model));
    assert_ok(sotto_round_decide(round, context, 4, &arm));
    assert_status(sotto_round_finish(round, 1, frame, sizeof frame), SOTTO_E_BUDGET);
    sotto_ledger_free(&recorder.ledger);
}
