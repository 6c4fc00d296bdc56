/* Settings from a file, from variables and from flags. */
#include "directory.h"
#include "service/config/config.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 8

static directory made;
static sottod_config config;
static sotto_fault fault;
static char *argument[WORDS_MAX];
static int words;

static int start(void **state)
{
    (void)state;
    made = directory_new();
    return setenv("HOME", "/home/somebody", 1);
}

FIXTURE(end)
{
    static const char *const variables[] = {"XDG_STATE_HOME",      "SOTTOD_KEEP_REPORTS",
                                            "SOTTOD_KEP_REPORTS",  "SOTTOD_LISTEN",
                                            "SOTTOD_CONFIG",       "SOTTOD_RECOVER_TO",
                                            "SOTTOD_SERVICE_HOST", "SOTTOD_PORT",
                                            "SOTTOD_PORT_80_TCP",  "SOTTOD_",
                                            "SOTTOD_IDLE_S_MAX"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        unsetenv(variables[i]);
    }
    directory_free(&made);
}

/* Up to three words; NULL ends the list. */
static bool read_words(const char *a, const char *b, const char *c)
{
    const char *word[] = {a, b, c};
    int count = 0;
    while (count < 3 && word[count] != NULL) {
        argument[count] = (char *)(uintptr_t)word[count]; /* words are moved, not changed */
        count++;
    }
    words = -1;
    fault.sentence[0] = '\0';
    return config_read(&config, count, argument, &words, &fault) == SOTTO_OK;
}

static bool read_text(const char *text, size_t bytes)
{
    file_write(made.file, (const uint8_t *)text, bytes);
    return read_words("--config", made.file, NULL);
}

/* The fault of a file with this text, without the directory in it. */
static void refuse_text(const char *text, const char *wanted)
{
    if (read_text(text, strlen(text))) fail_msg("taken: %s", text);
    const char *name = strstr(fault.sentence, "/ledger:");
    if (name == NULL) fail_msg("no place: %s", fault.sentence);
    assert_string_equal(name + 1, wanted);
}

static void refuse_words(const char *a, const char *b, const char *wanted)
{
    if (read_words(a, b, NULL)) fail_msg("taken; wanted %s", wanted);
    assert_string_equal(fault.sentence, wanted);
}

static void take_text(const char *text)
{
    if (!read_text(text, strlen(text))) fail_msg("%s", fault.sentence);
}

/* ---- faults ------------------------------------------------------------------------------- */

TEST_WITH(flags_that_are_not_there_are_refused_with_the_nearest, start, end)
{
    refuse_words("--keep-report", NULL,
                 "--keep-report: there is no such setting; did you mean --keep-reports?");
    refuse_words("--lisen=127.0.0.1:80", NULL,
                 "--lisen: there is no such setting; did you mean --listen?");
    refuse_words("--xyzzy", NULL, "--xyzzy: there is no such setting; sottod --help lists them");
    refuse_words("-v", NULL, "-v: there is no such flag; sottod --help lists them");
    refuse_words("--=x", NULL, "--: there is no such setting; sottod --help lists them");
}

