/* Learners whose parts contradict each other, made by hand, and learners that have learnt. */
#include "core/core.h"
#include "learners.h"
#include "made.h"
#include "server/inner.h"
#include "test.h"
#include "why.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Cases of learners.c: version 2 with measure rounds where there are such, late reports, drift. */
#define LATE(method) (LEARNER_METHODS * (2 + 3 + 6) + (method))
#define LATE_PLAIN(method) (LEARNER_METHODS * (1 + 3 + 6) + (method))
#define SIGNS 6
#define GLOC 19

static sotto_learner *after(uint32_t number, int publishes)
{
    tape random = tape_seeded(5);
    sotto_learner *one = learner_of_case(number), *other = learner_of_case(number);
    while (one->model->epoch < (uint32_t)publishes || one->model->phase != SOTTO_PHASE_MAIN) {
        learners_step(one, other, &random);
    }
    sotto_learner_free(other);
    return one;
}

static void assert_fault(const sotto_learner *learner, const char *words)
{
    const char *fault = WHY(sotto__learner_fault, learner);
    assert_non_null(fault);
    if (strstr(fault, words) == NULL) fail_msg("\"%s\", not \"%s\"", fault, words);
}

static sotto_tally *tally_at(sotto_learner *learner, uint32_t back)
{
    return learner->open[(learner->model->epoch - back) % learner->open_count].tally;
}

TEST(phases_go_from_warm_up_to_main)
{
    OWN(sotto_learner) learner = after(LATE(SIGNS), 10);
    learner->model->phase = SOTTO_PHASE_MEAN;
    assert_fault(learner, "the model's phase is mean");
    learner->model->phase = SOTTO_PHASE_WARM_UP;
    assert_fault(learner, "the model's phase is warm-up");
    learner->model->phase = SOTTO_PHASE_MAIN;
    tally_at(learner, 0)->phase = SOTTO_PHASE_WARM_UP;
    assert_fault(learner, "the current tally is of phase warm-up, its model of main");
    tally_at(learner, 0)->phase = SOTTO_PHASE_MAIN;
    tally_at(learner, 1)->phase = SOTTO_PHASE_WARM_UP;
    tally_at(learner, 2)->phase = SOTTO_PHASE_MAIN;
    assert_fault(learner, "is of phase main, the next one of warm-up");
    tally_at(learner, 2)->phase = SOTTO_PHASE_MEAN;
    assert_fault(learner, "is of phase mean, the next one of warm-up");
}

/* A learner of version 2, self, per-arm, with 20 reports of the mean phase before the others. */
TEST(the_mean_phase_comes_first)
{
    const uint32_t number = LEARNER_METHODS * (1 + 3 + 6) + 8;
    sotto_learner *learner = after(number, 10);
    assert_int_equal(learner->learning.mean_phase, 20);
    assert_null(WHY(sotto__learner_fault, learner));
    tally_at(learner, 2)->phase = SOTTO_PHASE_MEAN;
    tally_at(learner, 1)->phase = SOTTO_PHASE_WARM_UP;
    assert_null(WHY(sotto__learner_fault, learner));
    tally_at(learner, 2)->phase = SOTTO_PHASE_WARM_UP;
    tally_at(learner, 1)->phase = SOTTO_PHASE_MEAN;
    assert_fault(learner, "is of phase warm-up, the next one of mean");
    sotto_learner_free(learner);

    learner = learner_of_case(number);
    assert_null(WHY(sotto__learner_fault, learner));
    assert_int_equal(learner->model->phase, SOTTO_PHASE_MEAN);
    learner->model->g[0] = 0.5;
    assert_fault(learner, "g has norm 0.5: allowed 0 in phase mean");
    learner->model->g[0] = NAN;
    assert_fault(learner, "g has norm nan");
    learner->model->g[0] = 0;
    learner->model->phase = SOTTO_PHASE_WARM_UP;
    assert_fault(learner, "the model's phase is warm-up");
    sotto_learner_free(learner);
}

TEST(a_tally_follows_the_model_of_its_epoch)
{
    OWN(sotto_learner) learner = after(LATE(SIGNS), 10), *plain = after(LATE_PLAIN(SIGNS), 10);
    tally_at(learner, 0)->decides = false;
    assert_fault(learner, "the current tally says that its model does not decide");
    tally_at(plain, 0)->decides = true;
    assert_fault(plain, "the current tally says that its model decides");
    tally_at(plain, 0)->decides = false;
    tally_at(plain, 1)->decides = true;
    assert_fault(plain, "says that its model decides, without measure rounds");
}

TEST(old_estimates_are_finite_and_the_current_one_is_the_model_s)
{
    OWN(sotto_learner) learner = after(LATE_PLAIN(GLOC), 10);
    double *old = learner->open[(learner->model->epoch - 2) % learner->open_count].theta_h;
    old[1] = 0.5;
    assert_null(WHY(sotto__learner_fault, learner));
    old[1] = NAN;
    assert_fault(learner, " is not finite");
    old[1] = 0;
    learner->open[learner->model->epoch % learner->open_count].theta_h[0] += 1;
    assert_fault(learner, "theta_h of the current epoch differs from that of the model");
}

TEST(reports_are_counted_exactly)
{
    OWN(sotto_learner) learner = after(LATE(SIGNS), 10);
    learner->model->reports = UINT64_C(1) << 53;
    assert_null(WHY(sotto__learner_fault, learner));
    learner->model->reports++;
    assert_fault(learner, "allowed 0 to 2^53");
}

