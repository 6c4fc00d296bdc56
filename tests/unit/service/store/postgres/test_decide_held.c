/* Decisions about held epochs. */
#include "held_scene.h"
#include "service/store/postgres/inner.h"

TEST_WITH(what_cannot_be_decided_is_refused, held_start, end)
{
    bool held = true;
    assert_refused(gateway, journal_decide(gateway, 1, 0, JOURNAL_PUBLISH, &held),
                   "outside of a transaction");
    assert_false(held);
    assert_refused_within(gateway, journal_decide(gateway, 1, 0, JOURNAL_REPORTS, &held),
                          "the decision on a held epoch is 0: allowed 1 (publish), 2 (discard)");
}

TEST_WITH(nothing_is_decided_of_what_is_not_held, held_start, end)
{
    assert_false(decide(1, 0, JOURNAL_PUBLISH));
    assert_false(decide(9, 0, JOURNAL_PUBLISH)); /* unknown experiment */
    assert_true(hold(1, 0));
    assert_false(decide(2, 0, JOURNAL_PUBLISH));
    assert_false(decide(1, 1, JOURNAL_PUBLISH)); /* another epoch */
    journal_changed(gateway);
    scene_state(gateway, 1, JOURNAL_PAUSED);
    assert_false(decide(1, 0, JOURNAL_PUBLISH));
    assert_true(journal_changed(gateway)); /* the caller must read again */
    scene_state(gateway, 1, JOURNAL_OPEN);
    assert_string_equal(all_held().text, "1:0:17:500:0 ");
    assert_true(decide(1, 0, JOURNAL_PUBLISH));
    assert_string_equal(all_held().text, "1:0:17:500:1 ");
}

TEST_WITH(what_was_decided_is_not_overwritten_by_another_look, held_start, end)
{
    assert_true(hold(1, 0));
    assert_true(decide(1, 0, JOURNAL_DISCARD));
    assert_true(hold(1, 0));
    assert_string_equal(all_held().text, "1:0:17:500:2 ");
}

/* The publish that carries out a decision removes it, in one transaction. */
TEST_WITH(a_decision_is_carried_out_once, held_start, end)
{
    assert_true(hold(1, 0));
    assert_true(hold(2, 0));
    assert_true(decide(1, 0, JOURNAL_DISCARD));
    assert_true(publish(1, 1, JOURNAL_DISCARD, JOURNAL_DISCARD));
    assert_string_equal(all_held().text, "2:0:17:500:0 ");
    assert_false(decide(1, 0, JOURNAL_DISCARD));
    assert_false(publish(1, 1, JOURNAL_DISCARD, JOURNAL_DISCARD));
    assert_string_equal(scene_sql("SELECT kind FROM model").text, "2");
    assert_true(publish(1, 2, JOURNAL_PUBLISH, JOURNAL_REPORTS));
}

/* The publisher read one decision, and it has changed since. */
TEST_WITH(who_does_not_do_what_was_decided_last_is_fenced, held_start, end)
{
    assert_true(hold(1, 0));
    assert_false(publish(1, 1, JOURNAL_DISCARD, JOURNAL_DISCARD)); /* no decision was made */
    assert_true(decide(1, 0, JOURNAL_DISCARD));
    assert_false(publish(1, 1, JOURNAL_PUBLISH, JOURNAL_REPORTS));
    assert_true(decide(1, 0, JOURNAL_PUBLISH));
    assert_false(publish(1, 1, JOURNAL_DISCARD, JOURNAL_DISCARD));
    assert_string_equal(scene_sql("SELECT count(*) FROM model").text, "0");
    assert_true(publish(1, 1, JOURNAL_PUBLISH, JOURNAL_PUBLISH));
    assert_string_equal(scene_sql("SELECT count(*) FROM held").text, "0");
}

static bool end_fallback(uint32_t experiment)
{
    bool ended = false;
    assert_committed(gateway, journal_end_fallback(gateway, experiment, &ended));
    return ended;
}

/* One row records it, once; it neither is nor replaces a held epoch. */
TEST_WITH(the_end_of_a_fallback_holds_nothing, held_start, end)
{
    assert_false(end_fallback(9)); /* unknown experiment */
    assert_true(hold(2, 0));
    assert_false(end_fallback(2));
    assert_true(end_fallback(1));
    assert_true(end_fallback(1)); /* a second order is no error */
    assert_false(decide(1, 0, JOURNAL_DISCARD));
    assert_string_equal(all_held().text, "1:0:32:1:1 2:0:17:500:0 ");
    assert_true(publish(1, 1, JOURNAL_PUBLISH, JOURNAL_PUBLISH));
    assert_string_equal(all_held().text, "2:0:17:500:0 ");
    scene_state(gateway, 1, JOURNAL_PAUSED);
    assert_false(end_fallback(1));
}
