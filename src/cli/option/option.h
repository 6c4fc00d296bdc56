/* A command line, read by the table of its command (table.h). */
#ifndef SOTTO_CLI_OPTION_OPTION_H
#define SOTTO_CLI_OPTION_OPTION_H

#include "table.h"

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

/* A sentence of the library as one types it: `theta_norm` becomes `theta-norm`, and an option of the
 * command, `allow_weak_delta`, becomes `--allow-weak-delta`. `text` may be `fault`; what does not fit
 * is cut off. */
const char *option_typed(const command_line *line, const char *fault, char text[SOTTO_FAULT_BYTES]);

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

#endif
