/* Kinds of values. */
#include "service/config/config.h"
#include "test.h"

#include <string.h>

static bool value_read(const option *row, const char *text, sottod_config *config)
{
    return option_read(row, text, config, NULL) == SOTTO_OK;
}

static const option *row_of(const char *name)
{
    const option *row = option_find(config_settings.table, name, strlen(name));
    assert_non_null(row);
    return row;
}

/* Refused, and nothing of the settings is changed. */
static void refuse(const char *name, const char *text)
{
    static sottod_config before, after;
    memset(&before, 0x5a, sizeof before);
    memset(&after, 0x5a, sizeof after);
    if (value_read(row_of(name), text, &after)) fail_msg("%s = \"%s\" was taken", name, text);
    assert_memory_equal(&before, &after, sizeof before);
}

/* Each of these texts, up to NULL. */
static void refuse_all(const char *name, const char *const *texts)
{
    for (; *texts != NULL; texts++) {
        refuse(name, *texts);
    }
}
#define REFUSED(name, ...) refuse_all(name, (const char *const[]){__VA_ARGS__, NULL})

/* The text is accepted and printed as `printed`, which reads back as the same value. */
static void take(const char *name, const char *text, const char *printed)
{
    sottod_config config = {.recover_to = 0}, again = {.recover_to = 0};
    char out[CONFIG_TEXT_BYTES];
    if (!value_read(row_of(name), text, &config)) fail_msg("%s = \"%s\" was refused", name, text);
    option_print(row_of(name), &config, out);
    assert_string_equal(out, printed);
    assert_true(value_read(row_of(name), out, &again));
    assert_memory_equal(&config, &again, sizeof config);
}

/* Each of these texts is accepted and printed as it is. */
static void take_all(const char *name, const char *const *texts)
{
    for (; *texts != NULL; texts++) {
        take(name, *texts, *texts);
    }
}
#define TAKEN(name, ...) take_all(name, (const char *const[]){__VA_ARGS__, NULL})

TEST(numbers_with_anything_but_digits_are_refused)
{
    REFUSED("idle-s-max", "", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "ten", "1,000");
}

TEST(numbers_out_of_range_are_refused)
{
    REFUSED("idle-s-max", "0", "3601");
    REFUSED("nonces-max", "999", "1073741825");
    refuse("threads", "257");
    refuse("idle-s-max", "4294967297"); /* 2^32 + 1: not 1 */
    REFUSED("recover-to", "0", "9007199254740993", "9223372036854775808",
            "18446744073709551617" /* 2^64 + 1: not 1 */, "99999999999999999999999999");
}

TEST(places_that_are_no_address_and_port_are_refused)
{
    REFUSED("listen", "", ":", "127.0.0.1", "127.0.0.1:", ":8787", "8787", "localhost:8787",
            "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1: 80", "127.0.0.1:80 ", "127.0.0.256:80",
            "127.1:80", "::1:8787", "[::1]", "[::1]:", "[]:80", "[:80", "]:80", "[127.0.0.1]:80",
            "[::1:80", "[fe80::1%lo]:80", "http://127.0.0.1:80",
            "[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]:80");
}

TEST(paths_that_no_line_can_hold_are_refused)
{
    REFUSED("data", "", " /x", "/x ", "/x\t", "/x\ny", "/x\ry", "/\x7f", "#x", "/x #y",
            /* a control of ISO 6429, marks of direction, invalid UTF-8 */
            "/\xC2\x9Bm", "/\xE2\x80\xAEx", "/\xD8\x9C", "/\xFF");
    char longest[CONFIG_TEXT_BYTES + 1];
    memset(longest, 'a', sizeof longest);
    longest[CONFIG_TEXT_BYTES] = '\0';
    refuse("data", longest);
    refuse("admin-hosts", longest);
    longest[CONFIG_TEXT_BYTES - 1] = '\0';
    take("data", longest, longest);
    take("admin-hosts", longest, longest);
}

TEST(hosts_are_names_between_commas)
{
    REFUSED("admin-hosts", ",", "a,", ",a", "a,,b", "a, b", "a b", "a/b", "*", "a\n");
    TAKEN("admin-hosts", "", "sotto.example", "a:8788,[::1]:8788");
}

