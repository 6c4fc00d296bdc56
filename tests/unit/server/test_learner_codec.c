/* A learner's bytes: damaged, cut, foreign and contradictory ones, what cannot be written, golden bytes.
 * That a learner goes on as if it had not stopped is in test_restart.c. */
#include "core/core.h"
#include "golden.h"
#include "learners.h"
#include "made.h"
#include "scarce.h"
#include "server/server.h"
#include "test.h"
#include "why.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BYTES_MAX 1024
#define CHECK_BYTES 16

typedef enum which { DEFAULT, SPLIT, GLOC, TICKS, MEASURED, MEAN, GOLDEN } which;
static const char *const golden_names[GOLDEN] = {"default", "split",    "gloc",
                                                 "ticks",   "measured", "mean"};

/* A golden learner and its terms. */
typedef struct frame {
    sotto_terms terms;
    uint8_t bytes[BYTES_MAX];
    size_t count;
} frame;

static frame golden_frame(which w)
{
    frame f;
    char name[64];
    uint8_t terms[SOTTO_TERMS_BYTES];
    snprintf(name, sizeof name, "spec_%s.bin", golden_names[w]);
    size_t count = golden_read(name, terms, sizeof terms);
    assert_ok(sotto_terms_decode(terms, count, &f.terms));
    snprintf(name, sizeof name, "learner_%s.bin", golden_names[w]);
    f.count = golden_read(name, f.bytes, sizeof f.bytes);
    return f;
}

/* Puts the hash of what is before it at the end. */
static void seal(uint8_t *bytes, size_t count)
{
    uint8_t hash[SOTTO__DIGEST_BYTES];
    sotto__digest digest;
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, bytes, count - CHECK_BYTES);
    sotto__digest_end(&digest, hash);
    memcpy(bytes + count - CHECK_BYTES, hash, CHECK_BYTES);
}

/* Refused, with a sentence that has these words in it (NULL: any sentence). */
static void assert_decodes_to(const sotto_terms *terms, const uint8_t *bytes, size_t count,
                              sotto_status wanted, const char *words)
{
    sotto_learner *read = (sotto_learner *)&count; /* anything but NULL */
    assert_status(sotto_learner_decode(terms, bytes, count, &read), wanted);
    assert_null(read);
    const char *said = WHY(sotto_learner_bytes_fault, terms, bytes, count);
    assert_non_null(said);
    if (words != NULL && strstr(said, words) == NULL) fail_msg("\"%s\", not \"%s\"", said, words);
}

