/* Settings from a file, from variables and from flags. */
#include "folder.h"
#include "service/config/config.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 8

static folder made;
static sottod_config config;
static char fault[CONFIG_FAULT_BYTES];
static char *argument[WORDS_MAX];
static int words;

static int start(void **state)
{
    (void)state;
    made = folder_new();
    return setenv("HOME", "/home/somebody", 1);
}

static int end(void **state)
{
    (void)state;
    static const char *const variables[] = {"XDG_STATE_HOME",      "SOTTOD_KEEP_REPORTS",
                                            "SOTTOD_KEP_REPORTS",  "SOTTOD_LISTEN",
                                            "SOTTOD_CONFIG",       "SOTTOD_RECOVER_TO",
                                            "SOTTOD_SERVICE_HOST", "SOTTOD_PORT",
                                            "SOTTOD_PORT_80_TCP",  "SOTTOD_",
                                            "SOTTOD_IDLE_S_MAX"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        unsetenv(variables[i]);
    }
    folder_free(&made);
    return 0;
}

/* Up to three words; NULL ends them. */
static bool read_words(const char *a, const char *b, const char *c)
{
    const char *word[] = {a, b, c};
    int count = 0;
    while (count < 3 && word[count] != NULL) {
        argument[count] = (char *)(uintptr_t)word[count]; /* they are moved, not changed */
        count++;
    }
    words = -1;
    snprintf(fault, sizeof fault, "?");
    return config_read(&config, count, argument, &words, fault);
}

static bool read_text(const char *text, size_t bytes)
{
    file_write(made.file, (const uint8_t *)text, bytes);
    return read_words("--config", made.file, NULL);
}

/* The fault of a file of one text, without the folder. */
static void refuse_text(const char *text, const char *wanted)
{
    if (read_text(text, strlen(text))) fail_msg("taken: %s", text);
    const char *name = strstr(fault, "/ledger:");
    if (name == NULL) fail_msg("no place: %s", fault);
    assert_string_equal(name + 1, wanted);
}

static void refuse_words(const char *a, const char *b, const char *wanted)
{
    if (read_words(a, b, NULL)) fail_msg("taken; wanted %s", wanted);
    assert_string_equal(fault, wanted);
}

static void take_text(const char *text)
{
    if (!read_text(text, strlen(text))) fail_msg("%s", fault);
}

/* ---- faults ------------------------------------------------------------------------------- */

static void flags_that_are_not_there_are_refused_with_the_nearest(void **state)
{
    (void)state;
    refuse_words("--keep-report", NULL,
                 "--keep-report: there is no such setting; did you mean --keep-reports?");
    refuse_words("--lisen=127.0.0.1:80", NULL,
                 "--lisen: there is no such setting; did you mean --listen?");
    refuse_words("--xyzzy", NULL, "--xyzzy: there is no such setting; sottod --help lists them");
    refuse_words("-v", NULL, "-v: there is no such flag; sottod --help lists them");
    refuse_words("--=x", NULL, "--: there is no such setting; sottod --help lists them");
}

static void flags_with_bad_values_are_refused(void **state)
{
    (void)state;
    refuse_words("--idle-s-max", NULL,
                 "--idle-s-max: has no value; allowed whole numbers 1 to 3600");
    refuse_words("--idle-s-max", "0", "--idle-s-max = 0: allowed whole numbers 1 to 3600");
    refuse_words("--idle-s-max=", NULL, "--idle-s-max = : allowed whole numbers 1 to 3600");
    refuse_words("--journal=mysql://u:secret@db/n", NULL,
                 "--journal = (not shown): allowed postgresql://USER@HOST:PORT/NAME, or nothing");
    refuse_words("--keep-reports=maybe", NULL, "--keep-reports = maybe: allowed yes or no");
    refuse_words("--data", "",
                 "--data = : allowed at most 1023 bytes, no control characters, no ' #'");
}

static void variables_with_bad_names_or_values_are_refused(void **state)
{
    (void)state;
    setenv("SOTTOD_KEEP_REPORTS", "1", 1);
    refuse_words(NULL, NULL, "SOTTOD_KEEP_REPORTS = 1: allowed yes or no");
    unsetenv("SOTTOD_KEEP_REPORTS");
    setenv("SOTTOD_KEP_REPORTS", "yes", 1);
    refuse_words(NULL, NULL,
                 "SOTTOD_KEP_REPORTS: there is no such setting; did you mean SOTTOD_KEEP_REPORTS?");
    unsetenv("SOTTOD_KEP_REPORTS");
    setenv("SOTTOD_RECOVER_TO", "5", 1);
    refuse_words(NULL, NULL, "SOTTOD_RECOVER_TO = 5: allowed as the flag --recover-to only");
    unsetenv("SOTTOD_RECOVER_TO");
    setenv("SOTTOD_", "5", 1);
    refuse_words(NULL, NULL, "SOTTOD_: there is no such setting; sottod --help lists them");
}

