/* What other rooms may use of this one: options, settings, help and completion of both programs. */
#ifndef SOTTO_OPTION_ROOM_H
#define SOTTO_OPTION_ROOM_H

#include <sotto/core.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- names ---------------------------------------------------------------------------------- */

/* Names that a person may have meant. */

/* Returns the name of 0, 1, ...; NULL after the last. */
typedef const char *option_names(uint32_t value);

/* Finds the number of `word` in a list of names. The fault has the word, the allowed names, and the
 * nearest name. */
SOTTO_CHECK sotto_status name_find(const char *word, option_names *names, uint32_t *value,
                                   sotto_fault *fault);

/* ---- table ---------------------------------------------------------------------------------- */

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

/* The type of a field. */
typedef enum option_kind {
    OPTION_IS_FLAG,  /* bool */
    OPTION_IS_U32,   /* uint32_t or an enum */
    OPTION_IS_U64,   /* uint64_t */
    OPTION_IS_F64,   /* double */
    OPTION_IS_PAIR,  /* double[2], written LO,HI */
    OPTION_IS_TEXT,  /* const char * */
    OPTION_IS_OTHER, /* any other type, read by the row's own parser */
} option_kind;

/* What the value of an option can be, where its kind and its names do not say it. */
typedef enum option_takes {
    OPTION_TAKES_TEXT,
    OPTION_TAKES_FILE,
    OPTION_TAKES_DIRECTORY,
    OPTION_TAKES_LIST,           /* a list of its names, separated by commas */
    OPTION_TAKES_NAME_OR_PLUGIN, /* one of its names, or the path of a shared object */
    OPTION_TAKES_PLUGIN_LIST,    /* a list of names or paths, separated by commas */
} option_takes;

#define OPTION_TEXT_BYTES 1024u

typedef struct option option;

/* Reads the text of an option into its field, and if needed into other fields of the command's
 * struct. The sentence of a fault begins with the text: "-1: allowed 0.01 to 8". */
typedef sotto_status option_parser(const option *row, const char *text, void *fields,
                                   sotto_fault *fault);

/* A kind of value that only one program has: how to read and print it. */
typedef struct option_value {
    const char *word;    /* the placeholder in the help: "ADDR:PORT" */
    const char *allowed; /* the text after the word "allowed" */
    const char *usual;   /* describes a default that the program computes; otherwise NULL */
    bool hidden;         /* do not show a refused value, which may contain a password */
    /* Returns false and changes nothing if the text is not allowed. */
    bool (*read)(const char *text, void *field);
    /* Prints one line in the form that `read` reads, without passwords. */
    void (*print)(const void *field, char out[OPTION_TEXT_BYTES]);
} option_value;

/* Where a setting may be given. */
typedef enum option_source {
    OPTION_FROM_FILE = 1,
    OPTION_FROM_VARIABLE = 2,
    OPTION_FROM_LINE = 4
} option_source;
#define OPTION_ANYWHERE ((uint32_t)OPTION_FROM_FILE | OPTION_FROM_VARIABLE | OPTION_FROM_LINE)

