/* The table for people, as a file. */
#include "directory.h"
#include "service/config/config.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 16384

static char *printed(const sottod_config *config)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    settings_print(&config_settings, config, file);
    fclose(file);
    assert_true(bytes < TEXT_BYTES);
    return text;
}

static void read_words(sottod_config *out, int arguments, char **argument)
{
    sotto_fault fault;
    int words;
    if (config_read(out, arguments, argument, &words, &fault) != SOTTO_OK)
        fail_msg("%s", fault.sentence);
}

TEST(what_is_said_by_flag_only_is_not_printed)
{
    sottod_config config;
    char *argument[] = {"--recover-to=7"};
    read_words(&config, 1, argument);
    FREED_BY(free_memory) char *text = printed(&config);
    assert_null(strstr(text, "recover"));
    assert_null(strstr(text, "config ="));
}

TEST(settings_are_printed_as_a_file_that_is_read_as_the_same)
{
    sottod_config config, again;
    char *argument[] = {"--data=/srv/so tto",        "--listen=[::]:80",  "--admin=10.0.0.1:0",
                        "--admin-hosts=a.example,b", "--keep-reports",    "--log-level=error",
                        "--connections-max=7",       "--idle-s-max=8",    "--bodies-mib-max=9",
                        "--experiments-max=10",      "--nonces-max=1011", "--threads=3",
                        "--journal=postgres://db/n", "--publish=no",      "--admin-exposed"};
    read_words(&config, (int)(sizeof argument / sizeof argument[0]), argument);
    FREED_BY(free_memory) char *text = printed(&config);
    assert_non_null(strstr(text, "\nkeep-reports = yes\n"));
    assert_non_null(strstr(text, "\ndata = /srv/so tto\n"));

    HELD(directory) f = directory_new();
    file_write(f.file, (const uint8_t *)text, strlen(text));
    char *file_argument[] = {"--config", f.file};
    read_words(&again, 2, file_argument);
    again.config[0] = '\0';
    FREED_BY(free_memory) char *text_again = printed(&again);
    assert_string_equal(text_again, text);
    memset(again.config, 0, sizeof again.config);
    assert_memory_equal(&again, &config, sizeof config);
}

TEST(every_setting_has_its_meaning_above_it)
{
    sottod_config config;
    read_words(&config, 0, NULL);
    char *text = printed(&config), head[400];
    for (const option *row = config_settings.table; row->meaning != NULL; row++) {
        if ((row->sources & OPTION_FROM_FILE) == 0) continue;
        snprintf(head, sizeof head, "# %s\n", row->meaning);
        assert_non_null(strstr(text, head));
        snprintf(head, sizeof head, "\n%s =", row->name);
        assert_non_null(strstr(text, head));
    }
    free(text);
}