TEST(every_bit_that_flips_is_seen)
{
    for (which w = 0; w < GOLDEN; w++) {
        frame f = golden_frame(w);
        for (size_t bit = 0; bit < 8 * f.count; bit++) {
            size_t at = bit / 8;
            f.bytes[at] ^= (uint8_t)(1u << bit % 8);
            bool id = at >= 4 && at < 20;
            assert_decodes_to(&f.terms, f.bytes, f.count, id ? SOTTO_E_SPEC : SOTTO_E_FRAME, NULL);
            f.bytes[at] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

TEST(no_other_length_is_read)
{
    for (which w = 0; w < GOLDEN; w++) {
        frame f = golden_frame(w);
        uint8_t bytes[BYTES_MAX];
        for (size_t count = 0; count < f.count + 40; count++) {
            if (count == f.count) continue;
            size_t kept = count < f.count ? count : f.count;
            memset(bytes, 0, sizeof bytes);
            memcpy(bytes, f.bytes, kept);
            assert_decodes_to(&f.terms, bytes, count, SOTTO_E_FRAME, NULL);
            if (count < 20 + CHECK_BYTES) continue;
            seal(bytes, count); /* also if the hash is made to fit */
            assert_decodes_to(&f.terms, bytes, count, SOTTO_E_FRAME, NULL);
        }
    }
}

TEST(a_frame_of_other_terms_or_another_version_is_refused)
{
    for (which w = 0; w < GOLDEN; w++) {
        frame f = golden_frame(w);
        for (which other = 0; other < GOLDEN; other++) {
            if (other == w) continue;
            frame foreign = golden_frame(other);
            assert_decodes_to(&f.terms, foreign.bytes, foreign.count, SOTTO_E_SPEC, "another spec");
            memcpy(foreign.bytes + 4, f.terms.id, SOTTO_SPEC_ID_BYTES);
            seal(foreign.bytes, foreign.count);
            assert_decodes_to(&f.terms, foreign.bytes, foreign.count, SOTTO_E_FRAME, NULL);
        }
        f.bytes[3] = '3';
        seal(f.bytes, f.count);
        assert_decodes_to(&f.terms, f.bytes, f.count, SOTTO_E_FRAME,
                          "version STK3: this library reads STK1 and STK2");
        f.bytes[2] = 'T';
        assert_decodes_to(&f.terms, f.bytes, f.count, SOTTO_E_FRAME, "neither STK1 nor STK2");
    }
}

/* Numbers that are put into a golden frame, and the words of the refusal. */
typedef struct lie {
    which w;
    struct {
        uint32_t at, bytes;
        uint64_t value;
    } put[3];
    const char *words;
} lie;

#define NOT_A_NUMBER UINT64_C(0x7ff8000000000000)
#define INFINITE UINT64_C(0x7ff0000000000000)
#define MINUS_ONE UINT64_C(0xbff0000000000000)

static const lie lies[] = {
    /* blocks */
    {MEASURED, {{20, 4, 2}}, "a block of kind 2: expected 1, learning"},
    {MEASURED, {{24, 4, 65}}, "the block learning has 65 bytes: expected 64"},
    {MEASURED, {{200, 4, 5}}, "a block of kind 5: expected 4, measure"},
    {MEASURED, {{204, 4, UINT32_MAX}}, "the block measure has 4294967295 bytes: expected 80"},
    {GLOC, {{540, 4, 40}}, "the block epoch has 40 bytes: expected 48"},
    {GLOC, {{540, 4, UINT32_MAX}}, "the block epoch has 4294967295 bytes"},
    /* settings */
    {MEASURED, {{28, 8, SOTTO_HORIZON_MAX + 1}}, "horizon = 1000000000001"},
    {MEASURED, {{44, 8, SOTTO_REPORTS_MAX + 1}}, "epoch = 2147483649"},
    {MEASURED, {{52, 4, 2}}, "step = 2"},
    {MEASURED, {{56, 4, 2}}, "project = 2: allowed 0, 1"},
    {MEASURED, {{60, 8, NOT_A_NUMBER}}, "alpha = nan"},
    {MEASURED, {{68, 8, INFINITE}}, "eta0 = inf"},
    {MEASURED, {{76, 8, MINUS_ONE}}, "shift_scale = -1"},
    {MEASURED, {{84, 8, NOT_A_NUMBER}}, "elimination_scale = nan"},
    {DEFAULT, {{36, 8, 1}}, "warm_up = 1: allowed 0 to 0"},
    /* the model */
    {MEASURED, {{103, 1, '2'}}, "the model: the bytes are not"},
    {MEASURED, {{105, 1, 2}}, "the model: the spec does not have this phase"},
    {MEASURED, {{108, 1, 1}}, "the model: the message belongs to another spec"},
    {MEASURED, {{136, 8, NOT_A_NUMBER}}, "the model: the bytes are not"},
    {MEASURED, {{105, 1, 0}}, "phase is warm-up after 64 reports, with a warm-up of 20"},
    {MEASURED, {{36, 8, 65}}, "phase is main after 64 reports, with a warm-up of 65"},
    {MEASURED, {{128, 8, 19}}, "phase is main after 19 reports"},
    {MEASURED, {{128, 8, (UINT64_C(1) << 53) + 1}}, "reports = 9007199254740993: allowed"},
    {MEASURED, {{124, 4, 10}}, "a tally of epoch 7: expected epoch 8"},
    {MEASURED, {{124, 4, 1}}, "a tally of epoch 7: expected epoch 0"},
    /* the estimator */
    {MEASURED, {{184, 8, 0}}, "number 0 of part 0 of the estimator = 0: allowed 1 to"},
    {MEASURED, {{192, 8, INFINITE}}, "number 1 of part 0 of the estimator = inf"},
    {MEASURED, {{192, 8, NOT_A_NUMBER}}, "number 1 of part 0 of the estimator = nan"},
    {SPLIT, {{352, 8, 13}}, "count 0 of part 0 of the estimator = 13: allowed 0 to 12"},
    {SPLIT, {{368, 8, 4}}, "count 2 of part 0 of the estimator = 4: allowed 0 to 3"},
    {SPLIT, {{360, 8, UINT64_MAX}}, "count 1 of part 0"},
    {GLOC, {{352, 8, MINUS_ONE}}, "number 0 of part 0 of the estimator = -1"},
    {GLOC, {{368, 8, INFINITE}}, "number 1 of part 1 of the estimator = inf"},
    {GLOC, {{384, 8, NOT_A_NUMBER}}, "number 1 of part 2 of the estimator = nan"},
    {GLOC, {{480, 8, INFINITE}}, "number 11 of part 3 of the estimator = inf"},
    {GLOC, {{528, 8, NOT_A_NUMBER}}, "number 5 of part 4 of the estimator = nan"},
    /* measure rounds */
    {MEASURED, {{208, 8, 41}}, "pair 0 of measure rounds: 41 reports"},
    {MEASURED, {{216, 8, 42}}, "pair 0 of measure rounds: 40 reports"},
    {MEASURED, {{256, 8, (UINT64_C(1) << 62) + 2}}, "pair 3 of measure rounds"},
    {MEASURED, {{264, 8, UINT64_C(1) << 63}}, "pair 3 of measure rounds"},
    {MEASURED, {{216, 8, UINT64_C(1) << 63}, {232, 8, UINT64_C(1) << 62}}, "pair 0 of measure"},
    {MEASURED, {{224, 8, 42}}, "recent measure rounds are not a subset of all"},
    {MEASURED, {{240, 8, 39}}, "recent measure rounds are not a subset of all"},
    {MEASURED,
     {{216, 8, (uint64_t)-40}, {232, 8, 8}},
     "recent measure rounds are not a subset of all"},
    /* tallies */
    {MEASURED, {{299, 1, '1'}}, "the tally of epoch 7: the bytes are not"},
    {MEASURED, {{300, 1, 1}}, "the tally of epoch 7: the message belongs to another spec"},
    {MEASURED, {{320, 1, 1}}, "the tally of epoch 7: the bytes are not"},
    {MEASURED, {{320, 1, 2}}, "the tally of epoch 7: the spec does not have this phase"},
    {MEASURED, {{324, 8, 0}}, "the tally of epoch 7: the bytes are not"},
    {MEASURED, {{464, 4, 9}}, "a tally of epoch 9: expected epoch 8"},
    {MEASURED, {{36, 8, 0}}, "the tally of epoch 7 is of phase warm-up, the next one of main"},
    {MEASURED,
     {{601, 1, 0}, {620, 8, 0}, {628, 8, 0}},
     "the current tally says that its model does not decide"},
    /* the mean phase: its block at 272, of 48 bytes */
    {MEAN, {{272, 4, 5}}, "a block of kind 5: expected 6, mean"},
    {MEAN, {{276, 4, 56}}, "the block mean has 56 bytes: expected 48"},
    {MEAN, {{280, 8, SOTTO_HORIZON_MAX + 1}}, "mean_phase = 1000000000001"},
    {MEAN, {{288, 8, NOT_A_NUMBER}}, "prior_variance = nan: allowed 1e-12 to 1e12"},
    {MEAN, {{288, 8, 0}}, "prior_variance = 0: allowed 1e-12 to 1e12"},
    {MEAN, {{280, 8, 31}}, "phase is warm-up after 42 reports"},
    {MEAN, {{280, 8, 0}}, "30 reports of the mean phase, of 42, in phase warm-up"},
    {MEAN, {{296, 8, 43}}, "43 reports of the mean phase, of 42"},
    {MEAN, {{296, 8, 1}}, "number 0 of the mean = 20: allowed -n to n, n = 1"},
    {MEAN, {{105, 1, 2}}, "30 reports of the mean phase, of 42, in phase mean"},
    {MEAN, {{105, 1, 1}}, "phase is main after 42 reports, with a warm-up of 40"},
    {MEAN, {{312, 8, NOT_A_NUMBER}}, "number 1 of the mean = nan"},
    {MEAN, {{320, 8, INFINITE}}, "number 2 of the mean = inf"},
    {MEAN, {{184, 8, UINT64_C(0x3ff0000000000000)}}, "g has norm 1.0"},
    {MEAN, {{280, 8, 0}, {296, 8, 0}, {304, 8, 0}}, "number 1 of the mean = -10"},
    {GLOC, {{544, 8, 0}}, "theta_h of the current epoch differs from that of the model"},
    {GLOC, {{544, 8, NOT_A_NUMBER}}, "theta_h of the current epoch differs from that of the model"},
};

TEST(what_contradicts_itself_is_refused_and_named)
{
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        frame f = golden_frame(lies[i].w);
        for (size_t p = 0; p < 3; p++) {
            for (uint32_t b = 0; b < lies[i].put[p].bytes; b++) {
                f.bytes[lies[i].put[p].at + b] = (uint8_t)(lies[i].put[p].value >> 8 * b);
            }
        }
        seal(f.bytes, f.count);
        assert_decodes_to(&f.terms, f.bytes, f.count, SOTTO_E_FRAME, lies[i].words);
    }
}

TEST(weak_terms_are_refused)
{
    frame f = golden_frame(DEFAULT);
    f.terms.codebook[SOTTO_PHASE_MAIN].weight_top *= 2;
    assert_decodes_to(&f.terms, f.bytes, f.count, SOTTO_E_WEAK, sotto_status_text(SOTTO_E_WEAK));
}

static sotto_learner *read_golden(which w)
{
    frame f = golden_frame(w);
    sotto_learner *learner;
    assert_null(WHY(sotto_learner_bytes_fault, &f.terms, f.bytes, f.count));
    assert_ok(sotto_learner_decode(&f.terms, f.bytes, f.count, &learner));
    return learner;
}

TEST(without_memory_there_is_no_learner)
{
    frame f = golden_frame(MEASURED);
    OWN(sotto_learner) learner = NULL;
    uint32_t calls = 0;
    for (sotto_status status = SOTTO_E_MEMORY; status != SOTTO_OK; calls++) {
        calls_left = calls;
        status = sotto_learner_decode(&f.terms, f.bytes, f.count, &learner);
        calls_left = UINT32_MAX;
        assert_true(calls < 100);
        assert_true(status == SOTTO_OK || status == SOTTO_E_MEMORY);
        assert_true((status == SOTTO_OK) == (learner != NULL));
    }
    assert_true(calls > 10);
}

TEST(what_could_not_be_read_is_not_written)
{
    for (which w = 0; w < GOLDEN; w++) {
        OWN(sotto_learner) learner = read_golden(w);
        uint8_t bytes[BYTES_MAX] = {0};
        size_t count = sotto_learner_bytes(learner);
        assert_status(sotto_learner_encode(learner, bytes, count - 1), SOTTO_E_LENGTH);
        assert_int_equal(bytes[0], 0);
        assert_ok(sotto_learner_encode(learner, bytes, count));
        learner->model->theta[1] = NAN;
        assert_status(sotto_learner_encode(learner, bytes, count), SOTTO_E_FAULT);
        learner->model->theta[1] = 0;
        assert_ok(sotto_learner_encode(learner, bytes, count));
        learner->model->reports = UINT64_MAX;
        assert_status(sotto_learner_encode(learner, bytes, count), SOTTO_E_FAULT);
    }
    OWN(sotto_learner) learner = read_golden(GLOC);
    uint8_t bytes[BYTES_MAX];
    sotto__kept kept[SOTTO__KEPT_MAX];
    assert_int_equal(learner->estimator->kept(learner->estimator, kept), 5);
    kept[3].number[0] = INFINITY;
    assert_status(sotto_learner_encode(learner, bytes, sizeof bytes), SOTTO_E_FAULT);
}

/* The files are made from the head of learner_codec.c alone, by make_learner.py. */
TEST(golden_learners_are_read_and_written_as_they_are)
{
    for (which w = 0; w < GOLDEN; w++) {
        frame f = golden_frame(w);
        OWN(sotto_learner) learner = read_golden(w);
        uint8_t bytes[BYTES_MAX];
        assert_int_equal(sotto_learner_bytes(learner), f.count);
        assert_ok(sotto_learner_encode(learner, bytes, sizeof bytes));
        assert_memory_equal(bytes, f.bytes, f.count);
    }
}

TEST(golden_learners_have_what_the_files_say)
{
    static const struct {
        uint32_t epoch;
        uint64_t reports, taken, wanted, repairs;
        double theta;
    } rows[GOLDEN] = {
        [DEFAULT] = {3, 1000, 2, 61, 0, -4.5 / 16}, /* 0.25 B sqrt t, B = 7.84 */
        [SPLIT] = {6, 12, 3, 2, 0, 0},
        [GLOC] = {5, 40, 1, 1, 1, 0.5},
        [TICKS] = {UINT32_MAX, 9, 0, 1, 3, 0.25},
        [MEASURED] = {9, 64, 3, 1, 0, 0.5},
        [MEAN] = {4, 42, 2, 28, 0, 0.5}, /* 30 of the mean phase, 12 of 40 of the warm-up */
    };
    for (which w = 0; w < GOLDEN; w++) {
        OWN(sotto_learner) learner = read_golden(w);
        assert_ints(sotto_learner_model(learner)->epoch, rows[w].epoch,
                    sotto_learner_model(learner)->reports, rows[w].reports,
                    sotto_learner_taken(learner), rows[w].taken, sotto_learner_wanted(learner),
                    rows[w].wanted, sotto_learner_repairs(learner), rows[w].repairs);
        assert_true(sotto_learner_model(learner)->theta[0] == rows[w].theta);
    }
}

TEST(golden_measure_rounds_and_late_tallies_are_there)
{
    OWN(sotto_learner) learner = read_golden(MEASURED);
    sotto_measurement m;
    sotto_arm_measurement a;
    int64_t sum;
    assert_ok(sotto_learner_measure(learner, 0.05, &m));
    assert_ints(m.follow_count, 40, m.control_count, 38, m.recent_follow_count, 8,
                m.recent_control_count, 7, learner->measures.control.sum, -2,
                learner->measures.doublings, 6);
    assert_ok(sotto_learner_measure_arm(learner, 0.05, 1, &a));
    assert_int_equal(a.count, 18);
    const sotto_tally *oldest = learner->open[7 % 3].tally, *current = learner->open[9 % 3].tally;
    assert_ints(oldest->phase, SOTTO_PHASE_WARM_UP, sotto_tally_arm_count(oldest, 1), 1,
                sotto_tally_measured(oldest, SOTTO_ROLE_CONTROL, 1, &sum), 2, current->epoch, 9,
                sotto_tally_measured(current, SOTTO_ROLE_FOLLOW, 0, &sum), 3, sum, -1);
}
