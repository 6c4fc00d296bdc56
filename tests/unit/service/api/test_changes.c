/* The long poll: which clients wait, and when they are answered. */
#include "house.h"
#include "service/api/inner.h"
#include "test.h"

#include <string.h>

static house made;
static changes_wait waiting;
static char stamp[CHANGES_BYTES];

FIXTURE(start)
{
    house_open(&made);
    waiting = (changes_wait){.waits = false};
    changes_stamp(&made.service, stamp);
}

FIXTURE(end)
{
    house_close(&made);
}

TEST(what_is_no_stamp_is_refused)
{
    static const char *const bad[] = {"", "1", "0123456789abcdef0123456789abcde",
                                      "0123456789abcdef0123456789abcdef0",
                                      "0123456789ABCDEF0123456789ABCDEF"};
    sottod_refusal why;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(changes_read(bad[i], &why));
        assert_int_equal(why.status, 400);
        assert_string_equal(why.fault.field, "after");
    }
    assert_true(changes_read(NULL, &why));
    assert_true(changes_read("0123456789abcdef0123456789abcdef", &why));
}

TEST_WITH(who_has_no_stamp_or_an_old_one_does_not_wait, start, end)
{
    assert_false(changes_begin(&waiting, NULL, stamp, 5));
    assert_false(changes_begin(&waiting, "0123456789abcdef0123456789abcdef", stamp, 5));
    assert_int_equal(changes_timeout_ms(&waiting, 5), -1);
    assert_false(changes_over(&waiting, &made.service, 100000));
}

TEST_WITH(a_wait_ends_with_a_change, start, end)
{
    sottod_experiment *experiment = house_experiment(&made, 0);
    char other[CHANGES_BYTES];
    changes_stamp(&made.service, other);
    assert_string_not_equal(stamp, other); /* an experiment was created */
    assert_true(changes_begin(&waiting, other, other, 1000));
    assert_int_equal(changes_timeout_ms(&waiting, 1400), 600);
    assert_false(changes_over(&waiting, &made.service, 2000)); /* nothing changed */
    house_epoch(&made, experiment, 1, 40);
    assert_false(changes_over(&waiting, &made.service, 2999)); /* not checked yet */
    assert_true(changes_over(&waiting, &made.service, 3000));
    assert_string_not_equal(waiting.stamp, other);
    assert_false(changes_over(&waiting, &made.service, 9000)); /* no request waits */
}

TEST_WITH(reports_alone_change_no_stamp, start, end)
{
    sottod_experiment *experiment = house_experiment(&made, 0);
    uint8_t frames[42 * 3];
    sottod_refusal why;
    changes_stamp(&made.service, stamp);
    house_frames(experiment, 7, frames, sizeof frames);
    assert_true(intake_offer(made.intake, experiment, frames, sizeof frames, &why));
    assert_true(intake_commit(made.intake, &why));
    char after[CHANGES_BYTES];
    changes_stamp(&made.service, after);
    assert_string_equal(stamp, after);
}

TEST_WITH(each_decision_of_the_owner_is_a_change, start, end)
{
    sottod_experiment *experiment = house_experiment(&made, 0);
    sottod_refusal why;
    const journal_state states[] = {JOURNAL_PAUSED, JOURNAL_OPEN, JOURNAL_CLOSED, JOURNAL_DELETED};
    for (size_t i = 0; i < 4; i++) {
        char before[CHANGES_BYTES], after[CHANGES_BYTES];
        changes_stamp(&made.service, before);
        assert_true(experiment_set_state(made.experiments, experiment, states[i], &why));
        changes_stamp(&made.service, after);
        assert_string_not_equal(before, after);
    }
}

TEST_WITH(a_wait_ends_after_a_while_and_when_the_service_stops, start, end)
{
    assert_true(changes_begin(&waiting, stamp, stamp, 0));
    assert_true(changes_begin(&waiting, stamp, stamp,
                              15000)); /* another client: all are answered together */
    assert_false(changes_over(&waiting, &made.service, 19000));
    assert_true(changes_over(&waiting, &made.service, 20000));
    assert_string_equal(waiting.stamp, stamp);
    assert_true(changes_begin(&waiting, stamp, stamp, 30000));
    made.service.stopping = true;
    assert_true(changes_over(&waiting, &made.service, 30001));
}

TEST_WITH(another_start_is_another_run, start, end)
{
    char first[CHANGES_BYTES], second[CHANGES_BYTES];
    changes_run(&made.service, first);
    made.service.started_ms++;
    changes_run(&made.service, second);
    assert_string_not_equal(first, second);
}
