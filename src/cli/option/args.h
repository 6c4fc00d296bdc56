/* Options of a command: a table of names, kinds and ranges; parsing, help and errors come from it.
 */
#ifndef SOTTO_CLI_OPTION_ARGS_H
#define SOTTO_CLI_OPTION_ARGS_H

#include "option.h"

typedef enum args_kind {
    ARGS_FLAG, /* bool */
    ARGS_U32,  /* uint32_t */
    ARGS_U64,  /* uint64_t */
    ARGS_F64,  /* double */
    ARGS_PAIR, /* double[2], written LO,HI */
    ARGS_TEXT, /* const char * */
    ARGS_NAME, /* uint32_t, the number of a name in a list */
} args_kind;

typedef struct args_option {
    const char *name; /* without the dashes */
    args_kind kind;
    void *value;         /* where it goes; its type is the kind's */
    double lo, hi;       /* of numbers */
    option_names *list;  /* of ARGS_NAME: the names of 0, 1, ... */
    const char *meaning; /* for --help; NULL ends the table */
    bool given;          /* set by args_parse */
} args_option;

/* Reads `--name value` and `--name=value` into the table; other words are left in argv, the first
 * *words of it. False, with a sentence on stderr, for an unknown option, a missing or bad value, or
 * one out of range. `--help`, wherever it stands, prints the help and ends the program. */
bool args_parse(const command *self, args_option *options, int argc, char **argv, int *words);

/* True if the option was given; otherwise says that it is needed. */
bool args_need(const command *self, const args_option *options, const char *name);

bool args_given(const args_option *options, const char *name);

/* True if every given option is in `allowed` (NULL at its end); otherwise names one that does not
 * apply to `what`. */
bool args_only(const command *self, const args_option *options, const char *what,
               const char *const *allowed);

/* The number of `word` in a list of names. False, suggesting the nearest, if it is not there. */
bool args_name(const char *program, const char *what, const char *word, option_names *list,
               uint32_t *value);

#endif
