/* Queries about all experiments at once: new rows, and time. */
#include "postgres_scene.h"

static sottod_journal *one, *two;
static sottod_folding *folding;
static const folding_cut none;

static int start(void **state)
{
    scene_fresh(state);
    one = scene_gateway();
    two = scene_gateway();
    folding = scene_publisher();
    for (int i = 0; i < 3; i++) {
        scene_experiment(one, i == 0 ? "a" : i == 1 ? "b" : "c");
    }
    return 0;
}

FIXTURE(end)
{
    journal_close(one);
    journal_close(two);
    folding_free(folding);
}

static bool take_arrival(void *self, uint32_t experiment)
{
    return scene_add(self, "%u ", experiment);
}

static scene_text arrivals(bool anew)
{
    scene_text out = {.text = ""};
    assert_folded(folding, folding_arrivals(folding, anew, take_arrival, &out));
    return out;
}

TEST_WITH(an_experiment_is_told_of_once_for_all_its_rows, start, end)
{
    assert_string_equal(arrivals(false).text, "");
    scene_append(one, 2, 0, 'a', 1);
    scene_append(one, 2, 0, 'b', 1);
    scene_append(one, 1, 0, 'c', 1);
    scene_append(two, 3, 0, 'd', 1);
    assert_strings(arrivals(false).text, "2 1 3 ", arrivals(false).text, "");
    scene_append(two, 3, 0, 'e', 1);
    assert_strings(arrivals(false).text, "3 ", arrivals(true).text, "2 1 3 ");
    assert_string_equal(scene_sql("SELECT count(*) FROM arrival").text, "3");
}

TEST_WITH(a_row_that_was_taken_back_is_not_told_of, start, end)
{
    scene_append(one, 1, 0, 'a', 1);
    assert_string_equal(arrivals(false).text, "1 ");
    scene_state(two, 2, JOURNAL_CLOSED);
    assert_false(scene_try_append(one, 2, 0, 'b', 1));
    assert_string_equal(arrivals(false).text, "");
    scene_append(one, 3, 0, 'c', 1);
    assert_string_equal(arrivals(false).text, "3 ");
}

static uint64_t elapsed[4];

static bool take_pace(void *self, uint32_t experiment, uint64_t elapsed_ms)
{
    (void)self;
    assert_in_range(experiment, 1, 3);
    elapsed[experiment] = elapsed_ms;
    return true;
}

static void read_pace(void)
{
    elapsed[1] = elapsed[2] = elapsed[3] = UINT64_MAX;
    assert_folded(folding, folding_read_pace(folding, 0, take_pace, NULL));
}

TEST_WITH(time_goes_on_whoever_asks, start, end)
{
    read_pace();
    assert_true(elapsed[1] < 60000 && elapsed[2] < 60000 && elapsed[3] < 60000);
    scene_change("UPDATE pace SET published_ms = published_ms - 3600000 WHERE experiment < 3");
    folding_free(folding);
    folding = scene_publisher();
    read_pace();
    assert_true(elapsed[1] >= 3600000 && elapsed[2] >= 3600000 && elapsed[3] < 60000);
    assert_true(scene_publish(folding, 1, 1, &none));
    read_pace();
    assert_true(elapsed[1] < 60000 && elapsed[2] >= 3600000);
    assert_string_equal(scene_sql("SELECT count(*) || ' ' || sum(epoch) FROM pace").text, "3 1");
}

TEST_WITH(a_clock_that_was_set_back_makes_no_long_epoch, start, end)
{
    read_pace();
    scene_change("UPDATE pace SET published_ms = published_ms + 3600000 WHERE experiment = 2");
    read_pace();
    assert_int_equal(elapsed[2], 0);
    elapsed[1] = elapsed[2] = UINT64_MAX;
    assert_folded(folding, folding_read_pace(folding, 2, take_pace, NULL)); /* of one alone */
    assert_int_equal(elapsed[2], 0);
    assert_true(elapsed[1] == UINT64_MAX);
}

static bool take_news(void *self, const journal_news *news)
{
    journal_news *out = self;
    if (news->experiment == 1) *out = *news;
    return true;
}

TEST_WITH(gateways_hear_of_a_look, start, end)
{
    uint32_t number = 0;
    journal_news news;
    read_pace();
    assert_folded(folding, folding_tell_look(folding, 1, 0, 17));
    while (!journal_changed_one(one, &number)) {
        journal_changed(one);
    }
    assert_int_equal(number, 1);
    assert_false(journal_changed_one(one, &number));
    for (uint32_t only = 0; only < 2; only++) {
        news = (journal_news){.experiment = 0};
        assert_done(one, journal_read_news(one, only, take_news, &news));
        assert_ints(news.experiment, 1, news.looks, 1, news.distinct, 17);
    }
    assert_true(scene_publish(folding, 1, 1, &none));
    assert_done(one, journal_read_news(one, 1, take_news, &news));
    assert_ints(news.epoch, 1, news.distinct, 0);
    scene_change("UPDATE pace SET epoch = 0, distinct_reports = 5"); /* of an epoch that is over */
    assert_done(one, journal_read_news(one, 1, take_news, &news));
    assert_int_equal(news.looks, 0);
}
