/* Folding: refusals change nothing, and each kind of report lands where its codewords say. */
#include "borrowed.h"
#include "core/core.h"
#include "kinds.h"
#include "made.h"
#include "reports.h"
#include "server/server.h"
#include "tape.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EPOCH 9
#define SUMS_MAX 27

static sotto_tally *new_tally(const sotto_terms *terms, sotto_phase phase)
{
    return made_tally(terms, EPOCH, phase, false);
}

static void add(const sotto_terms *terms, sotto_phase phase, const sotto_report *report,
                uint32_t slot, uint32_t codebook_arm, int sign, int64_t *sum)
{
    int32_t z[ARMS * DIM];
    assert_ok(sotto_codebook_expand(&terms->codebook[phase], terms->stream_key, report->nonce,
                                    (uint32_t)report->value[slot], codebook_arm, z));
    for (uint32_t j = 0; j < terms->codebook[phase].dim; j++) {
        sum[j] += sign * (int64_t)z[j];
    }
}

/* What a report adds, by the table at the head of fold.c. */
static void plain_fold(kind k, const sotto_terms *terms, sotto_phase phase,
                       const sotto_report *report, int64_t *sum, uint64_t *arm_count)
{
    uint32_t assigned = sotto__assigned_arm(terms, report->nonce);
    int8_t sign[ARMS];
    sotto__arm_signs(terms, report->nonce, sign);
    if (k == PER_ARM_TICKS && phase == SOTTO_PHASE_WARM_UP) {
        uint32_t block = report->count / ARMS; /* the others hold nothing but noise */
        for (uint32_t i = 0; i < block; i++) {
            sum[assigned * block + i] += report->value[assigned * block + i];
        }
        arm_count[assigned]++;
    } else if (k == TICKS || k == PER_ARM_TICKS) {
        for (uint32_t i = 0; i < report->count; i++) {
            sum[i] += report->value[i];
        }
    } else if (phase == SOTTO_PHASE_WARM_UP) {
        uint32_t slot = k == SPLIT ? assigned : 0;
        add(terms, phase, report, slot, slot, 1, sum + assigned * DIM);
        arm_count[assigned]++;
    } else if (k == TAGS) {
        uint32_t i = (uint32_t)report->value[0];
        uint32_t tag = (i >= 129 ? i - 129 : i) % ARMS;
        add(terms, phase, report, 0, 0, 1, sum + tag * DIM);
        arm_count[tag]++;
    } else if (k == SIGNS || k == SPLIT) {
        for (uint32_t arm = 0; arm < ARMS; arm++) {
            uint32_t slot = k == SPLIT ? arm : 0;
            add(terms, phase, report, slot, slot, k == SIGNS ? sign[arm] : 1, sum + arm * DIM);
        }
    } else {
        add(terms, phase, report, 0, 0, 1, sum);
    }
}

static void assert_untouched(const sotto_tally *tally, const uint8_t *before)
{
    uint8_t after[1024];
    assert_ok(sotto_tally_encode(tally, after, sizeof after));
    assert_memory_equal(after, before, sotto_tally_bytes(tally));
}

TEST(reports_that_do_not_belong_are_refused_and_change_nothing)
{
    tape random = tape_seeded(41);
    for (int k = 0; k < KINDS; k++) {
        sotto_terms terms = resolved_of((kind)k);
        sotto_tally *tally = new_tally(&terms, SOTTO_PHASE_MAIN);
        OWN(sotto_report) report = random_report(&terms, EPOCH, SOTTO_PHASE_MAIN, &random);
        uint8_t before[1024];
        assert_ok(sotto_tally_fold(tally, report));
        assert_ok(sotto_tally_encode(tally, before, sizeof before));
        assert_status(sotto_tally_fold(NULL, report), SOTTO_E_ARGUMENT);
        assert_status(sotto_tally_fold(tally, NULL), SOTTO_E_ARGUMENT);
        report->spec_id[15] ^= 1;
        assert_status(sotto_tally_fold(tally, report), SOTTO_E_SPEC);
        report->spec_id[15] ^= 1;
        report->epoch = EPOCH + 1;
        assert_status(sotto_tally_fold(tally, report), SOTTO_E_EPOCH);
        report->epoch = EPOCH - 1;
        assert_status(sotto_tally_fold(tally, report), SOTTO_E_EPOCH);
        report->epoch = EPOCH;
        report->count--;
        assert_status(sotto_tally_fold(tally, report), SOTTO_E_LENGTH);
        report->count += 2;
        assert_status(sotto_tally_fold(tally, report), SOTTO_E_LENGTH);
        report->count--;
        assert_untouched(tally, before);
    }
}

