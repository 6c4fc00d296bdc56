/* Tallies: refused phases, foreign merges, contradictory bytes, golden bytes, and the mean. */
#include "borrowed.h"
#include "checked.h"
#include "client/client.h"
#include "core/core.h"
#include "golden.h"
#include "kinds.h"
#include "made.h"
#include "reports.h"
#include "server/server.h"
#include "stats.h"
#include "tape.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static sotto_tally *new_tally(const sotto_terms *terms, sotto_phase phase)
{
    return made_tally(terms, 9, phase, false);
}

/* Folds reports of one score and arm, in warm-up of the arm that each nonce assigns. */
static void fold_many(sotto_tally *tally, const double *v, uint32_t arm, uint32_t count,
                      tape *random)
{
    sotto__door door = {&tally->terms, tally->phase, tally->epoch, {0}};
    sotto__door_work work;
    assert_ok(sotto__door_work_new(&tally->terms, &work));
    sotto_report *report = made_report(&tally->terms);
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(random->rng.fill(&random->rng, door.nonce, sizeof door.nonce));
        bool assigned = tally->phase == SOTTO_PHASE_WARM_UP;
        uint32_t its = assigned ? sotto__assigned_arm(&tally->terms, door.nonce) : arm;
        assert_ok(sotto__privatise(&door, v, its, &random->rng, &work, report));
        assert_ok(sotto_tally_fold(tally, report));
    }
    sotto__door_work_free(&work);
}

TEST(missing_pointers_and_phases_are_refused)
{
    sotto_terms shared = resolved_of(SHARED), per_arm = resolved_of(SIGNS);
    sotto_tally *tally = (void *)&tally; /* anything but NULL */
    assert_status(sotto__tally_new(NULL, 0, SOTTO_PHASE_MAIN, false, &tally), SOTTO_E_ARGUMENT);
    assert_null(tally);
    assert_status(sotto__tally_new(&shared, 0, SOTTO_PHASE_MAIN, false, NULL), SOTTO_E_ARGUMENT);
    tally = (void *)&tally;
    assert_status(sotto__tally_new(&shared, 0, SOTTO_PHASE_WARM_UP, false, &tally), SOTTO_E_PHASE);
    assert_null(tally);
    assert_status(sotto__tally_new(&shared, 0, SOTTO_PHASES, false, &tally), SOTTO_E_PHASE);
    assert_status(sotto__tally_new(&per_arm, 0, SOTTO_PHASES, false, &tally), SOTTO_E_PHASE);
}

TEST(foreign_tallies_are_not_merged)
{
    sotto_terms terms = resolved_of(SIGNS), other = resolved_of(JOINT);
    sotto_tally *tally = new_tally(&terms, SOTTO_PHASE_MAIN);
    sotto_tally *foreign = new_tally(&other, SOTTO_PHASE_MAIN);
    sotto_tally *warm_up = new_tally(&terms, SOTTO_PHASE_WARM_UP);
    sotto_tally *full = new_tally(&terms, SOTTO_PHASE_MAIN);
    foreign->count = warm_up->count = tally->count = 1;
    assert_status(sotto_tally_merge(tally, foreign), SOTTO_E_SPEC);
    assert_status(sotto_tally_merge(tally, warm_up), SOTTO_E_PHASE);
    full->count = SOTTO_REPORTS_MAX;
    full->sum[0] = 5;
    assert_status(sotto_tally_merge(tally, full), SOTTO_E_FULL);
    assert_status(sotto_tally_merge(full, tally), SOTTO_E_FULL);
    full->epoch = 10;
    assert_status(sotto_tally_merge(tally, full), SOTTO_E_EPOCH);
    assert_ints(tally->count, 1, tally->sum[0], 0);
    full->epoch = 9;
    full->count = SOTTO_REPORTS_MAX - 1;
    assert_ok(sotto_tally_merge(tally, full)); /* exactly full is not too full */
    assert_ints(tally->count, SOTTO_REPORTS_MAX, tally->sum[0], 5);
}

static sotto_tally *some_tally(const sotto_terms *terms, sotto_phase phase)
{
    const double v[] = {0.6, 0, -0.8};
    sotto_tally *tally = new_tally(terms, phase);
    tape random = tape_seeded(51);
    if (sotto_terms_reports_indices(terms)) {
        fold_many(tally, v, 1, 40, &random);
    } else {
        tally->count = tally->heard = 2;
        tally->arm_count[0] = sotto__tally_counts_arms(tally) ? 2 : 0;
        tally->sum[0] = -(INT64_C(1) << 32);
        tally->sum[1] = INT64_C(1) << 32;
    }
    return tally;
}