TEST(switches_and_levels_have_few_words)
{
    static const char *const texts[] = {"", "Yes", "true", "1", "on", "yes ", "maybe"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        refuse("keep-reports", texts[i]);
        refuse("log-level", texts[i]);
    }
    TAKEN("keep-reports", "yes", "no");
    TAKEN("log-level", "debug", "error");
    REFUSED("per-address", "yes", "", "AUTO");
    TAKEN("per-address", "auto", "on", "off");
}

TEST(places_are_addresses_of_both_kinds)
{
    TAKEN("listen", "127.0.0.1:8787", "0.0.0.0:0", "10.0.0.1:65535", "[::1]:8787", "[::]:80");
    take("listen", "[0:0:0:0:0:0:0:1]:80", "[::1]:80");
    TAKEN("listen", "[::ffff:10.0.0.1]:80");
    sottod_config config;
    assert_true(value_read(row_of("admin"), "[::1]:99", &config));
    assert_string_equal(config.admin.address, "::1"); /* the form that the front needs */
    assert_int_equal(config.admin.port, 99);
}

TEST(numbers_at_the_ends_of_their_range_are_taken)
{
    TAKEN("idle-s-max", "1", "3600");
    TAKEN("nonces-max", "1073741824");
    TAKEN("threads", "0", "256");
    TAKEN("recover-to", "9007199254740992" /* 2^53 */);
}

TEST(what_is_allowed_is_said_with_the_range)
{
    char out[OPTION_ALLOWED_BYTES];
    option_allowed(row_of("idle-s-max"), out);
    assert_string_equal(out, "whole numbers 1 to 3600");
    option_allowed(row_of("keep-reports"), out);
    assert_string_equal(out, "yes or no");
    option_allowed(row_of("listen"), out);
    assert_non_null(strstr(out, "127.0.0.1:8787 or [::1]:8787")); /* the longest is not cut */
    option_allowed(row_of("log-level"), out);
    assert_string_equal(out, "debug, info, warning, error");
}

TEST(every_name_is_allowed_and_among_the_allowed)
{
    char out[OPTION_ALLOWED_BYTES];
    uint32_t count = 0;
    for (const option *row = config_settings.table; row->meaning != NULL; row++) {
        option_allowed(row, out);
        for (uint32_t i = 0; row->names != NULL && row->names(i) != NULL; i++, count++) {
            assert_non_null(strstr(out, row->names(i)));
            take(row->name, row->names(i), row->names(i));
        }
    }
    assert_int_equal(count, 4 + 3); /* log-level, per-address */
}

TEST(journals_are_urls_of_postgresql_or_none)
{
    char longest[CONFIG_TEXT_BYTES + 1] = "postgresql://";
    memset(longest + 13, 'a', sizeof longest - 14);
    longest[sizeof longest - 1] = '\0';
    refuse("journal", longest);
    REFUSED("journal", "mysql://host/name", "/var/lib/sotto",
            "postgresql:", "postgresql://host/na\nme");
    longest[sizeof longest - 2] = '\0';
    take("journal", longest, longest);
    TAKEN("journal", "", "postgres://sotto@db:5433/sotto", "postgresql:///sotto?host=/run/pg");
}

static void assert_hidden(const char *url, const char *wanted)
{
    sottod_config config = {.recover_to = 0};
    char out[CONFIG_TEXT_BYTES];
    assert_true(value_read(row_of("journal"), url, &config));
    assert_string_equal(config.journal, url);
    option_print(row_of("journal"), &config, out);
    assert_string_equal(out, wanted);
}

TEST(passwords_are_not_printed)
{
    assert_hidden("postgresql://u:secret@db/n", "postgresql://u@db/n");
    assert_hidden("postgresql://u:se:cr@et@db/n", "postgresql://u@db/n");
    assert_hidden("postgresql://u:se/cret@db/n", "postgresql://u@db/n");
    assert_hidden("postgresql://u:@db", "postgresql://u@db");
    assert_hidden("postgresql://db:5433/n?user=u&password=secret",
                  "postgresql://db:5433/n?user=u&password=");
    assert_hidden("postgresql://db/n?password=secret&user=u@x&sslpassword=more",
                  "postgresql://db/n?password=&user=u@x&sslpassword=");
}
