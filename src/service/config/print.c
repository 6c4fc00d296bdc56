/* The table for people: as a file of settings, and as the flags of --help. */
#include "value.h"

void config_print(const sottod_config *config, FILE *file)
{
    char text[CONFIG_TEXT_BYTES], allowed[VALUE_ALLOWED_BYTES];
    for (const setting *row = config_table; row->name != NULL; row++) {
        if ((row->sources & SETTING_FILE) == 0) continue;
        value_print(row, config, text);
        value_allowed(row, allowed);
        fprintf(file, "%s# %s\n# Allowed: %s.\n%s =%s%s\n", row == config_table ? "" : "\n",
                row->meaning, allowed, row->name, text[0] == '\0' ? "" : " ", text);
    }
}

/* A default that depends on the person is said in words. */
static void print_usual(const setting *row, FILE *file)
{
    if (row->usual == NULL && (row->sources & SETTING_FILE) != 0) {
        fprintf(file, "      Default: $XDG_STATE_HOME/sotto, or $HOME/.local/state/sotto.\n");
    } else if (row->usual != NULL) {
        fprintf(file, "      Default: %s.\n", row->usual[0] == '\0' ? "none" : row->usual);
    }
}

void config_help(FILE *file)
{
    char allowed[VALUE_ALLOWED_BYTES];
    for (const setting *row = config_table; row->name != NULL; row++) {
        const char *word = value_word(row);
        fprintf(file, "  --%s%s%s\n      %s\n", row->name, word[0] == '\0' ? "" : " ", word,
                row->meaning);
        print_usual(row, file);
        value_allowed(row, allowed);
        if (word[0] != '\0') fprintf(file, "      Allowed: %s.\n", allowed);
    }
    fprintf(
        file,
        "\nA setting is said by its flag (--log-level debug, --log-level=debug, --keep-reports,\n"
        "--keep-reports=no), by its variable (SOTTOD_LOG_LEVEL=debug), or in the file (log-level = "
        "debug).\nFlags win over variables, and variables over the file. In the file # begins a "
        "comment.\n");
}