TEST(an_epoch_begins_with_nothing)
{
    sotto_terms terms = resolved_of(TAGS);
    sotto_tally *tally = some_tally(&terms, SOTTO_PHASE_MAIN);
    sotto__tally_begin(tally, 10, SOTTO_PHASE_WARM_UP, false);
    assert_ints(tally->epoch, 10, tally->phase, SOTTO_PHASE_WARM_UP, sotto_tally_count(tally), 0);
    for (uint32_t arm = 0; arm < ARMS; arm++) {
        assert_ints(sotto_tally_arm_count(tally, arm), 0, tally->sum[arm * DIM], 0);
    }
}

TEST(every_kind_survives_its_bytes_and_no_other_length)
{
    for (int at = 0; at < KINDS * 2; at++) {
        kind k = (kind)(at / 2);
        sotto_phase phase = k == SHARED || k == TICKS ? SOTTO_PHASE_MAIN : (sotto_phase)(at % 2);
        sotto_terms terms = resolved_of(k);
        sotto_tally *tally = some_tally(&terms, phase), *read = NULL;
        uint8_t bytes[320] = {0}, again[320] = {0};
        size_t count = sotto_tally_bytes(tally);
        assert_status(sotto_tally_encode(tally, bytes, count - 1), SOTTO_E_LENGTH);
        assert_int_equal(bytes[0], 0);
        assert_ok(sotto_tally_encode(tally, bytes, count));
        for (size_t length = 0; length < sizeof bytes; length++) {
            if (length == count) continue;
            read = tally;
            assert_status(sotto_tally_decode(&terms, bytes, length, &read), SOTTO_E_FRAME);
            assert_null(read);
        }
        assert_ok(sotto_tally_decode(&terms, bytes, count, &read));
        assert_ok(sotto_tally_encode(read, again, sizeof again));
        assert_memory_equal(bytes, again, sizeof bytes);
        assert_ok(sotto_tally_merge(tally, read)); /* same spec, epoch and phase */
        for (uint32_t arm = 0; arm < ARMS; arm++) {
            uint64_t once = sotto_tally_arm_count(read, arm);
            assert_int_equal(sotto_tally_arm_count(tally, arm), 2 * once);
        }
        sotto_tally_free(read);
    }
}

static void assert_decodes_to(const sotto_terms *terms, const uint8_t *bytes, size_t count,
                              sotto_status wanted)
{
    sotto_tally *read = (sotto_tally *)&count; /* anything but NULL */
    assert_status(sotto_tally_decode(terms, bytes, count, &read), wanted);
    if (wanted != SOTTO_OK) assert_null(read);
    if (wanted == SOTTO_OK) sotto_tally_free(read);
}

TEST(a_wrong_head_is_refused)
{
    sotto_terms terms = resolved_of(SHARED);
    sotto_tally *tally = some_tally(&terms, SOTTO_PHASE_MAIN);
    uint8_t bytes[256];
    size_t count = sotto_tally_bytes(tally);
    assert_ok(sotto_tally_encode(tally, bytes, sizeof bytes));
    for (size_t i = 0; i < 28; i++) {
        if (i >= 20 && i < 24) continue; /* any epoch is valid */
        bytes[i] ^= 2;
        assert_decodes_to(&terms, bytes, count, i >= 4 && i < 20 ? SOTTO_E_SPEC : SOTTO_E_FRAME);
        bytes[i] ^= 2;
    }
    bytes[24] = SOTTO_PHASE_WARM_UP;
    assert_decodes_to(&terms, bytes, count, SOTTO_E_PHASE);
}

