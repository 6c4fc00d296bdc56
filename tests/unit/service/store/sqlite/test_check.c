/* Damage is refused, with its place. A journal never opens with less than it had. */
#include "golden.h"
#include "journals.h"
#include "service/store/store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static journals test;
static journals_all whole, now;
static uint8_t damaged[1 << 20], left[1 << 20];

FIXTURE(start)
{
    test = journals_new();
    journals_open(&test);
    journals_fill(&test);
    journals_read_all(&test, 3, &whole);
    journals_close(&test);
}

FIXTURE(end)
{
    journals_free(&test);
}

typedef struct damage {
    const char *sql;
    const char *words;
    const char *hint;
} damage;

#define NOTHING_HELPS "there is no other repair"

static void assert_all_refused(const damage *damages, size_t count)
{
    uint8_t *file = malloc(1 << 20);
    assert_non_null(file);
    journals_close(&test);
    size_t bytes = file_read(test.file, file, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        file_write(test.file, file, bytes);
        journals_change(&test, damages[i].sql);
        size_t changed = file_read(test.file, damaged, sizeof damaged);
        if (journals_try(&test, 0)) fail_msg("%s: was not refused", damages[i].sql);
        assert_words(test.fault.sentence, test.file);
        assert_words(test.fault.sentence, damages[i].words);
        assert_words(test.fault.sentence, damages[i].hint);
        assert_int_equal(file_read(test.file, left, sizeof left), changed);
        assert_memory_equal(damaged, left, changed); /* refusing changes nothing */
    }
    file_write(test.file, file, bytes);
    free(file);
    journals_open(&test);
    journals_read_all(&test, 3, &now);
    assert_string_equal(whole.text, now.text);
}
#define REFUSED(damages) assert_all_refused(damages, sizeof damages / sizeof damages[0])

/* UPDATE `table` SET ... WHERE `where`, with each of `sets`, which semicolons separate. */
static void assert_sets_refused(const char *table, const char *sets, const char *where,
                                const char *words, const char *hint)
{
    char sql[20][128];
    damage damages[20];
    size_t count = 0;
    for (size_t length; *sets != '\0'; sets += length + (sets[length] == ';')) {
        assert_true(count < 20);
        length = strcspn(sets, ";");
        snprintf(sql[count], sizeof sql[count], "UPDATE %s SET %.*s WHERE %s", table, (int)length,
                 sets, where);
        damages[count] = (damage){sql[count], words, hint};
        count++;
    }
    assert_all_refused(damages, count);
}

TEST_WITH(every_column_of_a_row_is_guarded, start, end)
{
    /* Rows 3 to 13; 8 was of experiment 3. Even experiments have odd rows, up to there. */
    static const char sets[] = "kind = 1; kind = 2; epoch = 77; epoch = -1; minute = 77; late = "
                               "77; duplicate = 1; conflicting = 1; frames = x'00'; frames = "
                               "CAST(frames AS TEXT); digest = zeroblob(32); digest = x'00'";
    static const damage damages[] = {
        {"UPDATE journal SET seq = 8 WHERE seq = 6", "row 8 of experiment 1", "--recover-to 7"},
        {"UPDATE journal SET experiment = 2 WHERE seq = 6", "row 6 of experiment 2",
         "--recover-to 5"},
        {"UPDATE journal SET experiment = 9 WHERE seq = 6", "row 6, of experiment 9",
         "--recover-to 5"},
        {"UPDATE journal SET experiment = 'x' WHERE seq = 6", "row 6, of experiment 0",
         "--recover-to 5"},
        {"UPDATE journal SET kind = 1 WHERE kind = 2", "row 10 of experiment 2", "--recover-to 9"},
        {"UPDATE journal SET kind = 3 WHERE kind = 2", "row 10 of experiment 2", "--recover-to 9"},
    };
    assert_sets_refused("journal", sets, "seq = 6", "row 6 of experiment 1", "--recover-to 5");
    REFUSED(damages);
}

