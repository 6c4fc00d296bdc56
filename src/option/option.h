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

/* The names of 0, 1, ...; NULL after the last. */
typedef const char *option_names(uint32_t value);

/* The number of `word` in a list of names. The fault has the word, what is allowed, and the nearest name. */
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
    OPTION_TAKES_DIRECTORY,
    OPTION_TAKES_LIST,           /* of its names, separated by commas */
    OPTION_TAKES_NAME_OR_PLUGIN, /* one of its names, or the path of a shared object */
    OPTION_TAKES_PLUGIN_LIST,    /* of such, separated by commas */
} option_takes;

#define OPTION_TEXT_BYTES 1024u

typedef struct option option;

/* Reads the text of an option into its field, and into others of the command's struct. The sentence of a fault begins
 * with the text: "-1: allowed 0.01 to 8". */
typedef sotto_status option_parser(const option *row, const char *text, void *fields,
                                   sotto_fault *fault);

/* A kind of values that one program has: how they are read and printed. */
typedef struct option_value {
    const char *word;    /* what stands for a value in the help: "ADDR:PORT" */
    const char *allowed; /* what follows the word allowed */
    const char *usual;   /* a default that the program makes, in words; otherwise NULL */
    bool hidden;         /* a value that is refused is not shown: it may have a password */
    /* False, with nothing changed, for a text that is not allowed. */
    bool (*read)(const char *text, void *field);
    /* As `read` reads it, in one line; without passwords. */
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
    size_t field;        /* where it goes: its offset in the command's struct */
    const char *member;  /* what that is called there: request.wanted.spec.delta */
    uint32_t subjects;   /* which it applies to, by the command's own bits; 0: to all */
    uint32_t sources;    /* of a setting: option_source; 0: an option of a command */
    const char *usual;   /* the default, as it would be written; NULL: the help says what happens */
    double lo, hi;       /* of numbers */
    option_names *names; /* of an OPTION_IS_U32 that is written as a name; the words of a parser */
    option_parser *parse; /* of lists, words followed by a number, and names that may also be files;
                             otherwise NULL */
    const option_value *value; /* of kinds that one program has; otherwise NULL */
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
/* Words of which a capital letter begins what is to be filled in: huber:TAU. */
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
    const char *example; /* commands to try, and what else --help says at its end */
    const option *table;
    option_names *words; /* of which the first one after the name is; NULL: none */
    bool files; /* the words after its name may be files, where all commands share a table */
    int (*run)(const command *self, int argc, char **argv);
};

/* ---- option --------------------------------------------------------------------------------- */

/* A command line, read by the table of its command (option.h). */

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

#define OPTION_ROWS_MAX 64u

/* A command line that was read. */
typedef struct command_line {
    const command *self;
    void *fields;         /* the command's struct */
    uint64_t given;       /* bit i: row i of the table was given */
    uint32_t words_count; /* words that belong to no option: the first ones of argv */
} command_line;

/* Fills the defaults, then reads `--name value` and `--name=value`; `fields` is the command's struct,
 * all zero. Other words are left in argv, the first words_count of it. False, with a sentence on
 * stderr, for an unknown option, a missing or bad value, or one out of range. `--help`, wherever it
 * stands, prints the help and ends the program. */
bool command_line_parse(command_line *out, const command *self, void *fields, int argc,
                        char **argv);

/* False, with a sentence, if a word belongs to no option. */
bool command_line_no_words(const command_line *line, char **argv);

/* False, with a sentence, if an option was given that does not apply to the subject, of one bit;
 * `what` is its name for the sentence. */
bool command_line_applies(const command_line *line, uint32_t subject, const char *what);

/* ---- by field ----------------------------------------------------------------------------- */

/* True if one of the options that fill the field was given. */
bool option_is_given(const command_line *line, size_t field);
#define OPTION_GIVEN(line, type, member) option_is_given(line, offsetof(type, member))

/* True if it was given; otherwise says that it is needed. */
bool option_is_there(const command_line *line, size_t field);
#define OPTION_NEED(line, type, member) option_is_there(line, offsetof(type, member))

/* Says "sotto NAME: " and the sentence, with a '?' for what a terminal would obey. False. */
__attribute__((format(printf, 2, 3))) bool option_say(const command_line *line, const char *format,
                                                      ...);

/* The name of the option that fills a field, for sentences. */
const char *option_name(const command_line *line, size_t field);

/* Says `before` and a fault of the library. A field that has an option, by the last part of its member or by its own
 * name, is spelled so: delta becomes --delta, reward_lo becomes --reward-range. False. */
bool option_refuse(const command_line *line, const char *before, const sotto_fault *fault);

/* The offsets, from `from` on, and sizes of those fields between `from` and `from + bytes` that were
 * given, at most `most`; returns how many. */
typedef struct option_span {
    size_t field;
    size_t bytes;
} option_span;
uint32_t command_line_given(const command_line *line, size_t from, size_t bytes, option_span *out,
                            uint32_t most);