TEST(counts_that_contradict_each_other_are_refused)
{
    sotto_terms terms = resolved_of(TAGS);
    sotto_tally *tally = some_tally(&terms, SOTTO_PHASE_MAIN);
    uint8_t bytes[256];
    size_t count = sotto_tally_bytes(tally);
    const uint64_t rows[][5] = {
        {41, 41, 10, 20, 10},                       /* one short */
        {39, 39, 10, 20, 10},                       /* one too many */
        {40, 39, 10, 20, 9},                        /* one null, where there are none */
        {40, 41, 10, 20, 11},                       /* more heard than came */
        {40, 40, 41, UINT64_MAX, 0},                /* adds up only modulo 2^64 */
        {40, 40, UINT64_MAX - 10, 40, 11},          /* likewise */
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 0}, /* more than a tally takes */
        {SOTTO_REPORTS_MAX + 1, SOTTO_REPORTS_MAX + 1, SOTTO_REPORTS_MAX, 1, 0},
    };
    assert_ok(sotto_tally_encode(tally, bytes, sizeof bytes));
    for (size_t i = 0; i < ARMS * DIM; i++) {
        sotto__put_u64(bytes + 68 + 8 * i, 0); /* sums that no count contradicts */
    }
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (size_t i = 0; i < 5; i++) {
            sotto__put_u64(bytes + 28 + 8 * i, rows[r][i]);
        }
        assert_decodes_to(&terms, bytes, count, SOTTO_E_FRAME);
    }
    const uint64_t whole[] = {SOTTO_REPORTS_MAX, SOTTO_REPORTS_MAX, SOTTO_REPORTS_MAX / 2,
                              SOTTO_REPORTS_MAX / 2, 0};
    for (size_t i = 0; i < 5; i++) {
        sotto__put_u64(bytes + 28 + 8 * i, whole[i]);
    }
    assert_decodes_to(&terms, bytes, count, SOTTO_OK);
}

TEST(sums_larger_than_the_reports_can_make_are_refused)
{
    const struct {
        kind k;
        uint64_t reports;
        int64_t bound;
    } rows[] = {{SHARED, 0, 0},
                {SHARED, 3, INT64_C(3) << 30},
                {SHARED, SOTTO_REPORTS_MAX, INT64_C(1) << 61},
                {TICKS, 3, INT64_C(3) << 31},
                {TICKS, SOTTO_REPORTS_MAX, INT64_C(1) << 62}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        sotto_terms terms = resolved_of(rows[r].k);
        sotto_tally *tally = new_tally(&terms, SOTTO_PHASE_MAIN);
        uint8_t bytes[256];
        size_t count = sotto_tally_bytes(tally);
        tally->count = tally->heard = rows[r].reports;
        assert_ok(sotto_tally_encode(tally, bytes, sizeof bytes));
        for (size_t at = 44; at < count; at += 8) {
            const int64_t good[] = {rows[r].bound, -rows[r].bound, 0};
            const int64_t bad[] = {rows[r].bound + 1, -rows[r].bound - 1, INT64_MIN};
            for (int i = 0; i < 3; i++) {
                sotto__put_u64(bytes + at, (uint64_t)bad[i]);
                assert_decodes_to(&terms, bytes, count, SOTTO_E_FRAME);
                sotto__put_u64(bytes + at, (uint64_t)good[i]);
                assert_decodes_to(&terms, bytes, count, SOTTO_OK);
            }
        }
    }
}

/* Where each report counts for one arm, an arm's sums are bounded by its own reports. */
TEST(sums_of_an_arm_without_reports_are_zero)
{
    sotto_terms terms = resolved_of(SIGNS);
    sotto_tally *tally = new_tally(&terms, SOTTO_PHASE_WARM_UP);
    uint8_t bytes[256];
    size_t count = sotto_tally_bytes(tally);
    tally->count = tally->heard = tally->arm_count[0] = 40;
    tally->sum[0] = INT64_C(40) << 30;
    assert_ok(sotto_tally_encode(tally, bytes, sizeof bytes));
    assert_decodes_to(&terms, bytes, count, SOTTO_OK);
    tally->sum[DIM] = 1;
    assert_ok(sotto_tally_encode(tally, bytes, sizeof bytes));
    assert_decodes_to(&terms, bytes, count, SOTTO_E_FRAME);
}

TEST(a_tally_without_measure_rounds_says_nothing_of_deciding)
{
    uint8_t bytes[256];
    sotto_tally *read;
    for (uint32_t measure = 0; measure < 2; measure++) {
        sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
        sotto_terms terms;
        spec.dim = 3, spec.arms = 2, spec.measure = measure << 30;
        spec.parameters = SOTTO_PARAMETERS_PER_ARM;
        assert_ok(sotto_spec_resolve(&spec, &terms));
        for (int phase = 0; phase < SOTTO_PHASES; phase++) {
            sotto_tally *tally = new_tally(&terms, (sotto_phase)phase);
            size_t count = sotto_tally_bytes(tally);
            assert_ok(sotto_tally_encode(tally, bytes, sizeof bytes));
            assert_int_equal(bytes[25], 0);
            bytes[25] = 1;
            bool fits = measure > 0 && phase == SOTTO_PHASE_MAIN;
            assert_status(sotto_tally_decode(&terms, bytes, count, &read),
                          fits ? SOTTO_OK : SOTTO_E_FRAME);
            sotto_tally_free(read);
        }
    }
}