static void lines_that_say_nothing_we_know_are_refused(void **state)
{
    (void)state;
    refuse_text("keep-reports", "ledger:1: keep-reports: allowed NAME = VALUE, or # and a comment");
    refuse_text("\n\n = yes\n", "ledger:3: : there is no such setting; sottod --help lists them");
    refuse_text("# so\nkeep-report = yes\n",
                "ledger:2: keep-report: there is no such setting; did you mean keep-reports?");
    refuse_text("keep-reports = perhaps # not\n",
                "ledger:1: keep-reports = perhaps: allowed yes or no");
    refuse_text("keep-reports = # yes\n", "ledger:1: keep-reports = : allowed yes or no");
    refuse_text("idle-s-max = 5\n\nidle-s-max = 6\n",
                "ledger:3: idle-s-max = 6: it was said in line 1 already; allowed once");
    refuse_text("recover-to = 5",
                "ledger:1: recover-to = 5: allowed as the flag --recover-to only");
    refuse_text("config = x",
                "ledger:1: config = x: allowed as the flag --config or as a variable only");
    refuse_text("ke\x1b[1mep = \x07",
                "ledger:1: ke?[1mep: there is no such setting; sottod --help lists them");
    refuse_text("idle-s-max = \x1b[1m",
                "ledger:1: idle-s-max = ?[1m: allowed whole numbers 1 to 3600");
}

static void files_that_are_no_text_are_refused(void **state)
{
    (void)state;
    static const char zero[] = "idle-s-max = 5\nidle\0-s-max = 6\n";
    assert_false(read_text(zero, sizeof zero - 1));
    assert_non_null(strstr(fault, "ledger:2: a zero byte; allowed is text"));

    char *longest = malloc(70000);
    assert_non_null(longest);
    memset(longest, '\n', 70000);
    assert_true(read_text(longest, 65536));
    assert_false(read_text(longest, 65537));
    assert_non_null(strstr(fault, "too long; allowed at most 65536 bytes"));
    memset(longest, 'a', 70000);
    assert_false(read_text(longest, 60000));
    assert_non_null(strstr(fault, "aaa...: allowed NAME = VALUE"));
    free(longest);
}

static void files_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    refuse_words("--config", "/none/at/all",
                 "config = /none/at/all: cannot be opened: No such file or directory");
    refuse_words("--config", "/", "config = /: cannot be read: Is a directory");
    setenv("SOTTOD_CONFIG", "/none/either", 1);
    refuse_words(NULL, NULL, "config = /none/either: cannot be opened: No such file or directory");
}

static void long_values_are_cut_and_what_is_allowed_still_stands_there(void **state)
{
    (void)state;
    char word[2000];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_false(read_words("--idle-s-max", word, NULL));
    assert_true(strlen(fault) < 200);
    assert_non_null(strstr(fault, "xxx...: allowed whole numbers 1 to 3600"));
    assert_false(read_words("--data", word, NULL));
    assert_non_null(strstr(fault, "xxx...: allowed at most 1023 bytes"));
    memcpy(word, "--", 2);
    assert_false(read_words(word, NULL, NULL));
    assert_non_null(strstr(fault, "there is no such setting"));
}

static void two_ports_at_one_place_are_refused(void **state)
{
    (void)state;
    refuse_words("--admin", "127.0.0.1:8787",
                 "admin = 127.0.0.1:8787: listen has the same; allowed two different ones");
    assert_true(read_words("--admin=127.0.0.1:0", "--listen=127.0.0.1:0", NULL));
    assert_true(read_words("--admin=127.0.0.2:8787", NULL, NULL));
}

static void no_folder_at_all_is_refused_unless_one_is_named(void **state)
{
    (void)state;
    char home[2000];
    memset(home, 'x', sizeof home - 1);
    home[0] = '/';
    home[sizeof home - 1] = '\0';
    setenv("HOME", home, 1);
    refuse_words(NULL, NULL,
                 "data: XDG_STATE_HOME and HOME make no usable path; allowed --data PATH");
    assert_true(read_words("--data", "/srv", NULL));
    assert_string_equal(config.data, "/srv");
}

/* ---- what is taken ------------------------------------------------------------------------ */

static void the_defaults_are_those_of_the_table(void **state)
{
    (void)state;
    assert_true(read_words(NULL, NULL, NULL));
    assert_string_equal(config.data, "/home/somebody/.local/state/sotto");
    assert_string_equal(config.listen.address, "127.0.0.1");
    assert_int_equal(config.listen.port, 8787);
    assert_int_equal(config.admin.port, 8788);
    assert_string_equal(config.admin_hosts, "");
    assert_false(config.keep_reports);
    assert_int_equal(config.log_level, LOG_INFO);
    assert_int_equal(config.nonces_max, 10000000);
    assert_int_equal(config.threads, 0);
    assert_int_equal(config.recover_to, 0);
    assert_string_equal(config.config, "");
    assert_int_equal(words, 0);
}

static void the_folder_is_under_the_state_directory(void **state)
{
    (void)state;
    setenv("XDG_STATE_HOME", "/state", 1);
    assert_true(read_words(NULL, NULL, NULL));
    assert_string_equal(config.data, "/state/sotto");
    setenv("XDG_STATE_HOME", "relative", 1); /* its standard: to be ignored */
    assert_true(read_words(NULL, NULL, NULL));
    assert_string_equal(config.data, "/home/somebody/.local/state/sotto");
    setenv("XDG_STATE_HOME", "", 1);
    unsetenv("HOME");
    assert_true(read_words(NULL, NULL, NULL));
    assert_string_equal(config.data, "/var/lib/sotto");
}

