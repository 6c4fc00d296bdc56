/* Changes of all experiments, in one query. */
#include "postgres_scene.h"
#include "service/store/postgres/inner.h"

static sottod_journal *gateway;
static sottod_folding *folding;
static const folding_cut none;

static int start(void **state)
{
    scene_fresh(state);
    gateway = scene_gateway();
    folding = scene_publisher();
    return 0;
}

FIXTURE(end)
{
    journal_close(gateway);
    folding_free(folding);
}

static bool take_news(void *self, const journal_news *news)
{
    return scene_add(self, "%u:%s:%d:%u:%u/%u ", news->experiment, journal_state_name(news->state),
                     news->quarantine, news->epoch, (unsigned)news->held.reports,
                     (unsigned)news->held.decision);
}

static scene_text news(void)
{
    scene_text out = {.text = ""};
    assert_done(gateway, journal_read_news(gateway, 0, take_news, &out));
    return out;
}

TEST_WITH(an_empty_database_has_none, start, end)
{
    assert_string_equal(news().text, "");
}

TEST_WITH(they_have_state_epoch_and_what_is_held, start, end)
{
    bool fenced, held;
    scene_experiment(gateway, "one");
    scene_experiment(gateway, "two");
    assert_true(scene_publish(folding, 2, 1, &none));
    scene_state(gateway, 1, JOURNAL_PAUSED);
    const journal_held row = {.experiment = 2, .epoch = 1, .alarms = 1, .reports = 30};
    assert_folded(folding, folding_hold(folding, &row, &fenced));
    assert_string_equal(news().text, "1:paused:1:0:0/0 2:open:1:1:30/0 ");
    assert_committed(gateway, journal_decide(gateway, 2, 1, JOURNAL_DISCARD, &held));
    assert_string_equal(news().text, "1:paused:1:0:0/0 2:open:1:1:30/2 ");
    scene_change("UPDATE held SET decision = 1"); /* altered: treated as missing */
    assert_string_equal(news().text, "1:paused:1:0:0/0 2:open:1:1:0/0 ");
}

/* A row of a closed epoch, as written by a publisher that woke up late. */
TEST_WITH(an_epoch_that_is_over_is_not_held, start, end)
{
    bool fenced;
    scene_experiment(gateway, "one");
    const journal_held row = {.experiment = 1, .alarms = 1, .reports = 30};
    assert_folded(folding, folding_hold(folding, &row, &fenced));
    scene_sql("CREATE TABLE public.late AS SELECT * FROM held");
    assert_true(scene_publish(folding, 1, 1, &none));
    scene_change("INSERT INTO held SELECT * FROM public.late");
    scene_sql("DROP TABLE public.late");
    assert_string_equal(news().text, "1:open:1:1:0/0 ");
}

TEST_WITH(one_that_is_damaged_is_passed_over, start, end)
{
    scene_experiment(gateway, "one");
    scene_experiment(gateway, "two");
    scene_change("UPDATE experiment SET state = 7 WHERE number = 1");
    assert_string_equal(news().text, "2:open:1:0:0/0 ");
}