/* The nonce of report r of the golden tallies. */
static void give_nonce(sotto_report *report, uint32_t r)
{
    for (uint32_t j = 0; j < SOTTO_NONCE_BYTES; j++) {
        report->nonce[j] = (uint8_t)(7 * r + 13 * j + r / 256);
    }
}

/* The tally has the bytes of this file, of which there are `count`; and what they are read as. */
static sotto_tally *read_golden(const sotto_tally *tally, const char *file, uint8_t golden[256],
                                size_t *count)
{
    uint8_t bytes[256];
    sotto_tally *read;
    *count = golden_read(file, golden, 256);
    assert_int_equal(*count, sotto_tally_bytes(tally));
    assert_ok(sotto_tally_encode(tally, bytes, sizeof bytes));
    assert_memory_equal(bytes, golden, *count);
    assert_ok(sotto_tally_decode(&tally->terms, golden, *count, &read));
    return read;
}

/* Made from the head of tally.c alone by a script in another language: spec id 00 .. 0f, M = 64,
 * report r of 100 with nonce byte j = 7r + 13j mod 256 and index 37r + 5 mod 64. */
TEST(folding_and_encoding_give_the_golden_bytes)
{
    sotto_terms terms = resolved_of(SHARED);
    for (uint8_t i = 0; i < SOTTO_SPEC_ID_BYTES; i++) {
        terms.id[i] = i;
    }
    sotto_stream_key_derive(terms.id, terms.stream_key);
    terms.spec.dim = 5;
    terms.codebook[SOTTO_PHASE_MAIN].dim = 5;
    terms.codebook[SOTTO_PHASE_MAIN].size = 64;
    sotto_tally *tally = made_tally(&terms, 7, SOTTO_PHASE_MAIN, false);
    sotto_report *report = made_report(&terms);
    report->epoch = 7;
    for (uint32_t r = 0; r < 100; r++) {
        give_nonce(report, r);
        report->value[0] = (int32_t)((37 * r + 5) % 64);
        assert_ok(sotto_tally_fold(tally, report));
    }
    uint8_t golden[256];
    size_t count;
    OWN(sotto_tally) read = read_golden(tally, "tally_shared.bin", golden, &count);
    assert_int_equal(sotto_tally_count(read), 100);
}

/* By tests/golden/make_tally.py, which says what the reports are: tags, nulls and measure rounds. */
TEST(folding_nulls_and_measure_rounds_gives_the_golden_bytes)
{
    uint8_t spec[SOTTO_TERMS_BYTES], golden[256], bytes[256];
    sotto_terms terms;
    size_t count;
    assert_ok(sotto_terms_decode(spec, golden_read("spec_nulls.bin", spec, sizeof spec), &terms));
    uint32_t indices = terms.codebook[SOTTO_PHASE_MAIN].size;
    indices += terms.codebook[SOTTO_PHASE_MAIN].nulls;
    sotto_tally *tally = made_tally(&terms, 7, SOTTO_PHASE_MAIN, true);
    sotto_report *report = made_report(&terms);
    memcpy(report->spec_id, terms.id, sizeof terms.id);
    report->epoch = 7;
    for (uint32_t r = 0; r < 400; r++) {
        give_nonce(report, r);
        bool learn = sotto__role_of(&terms, report->nonce, true) == SOTTO_ROLE_LEARN;
        report->value[0] = (int32_t)(learn ? (37 * r + 5) % indices : r % 2);
        assert_ok(sotto_tally_fold(tally, report));
    }
    OWN(sotto_tally) read = read_golden(tally, "tally_nulls.bin", golden, &count);
    assert_ok(sotto_tally_encode(read, bytes, sizeof bytes));
    assert_memory_equal(bytes, golden, count);
    assert_true(sotto_tally_heard(read) < sotto_tally_count(read));
}

/* Row k estimates, in warm-up, the mean of v over the reports assigned to arm k; after it, the mean
 * over all reports of v where the arm is k and of 0 where it is not. */
