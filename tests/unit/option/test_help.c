/* Help: groups, ranges, names and defaults, in any width. */
#include "memory_file.h"
#include "option/inner.h"

#include <string.h>

typedef struct fields {
    uint32_t dim, paint;
    double epsilon;
    const char *out;
    bool json;
    uint64_t kinds;
} fields;

static const char *colour_name(uint32_t value)
{
    static const char *const name[] = {"red", "green", "dark-blue"};
    return value < 3 ? name[value] : NULL;
}

static sotto_status parse_nothing(const option *row, const char *text, void *into,
                                  sotto_fault *fault)
{
    (void)row, (void)text, (void)into, (void)fault;
    return SOTTO_OK;
}

#define FIELD(member) OPTION_FIELD(fields, member)
static const option table[] = {
    {"dim", FIELD(dim), OPTION_NUMBER(NULL, 1, 1024), "what is learnt",
     "numbers of a vector, which every device has to know, needed"},
    {"paint", FIELD(paint), OPTION_NAME("green", colour_name), "what is learnt", "its colour"},
    {"kinds", FIELD(kinds), OPTION_NAME_LIST(NULL, colour_name, parse_nothing), "what is learnt",
     "one or several:\nred: like a rose\ngreen: like grass in May, when it rained\ndark-blue"},
    {"epsilon", FIELD(epsilon), OPTION_NUMBER("1", 0.01, 8), "privacy", "of each report"},
    {"out", FIELD(out), OPTION_FILE, "output", "FILE to write to"},
    {"json", FIELD(json), OPTION_FLAG, "output", "one JSON object"},
    OPTION_END,
};
static const command self = {
    .name = "test",
    .summary = "a command that is only here for tests of what is printed",
    .usage = "sotto test --dim D [--paint red | green | dark-blue] [--epsilon E]",
    .example = "  sotto test --dim 3 --paint dark-blue --epsilon 1 --out somewhere --json\n"
               "  echo '0.5 -1' | sotto test --dim 2 > reports\n\n"
               "exit status: 0 if all went well, 1 if something failed, 2 if it was used wrongly\n",
    .table = table,
};

static char *help_in(uint32_t columns)
{
    memory_file m;
    help_print(memory_file_open(&m), &self, columns);
    assert_int_equal(fclose(m.file), 0);
    return m.text;
}

TEST(a_wide_terminal_has_two_columns)
{
    char *text = help_in(64);
    assert_string_equal(text, "sotto test - a command that is only here for tests of what is\n"
                              "    printed\n\n"
                              "usage: sotto test --dim D [--paint red | green | dark-blue]\n"
                              "           [--epsilon E]\n\n"
                              "what is learnt:\n"
                              "  --dim                numbers of a vector, which every device\n"
                              "                       has to know, needed; 1 to 1024\n"
                              "  --paint              its colour; red, green, dark-blue;\n"
                              "                       default green\n"
                              "  --kinds              one or several:\n"
                              "                       red: like a rose\n"
                              "                       green: like grass in May, when it rained\n"
                              "                       dark-blue\n\n"
                              "privacy:\n"
                              "  --epsilon            of each report; 0.01 to 8; default 1\n\n"
                              "output:\n"
                              "  --out                FILE to write to\n"
                              "  --json               one JSON object\n\n"
                              "  --help               this text\n\n"
                              "examples:\n"
                              "  sotto test --dim 3 --paint dark-blue --epsilon 1 \\\n"
                              "      --out somewhere --json\n"
                              "  echo '0.5 -1' | sotto test --dim 2 > reports\n\n"
                              "exit status: 0 if all went well, 1 if something failed, 2 if it\n"
                              "    was used wrongly\n");
    free(text);
}

TEST(in_a_narrow_terminal_the_meaning_stands_below_the_name)
{
    char *text = help_in(40);
    assert_non_null(strstr(text, "\nwhat is learnt:\n"
                                 "  --dim\n"
                                 "      numbers of a vector, which every\n"
                                 "      device has to know, needed; 1 to\n"
                                 "      1024\n"
                                 "  --paint\n"
                                 "      its colour; red, green, dark-blue;\n"
                                 "      default green\n"));
    free(text);
}

TEST(no_line_is_longer_than_the_terminal)
{
    for (uint32_t columns = 40; columns <= 100; columns++) {
        char *text = help_in(columns);
        for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
            size_t length = strcspn(line, "\n");
            if (length > columns) fail_msg("%u columns: %.*s", columns, (int)length, line);
            assert_true(length == 0 || line[length - 1] != ' ');
        }
        free(text);
    }
}

/* Whoever copies an example gets the command, however it was broken. */
TEST(an_example_that_is_continued_is_the_same_command)
{
    for (uint32_t columns = 20; columns <= 100; columns++) {
        char *text = help_in(columns), joined[512] = "";
        const char *at = strstr(text, "examples:\n") + strlen("examples:\n");
        for (size_t n = 0; *at != '\0' && n + 1 < sizeof joined; n++) {
            bool continued = strncmp(at, "\\\n      ", 8) == 0;
            if (continued) at += 8;
            joined[n] = *at++;
        }
        assert_non_null(strstr(joined, "  sotto test --dim 3 --paint dark-blue --epsilon 1 --out "
                                       "somewhere --json\n  echo '0.5 -1' | sotto test --dim 2 > "
                                       "reports\n"));
        free(text);
    }
}
