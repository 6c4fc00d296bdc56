/* Log lines. */
#include "service/system/log.h"
#include "test.h"

#include <string.h>
#include <unistd.h>

static int pipes[2];
static sottod_log *made;

static int start(void **state)
{
    (void)state;
    made = NULL;
    return pipe(pipes);
}

static int end(void **state)
{
    (void)state;
    log_free(made);
    return close(pipes[0]) | close(pipes[1]);
}

/* What was written; empty if nothing was. */
static const char *written(char text[4096])
{
    assert_int_equal(write(pipes[1], "!", 1), 1);
    ssize_t bytes = read(pipes[0], text, 4096);
    assert_true(bytes > 0);
    text[bytes - 1] = '\0';
    return text;
}

static void a_missing_log_swallows_lines(void **state)
{
    (void)state;
    log_write(NULL, LOG_ERROR, "started", NULL);
    log_free(NULL);
}

static void lines_below_the_level_are_dropped(void **state)
{
    (void)state;
    char text[4096];
    made = log_new(pipes[1], LOG_WARNING);
    log_write(made, LOG_INFO, "started", NULL);
    assert_string_equal(written(text), "");
    log_write(made, LOG_WARNING, "slow", NULL);
    assert_non_null(strstr(written(text), "\"level\":\"warning\",\"event\":\"slow\"}\n"));
}

static void a_line_is_an_object_with_the_minute_first(void **state)
{
    (void)state;
    char text[4096];
    made = log_new(pipes[1], LOG_DEBUG);
    const log_value values[] = {{"experiment", "00ff", 0}, {"epoch", NULL, 4}, {NULL, NULL, 0}};
    log_write(made, LOG_INFO, "published", values);
    written(text);
    assert_memory_equal(text, "{\"time\":\"20", 11);
    assert_int_equal(text[11 + 14], 'Z'); /* no seconds */
    assert_string_equal(
        text + 11 + 14,
        "Z\",\"level\":\"info\",\"event\":\"published\",\"experiment\":\"00ff\",\"epoch\":4}\n");
}

static void what_json_cannot_have_is_escaped(void **state)
{
    (void)state;
    char text[4096];
    made = log_new(pipes[1], LOG_DEBUG);
    const log_value values[] = {{"why", "a \"b\"\\\n\xc3", 0}, {NULL, NULL, 0}};
    log_write(made, LOG_INFO, "refused", values);
    assert_non_null(strstr(written(text), "\"why\":\"a \\u0022b\\u0022\\u005c\\u000a\\u00c3\"}\n"));
}

static void a_line_that_is_too_long_loses_values_and_stays_an_object(void **state)
{
    (void)state;
    char text[4096], longest[2000];
    made = log_new(pipes[1], LOG_DEBUG);
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    log_value values[9] = {{NULL, NULL, 0}};
    for (int i = 0; i < 8; i++) {
        values[i] = (log_value){"why", longest, 0};
    }
    log_write(made, LOG_INFO, "refused", values);
    written(text);
    size_t bytes = strlen(text);
    assert_true(bytes <= 1024);
    assert_string_equal(text + bytes - 5, "aa\"}\n");
}

static void levels_have_names(void **state)
{
    (void)state;
    assert_string_equal(log_level_name(LOG_DEBUG), "debug");
    assert_string_equal(log_level_name(LOG_ERROR), "error");
    assert_null(log_level_name((log_level)4));
}

/* A pipe has room for 64 KiB, on this system or another for less than this. */
static void a_log_that_nobody_reads_stops_nobody(void **state)
{
    (void)state;
    made = log_new(pipes[1], LOG_DEBUG);
    alarm(20); /* a line that waits ends the test */
    for (int i = 0; i < 30000; i++) {
        log_write(made, LOG_INFO, "event", NULL);
    }
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_log_swallows_lines),
        cmocka_unit_test_setup_teardown(lines_below_the_level_are_dropped, start, end),
        cmocka_unit_test_setup_teardown(a_line_is_an_object_with_the_minute_first, start, end),
        cmocka_unit_test_setup_teardown(what_json_cannot_have_is_escaped, start, end),
        cmocka_unit_test_setup_teardown(a_line_that_is_too_long_loses_values_and_stays_an_object,
                                        start, end),
        cmocka_unit_test_setup_teardown(a_log_that_nobody_reads_stops_nobody, start, end),
        cmocka_unit_test(levels_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
