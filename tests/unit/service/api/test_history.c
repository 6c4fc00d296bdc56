/* An experiment over time, as JSON. */
#include "house.h"
#include "service/api/inner.h"
#include "test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

OWNED(json_t, json_decref)

#define NOW 29000000u /* the clock of the house */

static house made;
static uint32_t broken_after; /* reads until one fails; 0: none fails */

bool __real_journal_read_span(sottod_journal *journal, const journal_span *span,
                              bool (*take)(void *self, const journal_history *), void *self);
bool __wrap_journal_read_span(sottod_journal *journal, const journal_span *span,
                              bool (*take)(void *self, const journal_history *), void *self);
bool __wrap_journal_read_span(sottod_journal *journal, const journal_span *span,
                              bool (*take)(void *self, const journal_history *), void *self)
{
    assert_true(span->rows_max <= 256); /* steps are short */
    if (broken_after > 0 && --broken_after == 0) return false;
    return __real_journal_read_span(journal, span, take, self);
}

FIXTURE(start)
{
    house_open(&made);
    broken_after = 0;
}

FIXTURE(end)
{
    house_close(&made);
}

/* ---- arguments */

TEST(arguments_that_cannot_be_used_are_refused)
{
    static const struct {
        history_words words;
        const char *field;
    } bad[] = {
        {{.since = ""}, "since"},
        {{.since = "-1"}, "since"},
        {{.since = "+1"}, "since"},
        {{.since = " 1"}, "since"},
        {{.since = "1e3"}, "since"},
        {{.since = "4294967296"}, "since"},
        {{.since = "99999999999999999999999"}, "since"},
        {{.until = "x"}, "until"},
        {{.since = "2", .until = "1"}, "since"},
        {{.since = "0", .until = "10081"}, "since"},
        {{.since = "0", .until = "10081", .resolution = "minute"}, "since"},
        {{.limit = "0"}, "limit"},
        {{.limit = "1000001"}, "limit"},
        {{.limit = "1.5"}, "limit"},
        {{.after = "-1"}, "after"},
        {{.after = "4294967296"}, "after"},
        {{.resolution = ""}, "resolution"},
        {{.resolution = "week"}, "resolution"},
        {{.resolution = "Hour"}, "resolution"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        history_query query;
        sottod_refusal why;
        assert_false(history_read(&bad[i].words, NOW, &query, &why));
        assert_int_equal(why.status, 400);
        assert_string_equal(why.fault.field, bad[i].field);
        assert_true(strlen(why.fault.allowed) > 0);
    }
}

TEST(what_is_not_said_is_a_week_or_all)
{
    static const struct {
        history_words words;
        uint64_t since, until;
    } cases[] = {
        {{.since = NULL}, NOW - 10080, INT64_MAX},
        {{.resolution = "minute"}, NOW - 10080, INT64_MAX},
        {{.resolution = "hour"}, 0, INT64_MAX},
        {{.resolution = "day", .since = "5"}, 5, INT64_MAX},
        {{.since = "5"}, 5, INT64_MAX},
        {{.until = "20000"}, 9920, 20000},
        {{.until = "5"}, 0, 5},
        {{.since = "0", .until = "10080"}, 0, 10080},
        {{.since = "0", .until = "4294967295", .resolution = "day"}, 0, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        history_query query;
        sottod_refusal why;
        assert_true(history_read(&cases[i].words, NOW, &query, &why));
        assert_true(query.since == cases[i].since);
        assert_true(query.until == cases[i].until);
        assert_int_equal(query.limit, 1000000);
    }
}

/* ---- rows */

static history_query query_of(const history_words words)
{
    history_query query;
    sottod_refusal why;
    if (!history_read(&words, NOW, &query, &why))
        fail_msg("%s: %s", why.fault.field, why.fault.allowed);
    return query;
}

/* Reads all text in pieces of 7 bytes. NULL: the answer was cut off. */
static json_t *read_all(sottod_history *history)
{
    static char text[4 << 20];
    size_t bytes = 0;
    ptrdiff_t more;
    assert_non_null(history);
    while ((more = history_more(history, text + bytes, 7)) >= 0) {
        bytes += (size_t)more;
        assert_true(bytes < sizeof text - 7);
    }
    history_free(history);
    if (more == FRONT_PIECES_FAIL) return NULL;
    json_t *read = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(read);
    return read;
}

static json_t *history_of(const sottod_experiment *experiment, const history_words words)
{
    const history_query query = query_of(words);
    return read_all(history_open(made.journal, experiment, &query));
}

TEST_WITH(a_journal_that_cannot_be_read_gives_none, start, end)
{
    const sottod_experiment *experiment = house_experiment(&made, 0);
    const history_query query = query_of((history_words){.since = NULL});
    broken_after = 1;
    assert_null(history_open(made.journal, experiment, &query));
}

static json_int_t whole(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

TEST_WITH(there_is_one_row_per_publish_of_this_experiment, start, end)
{
    sottod_experiment *experiment = house_experiment(&made, 0), *other = house_experiment(&made, 1);
    json_t *history = history_of(experiment, (history_words){.resolution = "hour"});
    assert_int_equal(json_array_size(json_object_get(history, "rows")), 0);
    json_decref(history);
    house_epoch(&made, experiment, 1, 40);
    house_epoch(&made, other, 2, 30);
    house_epoch(&made, experiment, 3, 50);
    house_epoch(&made, experiment, 4, 900);
    history = history_of(experiment, (history_words){.until = "29000001"});
    assert_string_equal(json_string_value(json_object_get(history, "id")),
                        experiment_id_text(experiment));
    assert_string_equal(json_string_value(json_object_get(history, "resolution")), "epoch");
    assert_true(json_is_false(json_object_get(history, "more")));
    const json_t *rows = json_object_get(history, "rows");
    assert_int_equal(json_array_size(rows), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *row = json_array_get(rows, i);
        assert_ints(whole(row, "epoch"), i + 1, whole(row, "minute"), 29000000);
        assert_int_equal(whole(row, "publishes"), 1);
        assert_true(whole(row, "learn") > 0 && whole(row, "learn") < (i == 0   ? 40
                                                                      : i == 1 ? 50
                                                                               : 900));
        json_int_t control = whole(row, "control"), sum = whole(row, "control_sum");
        assert_true(sum >= -control && sum <= control && (control - sum) % 2 == 0);
        if (i == 0) assert_int_equal(control + whole(row, "follow"), 0); /* no model decided */
        if (i == 2) assert_true(control > 0 && whole(row, "follow") > 0);
        assert_int_equal(whole(row, "late") + whole(row, "duplicate") + whole(row, "conflicting"),
                         0);
        assert_int_equal(json_object_size(row), 15);
        assert_true(json_is_real(json_object_get(row, "age")));
        assert_true(json_real_value(json_object_get(row, "age")) == 0); /* none was late */
        assert_true(json_is_array(json_object_get(row, "alarms")));
        whole(row, "follow_sum");
    }
    json_decref(history);
}

/* Rows of our own: one every 20 minutes from minute `first` on, 9 learn reports each. */
static void write_rows_from(const sottod_experiment *experiment, uint64_t first, uint32_t rows)
{
    assert_true(journal_begin(made.journal));
    for (uint32_t i = 1; i <= rows; i++) {
        const journal_history row = {.experiment = experiment_number(experiment),
                                     .epoch = i,
                                     .minute = first + 20 * (uint64_t)(i - 1),
                                     .publishes = 1,
                                     .learn = 9,
                                     .control = 2,
                                     .control_sum = -1,
                                     .alarms = (i == 2 ? 1u : 0u) | (i == 3 ? 0x01400020u : 0u)};
        assert_true(journal_add_history(made.journal, &row));
    }
    assert_true(journal_commit(made.journal));
}

static void write_rows(const sottod_experiment *experiment, uint32_t rows)
{
    write_rows_from(experiment, 600, rows);
}

/* "epoch@minute:publishes,learn,control_sum …", and "+" if there are more rows. */
static void assert_rows(const sottod_experiment *experiment, const history_words words,
                        const char *wanted)
{
    char text[4096] = "";
    OWN(json_t) history = history_of(experiment, words);
    assert_non_null(history);
    const json_t *rows = json_object_get(history, "rows");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%d@%d:%d,%d,%d ", (int)whole(row, "epoch"),
                 (int)whole(row, "minute"), (int)whole(row, "publishes"), (int)whole(row, "learn"),
                 (int)whole(row, "control_sum"));
    }
    if (json_is_true(json_object_get(history, "more"))) strcat(text, "+");
    assert_string_equal(text, wanted);
}

TEST_WITH(rows_are_chosen_and_added_up, start, end)
{
    const sottod_experiment *experiment = house_experiment(&made, 0);
    write_rows(experiment, 8); /* 600 620 640 | 660 680 700 | 720 740 */
    assert_rows(experiment, (history_words){.since = NULL}, "");
    assert_rows(experiment, (history_words){.since = "640", .until = "681"},
                "3@640:1,9,-1 4@660:1,9,-1 5@680:1,9,-1 ");
    assert_rows(experiment, (history_words){.since = "0", .limit = "2"},
                "1@600:1,9,-1 2@620:1,9,-1 +");
    assert_rows(experiment, (history_words){.since = "0", .limit = "2", .after = "6"},
                "7@720:1,9,-1 8@740:1,9,-1 ");
    assert_rows(experiment, (history_words){.since = "0", .after = "4294967295"}, "");
    assert_rows(experiment, (history_words){.resolution = "hour"},
                "3@640:3,27,-3 6@700:3,27,-3 8@740:2,18,-2 ");
    assert_rows(experiment, (history_words){.resolution = "hour", .limit = "1"}, "3@640:3,27,-3 +");
    assert_rows(experiment, (history_words){.resolution = "hour", .limit = "3"},
                "3@640:3,27,-3 6@700:3,27,-3 8@740:2,18,-2 ");
    assert_rows(experiment, (history_words){.resolution = "hour", .after = "3", .limit = "1"},
                "6@700:3,27,-3 +");
    assert_rows(experiment, (history_words){.resolution = "day"}, "8@740:8,72,-8 ");
    assert_rows(experiment, (history_words){.resolution = "day", .since = "620", .until = "641"},
                "3@640:2,18,-2 ");
    OWN(json_t) history = history_of(experiment, (history_words){.resolution = "day"});
    FREED_BY(free_memory) char *text = json_dumps(json_object_get(history, "rows"), JSON_COMPACT);
    assert_non_null(strstr(text, "\"harm\"]"));
    assert_non_null(strstr(text, "\"age\":1.25"));
}

/* Reads page by page, a week each, by epoch or minute, across gaps. */
TEST_WITH(who_goes_on_behind_the_last_row_gets_all, start, end)
{
    const sottod_experiment *experiment = house_experiment(&made, 0);
    static const uint32_t minutes[] = {30000, 30001, 30001, 40080, 50161, 900000, 29000000};
    assert_true(journal_begin(made.journal));
    for (uint32_t i = 0; i < sizeof minutes / sizeof *minutes; i++) {
        const journal_history row = {.experiment = experiment_number(experiment),
                                     .epoch = i + 1,
                                     .minute = minutes[i],
                                     .publishes = 1};
        assert_true(journal_add_history(made.journal, &row));
    }
    assert_true(journal_commit(made.journal));
    assert_rows(experiment, (history_words){.since = "0"},
                "1@30000:1,0,0 2@30001:1,0,0 3@30001:1,0,0 +");
    assert_rows(experiment, (history_words){.since = "0", .resolution = "minute"},
                "1@30000:1,0,0 3@30001:2,0,0 +");
    assert_rows(experiment, (history_words){.since = "0", .after = "3"}, "4@40080:1,0,0 +");
    assert_rows(experiment, (history_words){.since = "30001"},
                "2@30001:1,0,0 3@30001:1,0,0 4@40080:1,0,0 +");
    assert_rows(experiment, (history_words){.since = "0", .after = "4", .resolution = "minute"},
                "5@50161:1,0,0 +");
    assert_rows(experiment, (history_words){.since = "0", .after = "5"}, "6@900000:1,0,0 +");
    assert_rows(experiment, (history_words){.since = "0", .after = "6"}, "7@29000000:1,0,0 ");
    assert_rows(experiment, (history_words){.since = "0", .after = "7"}, "");
    assert_rows(experiment, (history_words){.since = "30001", .until = "40080"},
                "2@30001:1,0,0 3@30001:1,0,0 ");
}

TEST_WITH(a_long_history_comes_whole_in_small_steps, start, end)
{
    const sottod_experiment *experiment = house_experiment(&made, 0);
    enum { ROWS = 20000 };
    write_rows(experiment, ROWS);
    static const struct {
        history_words words;
        size_t rows;
    } cases[] = {
        {{.resolution = "hour"}, 6667},
        {{.resolution = "day"}, 279},
        {{.since = "200000", .until = "200100"}, 5},
        {{.since = "0", .until = "10080"}, 474},
        {{.since = "300000", .limit = "257"}, 257},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *history = history_of(experiment, cases[i].words);
        assert_int_equal(json_array_size(json_object_get(history, "rows")), cases[i].rows);
        json_decref(history);
    }
    json_t *history = history_of(experiment, (history_words){.resolution = "hour"});
    json_int_t learn = 0;
    const json_t *rows = json_object_get(history, "rows");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        learn += whole(json_array_get(rows, i), "learn");
    }
    assert_int_equal(learn, 9 * ROWS);
    json_decref(history);
    broken_after = 3;
    assert_null(history_of(experiment, (history_words){.resolution = "hour"}));
}

