/* The table for people, as a file of settings. */
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