TEST(an_index_beyond_the_codebook_is_refused_in_every_slot)
{
    tape random = tape_seeded(42);
    for (int k = SHARED; k <= SPLIT; k++) {
        sotto_terms terms = resolved_of((kind)k);
        sotto_tally *tally = new_tally(&terms, SOTTO_PHASE_MAIN);
        OWN(sotto_report) report = random_report(&terms, EPOCH, SOTTO_PHASE_MAIN, &random);
        const int32_t size = (int32_t)terms.codebook[SOTTO_PHASE_MAIN].size;
        const int32_t bad[] = {size, size + 1, 65535, INT32_MAX, -1, INT32_MIN};
        uint8_t before[1024];
        assert_ok(sotto_tally_encode(tally, before, sizeof before));
        for (uint32_t at = 0; at < 6 * report->count; at++) {
            int32_t good = report->value[at / 6];
            report->value[at / 6] = bad[at % 6];
            assert_status(sotto_tally_fold(tally, report), SOTTO_E_INDEX);
            report->value[at / 6] = good;
        }
        assert_untouched(tally, before);
        assert_ok(sotto_tally_fold(tally, report));
    }
}

TEST(an_index_is_held_to_the_codebook_of_its_own_phase)
{
    tape random = tape_seeded(43);
    sotto_terms terms = resolved_of(TAGS);
    sotto_tally *warm_up = new_tally(&terms, SOTTO_PHASE_WARM_UP);
    sotto_tally *main_phase = new_tally(&terms, SOTTO_PHASE_MAIN);
    OWN(sotto_report) report = random_report(&terms, EPOCH, SOTTO_PHASE_MAIN, &random);
    for (report->value[0] = 256; report->value[0] < 258; report->value[0]++) {
        assert_status(sotto_tally_fold(warm_up, report), SOTTO_E_INDEX);
        assert_ok(sotto_tally_fold(main_phase, report));
    }
    report->value[0] = 255;
    assert_ok(sotto_tally_fold(warm_up, report));
    assert_ints(sotto_tally_count(warm_up), 1, sotto_tally_count(main_phase), 2);
}

TEST(a_full_tally_takes_no_more)
{
    tape random = tape_seeded(44);
    sotto_terms terms = resolved_of(SHARED);
    sotto_tally *tally = new_tally(&terms, SOTTO_PHASE_MAIN);
    OWN(sotto_report) report = random_report(&terms, EPOCH, SOTTO_PHASE_MAIN, &random);
    tally->count = SOTTO_REPORTS_MAX - 1;
    assert_ok(sotto_tally_fold(tally, report));
    uint8_t before[1024];
    assert_ok(sotto_tally_encode(tally, before, sizeof before));
    assert_status(sotto_tally_fold(tally, report), SOTTO_E_FULL);
    assert_untouched(tally, before);
    tally->count = SOTTO_REPORTS_MAX - 5; /* measure rounds take place, too */
    tally->measured = 5;
    assert_status(sotto_tally_fold(tally, report), SOTTO_E_FULL);
    tally->measured = 4;
    assert_ok(sotto_tally_fold(tally, report));
}

