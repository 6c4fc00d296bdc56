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

#define COLUMN 31 /* where meanings stand */

/* A default that depends on the person is said in words. */
static const char *usual_text(const setting *row)
{
    bool made = row->usual == NULL && (row->sources & SETTING_FILE) != 0;
    if (made) return "$XDG_STATE_HOME/sotto, or $HOME/.local/state/sotto";
    return row->usual == NULL || row->usual[0] == '\0' ? "none" : row->usual;
}

void config_help(FILE *file)
{
    char flag[COLUMN + 1], allowed[VALUE_ALLOWED_BYTES];
    for (const setting *row = config_table; row->name != NULL; row++) {
        snprintf(flag, sizeof flag, "  --%s %s", row->name, value_word(row));
        value_allowed(row, allowed);
        fprintf(file, "%-*s%s\n%*sDefault: %s.\n%*sAllowed: %s.\n", COLUMN, flag, row->meaning,
                COLUMN, "", usual_text(row), COLUMN, "", allowed);
    }
}