TEST_WITH(a_row_that_is_missing_is_missed, start, end)
{
    static const damage damages[] = {
        {"DELETE FROM journal WHERE seq = 6", "row 9 of experiment 1, or one of its rows between 4",
         "--recover-to 8"},
        {"DELETE FROM journal WHERE seq = 13", "experiment 1, whose rows end at 11 instead of 13",
         "--recover-to 12"},
        {"DELETE FROM journal WHERE seq = 12", "experiment 2, whose rows end at 10 instead of 12",
         "--recover-to 11"},
        {"DELETE FROM journal", "experiment 1, whose rows end at 2 instead of 13",
         "--recover-to 11"},
    };
    REFUSED(damages);
}

TEST_WITH(a_row_that_was_added_or_moved_is_found, start, end)
{
    static const damage damages[] = {
        {"INSERT INTO journal SELECT 14, experiment, kind, epoch, minute, late, duplicate, "
         "conflicting, frames, digest FROM journal WHERE seq = 6",
         "row 14 of experiment 1", "--recover-to 13"},
        {"UPDATE journal SET frames = (SELECT frames FROM journal WHERE seq = 7), digest = "
         "(SELECT digest FROM journal WHERE seq = 7) WHERE seq = 10",
         "row 10 of experiment 2", "--recover-to 9"},
    };
    REFUSED(damages);
}

TEST_WITH(every_column_of_an_experiment_is_guarded, start, end)
{
    static const char sets[] =
        "number = 4; id = zeroblob(16); id = x'00'; state = 1; created_minute = 1; "
        "epoch_seconds_min = 1; epoch_reports_min = 1; epoch_reports_expected = 1; quarantine = 0; "
        "quarantine = 2; report_key = x''; report_key = x'6b'; terms = x'00'; start = x'00'; "
        "labels = '{}'; digest = zeroblob(32)";
    static const damage damages[] = {
        {"UPDATE experiment SET state = 0 WHERE number = 3", "experiment 3, its row",
         NOTHING_HELPS},
        {"UPDATE experiment SET report_key = zeroblob(32) WHERE number = 1",
         "experiment 1, its row", NOTHING_HELPS},
        {"DELETE FROM experiment WHERE number = 2", "experiment 2, its row", NOTHING_HELPS},
        {"DELETE FROM experiment WHERE number = 3", "the table ends after experiment 2",
         NOTHING_HELPS},
    };
    assert_sets_refused("experiment", sets, "number = 2", "experiment 2, its row", NOTHING_HELPS);
    REFUSED(damages);
}

TEST_WITH(the_ends_of_the_rows_are_guarded, start, end)
{
    static const char sets[] = "anchor_seq = 1; anchor = zeroblob(32); head_seq = 11; head = "
                               "zeroblob(32); digest = zeroblob(32)";
    static const damage damages[] = {
        {"UPDATE ends SET experiment = 4 WHERE experiment = 2", "experiment 2, its row",
         NOTHING_HELPS},
        {"DELETE FROM ends WHERE experiment = 3", "the table ends after experiment 2",
         NOTHING_HELPS},
        {"INSERT INTO ends SELECT 4, anchor_seq, anchor, head_seq, head, digest FROM ends "
         "WHERE experiment = 3",
         "the table ends after experiment 3", NOTHING_HELPS},
    };
    assert_sets_refused("ends", sets, "experiment = 1", "experiment 1, its row in the table ends",
                        NOTHING_HELPS);
    REFUSED(damages);
}

TEST_WITH(snapshots_are_guarded, start, end)
{
    static const char sets[] =
        "seq = 6; folded = 6; late = 6; duplicate = 6; conflicting = 6; learner = x'00'";
    static const damage damages[] = {
        {"UPDATE snapshot SET digest = zeroblob(32)", "which alone has the rows up to 2",
         NOTHING_HELPS},
        {"DELETE FROM snapshot", "which alone has the rows up to 2", NOTHING_HELPS},
        {"UPDATE snapshot SET experiment = 2", "which alone has the rows up to 2", NOTHING_HELPS},
        {"INSERT INTO snapshot SELECT 3, seq, folded, late, duplicate, conflicting, learner, "
         "digest FROM snapshot",
         "the snapshot of experiment 3, which does not exist", "--recover-to 13"},
        {"INSERT INTO snapshot SELECT 2, seq, folded, late, duplicate, conflicting, learner, "
         "digest FROM snapshot",
         "experiment 2, its snapshot", "--recover-to 13"},
    };
    assert_sets_refused("snapshot", sets, "experiment = 1", "experiment 1, its snapshot",
                        NOTHING_HELPS);
    REFUSED(damages);
}