TEST(the_mean_is_unbiased)
{
    enum { REPORTS = LOADS_ARE_CHECKED ? 4000 : 40000 };
    tape random = tape_seeded(52);
    const double v[] = {0.6, 0, -0.8};
    for (int at = 0; at < TICKS * 2; at++) {
        kind k = (kind)(at / 2);
        sotto_phase phase = k == SHARED ? SOTTO_PHASE_MAIN : (sotto_phase)(at % 2);
        sotto_terms terms = resolved_of(k);
        sotto_tally *tally = new_tally(&terms, phase);
        double mean[ARMS * DIM] = {7};
        sotto_tally_mean(tally, mean);
        assert_true(mean[0] == 0);
        fold_many(tally, v, 0, REPORTS / 2, &random);
        fold_many(tally, v, 1, REPORTS / 2, &random);
        sotto_tally_mean(tally, mean);
        bool warm_up = phase == SOTTO_PHASE_WARM_UP;
        const double share[] = {0.5, 0.5, 0}; /* of the reports, by arm */
        double count = warm_up ? REPORTS / (ARMS + 0.1) : REPORTS;
        /* A coordinate of B z is within B. */
        double slack = Z_FALSE_ALARM * terms.codebook[phase].scale / sqrt(count);
        for (uint32_t i = 0; i < tally->sums_count; i++) {
            double part = k == SHARED || warm_up ? 1 : share[i / DIM];
            assert_near(mean[i], part * v[i % DIM], slack);
        }
    }
}

TEST(the_mean_of_ticks_is_in_units_of_the_grid)
{
    sotto_terms terms = resolved_of(TICKS);
    sotto_tally *tally = new_tally(&terms, SOTTO_PHASE_MAIN);
    double mean[9];
    tally->count = 4;
    tally->sum[0] = 10;
    tally->sum[8] = -3;
    sotto_tally_mean(tally, mean);
    assert_true(mean[0] == ldexp(2.5, terms.lattice.grid_log2));
    assert_true(mean[8] == ldexp(-0.75, terms.lattice.grid_log2));
    assert_true(mean[1] == 0);
}

/* ---- measure rounds ------------------------------------------------------------------------ */

static sotto_terms measured_terms(void)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = DIM, spec.arms = ARMS, spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    spec.measure = 1u << 31;
    sotto_terms terms = resolved(&spec);
    return terms;
}

/* 100 reports of random nonces, nulls and measure rounds among them. */
static sotto_tally *second_tally(const sotto_terms *terms, uint64_t seed)
{
    tape random = tape_seeded(seed);
    sotto_tally *tally = made_tally(terms, 9, SOTTO_PHASE_MAIN, true);
    for (uint32_t i = 0; i < 100; i++) {
        OWN(sotto_report) report = random_report(terms, 9, SOTTO_PHASE_MAIN, &random);
        const sotto_codebook *c = &terms->codebook[SOTTO_PHASE_MAIN];
        bool learn = sotto__role_of(terms, report->nonce, true) == SOTTO_ROLE_LEARN;
        uint32_t index = learn ? i * 7919 % (c->size + c->nulls) : i % 2;
        report->value[0] = (int32_t)index;
        assert_ok(sotto_tally_fold(tally, report));
    }
    return tally;
}

TEST(tallies_with_measure_rounds_survive_their_bytes)
{
    const sotto_terms terms = measured_terms();
    sotto_tally *tally = second_tally(&terms, 1), *other = second_tally(&terms, 2), *read;
    uint8_t bytes[512] = {0}, again[512] = {0};
    size_t count = sotto_tally_bytes(tally);
    assert_int_equal(count, 36 + 8 + 16 * (1 + ARMS) + 8 * ARMS * DIM);
    assert_ok(sotto_tally_encode(tally, bytes, count));
    assert_memory_equal(bytes, "STT2", 4);
    assert_int_equal(bytes[25], 1);
    for (size_t length = 0; length < sizeof bytes; length++) {
        if (length == count) continue;
        assert_status(sotto_tally_decode(&terms, bytes, length, &read), SOTTO_E_FRAME);
    }
    assert_ok(sotto_tally_decode(&terms, bytes, count, &read));
    assert_ok(sotto_tally_encode(read, again, sizeof again));
    assert_memory_equal(bytes, again, sizeof bytes);
    assert_true(sotto_tally_heard(read) == sotto_tally_heard(tally) && tally->heard < tally->count);
    assert_true(read->measured == tally->measured && read->measured > 20);
    assert_ok(sotto_tally_merge(read, other));
    assert_int_equal(sotto__tally_all(read), 200);
    assert_int_equal(read->follow.sum, tally->follow.sum + other->follow.sum);
    assert_int_equal(read->control[2].count, tally->control[2].count + other->control[2].count);
    sotto__tally_begin(read, 10, SOTTO_PHASE_MAIN, true);
    assert_int_equal(read->follow.count + read->control[2].count + read->heard, 0);
    sotto_tally_free(read);
}