/* A client that continues must not count an hour twice. */
TEST_WITH(a_history_that_is_thinned_while_it_is_read_is_cut, start, end)
{
    /* An hour has three rows: the last one that was read is the first, or the second. */
    const sottod_experiment *experiment[] = {house_experiment(&made, 0),
                                             house_experiment(&made, 1)};
    sottod_history *first[2];
    bool more;
    for (uint32_t i = 0; i < 2; i++) {
        char piece[64];
        write_rows_from(experiment[i], 620 + 20 * i, 400);
        const history_query query = query_of((history_words){.since = "0"});
        first[i] = history_open(made.journal, experiment[i], &query);
        assert_true(history_more(first[i], piece, sizeof piece) > 0);
    }
    assert_true(journal_begin(made.journal));
    assert_true(journal_tidy(made.journal, 2000000, &more));
    assert_true(journal_commit(made.journal));
    assert_null(read_all(first[0]));
    assert_null(read_all(first[1]));
    OWN(json_t) again = history_of(experiment[0], (history_words){.since = "0"});
    assert_int_equal(json_array_size(json_object_get(again, "rows")), 134);
}

/* ---- uplift */

static double part(const json_t *row, const char *uplift, const char *key)
{
    const json_t *value = json_object_get(json_object_get(row, uplift), key);
    return json_is_null(value) ? NAN : json_number_value(value);
}