TEST_WITH(history_is_guarded, start, end)
{
    static const char sets[] =
        "minute = 77; publishes = 77; learn = 77; control = 77; follow = 77; control_sum = 77; "
        "follow_sum = 77; late = 77; duplicate = 77; conflicting = 77; alarms = 77";
    static const damage damages[] = {
        {"UPDATE history SET epoch = 77 WHERE experiment = 2 AND epoch = 1",
         "the history of experiment 2 at epoch 77", "--recover-to 13"},
    };
    assert_sets_refused("history", sets, "experiment = 2 AND epoch = 1",
                        "the history of experiment 2 at epoch 1", "--recover-to 13");
    REFUSED(damages);
}

TEST_WITH(recoveries_are_guarded, start, end)
{
    static const damage damages[] = {
        {"INSERT INTO recovery VALUES (1, 2, 3, zeroblob(32))", "the table recovery at 1",
         NOTHING_HELPS},
    };
    REFUSED(damages);
}

TEST_WITH(a_table_that_is_gone_is_missed, start, end)
{
    static const char *const tables[] = {"experiment", "ends",    "journal",
                                         "snapshot",   "history", "recovery"};
    for (size_t i = 0; i < 6; i++) {
        char sql[128], words[64];
        snprintf(sql, sizeof sql, "CREATE TABLE x (y); INSERT INTO x VALUES (1); DROP TABLE %s",
                 tables[i]);
        snprintf(words, sizeof words, "no such table: %s", tables[i]);
        journals_free(&test);
        start(state);
        journals_change(&test, sql);
        assert_false(journals_try(&test, 0));
        assert_words(test.fault.sentence, words);
    }
}

/* ---- a journal that was made by another program, from docs/formats.md */

static void load_golden(void)
{
    static uint8_t sql[20000];
    size_t bytes = golden_read("journal.sql", sql, sizeof sql - 1);
    sql[bytes] = '\0';
    unlink(test.file);
    journals_change(&test, (const char *)sql);
    assert_int_equal(chmod(test.file, 0600), 0);
}

static void assert_golden_rows(void)
{
    assert_words(now.text, "experiment 2 two 3 29388299 60 20 0 0 0");
    assert_words(now.text, "row 3 1 0 0 0 1 2 3 ");
    assert_words(now.text, "row 4 3 0 0 0 0 0 0 ");
    assert_words(now.text, "row 5 1 1 1 29388301 0 0 0 ");
    assert_words(now.text, "row 6 1 0 1 0 0 0 0 ");
    assert_words(now.text, "snapshot 1 5 7 8 9 10 ");
    assert_words(now.text, "history 1 1 29388301 1 100 10 20 -3 5 2 3 4 0\n");
    assert_words(now.text, "last 9");
    assert_int_equal(journals_append(&test, 1, "next"), 10);
    journals_reopen(&test);
}

TEST_WITH(the_golden_journal_is_read, start, end)
{
    load_golden();
    journals_open(&test);
    journals_read_all(&test, 3, &now);
    assert_words(now.text, "experiment 1 one 0 29388299 60 20 5000 1 0");
    assert_words(now.text, "experiment 3 three 1 29388299 60 20 0 0 1");
    assert_words(now.text, "row 7 1 2 2 29388302 0 0 0 ");
    assert_words(now.text, "history 1 2 29388302 1 0 0 0 0 0 0 0 0 5\n");
    assert_golden_rows();
}

static bool sum_key(void *self, const journal_experiment *e)
{
    uint8_t *sum = self;
    for (size_t i = 0; i < sizeof e->report_key; i++) {
        sum[e->number] = (uint8_t)(sum[e->number] + e->report_key[i]);
    }
    return true;
}

