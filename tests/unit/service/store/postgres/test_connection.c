/* Connections, queries and answers. */
#include "postgres_scene.h"
#include "service/store/postgres/inner.h"
#include "service/system/system.h"

#include <stdlib.h>
#include <time.h>

static postgres_connection one;

FIXTURE(start)
{
    const postgres_settings settings = scene_settings();
    assert_true(postgres__init(&one, &settings));
    if (!postgres__connect(&one)) fail_msg("%s", one.fault.sentence);
}

FIXTURE(end)
{
    postgres__end(&one);
}

/* Answers as text: "question:number " each. */
static bool take(void *self, int question, const PGresult *result)
{
    char *out = self;
    int64_t number = -1;
    for (int row = 0; row < PQntuples(result); row++) {
        size_t length = strlen(out);
        if (!postgres__column_i64(result, row, 0, &number)) return false;
        snprintf(out + length, 200 - length, "%d:%lld ", question, (long long)number);
    }
    return number != 13;
}

/* ---- bad input */

TEST_WITH(a_url_that_cannot_be_read_is_refused_and_not_shown, start, end)
{
    static const char *const wrong[] = {
        "",
        "postgresql",
        "host=/dev/shm password=geheim",
        "http://a:geheim@b/c",
        "postgresql://a:geheim@[::1/c",
        "postgresql://a:geheim@b:x:y/c?nothing=1",
        "postgresql://a:geheim@b/c?nothing=1",
        "postgresql://a:%zzgeheim@b/c",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        scene_refused(wrong[i],
                      "the URL of the database is not valid (not shown, because it may contain a "
                      "password): allowed postgresql://USER@HOST:PORT/NAME, as libpq reads it");
        postgres_connection other;
        const postgres_settings settings = {.url = wrong[i], .timeout_ms = 1000};
        assert_false(postgres__init(&other, &settings));
        assert_null(strstr(other.fault.sentence, "geheim"));
        postgres__end(&other);
    }
}

TEST_WITH(a_password_is_never_shown, start, end)
{
    char url[400];
    sotto_fault fault;
    sottod_journal *journal;
    /* The server shows the name of the database, which is the same word as the password. */
    snprintf(url, sizeof url, "postgresql://postgres:geheim@/geheim?host=%s", scene.directory);
    const postgres_settings settings = {.url = url, .timeout_ms = 5000};
    assert_status(postgres_journal_open(&settings, &journal, &fault), SOTTO_E_FAULT);
    assert_words(fault.sentence, "\"***\" does not exist");
}

TEST_WITH(a_server_that_is_not_there_is_refused, start, end)
{
    scene_refused("postgresql:///x?host=/nowhere", "cannot be reached");
    scene_refused("postgresql://127.0.0.1:1/x", "cannot be reached");
}

TEST_WITH(there_is_one_try_in_a_second, start, end)
{
    postgres_connection other;
    const postgres_settings settings = {.url = "postgresql:///x?host=/nowhere", .timeout_ms = 1000};
    assert_true(postgres__init(&other, &settings));
    assert_false(postgres__connect(&other));
    uint64_t retry_ms = other.retry_ms;
    assert_false(postgres__connect(&other));
    assert_int_equal(other.retry_ms, retry_ms); /* no attempt was made */
    assert_words(other.fault.sentence, "cannot be reached");
    const uint64_t begun_ms = other.retry_ms = clock_steady_ms(); /* the second is over */
    assert_false(postgres__connect(&other));
    assert_true(other.retry_ms >= begun_ms + 1000); /* an attempt was made and failed at once */
    postgres__end(&other);
}

TEST_WITH(a_question_that_is_refused_ends_the_run, start, end)
{
    char text[200] = "";
    const postgres_value number[] = {POSTGRES_U(0)};
    assert_true(postgres__queue(&one, "SELECT 1::bigint", NULL, 0));
    assert_true(postgres__queue(&one, "SELECT 1 / $1", number, 1));
    assert_true(postgres__queue(&one, "SELECT 2::bigint", NULL, 0));
    assert_false(postgres__run(&one, take, text));
    assert_words(one.fault.sentence, "refused: division by zero");
    assert_int_equal(one.failed_at, 1);
    assert_strings(one.sqlstate, "22012", text, "0:1 ");
    assert_true(postgres__ask(&one, "SELECT 3::bigint", NULL, 0, take, text)); /* goes on */
}