/* The last row and the results cover the same reports. */
TEST_WITH(the_uplift_of_the_last_row_is_that_of_the_results, start, end)
{
    static const char *const resolution[] = {"epoch", "minute", "hour", "day"};
    sottod_experiment *experiment = house_experiment(&made, 0);
    for (uint32_t i = 1; i <= 20; i++) {
        house_epoch(&made, experiment, i, 3000);
    }
    sotto_measurement now;
    assert_int_equal(experiment_measure(experiment, 0.05, &now), SOTTO_OK);
    assert_true(now.follow_count > 0 && now.control_count > 0);
    assert_true(now.recent_uplift.lo > -1 && now.recent_uplift.hi < 1);
    for (uint32_t i = 0; i < 4; i++) {
        const history_words words = {.resolution = resolution[i], .until = "29000001"};
        json_t *history = history_of(experiment, words);
        const json_t *rows = json_object_get(history, "rows");
        const json_t *last = json_array_get(rows, json_array_size(rows) - 1);
        assert_true(part(last, "uplift", "value") == now.uplift.value);
        assert_true(part(last, "uplift", "lo") == now.uplift.lo);
        assert_true(part(last, "uplift", "hi") == now.uplift.hi);
        assert_true(part(last, "recent_uplift", "value") == now.recent_uplift.value);
        assert_true(part(last, "recent_uplift", "lo") == now.recent_uplift.lo);
        assert_true(part(last, "recent_uplift", "hi") == now.recent_uplift.hi);
        json_decref(history);
    }
}

