/* The table for people, as the flags of --help. */
#include "terminal/pair.h"
#include "value.h"

#include <string.h>

/* A default that depends on the person is said in words. */
static const char *usual_text(const setting *row)
{
    bool made = row->usual == NULL && (row->sources & SETTING_FILE) != 0;
    if (made) return "$XDG_STATE_HOME/sotto, or $HOME/.local/state/sotto";
    return row->usual == NULL || row->usual[0] == '\0' ? "none" : row->usual;
}

static void print_setting(FILE *file, const setting *row, uint32_t columns)
{
    char flag[64], allowed[VALUE_ALLOWED_BYTES], text[4 * VALUE_ALLOWED_BYTES];
    bool alone = value_word(row)[0] == '\0';
    snprintf(flag, sizeof flag, "--%s%s%s", row->name, alone ? "" : " ", value_word(row));
    value_allowed(row, allowed);
    snprintf(text, sizeof text, "%s\nDefault: %s.\nAllowed: %s.", row->meaning, usual_text(row),
             allowed);
    pair_print(file, flag, text, CONFIG_HELP_COLUMN, columns);
}

void config_help(FILE *file, uint32_t columns)
{
    const char *group = "";
    for (const setting *row = config_table; row->name != NULL; row++) {
        if (strcmp(row->group, group) != 0) heading_print(file, row->group, columns);
        group = row->group;
        print_setting(file, row, columns);
    }
}
