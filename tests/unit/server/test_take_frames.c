/* Frames taken together are the reports taken one by one; a bad one is refused by itself. */
#include "core/core.h"
#include "kinds.h"
#include "learners.h"
#include "made.h"
#include "reports.h"
#include "server/server.h"
#include "test.h"

#include <string.h>

#define COUNT 6
#define FRAME_BYTES_MAX 256

typedef struct mail {
    sotto_terms terms;
    sotto_learner *together, *alone;
    size_t frame_bytes;
    uint8_t frames[COUNT * FRAME_BYTES_MAX];
} mail;

static mail mail_of(kind k)
{
    mail m = {.terms = resolved_of(k)};
    tape random = tape_seeded(7);
    sotto_learning learning = sotto_learning_default(&m.terms, 1000);
    learning.warm_up = 0;
    m.frame_bytes = sotto_report_bytes(&m.terms);
    assert_true(m.frame_bytes <= FRAME_BYTES_MAX);
    assert_ok(sotto_learner_new(&m.terms, &learning, &m.together));
    assert_ok(sotto_learner_new(&m.terms, &learning, &m.alone));
    for (size_t i = 0; i < COUNT; i++) {
        OWN(sotto_report) report = random_report(&m.terms, 0, SOTTO_PHASE_MAIN, &random);
        assert_ok(
            sotto_report_encode(&m.terms, report, m.frames + i * m.frame_bytes, m.frame_bytes));
    }
    return m;
}

static void mail_free(mail *m)
{
    sotto_learner_free(m->together);
    sotto_learner_free(m->alone);
}

static const sotto_tally *tally_of(const sotto_learner *learner)
{
    return learner->open[0].tally;
}

TEST(frames_of_no_whole_number_are_refused_whole)
{
    HELD(mail) m = mail_of(SHARED);
    sotto_status status = SOTTO_E_MEMORY; /* not touched */
    assert_status(sotto_learner_take_frames(m.together, m.frames, m.frame_bytes - 1, &status),
                  SOTTO_E_LENGTH);
    assert_status(sotto_learner_take_frames(m.together, m.frames, m.frame_bytes + 1, &status),
                  SOTTO_E_LENGTH);
    assert_status(status, SOTTO_E_MEMORY);
    assert_int_equal(sotto_learner_taken(m.together), 0);
    assert_ok(sotto_learner_take_frames(m.together, m.frames, 0, &status));
}

TEST(a_bad_frame_is_refused_by_itself)
{
    HELD(mail) m = mail_of(SHARED);
    sotto_status status[COUNT];
    m.frames[1 * m.frame_bytes] ^= 1;      /* no report */
    m.frames[3 * m.frame_bytes + 4] ^= 1;  /* of another spec */
    m.frames[4 * m.frame_bytes + 20] ^= 1; /* of another epoch */
    assert_status(sotto_learner_take_frames(m.together, m.frames, COUNT * m.frame_bytes, status),
                  status[1]);
    assert_status(status[0], SOTTO_OK);
    assert_true(status[1] != SOTTO_OK && status[1] != status[3]);
    assert_status(status[2], SOTTO_OK);
    assert_status(status[3], SOTTO_E_SPEC);
    assert_status(status[4], SOTTO_E_EPOCH);
    assert_status(status[5], SOTTO_OK);
    assert_int_equal(sotto_learner_taken(m.together), 3);
}

TEST(frames_taken_together_are_reports_taken_one_by_one)
{
    for (kind k = 0; k < KINDS; k++) {
        HELD(mail) m = mail_of(k);
        uint32_t count, count_alone;
        sotto_report *report = made_report(&m.terms);
        assert_ok(sotto_learner_take_frames(m.together, m.frames, COUNT * m.frame_bytes, NULL));
        for (size_t i = 0; i < COUNT; i++) {
            assert_ok(
                sotto_report_decode(&m.terms, m.frames + i * m.frame_bytes, m.frame_bytes, report));
            assert_ok(sotto_learner_take(m.alone, report));
        }
        const int64_t *sums = sotto_tally_sums(tally_of(m.together), &count);
        const int64_t *sums_alone = sotto_tally_sums(tally_of(m.alone), &count_alone);
        assert_int_equal(count, count_alone);
        assert_memory_equal(sums, sums_alone, count * sizeof sums[0]);
        assert_int_equal(sotto_learner_taken(m.together), COUNT);
    }
}

