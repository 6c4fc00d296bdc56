/* Scripts of shells; tests/system asks the shells what they make of them. */
#include "option/option.h"
#include "test.h"

#include <stdlib.h>
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
    {"paint", FIELD(paint), OPTION_NAME("red", colour_name), "all", "its colour"},
    {"out", FIELD(out), OPTION_FILE, "all", "FILE to write to"},
    OPTION_END,
};
static const option flags[] = {{.name = "all-of-it", .meaning = "All of it."}, OPTION_END};
static const command commands[] = {
    {.name = "look", .summary = "what is there", .table = own},
    {.name = "bring", .summary = "somebody's file", .table = own, .files = true},
};

static const command *command_at(uint32_t value)
{
    return value < 2 ? &commands[value] : NULL;
}

static const char *command_name(uint32_t value)
{
    return value < 2 ? commands[value].name : NULL;
}

static const option_program sharing = {"dog", command_at, command_name, shared, flags};
static const option_program owning = {
    .name = "cat", .command_at = command_at, .command_name = command_name};

static char *script(const option_program *self, uint32_t shell)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    completion_print(file, self, shell);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) fail_msg("%s is not in\n%s", part, text);
}

TEST(three_shells_have_a_script)
{
    assert_strings(shell_name(0), "bash", shell_name(1), "zsh", shell_name(2), "fish");
    assert_null(shell_name(3));
}

TEST(every_script_has_every_option_flag_and_command)
{
    static const char *const mark[] = {"--", "'--", "-l "};
    const option_program *const program_of[] = {&sharing, &owning};
    for (uint32_t i = 0; shell_name(i) != NULL; i++) {
        for (int p = 0; p < 2; p++) {
            char *text = script(program_of[p], i), name[100];
            for (const option *row = p == 0 ? shared : own; row->meaning != NULL; row++) {
                snprintf(name, sizeof name, "%s%s", mark[i], row->name);
                assert_has(text, name);
            }
            if (p == 0) assert_has(text, "all-of-it");
            assert_has(text, "look");
            assert_has(text, "bring");
            assert_null(strstr(text, "TAU")); /* that is filled in */
            free(text);
        }
    }
}

TEST(values_are_completed_by_their_kind)
{
    static const char *const wanted[] = {
        "--loud) [[ ${COMP_WORDS[*]:COMP_CWORD - 1:2} == *=* ]] && takes=name names='yes no' ;;\n"
        "        --count) takes=text ;;\n"
        "        --paint) takes=name names='red huber:' ;;\n",
        "'--loud=-[Barks]::loud:(yes no)' \\\n        '--count=[Of them]:count: ' \\\n"
        "        '--paint=[Its colour]:paint:(red huber\\:)'",
        "-l loud -a 'yes no' -d 'Barks'\n"
        "complete -c dog -l count -x -d 'Of them'\n"
        "complete -c dog -l paint -x -a 'red huber:' -d 'Its colour'\n"};
    for (uint32_t i = 0; i < 3; i++) {
        char *text = script(&sharing, i);
        assert_has(text, wanted[i]);
        free(text);
    }
}

TEST(quotes_in_meanings_do_not_end_a_string)
{
    char *text = script(&sharing, 1);
    assert_has(text, "'bring:somebody'\\''s file'\n");
    free(text);
    text = script(&sharing, 2);
    assert_has(text, " -d 'somebody\\'s file'\n");
    free(text);
}
