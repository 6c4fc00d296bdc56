/*
 * The options of a command: a table with one row per option.
 *
 * A row has the option's name, the field that it fills, its default, range, group and help. Parsing,
 * defaults, help and errors come from the row. Code names an option by its field, not by its name,
 * so that a misspelt option does not compile.
 *
 *     typedef struct audit_options { uint32_t dim; uint64_t trials; bool json; } audit_options;
 *     #define FIELD(member) OPTION_FIELD(audit_options, member)
 *     static const option table[] = {
 *         {"dim", FIELD(dim), OPTION_NUMBER(NULL, 1, SOTTO_DIM_MAX), "subject", "numbers of a vector, needed"},
 *         {"trials", FIELD(trials), OPTION_NUMBER("1e6", 1, 1e9), "audit", "of each pair of inputs"},
 *         {"json", FIELD(json), OPTION_FLAG, "output", "one JSON object"},
 *         OPTION_END,
 *     };
 *
 * A command with several subjects (inspect: a spec, a ledger, ...) gives each a bit, and each row the
 * bits of the subjects that it applies to: OPTION_FIELD_OF(type, member, SPEC | LEDGER).
 */
#ifndef SOTTO_CLI_OPTION_TABLE_H
#define SOTTO_CLI_OPTION_TABLE_H

#include "nearest.h"

#include <stddef.h>
#include <stdio.h>

/* What a field is, by its type. */
typedef enum option_kind {
    OPTION_IS_FLAG,  /* bool */
    OPTION_IS_U32,   /* uint32_t or an enum */
    OPTION_IS_U64,   /* uint64_t */
    OPTION_IS_F64,   /* double */
    OPTION_IS_PAIR,  /* double[2], written LO,HI */
    OPTION_IS_TEXT,  /* const char * */
    OPTION_IS_OTHER, /* anything else: read by the row's own parser */
} option_kind;

/* What an option that is not a flag takes, beyond what its kind and its names say. */
typedef enum option_takes {
    OPTION_TAKES_TEXT,
    OPTION_TAKES_FILE,
    OPTION_TAKES_FOLDER,
    OPTION_TAKES_LIST,           /* of its names, separated by commas */
    OPTION_TAKES_NAME_OR_PLUGIN, /* one of its names, or the path of a shared object */
    OPTION_TAKES_PLUGIN_LIST,    /* of such, separated by commas */
} option_takes;

typedef struct option option;

/* Reads the text of an option into its field, and into others of the command's struct. NULL, or
 * `fault`: what is wrong, and what is allowed: "-1: allowed 0.01 to 8". */
typedef const char *option_parser(const option *row, const char *text, void *fields,
                                  char fault[SOTTO_FAULT_BYTES]);

struct option {
    const char *name; /* without the dashes */
    option_kind kind;
    size_t field;        /* where it goes: its offset in the command's struct */
    uint32_t subjects;   /* which it applies to, by the command's own bits; 0: to all */
    const char *usual;   /* the default, as it would be written; NULL: the help says what happens */
    double lo, hi;       /* of numbers */
    option_names *names; /* of an OPTION_IS_U32 that is written as a name; the words of a parser */
    option_parser *parse; /* of lists, words followed by a number, and names that may also be files;
                             otherwise NULL */
    option_takes takes;
    const char *group;   /* under which heading --help shows it */
    const char *meaning; /* for --help; NULL ends the table */
};

#define OPTION_KIND_OF(value)                                                                      \
    _Generic((value),                                                                              \
        bool: OPTION_IS_FLAG,                                                                      \
        uint32_t: OPTION_IS_U32,                                                                   \
        uint64_t: OPTION_IS_U64,                                                                   \
        double: OPTION_IS_F64,                                                                     \
        double *: OPTION_IS_PAIR,                                                                  \
        const char *: OPTION_IS_TEXT,                                                              \
        default: OPTION_IS_OTHER)
/* The parts of a row that follow the name. */
#define OPTION_FIELD(type, member) OPTION_FIELD_OF(type, member, 0)
#define OPTION_FIELD_OF(type, member, subjects)                                                    \
    OPTION_KIND_OF(((type *)0)->member), offsetof(type, member), subjects
#define OPTION_NUMBER(usual, lo, hi) usual, lo, hi, NULL, NULL, OPTION_TAKES_TEXT
#define OPTION_NAME(usual, names) usual, 0, 0, names, NULL, OPTION_TAKES_TEXT
#define OPTION_TEXT(usual) usual, 0, 0, NULL, NULL, OPTION_TAKES_TEXT
#define OPTION_FILE NULL, 0, 0, NULL, NULL, OPTION_TAKES_FILE
#define OPTION_FOLDER NULL, 0, 0, NULL, NULL, OPTION_TAKES_FOLDER
#define OPTION_FLAG NULL, 0, 0, NULL, NULL, OPTION_TAKES_TEXT
#define OPTION_WORDS(usual, parse) usual, 0, 0, NULL, parse, OPTION_TAKES_TEXT
#define OPTION_LIST(usual, lo, hi, parse) usual, lo, hi, NULL, parse, OPTION_TAKES_TEXT
/* Words of which a capital letter begins what is to be filled in: huber:TAU. */
#define OPTION_NAME_WORDS(usual, names, parse) usual, 0, 0, names, parse, OPTION_TAKES_TEXT
#define OPTION_NAME_LIST(usual, names, parse) usual, 0, 0, names, parse, OPTION_TAKES_LIST
#define OPTION_NAME_OR_PLUGIN(usual, names, parse)                                                 \
    usual, 0, 0, names, parse, OPTION_TAKES_NAME_OR_PLUGIN
#define OPTION_PLUGIN_LIST(usual, names, parse) usual, 0, 0, names, parse, OPTION_TAKES_PLUGIN_LIST
#define OPTION_END                                                                                 \
    {                                                                                              \
        .meaning = NULL                                                                            \
    }

typedef struct command command;
struct command {
    const char *name;    /* "privatise" */
    const char *summary; /* one line */
    const char *usage;   /* the synopsis */
    const char *example; /* commands to try, and what else --help says at its end */
    const option *table;
    option_names *words; /* of which the first one after the name is; NULL: none */
    int (*run)(const command *self, int argc, char **argv);
};

#endif
