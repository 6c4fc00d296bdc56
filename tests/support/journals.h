/* A journal in a test's directory, and rows for it. */
#ifndef SOTTO_JOURNALS_H
#define SOTTO_JOURNALS_H

#include "directory.h"
#include "service/store/sqlite/sqlite.h"
#include "test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

typedef struct journals {
    directory home;
    char path[DIRECTORY_PATH_BYTES + 16]; /* home/data, which the journal creates */
    char file[DIRECTORY_PATH_BYTES + 48]; /* its journal.sqlite */
    sottod_journal *journal;
    sotto_fault fault;
} journals;

#define assert_done(test, call)                                                                    \
    do {                                                                                           \
        if (!(call)) fail_msg("%s: %s", #call, journal_fault((test)->journal)->sentence);          \
    } while (0)
/* The call is refused, and the sentence contains these words. */
#define assert_refused(test, call, words)                                                          \
    do {                                                                                           \
        if (call) fail_msg("%s: was not refused", #call);                                          \
        if (strstr(journal_fault((test)->journal)->sentence, words) == NULL) {                     \
            fail_msg("%s: \"%s\" lacks \"%s\"", #call, journal_fault((test)->journal)->sentence,   \
                     words);                                                                       \
        }                                                                                          \
    } while (0)
/* The change is durable after a transaction of its own. */
#define assert_committed(test, call)                                                               \
    do {                                                                                           \
        assert_done(test, journal_begin((test)->journal));                                         \
        assert_done(test, call);                                                                   \
        assert_done(test, journal_commit((test)->journal));                                        \
    } while (0)
/* The change is refused in a transaction, which is abandoned. */
#define assert_refused_within(test, call, words)                                                   \
    do {                                                                                           \
        assert_done(test, journal_begin((test)->journal));                                         \
        assert_refused(test, call, words);                                                         \
        journal_abandon((test)->journal);                                                          \
    } while (0)
#define assert_words(text, words)                                                                  \
    do {                                                                                           \
        if (strstr(text, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", text, words);             \
    } while (0)

static inline bool journals_try(journals *test, uint64_t recover_to)
{
    const journal_settings settings = {.directory = test->path, .recover_to = recover_to};
    return journal_open(&settings, &test->journal, &test->fault) == SOTTO_OK;
}

static inline void journals_open(journals *test)
{
    if (!journals_try(test, 0)) fail_msg("%s", test->fault.sentence);
}

static inline void journals_close(journals *test)
{
    journal_close(test->journal);
    test->journal = NULL;
}

static inline void journals_reopen(journals *test)
{
    journals_close(test);
    journals_open(test);
}

/* Not open yet. */
static inline journals journals_new(void)
{
    journals test = {.home = directory_new()};
    snprintf(test.path, sizeof test.path, "%s/data", test.home.path);
    snprintf(test.file, sizeof test.file, "%s/journal.sqlite", test.path);
    return test;
}

static inline void journals_free(journals *test)
{
    directory inner = test->home;
    journals_close(test);
    snprintf(inner.path, sizeof inner.path, "%.*s/data", DIRECTORY_PATH_BYTES - 8, test->home.path);
    if (directory_count(&test->home) > 0) directory_free(&inner);
    directory_free(&test->home);
}

/* Changes the file without the journal's knowledge. */
static inline void journals_change(const journals *test, const char *sql)
{
    sqlite3 *data;
    assert_int_equal(sqlite3_open(test->file, &data), SQLITE_OK);
    if (sqlite3_exec(data, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(data));
    }
    if (sqlite3_total_changes(data) == 0) fail_msg("%s: changed nothing", sql);
    assert_int_equal(sqlite3_close(data), SQLITE_OK);
}

/* Adds an experiment; terms, start and labels follow from `name`. "two" has a key and every
 * optional field. */
static inline uint32_t journals_experiment(journals *test, const char *name)
{
    journal_experiment experiment = {.created_minute = 29000000,
                                     .epoch_seconds_min = 60,
                                     .epoch_reports_min = 20,
                                     .terms = {(const uint8_t *)name, strlen(name)},
                                     .start = {(const uint8_t *)"start", 5},
                                     .labels = "{\"arm\":\"a\"}"};
    if (strcmp(name, "two") == 0) {
        experiment.epoch_reports_expected = 500;
        experiment.quarantine = experiment.has_report_key = true;
        memset(experiment.report_key, 'k', sizeof experiment.report_key);
    }
    snprintf((char *)experiment.id, sizeof experiment.id, "%s", name);
    assert_committed(test, journal_add_experiment(test->journal, &experiment));
    return experiment.number;
}

/* Appends a row of reports, in the transaction that is open. */
static inline uint64_t journals_row(journals *test, uint32_t experiment, const void *frames,
                                    size_t bytes)
{
    journal_row row = {.experiment = experiment, .epoch = 1, .frames = {frames, bytes}};
    assert_done(test, journal_append(test->journal, &row));
    return row.seq;
}

/* The same, in a transaction of its own. */
static inline uint64_t journals_append_bytes(journals *test, uint32_t experiment,
                                             const void *frames, size_t bytes)
{
    assert_done(test, journal_begin(test->journal));
    uint64_t seq = journals_row(test, experiment, frames, bytes);
    assert_done(test, journal_commit(test->journal));
    return seq;
}

static inline uint64_t journals_append(journals *test, uint32_t experiment, const char *frames)
{
    return journals_append_bytes(test, experiment, frames, strlen(frames));
}

static inline void journals_snapshot(journals *test, uint32_t experiment, uint64_t seq,
                                     const char *learner)
{
    const journal_snapshot snapshot = {.experiment = experiment,
                                       .seq = seq,
                                       .counts = {.folded = 7, .late = 1},
                                       .learner = {(const uint8_t *)learner, strlen(learner)}};
    assert_committed(test, journal_put_snapshot(test->journal, &snapshot));
}

/* Removes an experiment's rows up to seq. */
static inline void journals_remove(journals *test, uint32_t experiment, uint64_t seq)
{
    assert_committed(test, journal_remove_rows(test->journal, experiment, seq));
}

static inline void journals_state(journals *test, uint32_t experiment, journal_state state)
{
    assert_committed(test, journal_set_state(test->journal, experiment, state));
}

/* "1:1:abc 2:1:def ": seq, experiment and frames of the rows that are read. */
typedef struct journals_text {
    char text[4096];
} journals_text;

static inline bool journals_take_row(void *self, const journal_row *row)
{
    journals_text *out = self;
    size_t at = strlen(out->text);
    snprintf(out->text + at, sizeof out->text - at, "%llu:%u:%.*s ", (unsigned long long)row->seq,
             row->experiment, (int)row->frames.bytes, (const char *)row->frames.at);
    return true;
}

static inline journals_text journals_rows(journals *test, uint32_t experiment, uint64_t after)
{
    journals_text out = {.text = ""};
    assert_done(test, journal_read_rows(test->journal, experiment, after, journals_take_row, &out));
    return out;
}

/* ---- everything that can be read, as text, to compare */

typedef struct journals_all {
    char text[65536];
    size_t bytes;
} journals_all;

__attribute__((format(printf, 2, 3))) static inline bool journals_add(journals_all *out,
                                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    out->bytes +=
        (size_t)vsnprintf(out->text + out->bytes, sizeof out->text - out->bytes, format, arguments);
    va_end(arguments);
    return out->bytes < sizeof out->text;
}

static inline uint64_t journals_sum(journal_bytes bytes)
{
    uint64_t sum = bytes.bytes;
    for (size_t i = 0; i < bytes.bytes; i++) {
        sum = sum * 1099511628211u + bytes.at[i];
    }
    return sum;
}

#define JOURNALS_LL(x) ((unsigned long long)(x))

static inline bool journals_all_row(void *self, const journal_row *row)
{
    return journals_add(self, "row %llu %u %d %u %llu %u %u %u %llx\n", JOURNALS_LL(row->seq),
                        row->experiment, (int)row->kind, row->epoch, JOURNALS_LL(row->minute),
                        row->late, row->duplicate, row->conflicting,
                        JOURNALS_LL(journals_sum(row->frames)));
}

static inline bool journals_all_experiment(void *self, const journal_experiment *e)
{
    return journals_add(
        self, "experiment %u %.16s %d %llu %u %llu %llu %d %d%llx %llx %llx %s\n", e->number,
        (const char *)e->id, (int)e->state, JOURNALS_LL(e->created_minute), e->epoch_seconds_min,
        JOURNALS_LL(e->epoch_reports_min), JOURNALS_LL(e->epoch_reports_expected), e->quarantine,
        e->has_report_key, JOURNALS_LL(journals_sum((journal_bytes){e->report_key, 32})),
        JOURNALS_LL(journals_sum(e->terms)), JOURNALS_LL(journals_sum(e->start)), e->labels);
}

static inline bool journals_all_snapshot(void *self, const journal_snapshot *s)
{
    return journals_add(self, "snapshot %u %llu %llu %llu %llu %llu %llx\n", s->experiment,
                        JOURNALS_LL(s->seq), JOURNALS_LL(s->counts.folded),
                        JOURNALS_LL(s->counts.late), JOURNALS_LL(s->counts.duplicate),
                        JOURNALS_LL(s->counts.conflicting), JOURNALS_LL(journals_sum(s->learner)));
}

static inline bool journals_all_history(void *self, const journal_history *h)
{
    return journals_add(self, "history %u %u %llu %u %llu %llu %llu %lld %lld %llu %llu %llu %x\n",
                        h->experiment, h->epoch, JOURNALS_LL(h->minute), h->publishes,
                        JOURNALS_LL(h->learn), JOURNALS_LL(h->control), JOURNALS_LL(h->follow),
                        (long long)h->control_sum, (long long)h->follow_sum, JOURNALS_LL(h->late),
                        JOURNALS_LL(h->duplicate), JOURNALS_LL(h->conflicting), h->alarms);
}

/* Of experiments 1 to `experiments`. */
static inline void journals_read_all(journals *test, uint32_t experiments, journals_all *out)
{
    bool found;
    out->bytes = 0;
    assert_done(test, journal_read_experiments(test->journal, journals_all_experiment, out));
    assert_done(test, journal_read_rows(test->journal, 0, 0, journals_all_row, out));
    for (uint32_t i = 1; i <= experiments; i++) {
        assert_done(test, journal_read_rows(test->journal, i, 0, journals_all_row, out));
        assert_done(test,
                    journal_read_snapshot(test->journal, i, journals_all_snapshot, out, &found));
        assert_done(test, journal_read_history(test->journal, i, journals_all_history, out));
    }
    journals_add(out, "last %llu\n", JOURNALS_LL(journal_last(test->journal)));
}

/* Fills every table: experiments 1 and 2 with rows 1 to 12, of which the first of experiment 1 are
 * removed; experiment 3 is deleted. */
static inline void journals_fill(journals *test)
{
    static uint8_t frames[9000];
    memset(frames, 'f', sizeof frames);
    journals_experiment(test, "one");
    journals_experiment(test, "two");
    journals_experiment(test, "three");
    for (uint32_t i = 1; i <= 12; i++) {
        journal_row publish = {.experiment = 1 + i % 2,
                               .kind = i == 9 ? JOURNAL_DISCARD : JOURNAL_PUBLISH,
                               .epoch = i / 4,
                               .minute = 1000 + i};
        const journal_history history = {.experiment = 1 + i % 2,
                                         .epoch = i / 4,
                                         .minute = 1000 + i,
                                         .publishes = 1,
                                         .learn = 40,
                                         .alarms = i == 9 ? 3 : 0};
        assert_done(test, journal_begin(test->journal));
        if (i % 4 < 2) {
            assert_done(test, journal_append(test->journal, &publish));
            assert_done(test, journal_add_history(test->journal, &history));
        } else {
            journals_row(test, 1 + i % 2, frames, i == 6 ? sizeof frames : 42 * i);
        }
        assert_done(test, journal_commit(test->journal));
        if (i == 5) journals_snapshot(test, 1, 5, "learner of one");
        if (i == 7) journals_remove(test, 1, 2);
        if (i == 7) journals_append(test, 3, "gone");
        if (i == 8) journals_state(test, 3, JOURNAL_DELETED);
    }
}

#endif