TEST_WITH(a_row_that_is_refused_is_not_shown, start, end)
{
    assert_true(postgres__ask(&one, "CREATE TEMPORARY TABLE t (x text CHECK (x = 'a') PRIMARY KEY)",
                              NULL, 0, NULL, NULL));
    assert_false(postgres__ask(&one, "INSERT INTO t VALUES ('a-report')", NULL, 0, NULL, NULL));
    assert_null(strstr(one.fault.sentence, "a-report"));
    assert_true(postgres__ask(&one, "INSERT INTO t VALUES ('a')", NULL, 0, NULL, NULL));
    assert_false(postgres__ask(&one, "INSERT INTO t VALUES ('a')", NULL, 0, NULL, NULL));
    assert_null(strstr(one.fault.sentence, "(a)"));
}

TEST_WITH(a_number_that_the_database_cannot_hold_is_refused, start, end)
{
    char text[200] = "";
    postgres_value number[] = {POSTGRES_U(UINT64_C(1) << 63)};
    assert_false(postgres__queue(&one, "SELECT $1", number, 1));
    assert_words(one.fault.sentence, "2^63");
    number[0] = POSTGRES_I(-5);
    assert_true(postgres__ask(&one, "SELECT $1", number, 1, take, text));
    assert_string_equal(text, "0:-5 ");
}

TEST_WITH(a_commit_that_the_database_took_back_is_a_refusal, start, end)
{
    assert_true(postgres__ask(&one, "BEGIN", NULL, 0, NULL, NULL));
    assert_false(postgres__ask(&one, "SELECT 1 / 0", NULL, 0, NULL, NULL));
    assert_false(postgres__ask(&one, "COMMIT", NULL, 0, NULL, NULL));
    assert_words(one.fault.sentence, "rolled the transaction back");
}

TEST_WITH(without_a_connection_nothing_is_asked, start, end)
{
    postgres__drop(&one);
    assert_false(postgres__queue(&one, "SELECT 1", NULL, 0));
    assert_false(postgres__run(&one, NULL, NULL));
    assert_words(one.fault.sentence, "no connection");
    postgres__rollback(&one);
    postgres__listen(&one);
}

TEST_WITH(an_answer_that_does_not_come_in_time_is_given_up, start, end)
{
    one.timeout_ms = 100;
    assert_false(postgres__ask(&one, "SELECT pg_sleep(30)", NULL, 0, NULL, NULL));
    assert_words(one.fault.sentence, "did not answer within 100 ms");
    assert_null(one.pg);
}

/* ---- good input */

TEST_WITH(questions_that_are_queued_are_answered_in_order, start, end)
{
    char text[200] = "";
    const postgres_value some[] = {POSTGRES_NUMBERS("{4,5,6}")};
    assert_true(postgres__queue(&one, "BEGIN", NULL, 0));
    assert_true(postgres__queue(&one, "SELECT 7::bigint", NULL, 0));
    assert_true(postgres__queue(&one, "SELECT unnest($1)", some, 1));
    assert_true(postgres__queue(&one, "COMMIT", NULL, 0));
    assert_true(postgres__run(&one, take, text));
    assert_string_equal(text, "1:7 2:4 2:5 2:6 ");
}

static int rows_at_once_max;

static bool take_counting(void *self, int question, const PGresult *result)
{
    (void)question;
    if (PQntuples(result) > rows_at_once_max) rows_at_once_max = PQntuples(result);
    *(int *)self += PQntuples(result);
    return true;
}

TEST_WITH(rows_come_one_by_one_if_asked_so, start, end)
{
    int rows = 0;
    assert_true(postgres__queue(&one, "SELECT generate_series(1, 5000)::bigint", NULL, 0));
    assert_true(postgres__queue(&one, "SELECT generate_series(1, 10)::bigint", NULL, 0));
    assert_true(postgres__run_by_rows(&one, take_counting, &rows));
    assert_ints(rows, 5010, rows_at_once_max, 1);
}

