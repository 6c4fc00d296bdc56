/* Harm and the fallback: bad settings, numbers by hand, what fires, what is served, how it ends, its bytes. */
#include "core/core.h"
#include "golden.h"
#include "learners.h"
#include "made.h"
#include "server/server.h"
#include "test.h"
#include "why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARMS 3
#define SHARE 0.1

static sotto_terms terms_of(double share)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2, spec.arms = ARMS, spec.epsilon = 2, spec.measure = (uint32_t)rint(share * 0x1p32);
    spec.reward_lo = 0, spec.reward_hi = 4, spec.epoch_lag_max = 1;
    sotto_terms terms = resolved(&spec);
    return terms;
}

/* Its model decides. */
static sotto_learner *learner_with(uint32_t fallback)
{
    const sotto_terms terms = terms_of(SHARE);
    sotto_learning learning = sotto_learning_default(&terms, 0);
    learning.fallback = fallback, learning.epoch = 500;
    sotto_learner *learner = made_learner(&terms, &learning);
    learner->model->tbar[0] = learner->model->theta[0] = 0.5;
    learner->open[0].tally->decides = true;
    return learner;
}

/* The measure rounds of 9 people in 10 learners: `n` of each role, with these sums, as honest role counts. */
static void measure(sotto_learner *learner, uint64_t n, int64_t follow, int64_t control)
{
    sotto_tally *tally = sotto__learner_epoch(learner, learner->model->epoch)->tally;
    tally->follow = (sotto__measured){n, follow};
    tally->control[1] = (sotto__measured){n / 2, control / 2};
    tally->control[2] = (sotto__measured){n - n / 2, control - control / 2};
    tally->measured = 2 * n;
    if (!tally->served) tally->count = tally->heard = 18 * n;
}

static sotto_harm harm_of(const sotto_learner *learner)
{
    sotto_harm harm;
    assert_ok(sotto_learner_harm(learner, &harm));
    return harm;
}

