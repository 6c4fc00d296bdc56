/* The table of experiments. */
#include "postgres_scene.h"
#include "service/store/postgres/inner.h"

#include <time.h>

static sottod_journal *one, *two;

static int start(void **state)
{
    scene_fresh(state);
    one = scene_gateway();
    two = scene_gateway();
    return 0;
}

FIXTURE(end)
{
    journal_close(one);
    journal_close(two);
}

/* ---- bad input */

TEST_WITH(an_id_is_not_taken_twice, start, end)
{
    uint8_t terms[SOTTO_TERMS_BYTES];
    journal_experiment again = scene_experiment_of("one", terms);
    scene_experiment(one, "one");
    scene_state(one, 1, JOURNAL_DELETED);
    while (journal_changed(two)) {
    }
    assert_refused_within(two, journal_add_experiment(two, &again), "this id, which exists");
    assert_true(journal_changed(two));
    assert_int_equal(scene_experiment(two, "two"), 2);
}

static bool take_slowly(void *self, const journal_experiment *experiment)
{
    uint32_t *count = self;
    const struct timespec slow = {.tv_nsec = 1000000};
    assert_int_equal(experiment->number, ++*count);
    return nanosleep(&slow, NULL) == 0;
}

/* More rows than network buffers hold, read more slowly than the time limit of a statement. */
TEST_WITH(who_takes_rows_slowly_gets_all, start, end)
{
    sottod_journal *slow;
    sotto_fault fault;
    uint32_t count = 0;
    const postgres_settings settings = {.url = scene.url, .timeout_ms = 2500};
    scene_experiment(one, "one");
    scene_sql("INSERT INTO experiment SELECT n, sha256(n::text::bytea), state, created_minute, "
              "epoch_seconds_min, epoch_reports_min, epoch_reports_expected, quarantine, "
              "report_key, terms, start, repeat('x', 1000), digest, report_bytes, n, slab_minute "
              "FROM experiment, generate_series(2, 3000) AS n WHERE number = 1");
    if (postgres_journal_open(&settings, &slow, &fault) != SOTTO_OK) fail_msg("%s", fault.sentence);
    assert_done(slow, journal_read_experiments(slow, take_slowly, &count));
    assert_int_equal(count, 3000);
    journal_close(slow);
}

/* Both begin before either ends. */
TEST_WITH(of_two_who_make_the_same_experiment_at_once_one_is_refused, start, end)
{
    uint8_t terms[SOTTO_TERMS_BYTES];
    journal_experiment same = scene_experiment_of("one", terms);
    sottod_journal *hasty;
    sotto_fault fault;
    const postgres_settings settings = {.url = scene.url, .timeout_ms = 1000};
    if (postgres_journal_open(&settings, &hasty, &fault) != SOTTO_OK)
        fail_msg("%s", fault.sentence);
    assert_done(one, journal_begin(one));
    assert_done(one, journal_add_experiment(one, &same));
    assert_done(hasty, journal_begin(hasty));
    assert_refused(hasty, journal_add_experiment(hasty, &same), ""); /* waits for the other */
    journal_abandon(hasty);
    assert_done(one, journal_commit(one));
    assert_refused_within(two, journal_add_experiment(two, &same), "this id, which exists");
    assert_string_equal(scene_sql("SELECT count(*) FROM experiment").text, "1");
    journal_close(hasty);
}

TEST_WITH(an_experiment_that_makes_no_sense_is_refused, start, end)
{
    uint8_t terms[SOTTO_TERMS_BYTES];
    journal_experiment wrong = scene_experiment_of("one", terms);
    wrong.state = JOURNAL_DELETED;
    assert_refused_within(one, journal_add_experiment(one, &wrong), "state 3: allowed 0 to 2");
    wrong.state = JOURNAL_OPEN;
    wrong.terms.bytes--;
    assert_refused_within(one, journal_add_experiment(one, &wrong), "terms of a new experiment");
    assert_string_equal(scene_sql("SELECT count(*) FROM experiment").text, "0");
}

static bool try_state(sottod_journal *journal, uint32_t experiment, journal_state to)
{
    assert_done(journal, journal_begin(journal));
    bool done = journal_set_state(journal, experiment, to) && journal_commit(journal);
    if (!done) journal_abandon(journal);
    return done;
}