/* A part of the rows has the same uplift as in the whole history: sums begin at the first row. */
TEST_WITH(the_uplift_of_a_row_counts_all_rows_before_it, start, end)
{
    const sottod_experiment *experiment = house_experiment(&made, 0);
    assert_true(journal_begin(made.journal));
    for (uint32_t i = 1; i <= 900; i++) {
        const bool batch = i % 3 == 0; /* other rows have none: they repeat the last one */
        const journal_history row = {.experiment = experiment_number(experiment),
                                     .epoch = i,
                                     .minute = i == 450 ? 90000 : 600 + i, /* a clock was off */
                                     .publishes = 1,
                                     .control = batch ? 40 : 0,
                                     .control_sum = batch ? -10 : 0,
                                     .follow = batch ? 50 : 0,
                                     .follow_sum = batch ? 20 : 0};
        assert_true(journal_add_history(made.journal, &row));
    }
    assert_true(journal_commit(made.journal));
    OWN(json_t) all = history_of(experiment, (history_words){.since = "0", .until = "10000"});
    OWN(json_t) some = history_of(experiment, (history_words){.since = "1300", .after = "800"});
    OWN(json_t) hours = history_of(experiment, (history_words){.resolution = "hour"});
    const json_t *rows = json_object_get(all, "rows"), *few = json_object_get(some, "rows");
    assert_ints(json_array_size(rows), 899, json_array_size(few), 100);
    for (size_t i = 0; i < 100; i++) {
        assert_true(json_equal(json_array_get(few, i), json_array_get(rows, 799 + i)));
    }
    for (size_t i = 300; i < 899; i++) { /* later rows include the row with the wrong clock */
        const bool same = part(json_array_get(rows, i), "uplift", "lo") ==
                          part(json_array_get(rows, i - 1), "uplift", "lo");
        assert_int_equal(same, whole(json_array_get(rows, i), "follow") == 0 && i != 449);
    }
    const json_t *end = json_object_get(hours, "rows");
    assert_true(part(json_array_get(end, json_array_size(end) - 1), "uplift", "hi") ==
                part(json_array_get(rows, 898), "uplift", "hi"));
}