TEST(every_kind_and_phase_adds_its_codewords_where_they_belong)
{
    tape random = tape_seeded(45);
    for (int at = 0; at < KINDS * 2; at++) {
        kind k = (kind)(at / 2);
        sotto_phase phase = k == SHARED || k == TICKS ? SOTTO_PHASE_MAIN : (sotto_phase)(at % 2);
        sotto_terms terms = resolved_of(k);
        sotto_tally *tally = new_tally(&terms, phase);
        int64_t sum[SUMS_MAX] = {0};
        uint64_t arm_count[ARMS] = {0};
        for (int i = 0; i < 300; i++) {
            OWN(sotto_report) report = random_report(&terms, EPOCH, phase, &random);
            assert_ok(sotto_tally_fold(tally, report));
            plain_fold(k, &terms, phase, report, sum, arm_count);
        }
        const uint32_t wanted[] = {DIM, 9, 9, 9, 9, 9, 27};
        uint32_t count;
        const int64_t *sums = sotto_tally_sums(tally, &count);
        assert_int_equal(count, wanted[k]);
        assert_memory_equal(sums, sum, count * sizeof sum[0]);
        assert_int_equal(sotto_tally_count(tally), 300);
        bool counts = phase == SOTTO_PHASE_WARM_UP || k == TAGS;
        assert_int_equal(sotto__tally_counts_arms(tally), counts);
        for (uint32_t arm = 0; arm < ARMS; arm++) {
            assert_int_equal(sotto_tally_arm_count(tally, arm), counts ? arm_count[arm] : 300);
        }
        assert_int_equal(sotto_tally_arm_count(tally, ARMS), 0);
    }
}

/* Gaussian: clip + 7.5 sigma. Laplace: clip + b ln(D/1e-9). */
TEST(ticks_that_no_honest_report_has_are_refused)
{
    for (int law = 0; law < 2; law++) {
        sotto_spec spec = resolved_of(PER_ARM_TICKS).spec;
        if (law == 1) spec.noise_law = SOTTO_NOISE_LAPLACE, spec.delta = 0;
        sotto_terms terms = resolved(&spec);
        const sotto_lattice *lattice = &terms.lattice;
        double scales = law == 1 ? log(27 / 1e-9) : 7.5;
        int32_t largest = (int32_t)(lattice->clip_ticks + scales * lattice->scale_ticks);
        sotto_tally *tally = new_tally(&terms, SOTTO_PHASE_MAIN);
        OWN(sotto_report) report = NULL;
        assert_ok(sotto_report_new(&terms, &report));
        report->epoch = EPOCH;
        const int32_t beyond[] = {largest + 1, -largest - 1, INT32_MAX, INT32_MIN};
        for (int i = 0; i < 8; i++) {
            report->value[i % 2 * 26] = beyond[i / 2];
            assert_status(sotto_tally_fold(tally, report), SOTTO_E_TICK);
            report->value[i % 2 * 26] = 0;
        }
        assert_int_equal(sotto_tally_count(tally), 0);
        report->value[0] = largest, report->value[26] = -largest;
        assert_ok(sotto_tally_fold(tally, report));
    }
}

TEST(order_and_splitting_over_tallies_do_not_matter)
{
    enum { REPORTS = 60 };
    tape random = tape_seeded(46);
    for (int k = 0; k < KINDS; k++) {
        sotto_terms terms = resolved_of((kind)k);
        sotto_report *reports[REPORTS];
        sotto_tally *tally[5]; /* forwards, backwards, and three parts */
        uint8_t frame[1024], other[1024];
        for (int t = 0; t < 5; t++) {
            tally[t] = new_tally(&terms, SOTTO_PHASE_MAIN);
        }
        for (int i = 0; i < REPORTS; i++) {
            reports[i] = random_report(&terms, EPOCH, SOTTO_PHASE_MAIN, &random);
            assert_ok(sotto_tally_fold(tally[0], reports[i]));
            assert_ok(sotto_tally_fold(tally[2 + i % 3], reports[i]));
        }
        for (int i = REPORTS - 1; i >= 0; i--) {
            assert_ok(sotto_tally_fold(tally[1], reports[i]));
            sotto_report_free(reports[i]);
        }
        assert_ok(sotto_tally_merge(tally[4], tally[2]));
        assert_ok(sotto_tally_merge(tally[4], tally[3]));
        assert_ok(sotto_tally_encode(tally[0], frame, sizeof frame));
        assert_ok(sotto_tally_encode(tally[1], other, sizeof other));
        assert_memory_equal(frame, other, sotto_tally_bytes(tally[0]));
        assert_ok(sotto_tally_encode(tally[4], other, sizeof other));
        assert_memory_equal(frame, other, sotto_tally_bytes(tally[0]));
        for (int t = 0; t < 5; t++) {
        }
    }
}

