/* Pieces of scripts that all shells have in common. */
#ifndef SOTTO_CLI_COMPLETION_WORDS_H
#define SOTTO_CLI_COMPLETION_WORDS_H

#include "cli/option/option.h"

/* How a shell completes the value of an option. */
typedef enum completion_kind {
    COMPLETES_NOTHING, /* a flag: there is no value */
    COMPLETES_TEXT,    /* only the person knows */
    COMPLETES_NAME,
    COMPLETES_LIST, /* of names */
    COMPLETES_NAME_OR_PLUGIN,
    COMPLETES_PLUGIN_LIST, /* of names and shared objects */
    COMPLETES_FILE,
    COMPLETES_FOLDER,
} completion_kind;

completion_kind completion_kind_of(const option *row);

/* Prints the names with blanks between them, each up to its first capital letter: there begins what
 * a person fills in. Before each of the characters in `escaped` stands a backslash. */
void print_names(option_names *names, const char *escaped);

#endif