TEST(frames_are_taken_up_to_the_first_that_is_refused)
{
    HELD(mail) m = mail_of(SHARED);
    m.frames[3 * m.frame_bytes + 4] ^= 1;
    assert_int_equal(sotto__learner_take_until(m.together, m.frames, COUNT), 3);
    assert_int_equal(sotto_learner_taken(m.together), 3);
    assert_int_equal(sotto__learner_take_until(m.together, m.frames, 2), 2);
    assert_int_equal(sotto_learner_taken(m.together), 5);
}

/* ---- each once ----------------------------------------------------------------------------- */

static sotto_nonce_set *set_of(const sotto_terms *terms, uint32_t capacity)
{
    static const uint8_t key[SOTTO_NONCE_KEY_BYTES] = {3, 1, 4};
    sotto_nonce_set *set;
    assert_ok(sotto_nonce_set_new(terms, key, capacity, &set));
    return set;
}

TEST(a_frame_that_is_refused_is_not_known)
{
    HELD(mail) m = mail_of(SHARED);
    OWN(sotto_nonce_set) set = set_of(&m.terms, COUNT - 2);
    sotto_status status[COUNT] = {SOTTO_E_MEMORY};
    sotto_seen seen[COUNT];
    size_t each = m.frame_bytes, all = COUNT * each;
    assert_status(sotto_learner_take_frames_once(m.together, set, m.frames, each + 1, status, seen),
                  SOTTO_E_LENGTH);
    assert_status(status[0], SOTTO_E_MEMORY);                      /* not touched */
    const size_t bad[3] = {1 * each, 2 * each + 4, 3 * each + 20}; /* no report, spec, epoch */
    for (uint32_t i = 0; i < 3; i++) {
        m.frames[bad[i]] ^= 1;
    }
    assert_status(sotto_learner_take_frames_once(m.together, set, m.frames, all, status, seen),
                  status[1]);
    assert_true(status[1] != SOTTO_OK && status[1] != SOTTO_E_SPEC);
    assert_status(status[2], SOTTO_E_SPEC);
    assert_status(status[3], SOTTO_E_EPOCH);
    assert_int_equal(sotto_nonce_set_count(set), 3);
    for (uint32_t i = 0; i < 3; i++) {
        m.frames[bad[i]] ^= 1;
        assert_int_equal(seen[i + 1], SOTTO_SEEN_NEW);
    }
    /* One more fits into the set; what does not is not taken. */
    assert_status(sotto_learner_take_frames_once(m.together, set, m.frames, all, status, seen),
                  SOTTO_E_FULL);
    const sotto_status wanted[COUNT] = {[2] = SOTTO_E_FULL, [3] = SOTTO_E_FULL};
    assert_memory_equal(status, wanted, sizeof wanted);
    assert_int_equal(sotto_learner_taken(m.together), COUNT - 2);
}

/* The learner is asked first: what it refuses is neither kept in the set nor looked up there. */
TEST(the_set_never_hears_of_what_the_learner_refuses)
{
    HELD(mail) m = mail_of(TICKS);
    OWN(sotto_nonce_set) set = set_of(&m.terms, COUNT);
    const size_t each = m.frame_bytes, value_at = each - 4;
    uint8_t liar[FRAME_BYTES_MAX];
    sotto_status status;
    sotto_seen seen;
    memcpy(liar, m.frames, each);
    sotto__put_u32(liar + value_at, INT32_MAX); /* well-formed, and more than honest noise makes */
    for (uint32_t turn = 0; turn < 2;
         turn++) { /* before the honest one of the same nonce, and after */
        assert_status(sotto_learner_take_frames_once(m.together, set, liar, each, &status, &seen),
                      SOTTO_E_TICK);
        assert_status(status, SOTTO_E_TICK);
        assert_ints(seen, SOTTO_SEEN_NEW, sotto_nonce_set_count(set), turn);
        assert_ok(sotto_learner_take_frames_once(m.together, set, m.frames, each, &status, &seen));
        assert_int_equal(seen, turn == 0 ? SOTTO_SEEN_NEW : SOTTO_SEEN_SAME);
        assert_int_equal(sotto_learner_taken(m.together), 1);
    }
}

