/* The flags of --help: every setting under its heading, in any width. */
#include "service/config/value.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static char *help_in(uint32_t columns)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    config_help(file, columns);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void it_has_every_flag_with_default_and_allowed_values(void **state)
{
    (void)state;
    char *text = help_in(100), flag[100];
    for (const setting *row = config_table; row->name != NULL; row++) {
        snprintf(flag, sizeof flag, "  --%s", row->name);
        assert_non_null(strstr(text, flag));
        assert_non_null(strstr(text, row->meaning));
    }
    assert_non_null(strstr(text, "  --listen ADDR:PORT           The public port, for devices.\n"
                                 "                               Default: 127.0.0.1:8787.\n"
                                 "                               Allowed: IP:PORT, such as "));
    assert_non_null(strstr(text, "Default: $XDG_STATE_HOME/sotto, or $HOME/.local/state/sotto.\n"));
    assert_non_null(strstr(text, "Allowed: whole numbers 1 to 3600.\n"));
    free(text);
}

static void each_group_has_one_heading_above_its_flags(void **state)
{
    (void)state;
    char *text = help_in(80), heading[100], flag[100];
    const char *at = text, *group = "";
    for (const setting *row = config_table; row->name != NULL; row++) {
        snprintf(heading, sizeof heading, "\n%s:\n", row->group);
        if (strcmp(row->group, group) != 0) {
            at = strstr(at, heading);
            assert_non_null(at);
            assert_null(strstr(at + 1, heading));
        }
        group = row->group;
        snprintf(flag, sizeof flag, "\n  --%s", row->name);
        assert_non_null(strstr(at, flag));
    }
    free(text);
}

static void in_a_narrow_terminal_the_meaning_stands_below_the_flag(void **state)
{
    (void)state;
    char *text = help_in(50);
    assert_non_null(strstr(text, "\nports:\n"
                                 "  --listen ADDR:PORT\n"
                                 "      The public port, for devices.\n"
                                 "      Default: 127.0.0.1:8787.\n"
                                 "      Allowed: IP:PORT, such as 127.0.0.1:8787 or\n"
                                 "        [::1]:8787; port 0: any.\n"));
    free(text);
}

/* The longest word, what a URL looks like, needs 41 columns. */
static void no_line_is_longer_than_the_terminal(void **state)
{
    (void)state;
    for (uint32_t columns = 41; columns <= 100; columns++) {
        char *text = help_in(columns);
        for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
            size_t length = strcspn(line, "\n");
            if (length > columns) fail_msg("%u columns: %.*s", columns, (int)length, line);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_every_flag_with_default_and_allowed_values),
        cmocka_unit_test(each_group_has_one_heading_above_its_flags),
        cmocka_unit_test(in_a_narrow_terminal_the_meaning_stands_below_the_flag),
        cmocka_unit_test(no_line_is_longer_than_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