TEST_WITH(flags_with_bad_values_are_refused, start, end)
{
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

TEST_WITH(variables_with_bad_names_or_values_are_refused, start, end)
{
    setenv("SOTTOD_KEEP_REPORTS", "1", 1);
    refuse_words(NULL, NULL, "SOTTOD_KEEP_REPORTS = 1: allowed yes or no");
    unsetenv("SOTTOD_KEEP_REPORTS");
    setenv("SOTTOD_KEP_REPORTS", "yes", 1);
    refuse_words(NULL, NULL,
                 "SOTTOD_KEP_REPORTS: there is no such setting; did you mean SOTTOD_KEEP_REPORTS?");
    unsetenv("SOTTOD_KEP_REPORTS");
    setenv("SOTTOD_RECOVER_TO", "5", 1);
    refuse_words(NULL, NULL, "SOTTOD_RECOVER_TO = 5: allowed only as the flag --recover-to");
    unsetenv("SOTTOD_RECOVER_TO");
    setenv("SOTTOD_", "5", 1);
    refuse_words(NULL, NULL, "SOTTOD_: there is no such setting; sottod --help lists them");
}

TEST_WITH(lines_that_say_nothing_we_know_are_refused, start, end)
{
    refuse_text("keep-reports", "ledger:1: keep-reports: allowed NAME = VALUE, or # and a comment");
    refuse_text("\n\n = yes\n", "ledger:3: : there is no such setting; sottod --help lists them");
    refuse_text("# so\nkeep-report = yes\n",
                "ledger:2: keep-report: there is no such setting; did you mean keep-reports?");
    refuse_text("keep-reports = perhaps # not\n",
                "ledger:1: keep-reports = perhaps: allowed yes or no");
    refuse_text("keep-reports = # yes\n", "ledger:1: keep-reports = : allowed yes or no");
    refuse_text("idle-s-max = 5\n\nidle-s-max = 6\n",
                "ledger:3: idle-s-max = 6: already set in line 1; allowed once");
    refuse_text("recover-to = 5",
                "ledger:1: recover-to = 5: allowed only as the flag --recover-to");
    refuse_text("config = x",
                "ledger:1: config = x: allowed only as the flag --config or as a variable");
    refuse_text("ke\x1b[1mep = \x07",
                "ledger:1: ke?[1mep: there is no such setting; sottod --help lists them");
    refuse_text("idle-s-max = \x1b[1m",
                "ledger:1: idle-s-max = ?[1m: allowed whole numbers 1 to 3600");
    refuse_text("idle-s-max = \xC2\x9B"
                "1m\xE2\x80\xAE\xD8\x9C\xFF",
                "ledger:1: idle-s-max = ?1m???: allowed whole numbers 1 to 3600");
}

TEST_WITH(files_that_are_no_text_are_refused, start, end)
{
    static const char zero[] = "idle-s-max = 5\nidle\0-s-max = 6\n";
    assert_false(read_text(zero, sizeof zero - 1));
    assert_non_null(strstr(fault.sentence, "ledger:2: a zero byte; allowed only text"));

    FREED_BY(free_memory) char *longest = malloc(70000);
    assert_non_null(longest);
    memset(longest, '\n', 70000);
    assert_true(read_text(longest, 65536));
    assert_false(read_text(longest, 65537));
    assert_non_null(strstr(fault.sentence, "too long; allowed at most 65536 bytes"));
    memset(longest, 'a', 70000);
    assert_false(read_text(longest, 60000));
    assert_non_null(strstr(fault.sentence, "aaa...: allowed NAME = VALUE"));
}

TEST_WITH(files_that_cannot_be_read_are_refused, start, end)
{
    refuse_words("--config", "/none/at/all",
                 "config = /none/at/all: cannot be opened: No such file or directory");
    refuse_words("--config", "/", "config = /: cannot be read: Is a directory");
    setenv("SOTTOD_CONFIG", "/none/either", 1);
    refuse_words(NULL, NULL, "config = /none/either: cannot be opened: No such file or directory");
}

TEST_WITH(long_values_are_cut_and_what_is_allowed_still_stands_there, start, end)
{
    char word[2000];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_false(read_words("--idle-s-max", word, NULL));
    assert_true(strlen(fault.sentence) < 200);
    assert_non_null(strstr(fault.sentence, "xxx...: allowed whole numbers 1 to 3600"));
    assert_false(read_words("--data", word, NULL));
    assert_non_null(strstr(fault.sentence, "xxx...: allowed at most 1023 bytes"));
    memcpy(word, "--", 2);
    assert_false(read_words(word, NULL, NULL));
    assert_non_null(strstr(fault.sentence, "there is no such setting"));
}

TEST_WITH(two_ports_at_one_place_are_refused, start, end)
{
    refuse_words("--admin", "127.0.0.1:8787",
                 "admin = 127.0.0.1:8787: the same as listen; allowed two different addresses");
    assert_true(read_words("--admin=127.0.0.1:0", "--listen=127.0.0.1:0", NULL));
    assert_true(read_words("--admin=127.0.0.2:8787", NULL, NULL));
}

/* Exposing it needs an explicit setting. */
TEST_WITH(an_admin_port_that_others_reach_is_refused_unless_it_is_wanted, start, end)
{
    static const char *const far[] = {"0.0.0.0:1",   "10.0.0.1:1",          "[::]:1",
                                      "[fe80::1]:1", "[::ffff:10.0.0.1]:1", "126.0.0.1:1",
                                      "255.0.0.1:1"};
    static const char *const near[] = {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1",
                                       "[::ffff:127.0.0.1]:1"};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        assert_false(read_words("--admin", far[i], NULL));
        assert_non_null(strstr(fault.sentence, far[i]));
        assert_non_null(strstr(fault.sentence, "tokens would travel unencrypted"));
        assert_non_null(strstr(fault.sentence, "--admin-exposed"));
        assert_true(read_words("--admin", far[i], "--admin-exposed"));
    }
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
        assert_true(read_words("--admin", near[i], NULL));
    }
}

TEST_WITH(no_directory_at_all_is_refused_unless_one_is_named, start, end)
{
    char home[2000];
    memset(home, 'x', sizeof home - 1);
    home[0] = '/';
    home[sizeof home - 1] = '\0';
    setenv("HOME", home, 1);
    refuse_words(NULL, NULL,
                 "data: neither XDG_STATE_HOME nor HOME gives a usable path; set --data PATH");
    assert_true(read_words("--data", "/srv", NULL));
    assert_string_equal(config.data, "/srv");
}