/* ---- version 2 ----------------------------------------------------------------------------- */

static sotto_terms second_version(double epsilon, uint32_t measure)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = DIM, spec.arms = ARMS, spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    spec.epsilon = epsilon, spec.measure = measure;
    sotto_terms terms = resolved(&spec);
    return terms;
}

/* Signs at epsilon 1, tags at 5. */
TEST(nulls_are_counted_and_add_nothing)
{
    tape random = tape_seeded(9);
    for (int at = 0; at < 4; at++) {
        sotto_terms terms = second_version(at / 2 == 0 ? 1 : 5, 0);
        sotto_phase phase = (sotto_phase)(at % 2);
        sotto_codebook *codebook = &terms.codebook[phase];
        codebook->nulls = codebook->top; /* with three arms warm-up would have none */
        assert_int_equal(codebook->groups > 1, at == 3);
        sotto_tally *tally = new_tally(&terms, phase);
        OWN(sotto_report) report = random_report(&terms, EPOCH, phase, &random);
        const uint32_t indices[] = {codebook->size - 1, codebook->size,
                                    codebook->size + codebook->nulls - 1};
        for (int i = 0; i < 3; i++) {
            report->value[0] = (int32_t)indices[i];
            assert_ok(sotto_tally_fold(tally, report));
        }
        int64_t sum = 0, size = 0;
        for (uint32_t i = 0; i < tally->sums_count; i++) {
            sum = tally->sum[i] * tally->sum[i] >> 10;
            size += sum;
        }
        uint64_t rows = at % 2 == 1 && at != 3 ? ARMS : 1;       /* signs add to all arms */
        assert_near((double)size, (double)(rows << 50), 0x1p30); /* one unit codeword each */
        assert_ints(sotto_tally_count(tally), 3, sotto_tally_heard(tally), 1);
        uint64_t of_arms = 0;
        for (uint32_t arm = 0; arm < ARMS; arm++) {
            of_arms += sotto_tally_arm_count(tally, arm);
        }
        assert_int_equal(of_arms, phase == SOTTO_PHASE_WARM_UP ? 3 : at == 3 ? 1 : 3 * ARMS);
        report->value[0] = (int32_t)(codebook->size + codebook->nulls);
        assert_status(sotto_tally_fold(tally, report), SOTTO_E_INDEX);
    }
}

/* A report with a nonce of the role; index 0. */
static sotto_report *report_in(const sotto_terms *terms, sotto_role role, tape *random)
{
    sotto_report *report = random_report(terms, EPOCH, SOTTO_PHASE_MAIN, random);
    while (sotto__role_of(terms, report->nonce, true) != role) {
        assert_ok(random->rng.fill(&random->rng, report->nonce, sizeof report->nonce));
    }
    report->value[0] = 0;
    return report;
}