TEST(measure_rounds_add_up)
{
    OWN(sotto_learner) learner = after(LATE(SIGNS), 10);
    sotto__measures *m = &learner->measures;
    *m = (sotto__measures){.control_arm = m->control_arm};
    m->control_arm[0] = m->control_arm[1] = m->control_arm[2] = (sotto__measured){0};
    sotto__harm_derive(m, &learner->harm);
    assert_null(WHY(sotto__learner_fault, learner));
    m->follow = (sotto__measured){10, 4};
    m->recent_follow = (sotto__measured){4, -2};
    assert_fault(learner, "the sums of harm are not those of measure rounds");
    sotto__harm_derive(m, &learner->harm);
    assert_null(WHY(sotto__learner_fault, learner)); /* the other 6 are all +1 */
    m->recent_follow = (sotto__measured){4, -4};
    assert_fault(learner, "the recent measure rounds are not a subset of all of them");
    m->recent_follow = (sotto__measured){12, 4};
    assert_fault(learner, "the recent measure rounds are not a subset of all of them");
    m->recent_follow = (sotto__measured){4, 3};
    assert_fault(learner, "pair 1 of measure rounds: 4 reports of +1 or -1 cannot have the sum 3");
    m->recent_follow = (sotto__measured){0};
    m->control_arm[2] = (sotto__measured){UINT64_C(1) << 62, 0};
    assert_fault(learner, "pair 5 of measure rounds");
}

TEST(no_learner_that_has_learnt_has_a_fault)
{
    for (uint32_t method = 0; method < LEARNER_METHODS; method++) {
        OWN(sotto_learner) learner = after(LATE_PLAIN(method), 20);
        const char *fault = WHY(sotto__learner_fault, learner);
        if (fault != NULL) fail_msg("method %u: %s", method, fault);
    }
}

/* What estimators keep, as bytes: numbers that cannot be, and those that come back as they were. */

#define NUMBERS 3

/* An estimator that keeps some numbers and some counts. */
typedef struct keeper {
    sotto__estimator base;
    double number[NUMBERS];
    uint64_t reports[NUMBERS];
} keeper;

static uint32_t keep(sotto__estimator *base, sotto__kept kept[SOTTO__KEPT_MAX])
{
    keeper *self = (keeper *)base;
    kept[0] = (sotto__kept){self->number, NULL, NUMBERS, -1, DBL_MAX};
    kept[1] = (sotto__kept){.reports = self->reports, .count = NUMBERS};
    return 2;
}

static const keeper some = {{.kept = keep}, {-1, 0.5, DBL_MAX}, {3, 0, 7}};

TEST(numbers_out_of_their_range_are_named)
{
    const double bad[] = {-1.0000001, INFINITY, -INFINITY, NAN};
    for (int at = 0; at < NUMBERS; at++) {
        for (int b = 0; b < 4; b++) {
            keeper k = some;
            char place[32];
            k.number[at] = bad[b];
            snprintf(place, sizeof place, "number %d of part 0", at);
            assert_non_null(WHY(sotto__kept_fault, &k.base, 10));
            assert_non_null(strstr(why_fault.sentence, place));
        }
    }
    assert_null(WHY(sotto__kept_fault, &some.base, 10));
}

TEST(counts_are_no_more_than_the_reports)
{
    assert_null(WHY(sotto__kept_fault, &some.base, 10));
    assert_non_null(WHY(sotto__kept_fault, &some.base, 9));
    assert_string_equal(why_fault.sentence,
                        "count 2 of part 1 of the estimator = 7: allowed 0 to 6");
    keeper k = some;
    k.reports[1] = UINT64_MAX - 9; /* adds up only modulo 2^64 */
    assert_non_null(WHY(sotto__kept_fault, &k.base, 10));
}

TEST(bytes_bring_everything_back)
{
    keeper read = {{.kept = keep}, {0}, {0}};
    uint8_t bytes[8 * 2 * NUMBERS];
    assert_int_equal(sotto__kept_bytes(&some.base), sizeof bytes);
    sotto__kept_put(&some.base, bytes);
    assert_true(sotto__get_f64(bytes + 8) == 0.5);
    assert_int_equal(sotto__get_u64(bytes + 24), 3);
    sotto__kept_get(&read.base, bytes);
    assert_memory_equal(read.number, some.number, sizeof some.number);
    assert_memory_equal(read.reports, some.reports, sizeof some.reports);
}

TEST(an_estimator_may_keep_nothing)
{
    sotto__estimator none = {.kept = NULL};
    uint8_t byte = 7;
    assert_int_equal(sotto__kept_bytes(&none), 0);
    sotto__kept_put(&none, &byte);
    sotto__kept_get(&none, &byte);
    assert_int_equal(byte, 7);
    assert_null(WHY(sotto__kept_fault, &none, 0));
}

/* Of the learners of the cases: t, V, b, reports and shift of each block; 1/P, and four counts
 * where there are nulls; warm-up reports. */
TEST(each_method_keeps_what_it_learns_from)
{
    static const uint32_t wanted[LEARNER_METHODS] = {
        0, 0, 0, 0, 1, 1, 3, 3, 7, 7, 0, 3, 3, 12, 12, 34, 12, 56, 12, 34, 10, 6,
    };
    for (uint32_t number = 0; number < LEARNER_METHODS; number++) {
        /* Version 2, which all methods have. */
        OWN(sotto_learner) learner = learner_of_case(LEARNER_METHODS + number);
        assert_int_equal(sotto__kept_bytes(learner->estimator), 8 * wanted[number]);
        assert_null(WHY(sotto__kept_fault, learner->estimator, 0));
    }
}
