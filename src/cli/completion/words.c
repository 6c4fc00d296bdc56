/* Pieces of scripts that all shells have in common. */
#include "words.h"
#include "terminal/quote.h"

#include <string.h>

completion_kind completion_kind_of(const option *row)
{
    if (row->kind == OPTION_IS_FLAG) return COMPLETES_NOTHING;
    switch (row->takes) {
    case OPTION_TAKES_FILE: return COMPLETES_FILE;
    case OPTION_TAKES_FOLDER: return COMPLETES_FOLDER;
    case OPTION_TAKES_LIST: return COMPLETES_LIST;
    case OPTION_TAKES_NAME_OR_PLUGIN: return COMPLETES_NAME_OR_PLUGIN;
    case OPTION_TAKES_PLUGIN_LIST: return COMPLETES_PLUGIN_LIST;
    case OPTION_TAKES_TEXT: break;
    }
    return row->names != NULL ? COMPLETES_NAME : COMPLETES_TEXT;
}

void print_names(option_names *names, const char *escaped)
{
    for (uint32_t i = 0; names(i) != NULL; i++) {
        if (i > 0) putchar(' ');
        size_t length = strcspn(names(i), "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        quote_print(stdout, names(i), length, escaped, "");
    }
}