TEST_WITH(who_takes_no_more_ends_the_run, start, end)
{
    char text[200] = "";
    assert_true(postgres__queue(&one, "SELECT 13::bigint", NULL, 0));
    assert_true(postgres__queue(&one, "SELECT 1::bigint", NULL, 0));
    assert_false(postgres__run(&one, take, text));
    assert_string_equal(text, "0:13 ");
}

TEST_WITH(bytes_text_and_null_arrive_as_they_are, start, end)
{
    char text[200] = "";
    postgres_value value[] = {POSTGRES_BYTES((const uint8_t *)"a\0b", 3), POSTGRES_BYTES(NULL, 0),
                              POSTGRES_STRING("x'y"), POSTGRES_BYTES(NULL, 0)};
    value[3].is_null = true;
    assert_true(postgres__ask(&one,
                              "SELECT (($1 = '\\x610062')::int + 2 * ($2 = '')::int + 4 * ($3 = "
                              "'x''y')::int + 8 * ($4::bytea IS NULL)::int)::bigint",
                              value, 4, take, text));
    assert_string_equal(text, "0:15 ");
}

TEST_WITH(a_prepared_statement_is_known_by_its_name, start, end)
{
    char text[200] = "";
    const postgres_value value[] = {POSTGRES_U(20)};
    assert_true(postgres__prepare(&one, "add", "SELECT $1::bigint + 1"));
    assert_true(postgres__queue_prepared(&one, "add", value, 1));
    assert_true(postgres__run(&one, take, text));
    assert_string_equal(text, "0:21 ");
    assert_false(postgres__prepare(&one, "wrong", "SELECT FROM FROM"));
}

TEST_WITH(a_rollback_takes_back_what_was_queued_too, start, end)
{
    char text[200] = "";
    scene_sql("CREATE TABLE IF NOT EXISTS public.t (x bigint)");
    postgres__refuse(&one, "a fault");
    assert_true(postgres__queue(&one, "BEGIN", NULL, 0));
    assert_true(postgres__queue(&one, "INSERT INTO public.t VALUES (1)", NULL, 0));
    postgres__rollback(&one);
    assert_true(postgres__ask(&one, "SELECT count(*) FROM public.t", NULL, 0, take, text));
    assert_string_equal(text, "0:0 ");
    assert_string_equal(one.fault.sentence, "a fault"); /* it is kept */
}

TEST_WITH(what_others_tell_is_heard_and_ones_own_is_not, start, end)
{
    assert_true(postgres__ask(&one, "LISTEN sotto_changed", NULL, 0, NULL, NULL));
    one.changed = false;
    assert_true(postgres__ask(&one, "NOTIFY sotto_changed", NULL, 0, NULL, NULL));
    postgres__listen(&one);
    assert_false(one.changed);
    scene_sql("NOTIFY sotto_changed");
    postgres__wait(&one, 10000);
    postgres__listen(&one);
    assert_true(one.changed);
}

/* Reads the notices that were sent before. */
static void hear(const char *extra)
{
    char notify[100];
    snprintf(notify, sizeof notify, "NOTIFY sotto_changed, '%s'", extra);
    scene_sql(notify);
    postgres__wait(&one, 10000);
    postgres__listen(&one);
}

/* A number names an experiment and is kept once; anything else, or too many numbers, means any
 * change. */
TEST_WITH(what_is_named_is_remembered, start, end)
{
    static const char *const others[] = {"0", "-1", "+7", "7x", " 7", "2147483648", "x"};
    assert_true(postgres__ask(&one, "LISTEN sotto_changed", NULL, 0, NULL, NULL));
    one.changed = false;
    hear("7");
    hear("2147483647");
    hear("7");
    assert_false(one.changed);
    assert_ints(one.named_count, 2, one.named[0], 7, one.named[1], 2147483647);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        one.changed = false;
        hear(others[i]);
        assert_true(one.changed);
        assert_int_equal(one.named_count, 2);
    }
    one.changed = false;
    while (one.named_count < POSTGRES_NAMED_MAX) {
        one.named[one.named_count] = 1000 + one.named_count;
        one.named_count++;
    }
    hear("9");
    assert_true(one.changed);
    assert_int_equal(one.named_count, 0);
    one.no_names = true;
    one.changed = false;
    hear("8");
    assert_false(one.changed);
    assert_int_equal(one.named_count, 0);
}