static void assert_second_refused(const sotto_terms *terms, const uint8_t *good, size_t count,
                                  size_t at, uint64_t value)
{
    uint8_t bytes[512];
    sotto_tally *read;
    memcpy(bytes, good, count);
    sotto__put_u64(bytes + at, value);
    assert_status(sotto_tally_decode(terms, bytes, count, &read), SOTTO_E_FRAME);
    assert_null(read);
}

TEST(numbers_of_roles_that_contradict_each_other_are_refused)
{
    sotto_terms terms = measured_terms();
    sotto_tally *tally = second_tally(&terms, 3), *read;
    uint8_t bytes[512];
    size_t count = sotto_tally_bytes(tally);
    assert_ok(sotto_tally_encode(tally, bytes, count));
    assert_second_refused(&terms, bytes, count, 36, tally->count + 1);  /* heard */
    assert_second_refused(&terms, bytes, count, 44, UINT64_MAX);        /* follow */
    assert_second_refused(&terms, bytes, count, 44, SOTTO_REPORTS_MAX); /* odd and even: one fits */
    assert_second_refused(&terms, bytes, count, 44, SOTTO_REPORTS_MAX + 1);
    assert_second_refused(&terms, bytes, count, 44, tally->follow.count + 1); /* odd and even */
    assert_second_refused(&terms, bytes, count, 52, (uint64_t)tally->follow.count + 2);
    assert_second_refused(&terms, bytes, count, 68,
                          (uint64_t) - (int64_t)(tally->control[0].count + 2));
    bytes[25] = 0; /* nobody can have followed */
    assert_status(sotto_tally_decode(&terms, bytes, count, &read), SOTTO_E_FRAME);
    bytes[25] = 2;
    assert_status(sotto_tally_decode(&terms, bytes, count, &read), SOTTO_E_FRAME);
    bytes[25] = 1;
    bytes[24] = SOTTO_PHASE_WARM_UP; /* no model decides there */
    assert_status(sotto_tally_decode(&terms, bytes, count, &read), SOTTO_E_FRAME);
    bytes[24] = SOTTO_PHASE_MAIN;
    bytes[3] = '1';
    assert_status(sotto_tally_decode(&terms, bytes, count, &read), SOTTO_E_FRAME);
}

/* By tests/golden/make_arms.py. */
TEST(folding_by_shares_gives_the_golden_bytes)
{
    uint8_t spec[SOTTO_TERMS_BYTES], golden[256];
    const uint32_t shares[] = {1u << 31, 1u << 30, (1u << 30) - 1, 1, 0};
    sotto_terms terms;
    sotto_tally *none;
    size_t count;
    assert_ok(sotto_terms_decode(spec, golden_read("spec_arms.bin", spec, sizeof spec), &terms));
    sotto_tally *tally = made_tally(&terms, 7, SOTTO_PHASE_MAIN, false);
    sotto__tally_share(tally, shares);
    sotto_report *report = made_report(&terms);
    memcpy(report->spec_id, terms.id, sizeof terms.id);
    report->epoch = 7;
    for (uint32_t r = 0; r < 100; r++) {
        give_nonce(report, r);
        report->value[0] = 2;
        assert_status(sotto_tally_fold(tally, report), SOTTO_E_INDEX);
        report->value[0] = (int32_t)(r % 2);
        assert_ok(sotto_tally_fold(tally, report));
    }
    double mean[5], first = (double)tally->sum[0] / (double)tally->arm_count[0] * 0x1p-30;
    sotto_tally_mean(tally, mean); /* of the reports of each arm */
    assert_near(mean[0], terms.codebook[SOTTO_PHASE_MAIN].scale * first, 1e-12);
    OWN(sotto_tally) read = read_golden(tally, "tally_arms.bin", golden, &count);
    assert_ok(sotto_tally_merge(tally, read));
    assert_int_equal(sotto_tally_count(tally), 200);
    read->shares[0]--, read->shares[4]++; /* reports of other shares are of other arms */
    assert_status(sotto_tally_merge(tally, read), SOTTO_E_EPOCH);
    golden[44]++; /* the first share: the sum is 2^32 + 1 */
    assert_status(sotto_tally_decode(&terms, golden, count, &none), SOTTO_E_FRAME);
}