/* An imported file may contain anything. */
TEST_WITH(sums_that_cannot_be_count_for_nothing, start, end)
{
    static const journal_history bad[] = {
        {.follow = 3, .follow_sum = 4},
        {.follow = 3, .follow_sum = 2},
        {.control = 2, .control_sum = -3},
        {.follow = UINT64_C(1) << 62, .control = 1, .control_sum = 1},
    };
    const sottod_experiment *experiment = house_experiment(&made, 0);
    assert_true(journal_begin(made.journal));
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        journal_history row = bad[i];
        row.experiment = experiment_number(experiment);
        row.epoch = i + 1;
        row.minute = 600;
        row.publishes = 1;
        assert_true(journal_add_history(made.journal, &row));
    }
    assert_true(journal_commit(made.journal));
    OWN(json_t) history = history_of(experiment, (history_words){.resolution = "day"});
    const json_t *row = json_array_get(json_object_get(history, "rows"), 0);
    assert_true(isnan(part(row, "uplift", "value")));
    assert_true(part(row, "uplift", "lo") == -1 && part(row, "uplift", "hi") == 1);
}

/* The clock jumped: within an hour lies a row of another hour, and its sum has more publishes than epochs. */
TEST_WITH(a_clock_that_jumped_cuts_nothing, start, end)
{
    const sottod_experiment *experiment = house_experiment(&made, 0);
    assert_true(journal_begin(made.journal));
    for (uint32_t i = 1; i <= 600; i++) {
        const journal_history row = {.experiment = experiment_number(experiment),
                                     .epoch = i,
                                     .minute = i % 2 == 0 ? 60000 : 61,
                                     .publishes = i,
                                     .learn = 1};
        assert_true(journal_add_history(made.journal, &row));
    }
    assert_true(journal_commit(made.journal));
    OWN(json_t) history = history_of(experiment, (history_words){.resolution = "day"});
    assert_int_equal(json_array_size(json_object_get(history, "rows")), 600);
}