TEST(bad_fallbacks_are_refused)
{
    const struct {
        double share;
        uint32_t fallback;
        const char *fault;
    } rows[] = {
        {SHARE, ARMS + 1, "fallback = 3: allowed arms 0 to 2, random, none"},
        {SHARE, UINT32_MAX - 1, "fallback = 4294967293: allowed arms 0 to 2, random, none"},
        {0, 1,
         "fallback = 0: allowed only none while measure is 0, because only measure rounds can show "
         "harm"},
        {0, SOTTO_FALLBACK_RANDOM,
         "fallback = random: allowed only none while measure is 0, because only measure rounds can "
         "show harm"},
        {SHARE, ARMS, NULL},
        {SHARE, SOTTO_FALLBACK_RANDOM, NULL},
        {0, 0, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const sotto_terms terms = terms_of(rows[i].share);
        sotto_learning learning = sotto_learning_default(&terms, 0);
        assert_int_equal(learning.fallback, 0); /* off by default */
        learning.fallback = rows[i].fallback;
        sotto_fault fault = {.sentence = ""};
        assert_int_equal(sotto_learning_fault(&terms, &learning, &fault) == SOTTO_OK,
                         rows[i].fault == NULL);
        assert_string_equal(fault.sentence, rows[i].fault == NULL ? "" : rows[i].fault);
    }
}

TEST(without_a_fallback_none_is_ended)
{
    sotto_learner *learner = learner_with(1);
    assert_status(sotto_learner_end_fallback(learner), SOTTO_E_ORDER);
    assert_null(sotto_harm_verdict_name((sotto_harm_verdict)3));
}

TEST(without_measure_rounds_nothing_is_known)
{
    const sotto_terms terms = terms_of(0);
    const sotto_learning learning = sotto_learning_default(&terms, 0);
    sotto_learner *learner = made_learner(&terms, &learning);
    assert_ok(sotto_learner_publish(learner));
    const sotto_harm harm = harm_of(learner);
    assert_int_equal(harm.verdict, SOTTO_HARM_UNKNOWN);
    assert_string_equal(sotto_harm_verdict_name(harm.verdict), "unknown");
    assert_int_equal(harm.better_arm, UINT32_MAX);
}

/* W(n) of measure.c again. */
static double width(double n, double alpha)
{
    double odds = 2 * log(1 / alpha), rho2 = (odds + log(1 + odds)) / 10000;
    return sqrt(2 * (n * rho2 + 1) / (n * n * rho2) * log(sqrt(n * rho2 + 1) / alpha));
}

/* A model that does not decide is no policy, and its control rounds have nothing beside them. */
TEST(rounds_before_the_model_decides_do_not_count)
{
    sotto_learner *learner = learner_with(1);
    learner->open[0].tally->decides = false;
    measure(learner, 30000, 0, 30000); /* else this would be harm */
    assert_ok(sotto_learner_publish(learner));
    const sotto_harm harm = harm_of(learner);
    assert_int_equal(harm.verdict, SOTTO_HARM_NO);
    assert_near(harm.uplift_hi, 4, 0);
    assert_int_equal(learner->harm.all.count, 0);
}

TEST(numbers_by_hand)
{
    sotto_learner *learner = learner_with(0);
    double scale = 1 / tanh(1); /* epsilon 2 */
    measure(learner, 3000, 0, 60);
    assert_ok(sotto_learner_publish(learner));
    sotto_harm harm = harm_of(learner);
    assert_int_equal(harm.verdict, SOTTO_HARM_NO);
    assert_near(harm.uplift_hi, 4 * scale * (-0.01 + width(6000, 0.0005)), 1e-6);
    assert_near(harm.recent_uplift_hi, 4, 0); /* 6000 passes 2^12: nothing is recent */
    measure(learner, 500, -20, 0);
    assert_ok(sotto_learner_publish(learner));
    harm = harm_of(learner);
    assert_near(harm.uplift_hi, 4 * scale * (-80 / 7000. + width(7000, 0.0005)), 1e-6);
    assert_near(harm.recent_uplift_hi,
                fmin(4, 4 * scale * (-0.02 + width(1000, 0.0005 / (12 * 13)))), 1e-6);
}

/* After k = 2 restarts both sequences have alpha/6, the recent one over j (j + 1) of it. */
TEST(each_restart_has_less_alpha)
{
    const sotto_terms terms = terms_of(SHARE);
    const sotto__harm harm = {
        .all = {4000, 0}, .recent = {1000, 0}, .doublings = 11, .restarts = 2};
    double all, recent;
    sotto__harm_upper(&terms, &harm, &all, &recent);
    assert_near(all, 4 / tanh(1) * width(4000, 0.0005 / 6), 1e-6);
    assert_near(recent, 4 / tanh(1) * width(1000, 0.0005 / 6 / (11 * 12)), 1e-6);
}

/* Either sequence is enough; and no bound is above what rewards can differ by. */
TEST(a_policy_that_became_bad_does_harm)
{
    const sotto_terms terms = terms_of(SHARE);
    sotto__harm harm = {.all = {40000, 0}, .recent = {4000, -2000}, .doublings = 15};
    double all, recent;
    assert_true(sotto__harm_shows(&harm, &terms));
    harm.recent.sum = 0;
    assert_false(sotto__harm_shows(&harm, &terms));
    harm.all.sum = -20000;
    assert_true(sotto__harm_shows(&harm, &terms));
    harm.all = harm.recent = (sotto__measured){10, 10};
    sotto__harm_upper(&terms, &harm, &all, &recent);
    assert_true(all == 4 && recent == 4);
}

TEST(each_end_of_a_fallback_counts_as_a_restart)
{
    const sotto_terms terms = terms_of(SHARE);
    sotto__harm harm = {.restarts = 1, .epoch = 3, .served_epoch = 3, .ends = true};
    sotto_model model = {.served = 1};
    sotto__harm_step(&harm, &terms, 1, false, &model);
    assert_int_equal(harm.restarts, 2);
    assert_true(harm.epoch == 0 && harm.served_epoch == 0 && !harm.ends && model.served == 0);
    harm = (sotto__harm){.restarts = UINT32_MAX, .ends = true};
    sotto__harm_step(&harm, &terms, 1, false, &model);
    assert_int_equal(harm.restarts, UINT32_MAX);
}

TEST(an_alarm_stays_and_serves_nothing_by_default)
{
    sotto_learner *learner = learner_with(0);
    measure(learner, 5000, -1000, 1000);
    assert_true(sotto__learner_will_harm(learner));
    assert_ok(sotto_learner_publish(learner));
    assert_ints(harm_of(learner).verdict, SOTTO_HARM_YES, harm_of(learner).since_epoch, 1);
    assert_true(harm_of(learner).uplift_hi < 0);
    assert_int_equal(harm_of(learner).better_arm, 1); /* both get 1000/5000 more; the first wins */
    assert_int_equal(learner->model->served, 0);
    measure(learner, 5000, -1000, 1000);
    assert_ok(sotto_learner_publish(learner));
    assert_int_equal(harm_of(learner).since_epoch, 1); /* the first */
    measure(learner, 50000, 30000, -30000);
    assert_false(sotto__learner_will_harm(learner)); /* once */
    assert_ok(sotto_learner_publish(learner));
    assert_true(harm_of(learner).uplift_hi > 0);
    assert_ints(harm_of(learner).verdict, SOTTO_HARM_YES, harm_of(learner).better_arm, UINT32_MAX);
}

/* A report of this role in the current epoch, by trying nonces. */
static sotto_report *report_of(const sotto_learner *learner, sotto_role role, uint32_t start)
{
    sotto_report *report;
    assert_ok(sotto_report_new(&learner->terms, &report));
    memcpy(report->spec_id, learner->terms.id, sizeof report->spec_id);
    report->epoch = learner->model->epoch;
    for (uint32_t i = start;; i++) {
        memcpy(report->nonce, &i, sizeof i);
        if (sotto__role_of(&learner->terms, report->nonce, true) == role) return report;
    }
}

static sotto_learner *read_again(const sotto_learner *learner, const char *magic)
{
    size_t count;
    FREED_BY(free_memory) uint8_t *bytes = learner_bytes_of(learner, &count);
    sotto_learner *read;
    assert_memory_equal(bytes, magic, 4);
    assert_null(WHY(sotto_learner_bytes_fault, &learner->terms, bytes, count));
    assert_ok(sotto_learner_decode(&learner->terms, bytes, count, &read));
    assert_true(learners_have_same_bytes(learner, read));
    assert_int_equal(sotto_learner_taken(read), sotto_learner_taken(learner));
    assert_int_equal(sotto_learner_wanted(read), sotto_learner_wanted(learner));
    return read;
}

TEST(measure_reports_alone_close_epochs_while_served)
{
    sotto_learner *learner = learner_with(SOTTO_FALLBACK_RANDOM);
    OWN(sotto_tally) tally = NULL;
    measure(learner, 5000, -1000, 1000);
    assert_ok(sotto_learner_publish(learner));
    assert_ints(learner->model->served, ARMS + 1, harm_of(learner).served_epoch, 1);
    assert_int_equal(sotto_learner_wanted(learner),
                     50); /* of as many people as 500 learn reports */
    OWN(sotto_report) learn = report_of(learner, SOTTO_ROLE_LEARN, 0);
    assert_status(sotto_learner_check(learner, learn), SOTTO_E_SERVED);
    assert_status(sotto_learner_take(learner, learn), SOTTO_E_SERVED);
    learn->epoch = 0; /* before the fallback: late, and welcome */
    assert_ok(sotto_learner_take(learner, learn));
    OWN(sotto_report) follow = report_of(learner, SOTTO_ROLE_FOLLOW, 0);
    assert_ok(sotto_learner_take(learner, follow));
    assert_int_equal(sotto_learner_taken(learner), 2);
    assert_near(sotto_learner_age(learner), 1, 0); /* of the learn report alone */
    assert_ok(sotto_tally_new(&learner->terms, learner->model, &tally));
    memset(follow->nonce, 0xff, 4);
    while (sotto__role_of(&learner->terms, follow->nonce, true) == SOTTO_ROLE_LEARN) {
        follow->nonce[0]--;
    }
    assert_ok(sotto_tally_fold(tally, follow));
    assert_ok(sotto_learner_merge(learner, tally));
    assert_int_equal(sotto_learner_taken(learner), 3);
    sotto_learner_free(read_again(learner, "STK2"));
}

/* With a learn report, or beside one that serves nothing, it is refused. */
TEST(a_served_tally_has_no_learn_report)
{
    uint8_t bytes[512];
    const sotto_terms terms = terms_of(SHARE);
    OWN(sotto_tally) served = NULL;
    OWN(sotto_tally) plain = NULL;
    sotto_tally *read;
    sotto_model *model = made_model(&terms);
    assert_ok(sotto_tally_new(&terms, model, &plain));
    model->served = 1;
    assert_ok(sotto_tally_new(&terms, model, &served));
    assert_status(sotto_tally_merge(served, plain), SOTTO_E_PHASE);
    assert_status(sotto_tally_merge(plain, served), SOTTO_E_PHASE);
    size_t count = sotto_tally_bytes(served);
    assert_ok(sotto_tally_encode(served, bytes, sizeof bytes));
    assert_memory_equal(bytes, "STT3", 4);
    assert_ok(sotto_tally_decode(&terms, bytes, count, &read));
    assert_true(read->served);
    sotto_tally_free(read);
    bytes[28] = bytes[36] = 1; /* learn reports, and those that are heard */
    assert_status(sotto_tally_decode(&terms, bytes, count, &read), SOTTO_E_FRAME);
    memcpy(bytes, "STT2", 4);
    assert_ok(sotto_tally_decode(&terms, bytes, count, &read));
    sotto_tally_free(read);
}

TEST(only_the_owner_ends_it_and_both_intervals_restart)
{
    for (int discards = 0; discards < 2; discards++) {
        sotto_learner *learner = learner_with(2);
        measure(learner, 5000, -1000, 1000);
        assert_ok(sotto_learner_publish(learner));
        assert_int_equal(learner->model->served, 2);
        measure(learner, 50000, 30000, -30000); /* however good it seems */
        assert_ok(sotto_learner_publish(learner));
        assert_int_equal(learner->model->served, 2);
        assert_ok(sotto_learner_end_fallback(learner));
        assert_int_equal(learner->model->served, 2);
        assert_true(harm_of(learner).ends);
        measure(learner, 5000, -1000, 1000);
        assert_ok(discards ? sotto_learner_discard(learner) : sotto_learner_publish(learner));
        sotto_harm harm = harm_of(learner);
        assert_ints(learner->model->served, 0, harm.verdict, SOTTO_HARM_NO, harm.restarts, 1);
        assert_true(harm.uplift_hi == 4 && !harm.ends);
        measure(learner, 1000, 0, 0);
        assert_ok(sotto_learner_publish(learner));
        assert_near(harm_of(learner).uplift_hi, fmin(4, 4 / tanh(1) * width(2000, 0.0005 / 2)),
                    1e-6);
    }
}

/* Liars who grind nonces into a role are many in it: the alarm fires, and nothing is served while it lasts. */
TEST(no_fallback_begins_while_role_counts_alarm)
{
    sotto_learner *learner = learner_with(1);
    measure(learner, 5000, -1000, 1000);
    sotto_tally *tally = learner->open[0].tally;
    tally->follow = (sotto__measured){9000, -5000};
    tally->measured += 4000;
    assert_true(sotto__roles_alarm(learner));
    assert_ok(sotto_learner_publish(learner));
    assert_ints(harm_of(learner).verdict, SOTTO_HARM_YES, learner->model->served, 0);
    measure(learner, 100, 0, 0);
    assert_false(sotto__roles_alarm(learner));
    assert_ok(sotto_learner_publish(learner));
    assert_int_equal(learner->model->served, 1);
    measure(learner, 3000, 0, 0); /* without learn reports: as it should be */
    assert_false(sotto__roles_alarm(learner));
    tally = sotto__learner_epoch(learner, learner->model->epoch)->tally;
    tally->follow.count += 2000;
    tally->measured += 2000;
    assert_true(sotto__roles_alarm(learner));
}

/* In every state: what goes on from the bytes does the same. */
TEST(bytes_keep_all_of_it)
{
    for (uint32_t fallback = 0; fallback < 2; fallback++) {
        sotto_learner *one = learner_with(fallback);
        sotto_learner *other = read_again(one, fallback > 0 ? "STK2" : "STK1");
        for (int step = 0; step < 8; step++) {
            sotto_learner *both[] = {one, other};
            for (int i = 0; i < 2; i++) {
                measure(both[i], 2500, step < 3 ? -400 : 100, 400);
                if (step == 5 && both[i]->model->served > 0)
                    assert_ok(sotto_learner_end_fallback(both[i]));
                if (step == 6) assert_ok(sotto_learner_discard(both[i]));
                if (step != 6) assert_ok(sotto_learner_publish(both[i]));
            }
            assert_true(learners_have_same_bytes(one, other));
            sotto_learner_free(other);
            other = read_again(one, fallback > 0 || one->harm.epoch > 0 ? "STK2" : "STK1");
        }
        assert_int_equal(one->harm.restarts, fallback);
        sotto_learner_free(other);
    }
}

static sotto_learner *golden_served(uint8_t *bytes, size_t *count)
{
    uint8_t spec[SOTTO_TERMS_BYTES];
    sotto_terms terms;
    sotto_learner *learner;
    assert_ok(
        sotto_terms_decode(spec, golden_read("spec_measured.bin", spec, sizeof spec), &terms));
    *count = golden_read("learner_served.bin", bytes, 1024);
    assert_ok(sotto_learner_decode(&terms, bytes, *count, &learner));
    return learner;
}

TEST(a_served_learner_has_the_golden_bytes)
{
    uint8_t bytes[1024], again[1024];
    size_t count;
    OWN(sotto_learner) learner = golden_served(bytes, &count);
    sotto_harm harm = harm_of(learner);
    assert_int_equal(sotto_learner_bytes(learner), count);
    assert_ok(sotto_learner_encode(learner, again, sizeof again));
    assert_memory_equal(again, bytes, count);
    assert_ints(learner->learning.fallback, 2, learner->model->served, 2, harm.verdict,
                SOTTO_HARM_YES, harm.since_epoch, 8, harm.served_epoch, 9);
    assert_true(harm.ends && harm.restarts == 1);
    assert_ints(learner->harm.all.sum, -20, learner->harm.doublings, 4);
}

TEST(contradictions_are_faults)
{
    uint8_t bytes[1024];
    size_t count;
    OWN(sotto_learner) learner = golden_served(bytes, &count);
    const sotto__harm good = learner->harm;
    assert_null(WHY(sotto__harm_fault, learner));
    learner->learning.fallback = 1;
    assert_non_null(strstr(WHY(sotto__harm_fault, learner), "served = 2"));
    learner->learning.fallback = 2;
    learner->harm.served_epoch = 0;
    assert_non_null(strstr(WHY(sotto__harm_fault, learner), "impossible in epoch"));
    learner->harm = good;
    learner->harm.epoch = 10;
    assert_non_null(strstr(WHY(sotto__harm_fault, learner), "impossible in epoch"));
    learner->harm = good;
    learner->harm.all.sum = 31;
    assert_non_null(strstr(WHY(sotto__harm_fault, learner), "sums of harm"));
    learner->harm = good;
    learner->harm.restarts = 0; /* then they are those of all measure rounds */
    assert_non_null(strstr(WHY(sotto__harm_fault, learner), "sums of harm"));
    learner->harm = good;
    learner->model->served = learner->harm.served_epoch = 0; /* nothing ends */
    assert_non_null(strstr(WHY(sotto__harm_fault, learner), "served = 0"));
    learner->harm.ends = false;
    assert_null(WHY(sotto__harm_fault, learner));
}