TEST(measure_rounds_are_added_up_by_role_and_arm)
{
    tape random = tape_seeded(10);
    const sotto_terms terms = second_version(1, 1u << 31);
    const sotto_codebook line = sotto__measure_codebook(&terms.codebook[SOTTO_PHASE_MAIN]);
    sotto_tally *tally = made_tally(&terms, EPOCH, SOTTO_PHASE_MAIN, true);
    int64_t wanted[2][ARMS] = {{0}}, sum;
    uint64_t counts[2][ARMS] = {{0}};
    for (int i = 0; i < 300; i++) {
        int follow = i % 3 == 0;
        sotto_report *report =
            report_in(&terms, follow ? SOTTO_ROLE_FOLLOW : SOTTO_ROLE_CONTROL, &random);
        uint32_t arm = follow ? 0 : sotto__assigned_arm(&terms, report->nonce);
        int32_t z;
        report->value[0] = i % 2;
        assert_ok(
            sotto_codebook_expand(&line, terms.stream_key, report->nonce, (uint32_t)i % 2, 0, &z));
        assert_true(z == 1 << 30 || z == -(1 << 30));
        wanted[follow][arm] += z > 0 ? 1 : -1;
        counts[follow][arm]++;
        assert_ok(sotto_tally_fold(tally, report));
        sotto_report_free(report);
    }
    assert_int_equal(sotto_tally_count(tally), 0); /* none of them is learnt from */
    for (uint32_t i = 0; i < tally->sums_count; i++) {
        assert_int_equal(tally->sum[i], 0);
    }
    assert_int_equal(sotto_tally_measured(tally, SOTTO_ROLE_FOLLOW, 0, &sum), counts[1][0]);
    assert_int_equal(sum, wanted[1][0]);
    for (uint32_t arm = 0; arm < ARMS; arm++) {
        assert_ints(sotto_tally_measured(tally, SOTTO_ROLE_CONTROL, arm, &sum), counts[0][arm], sum,
                    wanted[0][arm]);
        assert_true(counts[0][arm] > 30);
    }
    assert_int_equal(sotto_tally_measured(tally, SOTTO_ROLE_CONTROL, ARMS, &sum), 0);
    assert_int_equal(sotto_tally_measured(tally, SOTTO_ROLE_FOLLOW, 1, &sum), 0);
    assert_int_equal(sotto_tally_measured(tally, SOTTO_ROLE_LEARN, 0, &sum), 0);
}

TEST(a_measure_round_has_two_indices_only)
{
    tape random = tape_seeded(11);
    const sotto_terms terms = second_version(1, 1u << 31);
    sotto_tally *tally, *idle;
    assert_ok(sotto__tally_new(&terms, EPOCH, SOTTO_PHASE_MAIN, true, &tally));
    assert_ok(sotto__tally_new(&terms, EPOCH, SOTTO_PHASE_MAIN, false, &idle));
    OWN(sotto_report) report = report_in(&terms, SOTTO_ROLE_FOLLOW, &random);
    const int32_t bad[] = {2, 63, -1, INT32_MIN};
    for (int i = 0; i < 4; i++) {
        report->value[0] = bad[i];
        assert_status(sotto_tally_fold(tally, report), SOTTO_E_INDEX);
    }
    assert_int_equal(tally->measured, 0);
    report->value[0] = 63; /* the same nonce where nobody follows: a score */
    assert_ok(sotto_tally_fold(idle, report));
    assert_int_equal(sotto_tally_count(idle), 1);
    assert_status(sotto_tally_merge(tally, idle), SOTTO_E_PHASE);
    sotto_tally_free(tally);
    sotto_tally_free(idle);
}

/* Under split a measure round has one index that speaks; the others are 0. */
TEST(a_measure_round_of_split_arms_says_nothing_else)
{
    tape random = tape_seeded(12);
    sotto_spec spec = resolved_of(SPLIT).spec;
    spec.measure = 1u << 31;
    sotto_terms terms = resolved(&spec);
    sotto_tally *tally = made_tally(&terms, EPOCH, SOTTO_PHASE_MAIN, true);
    OWN(sotto_report) report = report_in(&terms, SOTTO_ROLE_CONTROL, &random);
    memset(report->value, 0, report->count * sizeof report->value[0]);
    for (uint32_t i = 1; i < report->count; i++) {
        report->value[i] = 1;
        assert_status(sotto_tally_fold(tally, report), SOTTO_E_INDEX);
        report->value[i] = 0;
    }
    report->value[0] = 1;
    assert_ok(sotto_tally_fold(tally, report));
    assert_int_equal(tally->measured, 1);
}
