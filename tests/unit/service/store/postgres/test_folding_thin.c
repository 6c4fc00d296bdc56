/* History, one row per hour. */
#include "gateway_scene.h"

static void put(uint32_t experiment, uint32_t epoch, uint64_t minute)
{
    const journal_history row = {.experiment = experiment,
                                 .epoch = epoch,
                                 .minute = minute,
                                 .publishes = 1,
                                 .learn = 10,
                                 .control = 1,
                                 .follow = 2,
                                 .control_sum = -3,
                                 .follow_sum = 4,
                                 .late = 5,
                                 .duplicate = 6,
                                 .conflicting = 7,
                                 .alarms = 1u << epoch};
    assert_committed(gateway, journal_add_history(gateway, &row));
}

static bool take(void *self, const journal_history *row)
{
    return scene_add(self, "%u:%llu:%u:%lld:%u ", row->epoch, (unsigned long long)row->minute,
                     row->publishes, (long long)row->control_sum, row->alarms);
}

static scene_text history(uint32_t experiment)
{
    scene_text out = {.text = ""};
    assert_done(gateway, journal_read_history(gateway, experiment, take, &out));
    return out;
}

TEST_WITH(without_the_lock_nothing_is_thinned, start, end)
{
    sottod_folding *other = scene_folding();
    assert_not_folded(other, folding_thin_history(other, 600), "does not hold the lock");
    folding_free(other);
}

TEST_WITH(a_damaged_row_stops_it, start, end)
{
    put(1, 1, 60);
    put(1, 2, 61);
    scene_change("UPDATE history SET learn = 11 WHERE epoch = 2");
    assert_not_folded(folding, folding_thin_history(folding, 600), "history of experiment 1");
    assert_string_equal(scene_sql("SELECT count(*) FROM history").text, "2");
}

TEST_WITH(rows_of_an_hour_become_one, start, end)
{
    put(1, 1, 60);
    put(1, 2, 119);
    put(1, 3, 120);
    put(1, 4, 179);
    put(1, 5, 180);
    put(2, 1, 60);
    assert_folded(folding, folding_thin_history(folding, 179)); /* whole hours only */
    assert_string_equal(history(1).text, "2:119:2:-6:6 3:120:1:-3:8 4:179:1:-3:16 5:180:1:-3:32 ");
    assert_folded(folding, folding_thin_history(folding, 200));
    assert_string_equal(history(1).text, "2:119:2:-6:6 4:179:2:-6:24 5:180:1:-3:32 ");
    assert_folded(folding, folding_thin_history(folding, 100));
    assert_folded(folding, folding_thin_history(folding, 10000));
    assert_string_equal(history(1).text, "2:119:2:-6:6 4:179:2:-6:24 5:180:1:-3:32 ");
    assert_string_equal(history(2).text, "1:60:1:-3:2 ");
}
