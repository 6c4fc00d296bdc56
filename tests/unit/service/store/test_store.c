/* Each function reaches the row of its own in the table, with its arguments, and gives back the answer. */
#include "service/store/store.h"
#include "test.h"

#include <stdio.h>

/* What was called last, in words. */
static char called[64];
static bool answer;

#define CALLED(...) snprintf(called, sizeof called, __VA_ARGS__)

static void note_close(sottod_journal *journal)
{
    (void)journal;
    CALLED("close");
}

static const char *note_fault(const sottod_journal *journal)
{
    (void)journal;
    CALLED("fault");
    return "as it is";
}

static const char *note_reason(const sottod_journal *journal)
{
    (void)journal;
    CALLED("reason");
    return "for anybody";
}

static uint64_t note_last(const sottod_journal *journal)
{
    (void)journal;
    CALLED("last");
    return 71;
}

static uint64_t note_disk_bytes(const sottod_journal *journal)
{
    (void)journal;
    CALLED("disk_bytes");
    return 72;
}

static uint64_t note_commits(const sottod_journal *journal, uint64_t *last_us)
{
    (void)journal;
    CALLED("commits");
    *last_us = 74;
    return 73;
}

static bool note_read_experiments(sottod_journal *journal,
                                  bool (*take)(void *self, const journal_experiment *), void *self)
{
    const journal_experiment experiment = {.number = 5};
    (void)journal;
    CALLED("read_experiments");
    return take(self, &experiment);
}

static bool note_read_snapshot(sottod_journal *journal, uint32_t experiment,
                               bool (*take)(void *self, const journal_snapshot *), void *self,
                               bool *found)
{
    const journal_snapshot snapshot = {.experiment = 6};
    (void)journal;
    CALLED("read_snapshot %u", experiment);
    *found = true;
    return take(self, &snapshot);
}

static bool note_read_rows(sottod_journal *journal, uint32_t experiment, uint64_t after,
                           bool (*take)(void *self, const journal_row *), void *self)
{
    const journal_row row = {.experiment = 7};
    (void)journal;
    CALLED("read_rows %u %llu", experiment, (unsigned long long)after);
    return take(self, &row);
}

static bool note_read_span(sottod_journal *journal, const journal_span *span,
                           bool (*take)(void *self, const journal_history *), void *self)
{
    const journal_history history = {.experiment = 8};
    (void)journal;
    CALLED("read_span %u %u-%u %llu-%llu %u", span->experiment, span->first, span->last,
           (unsigned long long)span->from, (unsigned long long)span->before, span->rows_max);
    return take(self, &history);
}

