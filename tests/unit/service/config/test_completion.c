/* Scripts of shells; tests/system asks the shells what they make of them. */
#include "service/config/completion.h"
#include "service/config/value.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const config_word commands[] = {
    {"look", "what is there"}, {"bring FILE", "somebody's file"}, {NULL, NULL}};
static const config_word flags[] = {{"--all-of-it", "All of it."}, {NULL, NULL}};

static bool script(const char *shell, char **text)
{
    size_t bytes;
    FILE *file = open_memstream(text, &bytes);
    assert_non_null(file);
    bool known = config_completion(file, shell, commands, flags);
    assert_int_equal(fclose(file), 0);
    return known;
}

static void another_shell_gets_nothing(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "sh", "bas", "bashh", "BASH"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *text = NULL;
        assert_false(script(bad[i], &text));
        assert_string_equal(text, "");
        free(text);
    }
}

static void every_script_has_every_setting_flag_and_command(void **state)
{
    (void)state;
    static const char *const shell[] = {"bash", "zsh", "fish"};
    static const char *const mark[] = {"--", "'--", "-l "};
    for (size_t i = 0; i < 3; i++) {
        char *text = NULL, name[100];
        assert_true(script(shell[i], &text));
        for (const setting *row = config_table; row->name != NULL; row++) {
            snprintf(name, sizeof name, "%s%s", mark[i], row->name);
            assert_non_null(strstr(text, name));
        }
        assert_non_null(strstr(text, "all-of-it"));
        assert_non_null(strstr(text, "look"));
        assert_non_null(strstr(text, "bring"));
        assert_null(strstr(text, "bring FILE"));
        free(text);
    }
}

static void quotes_in_meanings_do_not_end_a_string(void **state)
{
    (void)state;
    char *text = NULL;
    assert_true(script("zsh", &text));
    assert_non_null(strstr(text, "'bring:somebody'\\''s file'\n"));
    free(text);
    assert_true(script("fish", &text));
    assert_non_null(strstr(text, " -d 'somebody\\'s file'\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_shell_gets_nothing),
        cmocka_unit_test(every_script_has_every_setting_flag_and_command),
        cmocka_unit_test(quotes_in_meanings_do_not_end_a_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