TEST_WITH(a_key_is_zeros_where_there_is_none, start, end)
{
    uint8_t sum[4] = {0};
    journals_open(&test);
    assert_done(&test, journal_read_experiments(test.journal, sum_key, sum));
    assert_ints(sum[1], 0, sum[2], (uint8_t)(32 * 'k'), sum[3], 0);
}

/* The same rows, written by the service, have the same digests. */
TEST_WITH(the_golden_journal_has_the_digests_that_we_write, start, end)
{
    uint8_t anchor[JOURNAL_DIGEST_BYTES];
    char hex[2 * JOURNAL_DIGEST_BYTES + 1];
    const journal_row row = {
        .seq = 4, .experiment = 3, .frames = {(const uint8_t *)"frames of row four", 18}};
    memset(anchor, 0, sizeof anchor);
    journal__digest_row(anchor, &row, anchor);
    for (size_t i = 0; i < sizeof anchor; i++) {
        snprintf(hex + 2 * i, 3, "%02x", anchor[i]);
    }
    static uint8_t sql[20000];
    sql[golden_read("journal.sql", sql, sizeof sql - 1)] = '\0';
    assert_words((const char *)sql, hex);
}

/* ---- bytes of the file */

/* Tries every `step`th byte of the file, from a place that follows from it. */
static void try_flips(const char *path, size_t step, uint8_t mask)
{
    uint8_t *file = malloc(1 << 20);
    assert_non_null(file);
    size_t bytes = file_read(path, file, 1 << 20), refused = 0, harmless = 0;
    for (size_t at = step / 2; at < bytes; at += step) {
        file[at] ^= mask;
        file_write(path, file, bytes);
        file[at] ^= mask;
        if (!journals_try(&test, 0)) {
            assert_words(test.fault.sentence, "journal.sqlite");
            refused++;
            continue;
        }
        journals_read_all(&test, 3, &now);
        journals_close(&test);
        if (strcmp(whole.text, now.text) != 0) fail_msg("byte %zu: less was opened, silently", at);
        harmless++;
    }
    file_write(path, file, bytes);
    free(file);
    assert_true(refused > 20);
    assert_true(harmless > 20); /* most of a page of a small table is empty */
}

TEST_WITH(no_byte_of_the_file_can_be_changed_unseen, start, end)
{
    try_flips(test.file, 97, 0x01);
    try_flips(test.file, 101, 0x80);
    try_flips(test.file, 103, 0xff);
}

TEST_WITH(a_file_that_was_cut_is_refused, start, end)
{
    FREED_BY(free_memory) uint8_t *file = malloc(1 << 20);
    assert_non_null(file);
    size_t bytes = file_read(test.file, file, 1 << 20);
    for (size_t kept = 0; kept < bytes; kept += kept == 4096 ? 4095u : 4096u) {
        file_write(test.file, file, bytes);
        assert_int_equal(truncate(test.file, (off_t)kept), 0);
        if (journals_try(&test, 0)) fail_msg("%zu of %zu bytes: was not refused", kept, bytes);
        assert_words(test.fault.sentence, "is damaged");
    }
    file_write(test.file, file, bytes);
}

TEST_WITH(pages_of_zeros_are_refused, start, end)
{
    uint8_t *file = malloc(1 << 20), page[4096];
    assert_non_null(file);
    size_t bytes = file_read(test.file, file, 1 << 20), refused = 0;
    for (size_t at = 0; at < bytes; at += sizeof page) {
        memcpy(page, file + at, sizeof page);
        memset(file + at, 0, sizeof page);
        file_write(test.file, file, bytes);
        memcpy(file + at, page, sizeof page);
        if (!journals_try(&test, 0)) {
            refused++;
            continue;
        }
        journals_read_all(&test, 3, &now);
        journals_close(&test);
        assert_string_equal(whole.text, now.text); /* the page was free */
    }
    file_write(test.file, file, bytes);
    free(file);
    assert_true(refused > 8);
}
