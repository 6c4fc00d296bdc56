/* A journal in a folder of a test's own, and things to put in it. */
#ifndef SOTTO_JOURNALS_H
#define SOTTO_JOURNALS_H

#include "folder.h"
#include "service/journal/journal.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

typedef struct journals {
    folder home;
    char path[FOLDER_PATH_BYTES + 16]; /* home/data: made by the journal */
    char file[FOLDER_PATH_BYTES + 48]; /* its journal.sqlite */
    sottod_journal *journal;
    char fault[JOURNAL_FAULT_BYTES];
} journals;

#define assert_done(test, call)                                                                    \
    do {                                                                                           \
        if (!(call)) fail_msg("%s: %s", #call, journal_fault((test)->journal));                    \
    } while (0)
/* Refused, with these words in the sentence. */
#define assert_refused(test, call, words)                                                          \
    do {                                                                                           \
        if (call) fail_msg("%s: was not refused", #call);                                          \
        if (strstr(journal_fault((test)->journal), words) == NULL) {                               \
            fail_msg("%s: \"%s\" lacks \"%s\"", #call, journal_fault((test)->journal), words);     \
        }                                                                                          \
    } while (0)
#define assert_words(text, words)                                                                  \
    do {                                                                                           \
        if (strstr(text, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", text, words);             \
    } while (0)

static inline bool journals_try(journals *test, uint64_t recover_to)
{
    const journal_settings settings = {.folder = test->path, .recover_to = recover_to};
    return journal_open(&settings, &test->journal, test->fault);
}

static inline void journals_open(journals *test)
{
    if (!journals_try(test, 0)) fail_msg("%s", test->fault);
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
    journals test = {.home = folder_new()};
    snprintf(test.path, sizeof test.path, "%s/data", test.home.path);
    snprintf(test.file, sizeof test.file, "%s/journal.sqlite", test.path);
    return test;
}

static inline void journals_free(journals *test)
{
    folder inner = test->home;
    journals_close(test);
    snprintf(inner.path, sizeof inner.path, "%.*s/data", FOLDER_PATH_BYTES - 8, test->home.path);
    if (folder_count(&test->home) > 0) folder_free(&inner);
    folder_free(&test->home);
}

/* Adds an experiment; terms, start and labels follow from `name`. */
static inline uint32_t journals_experiment(journals *test, const char *name)
{
    journal_experiment experiment = {.created_minute = 29000000,
                                     .epoch_seconds_min = 60,
                                     .epoch_reports_min = 20,
                                     .terms = {(const uint8_t *)name, strlen(name)},
                                     .start = {(const uint8_t *)"start", 5},
                                     .labels = "{\"arm\":\"a\"}"};
    snprintf((char *)experiment.id, sizeof experiment.id, "%s", name);
    assert_done(test, journal_begin(test->journal));
    assert_done(test, journal_add_experiment(test->journal, &experiment));
    assert_done(test, journal_commit(test->journal));
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
static inline uint64_t journals_append(journals *test, uint32_t experiment, const char *frames)
{
    assert_done(test, journal_begin(test->journal));
    uint64_t seq = journals_row(test, experiment, frames, strlen(frames));
    assert_done(test, journal_commit(test->journal));
    return seq;
}

static inline void journals_snapshot(journals *test, uint32_t experiment, uint64_t seq,
                                     const char *learner)
{
    const journal_snapshot snapshot = {.experiment = experiment,
                                       .seq = seq,
                                       .counts = {.folded = 7, .late = 1},
                                       .learner = {(const uint8_t *)learner, strlen(learner)}};
    assert_done(test, journal_begin(test->journal));
    assert_done(test, journal_put_snapshot(test->journal, &snapshot));
    assert_done(test, journal_commit(test->journal));
}

/* Removes an experiment's rows up to seq. */
static inline void journals_remove(journals *test, uint32_t experiment, uint64_t seq)
{
    assert_done(test, journal_begin(test->journal));
    assert_done(test, journal_remove_rows(test->journal, experiment, seq));
    assert_done(test, journal_commit(test->journal));
}

static inline void journals_state(journals *test, uint32_t experiment, journal_state state)
{
    assert_done(test, journal_begin(test->journal));
    assert_done(test, journal_set_state(test->journal, experiment, state));
    assert_done(test, journal_commit(test->journal));
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

#endif
