/* Pieces of scripts that all shells have in common. */
#include "words.h"

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

static void print_escaped(const char *text, size_t length, const char *escaped, const char *quote)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'') {
            fputs(quote, stdout);
            continue;
        }
        if (strchr(escaped, text[i]) != NULL) putchar('\\');
        putchar(text[i]);
    }
}

void print_names(option_names *names, const char *escaped)
{
    for (uint32_t i = 0; names(i) != NULL; i++) {
        if (i > 0) putchar(' ');
        print_escaped(names(i), strcspn(names(i), "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), escaped, "");
    }
}

void print_clause(const char *text, const char *escaped, const char *quote)
{
    size_t length = strcspn(text, ";\n");
    if (length > 0 && text[length - 1] == ':') length--;
    print_escaped(text, length, escaped, quote);
}
