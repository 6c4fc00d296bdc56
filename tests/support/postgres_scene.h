/* One server for all tests of a program, gateways and publishers connected to it, and rows for its
 * tables. */
#ifndef SOTTO_POSTGRES_SCENE_H
#define SOTTO_POSTGRES_SCENE_H

#include "postgres_server.h"
#include "service/store/postgres/postgres.h"
#include "service/store/store.h"
#include "test.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENE_TIMEOUT_MS 20000u
#define SCENE_SKIPPED 77

static postgres_server scene;

static inline int scene_start(void **state)
{
    (void)state;
    if (!postgres_server_is_there()) exit(SCENE_SKIPPED);
    postgres_server_start(&scene, NULL);
    return 0;
}

static inline int scene_end(void **state)
{
    (void)state;
    postgres_server_stop(&scene);
    return 0;
}

GROUP(scene_start, scene_end)

#define assert_words(text, words)                                                                  \
    do {                                                                                           \
        if (strstr(text, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", text, words);             \
    } while (0)

/* ---- by hand: one statement. The first column of the first row, or how many rows it changed, as text. */
typedef struct scene_text {
    char text[4096];
} scene_text;

static inline scene_text scene_sql(const char *sql)
{
    scene_text out = {.text = ""};
    PGconn *pg = PQconnectdb(scene.url);
    PQclear(PQexec(pg, "SET client_min_messages = error; SET search_path = sotto"));
    PGresult *result = PQexec(pg, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        fail_msg("%s: %s", sql, PQresultErrorMessage(result));
    if (PQntuples(result) > 0) snprintf(out.text, sizeof out.text, "%s", PQgetvalue(result, 0, 0));
    if (status == PGRES_COMMAND_OK) snprintf(out.text, sizeof out.text, "%s", PQcmdTuples(result));
    PQclear(result);
    PQfinish(pg);
    return out;
}

/* Appends to a text; always true, as rows are taken. */
__attribute__((format(printf, 2, 3))) static inline bool scene_add(scene_text *out,
                                                                   const char *format, ...)
{
    size_t length = strlen(out->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out->text + length, sizeof out->text - length, format, arguments);
    va_end(arguments);
    return true;
}

/* A change that must affect at least one row. */
static inline void scene_change(const char *sql)
{
    if (strcmp(scene_sql(sql).text, "0") == 0) fail_msg("%s: changed nothing", sql);
}

/* Turns a setting of the server on or off, as an administrator does while others are connected. */
static inline void scene_turn(const char *name, bool on)
{
    char sql[100];
    snprintf(sql, sizeof sql, "ALTER SYSTEM SET %s = %s", name, on ? "on" : "off");
    scene_sql(sql);
    scene_sql("SELECT pg_reload_conf()");
    snprintf(sql, sizeof sql, "SELECT current_setting('%s')", name);
    while (strcmp(scene_sql(sql).text, on ? "on" : "off") != 0) {
    }
}

/* Saves the rows of a table, and restores them after they were altered. */
static inline void scene_save(const char *table)
{
    char sql[200];
    scene_sql("DROP TABLE IF EXISTS public.saved");
    snprintf(sql, sizeof sql, "CREATE TABLE public.saved AS SELECT * FROM %s", table);
    scene_sql(sql);
}

static inline void scene_restore(const char *table)
{
    char sql[200];
    snprintf(sql, sizeof sql, "DELETE FROM %s; INSERT INTO %s SELECT * FROM public.saved", table,
             table);
    scene_sql(sql);
}

/* Empties the database. Earlier connections that are still ending would hold their locks. */
static inline int scene_fresh(void **state)
{
    (void)state;
    scene_sql("SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE "
              "application_name = 'sottod'");
    scene_sql("DROP SCHEMA IF EXISTS sotto CASCADE");
    return 0;
}

/* ---- gateways */

static inline postgres_settings scene_settings(void)
{
    return (postgres_settings){.url = scene.url, .timeout_ms = SCENE_TIMEOUT_MS};
}

static inline sottod_journal *scene_gateway(void)
{
    sottod_journal *journal;
    sotto_fault fault;
    const postgres_settings settings = scene_settings();
    if (postgres_journal_open(&settings, &journal, &fault) != SOTTO_OK)
        fail_msg("%s", fault.sentence);
    return journal;
}

static inline void scene_refused(const char *url, const char *words)
{
    sottod_journal *journal = (sottod_journal *)&scene;
    sotto_fault fault;
    const postgres_settings settings = {.url = url, .timeout_ms = SCENE_TIMEOUT_MS};
    if (postgres_journal_open(&settings, &journal, &fault) == SOTTO_OK)
        fail_msg("%s was not refused", url);
    assert_null(journal);
    assert_words(fault.sentence, words);
}

#define assert_done(journal, call)                                                                 \
    do {                                                                                           \
        if (!(call)) fail_msg("%s: %s", #call, (journal)->table->fault(journal)->sentence);        \
    } while (0)
#define assert_refused(journal, call, words)                                                       \
    do {                                                                                           \
        if (call) fail_msg("%s: was not refused", #call);                                          \
        assert_words((journal)->table->fault(journal)->sentence, words);                           \
    } while (0)

/* The change is durable after a transaction of its own. */
#define assert_committed(journal, call)                                                            \
    do {                                                                                           \
        assert_done(journal, journal_begin(journal));                                              \
        assert_done(journal, call);                                                                \
        assert_done(journal, journal_commit(journal));                                             \
    } while (0)
/* The change is refused in a transaction, which is abandoned. */
#define assert_refused_within(journal, call, words)                                                \
    do {                                                                                           \
        assert_done(journal, journal_begin(journal));                                              \
        assert_refused(journal, call, words);                                                      \
        journal_abandon(journal);                                                                  \
    } while (0)

/* The terms of all experiments here; made once. */
static inline size_t scene_terms(uint8_t out[SOTTO_TERMS_BYTES], size_t *frame_bytes)
{
    static sotto_terms terms;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = 3;
    spec.arms = 3;
    if (terms.spec.arms == 0) assert_ok(sotto_spec_resolve(&spec, &terms));
    *frame_bytes = sotto_report_bytes(&terms);
    return sotto_terms_encode(&terms, out);
}

/* An experiment that is not in the tables yet; its parts are borrowed. `name`: up to 15 letters,
 * also its id. */
static inline journal_experiment scene_experiment_of(const char *name,
                                                     uint8_t terms[SOTTO_TERMS_BYTES])
{
    size_t frame_bytes;
    journal_experiment experiment = {.created_minute = 29000000,
                                     .epoch_seconds_min = 60,
                                     .epoch_reports_min = 20,
                                     .epoch_reports_expected = 500,
                                     .quarantine = true,
                                     .has_report_key = true,
                                     .report_key = "key",
                                     .terms = {terms, scene_terms(terms, &frame_bytes)},
                                     .start = {(const uint8_t *)"the-start", 9},
                                     .labels = "{\"arm\":\"the-label\"}"};
    snprintf((char *)experiment.id, sizeof experiment.id, "%s", name);
    return experiment;
}

static inline uint32_t scene_experiment(sottod_journal *journal, const char *name)
{
    uint8_t terms[SOTTO_TERMS_BYTES];
    journal_experiment experiment = scene_experiment_of(name, terms);
    assert_committed(journal, journal_add_experiment(journal, &experiment));
    return experiment.number;
}

/* Frames, each filled with one letter. */
typedef struct scene_frames {
    uint8_t bytes[1 << 16];
    size_t count;
} scene_frames;

static inline scene_frames scene_frames_of(char letter, uint32_t frames)
{
    uint8_t terms[SOTTO_TERMS_BYTES];
    scene_frames out;
    size_t frame_bytes;
    scene_terms(terms, &frame_bytes);
    out.count = frames * frame_bytes;
    assert_true(out.count <= sizeof out.bytes);
    memset(out.bytes, letter, out.count);
    return out;
}

static inline bool scene_try_append(sottod_journal *journal, uint32_t experiment, uint32_t epoch,
                                    char letter, uint32_t frames)
{
    scene_frames some = scene_frames_of(letter, frames);
    journal_row row = {.experiment = experiment,
                       .epoch = epoch,
                       .late = 1,
                       .duplicate = 2,
                       .frames = {some.bytes, some.count}};
    bool done = journal_begin(journal) && journal_append(journal, &row) && journal_commit(journal);
    if (!done) journal_abandon(journal);
    return done;
}

static inline void scene_append(sottod_journal *journal, uint32_t experiment, uint32_t epoch,
                                char letter, uint32_t frames)
{
    assert_done(journal, scene_try_append(journal, experiment, epoch, letter, frames));
}

static inline void scene_state(sottod_journal *journal, uint32_t experiment, journal_state state)
{
    assert_committed(journal, journal_set_state(journal, experiment, state));
}

/* ---- publishers */

#define assert_folded(folding, call)                                                               \
    do {                                                                                           \
        if (!(call)) fail_msg("%s: %s", #call, folding_fault(folding)->sentence);                  \
    } while (0)
#define assert_not_folded(folding, call, words)                                                    \
    do {                                                                                           \
        if (call) fail_msg("%s: was not refused", #call);                                          \
        assert_words(folding_fault(folding)->sentence, words);                                     \
    } while (0)

static inline sottod_folding *scene_folding(void)
{
    const postgres_settings settings = scene_settings();
    sottod_folding *folding = folding_new(&settings);
    assert_non_null(folding);
    return folding;
}

/* One that holds the lock. */
static inline sottod_folding *scene_publisher(void)
{
    bool held;
    sottod_folding *folding = scene_folding();
    assert_folded(folding, folding_lock(folding, &held));
    assert_true(held);
    return folding;
}

static inline bool scene_publish(sottod_folding *folding, uint32_t experiment, uint32_t epoch,
                                 const folding_cut *cut)
{
    bool fenced;
    const folding_model model = {
        .experiment = experiment,
        .epoch = epoch,
        .kind = JOURNAL_PUBLISH,
        .minute = 29000000 + epoch,
        .counts = {.folded = 7 * epoch, .late = 1},
        .learner = {(const uint8_t *)"the-learner", 11},
        .results = {(const uint8_t *)"the-results", 11},
        .cut = *cut,
    };
    const journal_history history = {.experiment = experiment,
                                     .epoch = epoch,
                                     .minute = 29000000 + epoch,
                                     .publishes = 1,
                                     .learn = epoch,
                                     .control_sum = -3,
                                     .alarms = 1u << (epoch % 8)};
    assert_folded(folding, folding_publish(folding, &model, &history, false, &fenced));
    return !fenced;
}

/* What waits after a cut; the answer is the folding's. */
static inline const folding_cut *scene_waiting(sottod_folding *folding, uint32_t experiment,
                                               const folding_cut *from, uint64_t reports)
{
    uint64_t found;
    const folding_cut *cut;
    assert_folded(folding, folding_waiting(folding, experiment, from, &cut, &found));
    assert_int_equal(found, reports);
    return cut;
}

/* "1:a2 2:b1 ": gseq, letter and number of frames of the rows between two cuts. */
static inline bool scene_take_row(void *self, const journal_row *row)
{
    uint8_t terms[SOTTO_TERMS_BYTES];
    size_t frame_bytes;
    char *out = self;
    scene_terms(terms, &frame_bytes);
    size_t length = strlen(out);
    snprintf(out + length, 4096 - length, "%llu:%c%zu ", (unsigned long long)row->seq,
             row->frames.bytes == 0 ? '-' : row->frames.at[0], row->frames.bytes / frame_bytes);
    return true;
}

static inline scene_text scene_rows(sottod_folding *folding, uint32_t experiment,
                                    const folding_cut *from, const folding_cut *to)
{
    scene_text out = {.text = ""};
    assert_folded(folding,
                  folding_read_rows(folding, experiment, from, to, scene_take_row, out.text));
    return out;
}

#endif