/* What is taken and known of frames one by one, by the calls for one. */
static sotto_status take_alone(mail *m, sotto_nonce_set *set, const uint8_t *frame,
                               sotto_report *report, sotto_seen *seen)
{
    sotto_status status = sotto_report_decode(&m->terms, frame, m->frame_bytes, report);
    if (status == SOTTO_OK) status = sotto_learner_check(m->alone, report);
    if (status == SOTTO_OK) status = sotto_nonce_set_see(set, report, frame, m->frame_bytes, seen);
    return status == SOTTO_OK && *seen == SOTTO_SEEN_NEW ? sotto_learner_take(m->alone, report)
                                                         : status;
}

TEST(frames_taken_once_together_are_those_taken_once_one_by_one)
{
    for (kind k = 0; k < KINDS; k++) {
        HELD(mail) m = mail_of(k);
        OWN(sotto_nonce_set) set = set_of(&m.terms, 10), *set_alone = set_of(&m.terms, 10);
        size_t each = m.frame_bytes;
        sotto_report *report = made_report(&m.terms);
        memcpy(m.frames + 2 * each, m.frames, each); /* again */
        m.frames[3 * each] ^= 1;                     /* no report */
        memcpy(m.frames + 5 * each + 24, m.frames + 4 * each + 24, SOTTO_NONCE_BYTES); /* other */
        sotto_status status[COUNT];
        sotto_seen seen[COUNT];
        for (uint32_t turn = 0; turn < 2; turn++) { /* in the second all are known */
            (void)!sotto_learner_take_frames_once(m.together, set, m.frames, COUNT * each, status,
                                                  seen);
            for (size_t i = 0; i < COUNT; i++) {
                sotto_seen known = SOTTO_SEEN_NEW;
                assert_status(status[i],
                              take_alone(&m, set_alone, m.frames + i * each, report, &known));
                assert_int_equal(seen[i], known);
            }
            assert_int_equal(seen[2], SOTTO_SEEN_SAME);
            assert_int_equal(seen[0], turn == 0 ? SOTTO_SEEN_NEW : SOTTO_SEEN_SAME);
        }
        assert_int_equal(sotto_nonce_set_count(set), sotto_nonce_set_count(set_alone));
        assert_true(learners_have_same_bytes(m.together, m.alone));
    }
}

/* ---- and out again ------------------------------------------------------------------------- */

/* Of every method, phase and role, with late reports. */
TEST(frames_that_are_taken_out_again_leave_nothing)
{
    tape random = tape_seeded(11);
    sotto_terms terms;
    sotto_learning learning;
    for (uint32_t c = 0; c < LEARNER_CASES; c++) {
        if (!learner_case(c, &terms, &learning)) continue;
        sotto_learner *learner = made_learner(&terms, &learning);
        sotto_learner *other = made_learner(&terms, &learning);
        uint8_t frame[4096];
        size_t bytes = sotto_report_bytes(&terms);
        assert_true(bytes <= sizeof frame);
        for (uint32_t i = 0; i < 30; i++) {
            OWN(sotto_report) report = report_for(learner, &random);
            bool good = sotto_learner_check(learner, report) == SOTTO_OK;
            assert_ok(sotto_report_encode(&terms, report, frame, bytes));
            if (good) {
                assert_int_equal(sotto__learner_take_until(learner, frame, 1), 1);
                if (i % 2 == 0) assert_int_equal(sotto__learner_take_until(other, frame, 1), 1);
                if (i % 2 == 1) sotto__learner_untake(learner, frame, 1);
            }
            if (i % 10 == 9) {
                assert_true(learners_have_same_bytes(learner, other));
                assert_int_equal(sotto_learner_taken(learner), sotto_learner_taken(other));
                assert_ok(sotto_learner_publish(learner));
                assert_ok(sotto_learner_publish(other));
            }
        }
    }
}