struct option {
    const char *name; /* without the dashes */
    option_kind kind;
    size_t field;         /* where it goes: its offset in the command's struct */
    const char *member;   /* the name of that field: request.wanted.spec.delta */
    uint32_t subjects;    /* the subjects it applies to, as bits of the command; 0: all */
    uint32_t sources;     /* of a setting: option_source; 0: an option of a command */
    const char *usual;    /* the default as text; NULL: the help explains what happens */
    double lo, hi;        /* of numbers */
    option_names *names;  /* of an OPTION_IS_U32 written as a name, or the words of a parser */
    option_parser *parse; /* of lists, words followed by a number, and names that may also be files;
                             otherwise NULL */
    const option_value *value; /* of kinds that only one program has; otherwise NULL */
    option_takes takes;
    const char *group;   /* the heading under which --help shows it */
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
    OPTION_KIND_OF(((type *)0)->member), offsetof(type, member), #member, subjects, 0
#define OPTION_SETTING(type, member, sources)                                                      \
    OPTION_KIND_OF(((type *)0)->member), offsetof(type, member), #member, 0, sources
#define OPTION_NUMBER(usual, lo, hi) usual, lo, hi, NULL, NULL, NULL, OPTION_TAKES_TEXT
#define OPTION_NAME(usual, names) usual, 0, 0, names, NULL, NULL, OPTION_TAKES_TEXT
#define OPTION_TEXT(usual) usual, 0, 0, NULL, NULL, NULL, OPTION_TAKES_TEXT
#define OPTION_FILE NULL, 0, 0, NULL, NULL, NULL, OPTION_TAKES_FILE
#define OPTION_DIRECTORY NULL, 0, 0, NULL, NULL, NULL, OPTION_TAKES_DIRECTORY
#define OPTION_FLAG OPTION_TEXT(NULL)
#define OPTION_WORDS(usual, parse) usual, 0, 0, NULL, parse, NULL, OPTION_TAKES_TEXT
#define OPTION_LIST(usual, lo, hi, parse) usual, lo, hi, NULL, parse, NULL, OPTION_TAKES_TEXT
/* Words in which capital letters stand for what the user fills in: huber:TAU. */
#define OPTION_NAME_WORDS(usual, names, parse) usual, 0, 0, names, parse, NULL, OPTION_TAKES_TEXT
#define OPTION_NAME_LIST(usual, names, parse) usual, 0, 0, names, parse, NULL, OPTION_TAKES_LIST
#define OPTION_NAME_OR_PLUGIN(usual, names, parse)                                                 \
    usual, 0, 0, names, parse, NULL, OPTION_TAKES_NAME_OR_PLUGIN
#define OPTION_PLUGIN_LIST(usual, names, parse)                                                    \
    usual, 0, 0, names, parse, NULL, OPTION_TAKES_PLUGIN_LIST
#define OPTION_VALUE(usual, value, takes) usual, 0, 0, NULL, NULL, value, takes
#define OPTION_END                                                                                 \
    {                                                                                              \
        .meaning = NULL                                                                            \
    }

typedef struct command command;
struct command {
    const char *name;    /* "privatise" */
    const char *summary; /* one line */
    const char *usage;   /* the synopsis */
    const char *example; /* the end of --help: commands to try, and other text */
    const option *table;
    option_names *words; /* the choices for the first word after the name; NULL: none */
    bool files;          /* the words after the name, or after the first of `words`, may be files */
    int (*run)(const command *self, int argc, char **argv);
};

/* ---- option --------------------------------------------------------------------------------- */

/* Reading a command line by the table of its command. */

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

#define OPTION_ROWS_MAX 64u

/* The result of command_line_parse(). */
typedef struct command_line {
    const command *self;
    void *fields;         /* the command's struct */
    uint64_t given;       /* bit i is set if row i of the table was given */
    uint32_t words_count; /* words that belong to no option, at the front of argv */
} command_line;

/* Fills the defaults, then reads `--name value` and `--name=value`. `fields` is the command's
 * struct, all zero. Moves other words to the front of argv, words_count of them. False, with a
 * sentence on stderr, for an unknown option or a value that is missing, bad or out of range.
 * `--help`, wherever it stands, prints the help and ends the program. */
bool command_line_parse(command_line *out, const command *self, void *fields, int argc,
                        char **argv);

/* False, with a sentence, if there are words that belong to no option. */
bool command_line_no_words(const command_line *line, char **argv);

/* False, with a sentence, if an option was given that does not apply to the subject. `subject` has
 * one bit set; `what` is its name in the sentence. */
bool command_line_applies(const command_line *line, uint32_t subject, const char *what);

/* ---- by field ----------------------------------------------------------------------------- */

/* True if an option that fills the field was given. */
bool option_is_given(const command_line *line, size_t field);
#define OPTION_GIVEN(line, type, member) option_is_given(line, offsetof(type, member))

/* True if the option was given; otherwise says that it is needed. */
bool option_is_there(const command_line *line, size_t field);
#define OPTION_NEED(line, type, member) option_is_there(line, offsetof(type, member))

/* Prints "sotto NAME: " and the sentence to stderr, with '?' for characters that a terminal would
 * obey. Returns false. */
__attribute__((format(printf, 2, 3))) bool option_say(const command_line *line, const char *format,
                                                      ...);

/* The name of the option that fills a field, for use in sentences. */
const char *option_name(const command_line *line, size_t field);

/* Prints `before` and a fault of the library. If an option has the fault's field, by the last part
 * of its member or by its name, the field is written as that option: delta becomes --delta,
 * reward_lo becomes --reward-range. Returns false. */
bool option_refuse(const command_line *line, const char *before, const sotto_fault *fault);

/* Finds the fields between `from` and `from + bytes` that were given, at most `most`. Each has its
 * offset from `from` and its size. Returns how many there are. */
typedef struct option_span {
    size_t field;
    size_t bytes;
} option_span;
uint32_t command_line_given(const command_line *line, size_t from, size_t bytes, option_span *out,
                            uint32_t most);

/* Copies the fields between `from` and `from + bytes` that were given into `to`, which has the
 * layout of that part of the command's struct. */
void command_line_copy_given(const command_line *line, size_t from, size_t bytes, void *to);

/* ---- words ---------------------------------------------------------------------------------- */

/* Values of options: words, numbers, and lists separated by commas. */

#define WORD_BYTES 64u

/* Reads the next word of a list. False at the end of the list. A word that does not fit is too long
 * to be valid; it is cut and ends with "...". */
bool word_next(const char **at, char word[WORD_BYTES]);

/* The fault of a list in which a word is missing, as in "1," or "1,,2". */
SOTTO_CHECK sotto_status word_list_fault(const char *text, sotto_fault *fault);

/* Reads a number within [lo, hi], with nothing after it. */
bool word_real(const char *word, double lo, double hi, double *value);

/* Reads a share of measure rounds: 0, or 0.001 to 0.5. */
SOTTO_CHECK sotto_status word_share(const char *word, double *share, sotto_fault *fault);

/* Reads two numbers separated by a comma, each within [lo, hi]. */
bool word_pair(const char *text, double lo, double hi, double pair[2]);

/* Reads a whole number, written in digits or like 1e5. False for anything else. */
bool word_whole(const char *text, uint64_t *value);

/* A delay: WINDOW,SPREAD,RATE, in whole seconds up to a year and people per second. Without RATE,
 * the rate is 0. */
typedef struct word_delayed {
    uint32_t window_s, spread_s;
    double rate;
} word_delayed;

SOTTO_CHECK sotto_status word_delay(const char *text, bool rate_needed, word_delayed *out,
                                    sotto_fault *fault);

/* Reads `count` bytes from 2 x count hexadecimal digits. */
bool word_hex(const char *text, uint8_t *out, uint32_t count);

/* ---- settings ------------------------------------------------------------------------------- */

/* Options that may also be given in a file, one NAME = VALUE per line, or in the environment. A
 * flag may have a value, yes or no. */

typedef struct option_settings {
    const char *program; /* "sottod" */
    const char *prefix;  /* of its environment variables: "SOTTOD_" */
    const option *table; /* all rows have sources */
    /* True if a variable with the prefix is for another program. `name` is the variable without the
     * prefix, written like a setting. */
    bool (*is_of_others)(const char *name);
} option_settings;

/* Each of these functions fills fields from one source. The fault names the setting, where it was
 * given (file and line, variable, flag), its value and what is allowed. */
void settings_defaults(const option_settings *self, void *fields);
SOTTO_CHECK sotto_status settings_file(const option_settings *self, void *fields, const char *path,
                                       sotto_fault *fault);
SOTTO_CHECK sotto_status settings_variables(const option_settings *self, void *fields,
                                            sotto_fault *fault);
/* If `words` is not NULL, words that are not flags, and all words after `--`, are moved to the
 * front of argv and counted. */
SOTTO_CHECK sotto_status settings_line(const option_settings *self, void *fields, int argc,
                                       char **argv, int *words, sotto_fault *fault);

/* Prints the settings as a file that settings_file can read, each with its meaning above it. */
void settings_print(const option_settings *self, const void *fields, FILE *file);

/* ---- value ---------------------------------------------------------------------------------- */

#define OPTION_ALLOWED_BYTES 256u

/* The row with this name, of `length` bytes; NULL if there is none. */
const option *option_find(const option *table, const char *name, size_t length);
/* The row whose name is nearest to the word, of the rows that `source` allows if it names one; NULL
 * if none is near. */
const option *option_nearest(const option *table, const char *word, option_source source);

/* Reads a text into the field of a row. A flag without a text is on. */
SOTTO_CHECK sotto_status option_read(const option *row, const char *text, void *fields,
                                     sotto_fault *fault);
/* Prints the value of a setting in the form in which it is read. */
void option_print(const option *row, const void *fields, char out[OPTION_TEXT_BYTES]);
/* The text after the word "allowed": "yes or no", "whole numbers 1 to 3600"; "" if anything is. */
void option_allowed(const option *row, char out[OPTION_ALLOWED_BYTES]);
/* The range of a row's numbers: "1 to 1024", "0.01 to 8". */
void option_range(const option *row, char out[OPTION_ALLOWED_BYTES]);

/* ---- help ----------------------------------------------------------------------------------- */

/* Prints the rows of a table under the headings of their groups, each with its range, names and
 * default. Meanings begin in column `at`. */
void option_table_print(FILE *file, const option *table, uint32_t at, uint32_t columns);

/* ---- completion ----------------------------------------------------------------------------- */

/* A program, as shells complete it. */
typedef struct option_program {
    const char *name;
    const command *(*command_at)(uint32_t value); /* NULL after the last */
    const option *table; /* of all commands; NULL: each has its own, and one command is help */
    const option *flags; /* with `table`: the flags that are not settings */
} option_program;

/* The shells that have a script: bash, zsh, fish. */
option_names shell_name;
/* Prints the script of the shell with this number. */
void completion_print(FILE *file, const option_program *self, uint32_t which);
/* Answers a script: what the last of `count` words can become. */
void completion_answer(FILE *file, const option_program *self, int count, char **word);

#endif
