/* What is published is the same bytes, whatever the floating-point environment of the server's thread is. */
#include "float_modes.h"
#include "learners.h"
#include "made.h"
#include "test.h"

#include <fenv.h>

#define EPOCHS 4
#define REPORTS 9

typedef sotto_status publish_function(sotto_learner *learner);

static void take(sotto_learner *one, sotto_learner *other, tape *random)
{
    OWN(sotto_report) report = report_for(one, random);
    assert_int_equal(sotto_learner_take(one, report), sotto_learner_take(other, report));
}

/* Whether a learner that is published in a mode stays the one that is published in the default one. */
static bool stays_same(uint32_t number, const float_mode *mode, publish_function *publish)
{
    OWN(sotto_learner) usual = learner_of_case(number), *other = learner_of_case(number);
    tape random = tape_seeded(number);
    bool same = true;
    for (uint32_t epoch = 0; epoch < EPOCHS && same; epoch++) {
        sotto_status status;
        for (uint32_t i = 0; i < REPORTS; i++) {
            take(usual, other, &random);
        }
        assert_ok(publish(usual));
        if (publish == sotto_learner_publish) {
            UNDER(mode, status = publish(other));
        } else { /* leaves flags behind */
            float_mode_enter(mode);
            status = publish(other);
            fesetenv(FE_DFL_ENV);
        }
        assert_ok(status);
        same = learners_have_same_bytes(usual, other) && learners_are_same(usual, other);
    }
    return same;
}

/* The cases that stay the same in a mode, and *played of them. */
static uint32_t cases_same(const float_mode *mode, publish_function *publish, uint32_t *played)
{
    sotto_terms terms;
    sotto_learning learning;
    uint32_t same = 0;
    *played = 0;
    for (uint32_t number = 0; number < LEARNER_CASES; number++) {
        if (!learner_case(number, &terms, &learning)) continue;
        same += stays_same(number, mode, publish);
        ++*played;
    }
    return same;
}

TEST(a_publish_is_the_same_in_every_environment)
{
    for (size_t m = 0; m < float_modes_count; m++) {
        uint32_t played;
        if (!float_mode_exists(&float_modes[m])) continue;
        uint32_t same = cases_same(&float_modes[m], sotto_learner_publish, &played);
        if (same != played) fail_msg("%s: %u of %u", float_modes[m].name, same, played);
    }
}

/* The broken twin publishes in the environment of its thread. */
TEST(without_the_guard_rounding_changes_what_is_published)
{
    for (size_t m = 0; m < float_modes_count; m++) {
        const float_mode *mode = &float_modes[m];
        uint32_t played;
        if (mode->rounding == FE_TONEAREST) continue;
        uint32_t same = cases_same(mode, sotto__learner_publish, &played);
        if (same > played / 10) fail_msg("%s: %u of %u are the same", mode->name, same, played);
    }
}