/* ---- what is taken ------------------------------------------------------------------------ */

TEST_WITH(the_defaults_are_those_of_the_table, start, end)
{
    assert_true(read_words(NULL, NULL, NULL));
    assert_string_equal(config.data, "/home/somebody/.local/state/sotto");
    assert_string_equal(config.listen.address, "127.0.0.1");
    assert_ints(config.listen.port, 8787, config.admin.port, 8788);
    assert_string_equal(config.admin_hosts, "");
    assert_false(config.keep_reports);
    assert_ints(config.log_level, LOG_INFO, config.nonces_max, 10000000, config.threads, 0);
    assert_int_equal(config.recover_to, 0);
    assert_string_equal(config.config, "");
    assert_int_equal(words, 0);
}

TEST_WITH(the_directory_is_under_the_state_directory, start, end)
{
    setenv("XDG_STATE_HOME", "/state", 1);
    assert_true(read_words(NULL, NULL, NULL));
    assert_string_equal(config.data, "/state/sotto");
    setenv("XDG_STATE_HOME", "relative", 1); /* the XDG standard says to ignore it */
    assert_true(read_words(NULL, NULL, NULL));
    assert_string_equal(config.data, "/home/somebody/.local/state/sotto");
    setenv("XDG_STATE_HOME", "", 1);
    unsetenv("HOME");
    assert_true(read_words(NULL, NULL, NULL));
    assert_string_equal(config.data, "/var/lib/sotto");
}

TEST_WITH(flags_win_over_variables_and_variables_over_the_file, start, end)
{
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

TEST_WITH(the_flag_names_the_file_before_the_variable, start, end)
{
    static const char text[] = "idle-s-max = 9\n";
    file_write(made.file, (const uint8_t *)text, sizeof text - 1);
    setenv("SOTTOD_CONFIG", "/none/at/all", 1);
    assert_true(read_words("--config", made.file, NULL));
    assert_int_equal(config.idle_s_max, 9);
    assert_string_equal(config.config, made.file);
}

TEST_WITH(lines_may_have_blanks_comments_and_other_ends, start, end)
{
    take_text("\r\n  # a comment\n\tkeep-reports=yes # for now\r\n data = /a#b/c d\t#e\n"
              "admin-hosts =\nlisten = [::1]:0");
    assert_true(config.keep_reports);
    assert_strings(config.data, "/a#b/c d", config.listen.address, "::1");
    assert_int_equal(config.listen.port, 0);
    take_text("");
}

TEST_WITH(switches_need_no_value_and_can_be_switched_off, start, end)
{
    take_text("keep-reports = yes");
    assert_true(config.keep_reports);
    assert_true(read_words("--config", made.file, "--keep-reports=no"));
    assert_false(config.keep_reports);
    assert_true(read_words("--keep-reports", "inspect", NULL));
    assert_true(config.keep_reports);
    assert_int_equal(words, 1); /* the word is not the switch's value */
}

TEST_WITH(words_are_moved_to_the_front, start, end)
{
    assert_true(read_words("--keep-reports", "export", "id"));
    assert_true(config.keep_reports);
    assert_int_equal(words, 2);
    assert_strings(argument[0], "export", argument[1], "id");
    assert_true(read_words("-", "--", "--data"));
    assert_int_equal(words, 2);
    assert_strings(argument[0], "-", argument[1], "--data");
    assert_true(read_words("--", "--", "-x")); /* after --, everything is a word */
    assert_int_equal(words, 2);
    assert_strings(argument[0], "--", argument[1], "-x");
}

TEST_WITH(the_last_of_two_flags_counts, start, end)
{
    assert_true(read_words("--idle-s-max=3", "--idle-s-max=4", NULL));
    assert_int_equal(config.idle_s_max, 4);
    assert_true(read_words("--recover-to=3", NULL, NULL));
    assert_int_equal(config.recover_to, 3);
}

TEST_WITH(variables_of_a_cluster_are_no_settings, start, end)
{
    setenv("SOTTOD_SERVICE_HOST", "10.0.0.1", 1);
    setenv("SOTTOD_PORT", "tcp://10.0.0.1:80", 1);
    setenv("SOTTOD_PORT_80_TCP", "tcp://10.0.0.1:80", 1);
    assert_true(read_words(NULL, NULL, NULL));
    static const char *const others[] = {"SOTTOD_PORTS", "SOTTOD_SERVICE", "SOTTOD_SERVICES_X"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        setenv(others[i], "1", 1);
        assert_false(read_words(NULL, NULL, NULL));
        assert_non_null(strstr(fault.sentence, others[i]));
        unsetenv(others[i]);
    }
}
