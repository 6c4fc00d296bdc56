/* The flags of --help: every setting under its heading, in any width. */
#include "service/config/config.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static char *help_in(uint32_t columns)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    option_table_print(file, config_settings.table, 31, columns);
    assert_int_equal(fclose(file), 0);
    return text;
}

TEST(it_has_every_flag_with_default_and_allowed_values)
{
    char *text = help_in(100), flag[100];
    for (const option *row = config_settings.table; row->meaning != NULL; row++) {
        snprintf(flag, sizeof flag, "  --%s", row->name);
        assert_non_null(strstr(text, flag));
        assert_non_null(strstr(text, row->meaning));
    }
    assert_non_null(strstr(text, "  --listen ADDR:PORT           Public port, for devices.\n"
                                 "                               Default: 127.0.0.1:8787.\n"
                                 "                               Allowed: IP:PORT, such as "));
    assert_non_null(strstr(text, "Default: $XDG_STATE_HOME/sotto, or $HOME/.local/state/sotto.\n"));
    assert_non_null(strstr(text, "Allowed: whole numbers 1 to 3600.\n"));
    free(text);
}

TEST(each_group_has_one_heading_above_its_flags)
{
    char *text = help_in(80), heading[100], flag[100];
    const char *at = text, *group = "";
    for (const option *row = config_settings.table; row->meaning != NULL; row++) {
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

TEST(in_a_narrow_terminal_the_meaning_stands_below_the_flag)
{
    FREED_BY(free_memory) char *text = help_in(50);
    assert_non_null(strstr(text, "\nports:\n"
                                 "  --listen ADDR:PORT\n"
                                 "      Public port, for devices.\n"
                                 "      Default: 127.0.0.1:8787.\n"
                                 "      Allowed: IP:PORT, such as 127.0.0.1:8787 or\n"
                                 "        [::1]:8787; port 0: any.\n"));
}

/* The longest word, what a URL looks like, needs 41 columns. */
TEST(no_line_is_longer_than_the_terminal)
{
    for (uint32_t columns = 41; columns <= 100; columns++) {
        char *text = help_in(columns);
        for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
            size_t length = strcspn(line, "\n");
            if (length > columns) fail_msg("%u columns: %.*s", columns, (int)length, line);
        }
        free(text);
    }
}