TEST_WITH(nothing_leads_back_from_closed_and_deleted, start, end)
{
    scene_experiment(one, "one");
    scene_state(one, 1, JOURNAL_CLOSED);
    /* Another gateway that does not know it yet. */
    assert_refused(two, try_state(two, 1, JOURNAL_PAUSED),
                   "experiment 1 is closed, which cannot be undone");
    assert_true(journal_changed(two));
    assert_refused(two, try_state(two, 1, JOURNAL_OPEN),
                   "experiment 1 is closed, which cannot be undone");
    scene_state(two, 1, JOURNAL_CLOSED);
    scene_state(two, 1, JOURNAL_DELETED);
    for (journal_state to = JOURNAL_OPEN; to <= JOURNAL_DELETED; to++) {
        assert_refused(one, try_state(one, 1, to),
                       "experiment 1 is deleted, which cannot be undone");
    }
    assert_refused(one, try_state(one, 1, (journal_state)4), "state 4: allowed 0 to 3");
    assert_refused(one, try_state(one, 2, JOURNAL_OPEN), "no experiment 2");
}

static bool take(void *self, const journal_experiment *experiment)
{
    scene_text *out = self;
    size_t length = strlen(out->text);
    snprintf(out->text + length, sizeof out->text - length,
             "%u %s %s %llu %u %llu %llu %d %d:%s %zu %.*s %s|", experiment->number,
             (const char *)experiment->id, journal_state_name(experiment->state),
             (unsigned long long)experiment->created_minute, experiment->epoch_seconds_min,
             (unsigned long long)experiment->epoch_reports_min,
             (unsigned long long)experiment->epoch_reports_expected, experiment->quarantine,
             experiment->has_report_key, (const char *)experiment->report_key,
             experiment->terms.bytes, (int)experiment->start.bytes,
             (const char *)experiment->start.at, experiment->labels);
    return true;
}

/* Of a damaged row only its name is passed on. */
static bool take_names(void *self, const journal_experiment *experiment)
{
    return scene_add(self, "%u%s ", experiment->number, experiment->damaged ? " damaged" : "");
    if (experiment->damaged) assert_int_equal(experiment->terms.bytes + experiment->start.bytes, 0);
}

TEST_WITH(an_altered_experiment_is_told_and_the_others_are_read, start, end)
{
    static const char *const alter[] = {"id = substr(id, 1, 15) || 'z'::bytea",
                                        "state = 1",
                                        "state = 4",
                                        "created_minute = 1",
                                        "epoch_seconds_min = 1",
                                        "epoch_reports_min = 1",
                                        "epoch_reports_expected = 1",
                                        "quarantine = false",
                                        "report_key = NULL",
                                        "report_key = substr(report_key, 1, 31)",
                                        "terms = ''",
                                        "start = 'x'",
                                        "labels = '{}'",
                                        "digest = sha256(digest)",
                                        "number = 3"};
    scene_experiment(one, "one");
    scene_experiment(one, "two");
    scene_save("experiment");
    for (size_t i = 0; i < sizeof alter / sizeof alter[0]; i++) {
        char sql[120];
        scene_text out = {.text = ""};
        scene_restore("experiment");
        snprintf(sql, sizeof sql, "UPDATE experiment SET %s WHERE number = 1", alter[i]);
        scene_change(sql);
        assert_done(one, journal_read_experiments(one, take_names, &out));
        assert_string_equal(out.text, i + 1 < sizeof alter / sizeof alter[0] ? "1 damaged 2 "
                                                                             : "2 3 damaged ");
        if (i + 1 < sizeof alter / sizeof alter[0])
            assert_refused(one, try_state(one, 1, JOURNAL_CLOSED), "is damaged: experiment 1");
    }
}

/* ---- good input */

TEST_WITH(experiments_come_back_as_they_were_written, start, end)
{
    char wanted[1000];
    uint8_t terms[SOTTO_TERMS_BYTES];
    scene_text out = {.text = ""};
    journal_experiment plain = scene_experiment_of("two", terms);
    plain.quarantine = plain.has_report_key = false;
    plain.state = JOURNAL_PAUSED;
    scene_experiment(one, "one");
    assert_committed(one, journal_add_experiment(one, &plain));
    scene_experiment(two, "three");
    scene_state(two, 3, JOURNAL_DELETED);
    assert_committed(one, journal_set_quarantine(one, 2, true));
    uint8_t key[JOURNAL_DIGEST_BYTES] = "new";
    assert_committed(one, journal_set_access(one, 1, "{}\norigins *", NULL) &&
                              journal_set_access(one, 2, "{}", key));
    assert_done(two, journal_read_experiments(two, take, &out));
    snprintf(wanted, sizeof wanted,
             "1 one open 29000000 60 20 500 1 0: %zu the-start {}\norigins *|"
             "2 two paused 29000000 60 20 500 1 1:new %zu the-start {}|"
             "3 three deleted 29000000 60 20 500 1 0: 0  |",
             plain.terms.bytes, plain.terms.bytes);
    assert_string_equal(out.text, wanted);
}