static void flags_win_over_variables_and_variables_over_the_file(void **state)
{
    (void)state;
    static const char text[] = "idle-s-max = 5\n";
    file_write(made.file, (const uint8_t *)text, sizeof text - 1);
    setenv("SOTTOD_CONFIG", made.file, 1);
    assert_true(read_words(NULL, NULL, NULL));
    assert_int_equal(config.idle_s_max, 5);
    setenv("SOTTOD_IDLE_S_MAX", "6", 1);
    assert_true(read_words(NULL, NULL, NULL));
    assert_int_equal(config.idle_s_max, 6);
    assert_true(read_words("--idle-s-max", "7", NULL));
    assert_int_equal(config.idle_s_max, 7);
    assert_string_equal(config.config, made.file);
}

static void the_flag_names_the_file_before_the_variable(void **state)
{
    (void)state;
    static const char text[] = "idle-s-max = 9\n";
    file_write(made.file, (const uint8_t *)text, sizeof text - 1);
    setenv("SOTTOD_CONFIG", "/none/at/all", 1);
    assert_true(read_words("--config", made.file, NULL));
    assert_int_equal(config.idle_s_max, 9);
    assert_string_equal(config.config, made.file);
}

static void lines_may_have_blanks_comments_and_other_ends(void **state)
{
    (void)state;
    take_text("\r\n  # a comment\n\tkeep-reports=yes # for now\r\n data = /a#b/c d\t#e\n"
              "admin-hosts =\nlisten = [::1]:0");
    assert_true(config.keep_reports);
    assert_string_equal(config.data, "/a#b/c d");
    assert_string_equal(config.listen.address, "::1");
    assert_int_equal(config.listen.port, 0);
    take_text("");
}

static void switches_need_no_value_and_can_be_switched_off(void **state)
{
    (void)state;
    take_text("keep-reports = yes");
    assert_true(config.keep_reports);
    assert_true(read_words("--config", made.file, "--keep-reports=no"));
    assert_false(config.keep_reports);
    assert_true(read_words("--keep-reports", "inspect", NULL));
    assert_true(config.keep_reports);
    assert_int_equal(words, 1); /* the word is none of the switch's */
}

static void words_are_moved_to_the_front(void **state)
{
    (void)state;
    assert_true(read_words("--keep-reports", "export", "id"));
    assert_true(config.keep_reports);
    assert_int_equal(words, 2);
    assert_string_equal(argument[0], "export");
    assert_string_equal(argument[1], "id");
    assert_true(read_words("-", "--", "--data"));
    assert_int_equal(words, 2);
    assert_string_equal(argument[0], "-");
    assert_string_equal(argument[1], "--data");
}

static void the_last_of_two_flags_counts(void **state)
{
    (void)state;
    assert_true(read_words("--idle-s-max=3", "--idle-s-max=4", NULL));
    assert_int_equal(config.idle_s_max, 4);
    assert_true(read_words("--recover-to=3", NULL, NULL));
    assert_int_equal(config.recover_to, 3);
}

static void variables_of_a_cluster_are_no_settings(void **state)
{
    (void)state;
    setenv("SOTTOD_SERVICE_HOST", "10.0.0.1", 1);
    setenv("SOTTOD_PORT", "tcp://10.0.0.1:80", 1);
    setenv("SOTTOD_PORT_80_TCP", "tcp://10.0.0.1:80", 1);
    assert_true(read_words(NULL, NULL, NULL));
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(flags_that_are_not_there_are_refused_with_the_nearest),
        WITH_FOLDER(flags_with_bad_values_are_refused),
        WITH_FOLDER(variables_with_bad_names_or_values_are_refused),
        WITH_FOLDER(lines_that_say_nothing_we_know_are_refused),
        WITH_FOLDER(files_that_are_no_text_are_refused),
        WITH_FOLDER(files_that_cannot_be_read_are_refused),
        WITH_FOLDER(long_values_are_cut_and_what_is_allowed_still_stands_there),
        WITH_FOLDER(two_ports_at_one_place_are_refused),
        WITH_FOLDER(no_folder_at_all_is_refused_unless_one_is_named),
        WITH_FOLDER(the_defaults_are_those_of_the_table),
        WITH_FOLDER(the_folder_is_under_the_state_directory),
        WITH_FOLDER(flags_win_over_variables_and_variables_over_the_file),
        WITH_FOLDER(the_flag_names_the_file_before_the_variable),
        WITH_FOLDER(lines_may_have_blanks_comments_and_other_ends),
        WITH_FOLDER(switches_need_no_value_and_can_be_switched_off),
        WITH_FOLDER(words_are_moved_to_the_front),
        WITH_FOLDER(the_last_of_two_flags_counts),
        WITH_FOLDER(variables_of_a_cluster_are_no_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