/* Copies those fields between `from` and `from + bytes` that were given to the same place in `to`,
 * which is laid out like that part of the command's struct. */
void command_line_copy_given(const command_line *line, size_t from, size_t bytes, void *to);

/* ---- words ---------------------------------------------------------------------------------- */

/* Lists separated by commas, as options take them. */

#define WORD_BYTES 64u

/* The next word of a list. False at its end. A word that does not fit is too long to be valid,
 * and its end shows that. */
bool word_next(const char **at, char word[WORD_BYTES]);

/* The fault of a list in which a word is missing, as in "1," or "1,,2". */
SOTTO_CHECK sotto_status word_list_fault(const char *text, sotto_fault *fault);

/* A number within [lo, hi] and nothing else. */
bool word_real(const char *word, double lo, double hi, double *value);

/* A share of measure rounds: 0, or 0.001 to 0.5. */
SOTTO_CHECK sotto_status word_share(const char *word, double *share, sotto_fault *fault);

/* Two numbers with a comma between them, each within [lo, hi]. */
bool word_pair(const char *text, double lo, double hi, double pair[2]);

/* A whole number, written in digits or like 1e5. False for anything else. */
bool word_whole(const char *text, uint64_t *value);

/* A delay: WINDOW,SPREAD,RATE, whole seconds to a year and people per second; or WINDOW,SPREAD, and the rate is 0. */
typedef struct word_delayed {
    uint32_t window_s, spread_s;
    double rate;
} word_delayed;

SOTTO_CHECK sotto_status word_delay(const char *text, bool rate_needed, word_delayed *out,
                                    sotto_fault *fault);

/* Bytes from 2 x count hexadecimal digits. */
bool word_hex(const char *text, uint8_t *out, uint32_t count);

/* ---- settings ------------------------------------------------------------------------------- */

/* Options that may also stand in a file, one NAME = VALUE per line, or in the environment. A flag among them may have
 * a value, yes or no. */

typedef struct option_settings {
    const char *program; /* "sottod" */
    const char *prefix;  /* of its variables: "SOTTOD_" */
    const option *table; /* of rows with sources */
    /* True for the rest of a variable, in the letters of a setting, that is for another program. */
    bool (*is_of_others)(const char *name);
} option_settings;

/* Each of them fills fields from one source. The fault names the setting, where it was given (file and line,
 * variable, flag), its value and what is allowed. */
void settings_defaults(const option_settings *self, void *fields);
SOTTO_CHECK sotto_status settings_file(const option_settings *self, void *fields, const char *path,
                                       sotto_fault *fault);
SOTTO_CHECK sotto_status settings_variables(const option_settings *self, void *fields,
                                            sotto_fault *fault);
/* Words that are not flags go to the front of argv and are counted, if `words` is not NULL; so does all that follows
 * the word `--`. */
SOTTO_CHECK sotto_status settings_line(const option_settings *self, void *fields, int argc,
                                       char **argv, int *words, sotto_fault *fault);

/* The settings as a file that settings_file reads, each with its meaning above it. */
void settings_print(const option_settings *self, const void *fields, FILE *file);

/* ---- value ---------------------------------------------------------------------------------- */

#define OPTION_ALLOWED_BYTES 256u

/* The row of this name, which has `length` letters; NULL if there is none. */
const option *option_find(const option *table, const char *name, size_t length);
/* The row whose name is nearest to the word and may be given in this place, if a place is named;
 * NULL if none is near. */
const option *option_nearest(const option *table, const char *word, option_source source);

/* Reads a text into the field of a row; a flag without a text is on. */
SOTTO_CHECK sotto_status option_read(const option *row, const char *text, void *fields,
                                     sotto_fault *fault);
/* A setting as it would be written. */
void option_print(const option *row, const void *fields, char out[OPTION_TEXT_BYTES]);
/* "yes or no", "whole numbers 1 to 3600": what follows the word allowed; "" if anything is. */
void option_allowed(const option *row, char out[OPTION_ALLOWED_BYTES]);
/* The range of a row's numbers: "1 to 1024", "0.01 to 8". */
void option_range(const option *row, char out[OPTION_ALLOWED_BYTES]);

/* ---- help ----------------------------------------------------------------------------------- */

/* The rows of a table under the headings of their groups, each with its range, names and default; meanings begin in
 * column `at`. */
void option_table_print(FILE *file, const option *table, uint32_t at, uint32_t columns);

/* ---- completion ----------------------------------------------------------------------------- */

/* A program, for the scripts by which shells complete what follows it. */
typedef struct option_program {
    const char *name;
    const command *(*command_at)(uint32_t value); /* NULL after the last */
    option_names *command_name;
    const option *table; /* of all commands; NULL: each has its own, and one is called help */
    const option *flags; /* with `table`: those that are not settings */
} option_program;

/* The shells that have a script: bash, zsh, fish. */
option_names shell_name;
/* The script of a shell, by its number. */
void completion_print(FILE *file, const option_program *self, uint32_t which);

#endif
