/* Options of a command: a table of names, kinds and ranges; parsing, help and errors come from it.
 */
#ifndef SOTTO_CLI_OPTION_OPTION_H
#define SOTTO_CLI_OPTION_OPTION_H

#include <stdbool.h>
#include <stdint.h>

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef enum option_kind {
    OPTION_FLAG, /* bool */
    OPTION_U32,  /* uint32_t */
    OPTION_U64,  /* uint64_t */
    OPTION_F64,  /* double */
    OPTION_PAIR, /* double[2], written LO,HI */
    OPTION_TEXT, /* const char * */
    OPTION_NAME, /* uint32_t, the number of a name in a list */
} option_kind;

typedef const char *name_function(uint32_t value);

typedef struct option {
    const char *name; /* without the dashes */
    option_kind kind;
    void *value;         /* where it goes; its type is the kind's */
    double lo, hi;       /* of numbers */
    name_function *list; /* of OPTION_NAME: the names of 0, 1, ... */
    const char *meaning; /* for --help; NULL ends the table */
    bool given;          /* set by args_parse */
} option;

typedef struct command {
    const char *name;    /* "privatise" */
    const char *summary; /* one line */
    const char *usage;   /* the synopsis */
    const char *example; /* commands to try */
    int (*run)(const struct command *self, int argc, char **argv);
} command;

/* Reads `--name value` and `--name=value` into the table; other words are left in argv, the first
 * *words of it. False, with a sentence on stderr, for an unknown option, a missing or bad value, or
 * one out of range. `--help`, wherever it stands, prints the help and ends the program. */
bool args_parse(const command *self, option *options, int argc, char **argv, int *words);

/* True if the option was given; otherwise says that it is needed. */
bool args_need(const command *self, const option *options, const char *name);

bool args_given(const option *options, const char *name);

/* True if every given option is in `allowed` (NULL at its end); otherwise names one that does not
 * apply to `what`. */
bool args_only(const command *self, const option *options, const char *what,
               const char *const *allowed);

/* The number of `word` in a list of names. False, suggesting the nearest, if it is not there. */
bool args_name(const char *program, const char *what, const char *word, name_function *list,
               uint32_t *value);

/* A whole number, written in digits or like 1e5. False for anything else. */
bool args_whole(const char *text, uint64_t *value);

/* Bytes from 2 x count hexadecimal digits. */
bool args_hex(const char *text, uint8_t *out, uint32_t count);

#endif
