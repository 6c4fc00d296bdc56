/* Epochs that are held. */
#include "held_scene.h"
#include "service/store/postgres/inner.h"

static const folding_cut none;

TEST_WITH(without_the_lock_nothing_is_held, held_start, end)
{
    bool fenced;
    const journal_held held = {.experiment = 1, .alarms = 1, .reports = 1};
    sottod_folding *other = scene_folding();
    assert_not_folded(other, folding_hold(other, &held, &fenced), "does not hold the lock");
    folding_free(other);
}

TEST_WITH(an_epoch_that_is_over_is_not_held, held_start, end)
{
    assert_true(scene_publish(folding, 1, 1, &none));
    assert_false(hold(1, 0));
    assert_true(hold(1, 1));
    scene_state(gateway, 2, JOURNAL_CLOSED);
    assert_false(hold(2, 0));
    assert_false(hold(9, 0));
    assert_string_equal(all_held().text, "1:1:17:500:0 ");
}

/* An altered row counts as missing: a decision is possible once it is written again. */
TEST_WITH(a_row_that_was_altered_counts_as_none, held_start, end)
{
    static const char *const changes[] = {
        "UPDATE held SET decision = 2", "UPDATE held SET decision = 3",
        "UPDATE held SET epoch = -1",   "UPDATE held SET alarms = 1",
        "UPDATE held SET reports = 1",  "UPDATE held SET digest = ''",
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        assert_true(hold(1, 0));
        assert_true(decide(1, 0, JOURNAL_PUBLISH));
        scene_change(changes[i]);
        assert_string_equal(all_held().text, "");
        assert_false(decide(1, 0, JOURNAL_PUBLISH));
        scene_change("DELETE FROM held");
    }
    assert_true(hold(1, 0));
    assert_true(decide(1, 0, JOURNAL_DISCARD));
    scene_change("UPDATE held SET decision = 1");
    assert_true(hold(1, 0)); /* again, now without a decision */
    assert_string_equal(all_held().text, "1:0:17:500:0 ");
    assert_true(publish(1, 1, JOURNAL_PUBLISH, JOURNAL_REPORTS));
}

/* The quarantine was turned off: the epoch is published without a decision and no longer held. */
TEST_WITH(what_is_published_is_not_held, held_start, end)
{
    assert_true(hold(1, 0));
    assert_true(publish(1, 1, JOURNAL_PUBLISH, JOURNAL_REPORTS));
    assert_string_equal(all_held().text, "");
}

TEST_WITH(what_is_closed_or_deleted_is_not_held, held_start, end)
{
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(hold(1 + i, 0));
        assert_true(decide(1 + i, 0, JOURNAL_PUBLISH));
        scene_state(gateway, 1 + i, i == 0 ? JOURNAL_CLOSED : JOURNAL_DELETED);
        assert_string_equal(scene_sql("SELECT count(*) FROM held").text, "0");
    }
}