#define NOTE(name)                                                                                 \
    static bool note_##name(sottod_journal *journal)                                               \
    {                                                                                              \
        (void)journal;                                                                             \
        CALLED(#name);                                                                             \
        return answer;                                                                             \
    }
NOTE(begin)
NOTE(commit)
NOTE(probe)
NOTE(scrub)
NOTE(changed)

static void note_abandon(sottod_journal *journal)
{
    (void)journal;
    CALLED("abandon");
}

static bool note_add_experiment(sottod_journal *journal, journal_experiment *experiment)
{
    (void)journal;
    CALLED("add_experiment");
    experiment->number = 9;
    return answer;
}

static bool note_set_state(sottod_journal *journal, uint32_t experiment, journal_state state)
{
    (void)journal;
    CALLED("set_state %u %s", experiment, journal_state_name(state));
    return answer;
}

static bool note_set_quarantine(sottod_journal *journal, uint32_t experiment, bool quarantine)
{
    (void)journal;
    CALLED("set_quarantine %u %d", experiment, quarantine);
    return answer;
}

static bool note_set_access(sottod_journal *journal, uint32_t experiment, const char *labels,
                            const uint8_t *report_key)
{
    (void)journal;
    CALLED("set_access %u %s %s", experiment, labels, (const char *)report_key);
    return answer;
}

static bool note_append(sottod_journal *journal, journal_row *row)
{
    (void)journal;
    CALLED("append");
    row->seq = 10;
    return answer;
}

static bool note_put_snapshot(sottod_journal *journal, const journal_snapshot *snapshot)
{
    (void)journal;
    CALLED("put_snapshot %u", snapshot->experiment);
    return answer;
}

static bool note_add_history(sottod_journal *journal, const journal_history *history)
{
    (void)journal;
    CALLED("add_history %u", history->experiment);
    return answer;
}

static bool note_tidy(sottod_journal *journal, uint64_t before_minute, bool *more)
{
    (void)journal;
    *more = true;
    CALLED("tidy %llu", (unsigned long long)before_minute);
    return answer;
}

static bool note_newest(sottod_journal *journal, uint32_t experiment, uint32_t *epoch)
{
    (void)journal;
    CALLED("newest %u", experiment);
    *epoch = 77;
    return answer;
}

static bool note_slice(sottod_journal *journal, uint32_t experiment, uint64_t oldest_open,
                       uint64_t *to, bool *more)
{
    (void)journal;
    CALLED("slice %u %llu", experiment, (unsigned long long)oldest_open);
    *to = 13;
    *more = true;
    return answer;
}

static bool note_remove_rows(sottod_journal *journal, uint32_t experiment, uint64_t seq)
{
    (void)journal;
    CALLED("remove_rows %u %llu", experiment, (unsigned long long)seq);
    return answer;
}

static bool note_read_news(sottod_journal *journal, uint32_t only,
                           bool (*take)(void *self, const journal_news *), void *self)
{
    const journal_news news = {.experiment = 15};
    (void)journal;
    CALLED("read_news %u", only);
    return take(self, &news);
}

static bool note_read_waiting(sottod_journal *journal, const uint32_t *experiment, uint32_t count,
                              uint64_t *reports)
{
    (void)journal;
    CALLED("read_waiting %u %u", experiment[0], count);
    reports[0] = 76;
    return answer;
}

static bool note_decide(sottod_journal *journal, uint32_t experiment, uint32_t epoch,
                        journal_kind decision, bool *held)
{
    (void)journal;
    CALLED("decide %u %u %u", experiment, epoch, (unsigned)decision);
    *held = true;
    return answer;
}

static bool note_end_fallback(sottod_journal *journal, uint32_t experiment, bool *done)
{
    (void)journal;
    CALLED("end_fallback %u", experiment);
    *done = true;
    return answer;
}

static uint64_t note_session(const sottod_journal *journal)
{
    (void)journal;
    CALLED("session");
    return 77;
}

static bool note_changed_one(sottod_journal *journal, uint32_t *experiment)
{
    (void)journal;
    CALLED("changed_one");
    *experiment = 78;
    return answer;
}

static int note_fd(const sottod_journal *journal)
{
    (void)journal;
    CALLED("fd");
    return 75;
}

static const journal_table table = {
    true,
    note_close,
    note_fault,
    note_reason,
    note_last,
    note_disk_bytes,
    note_commits,
    note_read_experiments,
    note_read_snapshot,
    note_read_rows,
    note_read_span,
    note_newest,
    note_slice,
    note_begin,
    note_commit,
    note_abandon,
    note_add_experiment,
    note_set_state,
    note_set_quarantine,
    note_set_access,
    note_append,
    note_put_snapshot,
    note_add_history,
    note_tidy,
    note_remove_rows,
    note_probe,
    note_scrub,
    note_read_news,
    note_read_waiting,
    note_end_fallback,
    note_decide,
    note_fd,
    note_changed,
    note_session,
    note_changed_one,
};
static sottod_journal noted = {&table};

#define assert_called(words, call)                                                                 \
    do {                                                                                           \
        called[0] = '\0';                                                                          \
        call;                                                                                      \
        assert_string_equal(called, words);                                                        \
    } while (0)
#define assert_passed_on(words, call)                                                              \
    do {                                                                                           \
        answer = false;                                                                            \
        assert_called(words, assert_false(call));                                                  \
        answer = true;                                                                             \
        assert_called(words, assert_true(call));                                                   \
    } while (0)

static bool take_experiment(void *self, const journal_experiment *experiment)
{
    *(uint32_t *)self = experiment->number;
    return answer;
}

static bool take_news(void *self, const journal_news *news)
{
    *(uint32_t *)self = news->experiment;
    return answer;
}

static bool take_snapshot(void *self, const journal_snapshot *snapshot)
{
    *(uint32_t *)self = snapshot->experiment;
    return answer;
}

static bool take_row(void *self, const journal_row *row)
{
    *(uint32_t *)self = row->experiment;
    return answer;
}

static bool take_history(void *self, const journal_history *history)
{
    *(uint32_t *)self = history->experiment;
    return answer;
}

TEST(a_journal_that_was_never_opened_can_be_closed)
{
    called[0] = '\0';
    journal_close(NULL);
    assert_string_equal(called, "");
}

TEST(a_state_that_there_is_not_has_no_name)
{
    assert_string_equal(journal_state_name(JOURNAL_OPEN), "open");
    assert_string_equal(journal_state_name(JOURNAL_DELETED), "deleted");
    assert_null(journal_state_name((journal_state)(JOURNAL_DELETED + 1)));
}

TEST(what_is_asked_is_answered_by_the_kind)
{
    uint64_t last_us = 0;
    assert_called("close", journal_close(&noted));
    assert_called("fault", assert_string_equal(journal_fault(&noted), "as it is"));
    assert_called("reason", assert_string_equal(journal_reason(&noted), "for anybody"));
    assert_called("last", assert_int_equal(journal_last(&noted), 71));
    assert_called("disk_bytes", assert_int_equal(journal_disk_bytes(&noted), 72));
    assert_called("commits", assert_int_equal(journal_commits(&noted, &last_us), 73));
    assert_int_equal(last_us, 74);
    assert_called("fd", assert_int_equal(journal_fd(&noted), 75));
    assert_true(journal_publishes_here(&noted));
    assert_passed_on("changed", journal_changed(&noted));
}

TEST(what_is_read_comes_from_the_kind)
{
    uint32_t seen = 0;
    bool found = false;
    assert_passed_on("read_experiments", journal_read_experiments(&noted, take_experiment, &seen));
    assert_int_equal(seen, 5);
    assert_passed_on("read_news 7", journal_read_news(&noted, 7, take_news, &seen));
    assert_int_equal(seen, 15);
    const uint32_t number = 3;
    uint64_t reports = 0;
    assert_passed_on("read_waiting 3 1", journal_read_waiting(&noted, &number, 1, &reports));
    assert_int_equal(reports, 76);
    assert_passed_on("read_snapshot 3",
                     journal_read_snapshot(&noted, 3, take_snapshot, &seen, &found));
    assert_int_equal(seen, 6);
    assert_true(found);
    assert_passed_on("read_rows 3 4", journal_read_rows(&noted, 3, 4, take_row, &seen));
    assert_int_equal(seen, 7);
    assert_passed_on("read_span 3 0-4294967295 0-9223372036854775807 4294967295",
                     journal_read_history(&noted, 3, take_history, &seen));
    const journal_span span = {3, 4, 5, 6, 7, 8};
    assert_passed_on("read_span 3 4-5 6-7 8",
                     journal_read_span(&noted, &span, take_history, &seen));
    assert_int_equal(seen, 8);
}

TEST(what_is_written_goes_to_the_kind)
{
    journal_experiment experiment = {.number = 0};
    journal_row row = {.seq = 0};
    const journal_snapshot snapshot = {.experiment = 11};
    const journal_history history = {.experiment = 12};
    assert_passed_on("begin", journal_begin(&noted));
    assert_passed_on("commit", journal_commit(&noted));
    assert_called("abandon", journal_abandon(&noted));
    assert_passed_on("add_experiment", journal_add_experiment(&noted, &experiment));
    assert_int_equal(experiment.number, 9);
    assert_passed_on("set_state 2 paused", journal_set_state(&noted, 2, JOURNAL_PAUSED));
    assert_passed_on("set_quarantine 2 1", journal_set_quarantine(&noted, 2, true));
    assert_passed_on("set_access 2 {} k",
                     journal_set_access(&noted, 2, "{}", (const uint8_t *)"k"));
    bool held = false;
    assert_passed_on("decide 2 5 1", journal_decide(&noted, 2, 5, JOURNAL_PUBLISH, &held));
    assert_true(held);
    bool done = false;
    assert_passed_on("end_fallback 2", journal_end_fallback(&noted, 2, &done));
    assert_true(done);
    assert_passed_on("append", journal_append(&noted, &row));
    assert_int_equal(row.seq, 10);
    assert_passed_on("put_snapshot 11", journal_put_snapshot(&noted, &snapshot));
    assert_passed_on("add_history 12", journal_add_history(&noted, &history));
    bool more = false;
    assert_passed_on("tidy 13", journal_tidy(&noted, 13, &more));
    assert_true(more);
    uint32_t epoch = 0;
    assert_passed_on("newest 2", journal_newest(&noted, 2, &epoch));
    assert_int_equal(epoch, 77);
    uint64_t to = 0;
    more = false;
    assert_passed_on("slice 2 14", journal_slice(&noted, 2, 14, &to, &more));
    assert_int_equal(to, 13);
    assert_true(more);
    assert_passed_on("remove_rows 2 14", journal_remove_rows(&noted, 2, 14));
    assert_passed_on("probe", journal_probe(&noted));
    assert_passed_on("scrub", journal_scrub(&noted));
}
