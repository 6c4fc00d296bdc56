/* What shells complete; tests/system asks the shells what they make of it. */
#include "memory_file.h"
#include "option/option.h"

#include <string.h>

typedef struct fields {
    bool loud;
    uint32_t count, paint;
    const char *out;
} fields;

static const char *colour_name(uint32_t value)
{
    static const char *const name[] = {"red", "huber:TAU"};
    return value < 2 ? name[value] : NULL;
}

#define SETTING(member) OPTION_SETTING(fields, member, OPTION_ANYWHERE)
#define FIELD(member) OPTION_FIELD(fields, member)
static const option shared[] = {
    {"loud", SETTING(loud), OPTION_TEXT("no"), "all", "Barks."},
    {"count", SETTING(count), OPTION_NUMBER("1", 1, 9), "all", "Of them."},
    {"paint", SETTING(paint), OPTION_NAME("red", colour_name), "all", "Its colour."},
    OPTION_END,
};
static const option own[] = {
    {"quiet", FIELD(loud), OPTION_FLAG, "all", "no barks"},
    {"paint", FIELD(paint), OPTION_NAME("red", colour_name), "all", "its colour; red or huber"},
    {"mix", FIELD(paint), OPTION_NAME_LIST("red", colour_name, NULL), "all", "its colours"},
    {"tool", FIELD(paint), OPTION_NAME_OR_PLUGIN("red", colour_name, NULL), "all", "a brush"},
    {"tools", FIELD(paint), OPTION_PLUGIN_LIST("red", colour_name, NULL), "all", "brushes"},
    {"out", FIELD(out), OPTION_FILE, "all", "FILE to write to"},
    {"to", FIELD(out), OPTION_DIRECTORY, "all", "DIRECTORY"},
    OPTION_END,
};
static const option flags[] = {{.name = "all-of-it", .meaning = "All of it."}, OPTION_END};
static const command shared_commands[] = {
    {.name = "paint", .summary = "it", .words = colour_name},
    {.name = "bring", .summary = "somebody's file", .files = true},
};
static const command own_commands[] = {
    {.name = "look", .summary = "what is there", .table = own},
    {.name = "bring", .summary = "files", .table = own, .words = colour_name, .files = true},
};

static const command *shared_command_at(uint32_t value)
{
    return value < 2 ? &shared_commands[value] : NULL;
}

static const command *own_command_at(uint32_t value)
{
    return value < 2 ? &own_commands[value] : NULL;
}

static const option_program sharing = {"dog", shared_command_at, shared, flags};
static const option_program owning = {.name = "cat", .command_at = own_command_at};

typedef struct typed {
    const char *words, *answer; /* words between blanks: the last one, and it alone, may be empty */
} typed;

/* Meanings are left out. */
static void assert_answers(const option_program *self, const typed *row)
{
    char text[100], *word[10], *at = text;
    int count = 0;
    memory_file m;
    snprintf(text, sizeof text, "%s", row->words);
    do {
        word[count++] = strsep(&at, " ");
    } while (at != NULL);
    completion_answer(memory_file_open(&m), self, count, word);
    assert_int_equal(fclose(m.file), 0);
    size_t length = 0;
    bool meaning = false;
    for (size_t i = 0; i < m.bytes; i++) {
        meaning = m.text[i] == '\t' || (meaning && m.text[i] != '\n');
        if (!meaning) m.text[length++] = m.text[i] == '\n' ? ' ' : m.text[i];
    }
    m.text[length] = '\0';
    if (strcmp(m.text, row->answer) != 0) {
        fail_msg("%s: \"%s\", not \"%s\"", row->words, m.text, row->answer);
    }
    free(m.text);
}

#define OWN_OPTIONS "--quiet --paint --mix --tool --tools --out --to --help "
#define SHARED_OPTIONS "--loud --count --paint --all-of-it "

TEST(three_shells_have_a_script)
{
    assert_strings(shell_name(0), "bash", shell_name(1), "zsh", shell_name(2), "fish");
    assert_null(shell_name(3));
}

TEST(scripts_have_the_name_of_their_program)
{
    for (uint32_t i = 0; shell_name(i) != NULL; i++) {
        memory_file m;
        completion_print(memory_file_open(&m), &sharing, i);
        assert_int_equal(fclose(m.file), 0);
        assert_null(strstr(m.text, "NAME"));
        assert_non_null(strstr(m.text, "_dog"));
        free(m.text);
    }
}

TEST(a_program_is_not_asked_about_no_word)
{
    char *none[1];
    memory_file m;
    completion_answer(memory_file_open(&m), &owning, 0, none);
    assert_written(&m, "");
}

TEST(what_has_no_place_is_not_offered)
{
    static const typed row[] = {
        {"nobody ", "names "},
        {"look --quiet=", "names "},
        {"look --quiet =", "names "},
        {"look --nothing=", "names "},
        {"look help ", "names " OWN_OPTIONS},
        {"help look ", "names "},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_answers(&owning, &row[i]);
    }
}

TEST(commands_have_options_and_words_of_their_own)
{
    static const typed row[] = {
        {"", "names look bring help --help --version "},
        {"lo", "names look bring help --help --version "}, /* the shell chooses */
        {"help ", "names look bring "},
        {"look ", "names " OWN_OPTIONS},
        {"look --quiet ", "names " OWN_OPTIONS},
        {"look --paint red ", "names " OWN_OPTIONS},
        {"look --paint=red ", "names " OWN_OPTIONS},
        {"bring ", "names red huber: " OWN_OPTIONS},
        {"bring red ", "file "},
        {"bring red -", "names " OWN_OPTIONS},
        {"bring red --paint=red ", "file "},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_answers(&owning, &row[i]);
    }
}

TEST(values_are_completed_by_their_kind)
{
    static const typed row[] = {
        {"look --paint ", "names red huber: "},
        {"look --paint=", "names red huber: "},
        {"look --paint =", "names red huber: "},
        {"look --paint = r", "names red huber: "},
        {"look --mix red,", "list red huber: "},
        {"look --tool ", "plugin red huber: "},
        {"look --tools ", "plugins red huber: "},
        {"look --out ", "file "},
        {"look --to -", "directory "},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_answers(&owning, &row[i]);
    }
}

TEST(a_command_may_stand_among_shared_options)
{
    static const typed row[] = {
        {"", "names paint bring " SHARED_OPTIONS},
        {"--count 3 ", "names paint bring " SHARED_OPTIONS},
        {"--count ", "names "},
        {"--loud ", "names paint bring " SHARED_OPTIONS},
        {"--loud=", "names yes no "},
        {"--all-of-it=", "names "},
        {"paint ", "names red huber: "},
        {"paint red ", "names " SHARED_OPTIONS},
        {"--paint ", "names red huber: "},
        {"bring ", "file "},
        {"--count 3 bring here --paint=red ", "file "},
        {"bring --", "names " SHARED_OPTIONS},
        {"bring --count ", "names "},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_answers(&sharing, &row[i]);
    }
}

TEST(a_candidate_has_the_first_clause_of_its_meaning)
{
    char empty[] = "", look[] = "look", *word[] = {look, empty};
    memory_file m;
    completion_answer(memory_file_open(&m), &sharing, 1, word + 1);
    completion_answer(m.file, &owning, 2, word);
    assert_int_equal(fclose(m.file), 0);
    assert_non_null(strstr(m.text, "bring\tsomebody's file\n--loud\tBarks\n"));
    assert_non_null(strstr(m.text, "--paint\tits colour\n--mix\tits colours\n"));
    free(m.text);
}
