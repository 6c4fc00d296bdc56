/* Options of a command. */
#include "option.h"
#include "core/utf8.h"
#include "help.h"
#include "lab/text/printable.h"
#include "nearest.h"
#include "range.h"
#include "terminal/columns.h"
#include "words.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENTENCE_BYTES 8192u /* a path of 4096 bytes, and more */

/* ---- what is wrong ------------------------------------------------------------------------ */

static bool unknown_option(const command_line *line, const char *word)
{
    const char *nearest = NULL;
    uint32_t nearest_distance = (uint32_t)strlen(word) < 7 ? (uint32_t)strlen(word) + 1 : 8;
    for (const option *row = line->self->table; row->meaning != NULL; row++) {
        uint32_t d = name_distance(word, row->name);
        if (d < nearest_distance) {
            nearest = row->name;
            nearest_distance = d;
        }
    }
    return option_say(line, "unknown option --%s;%s%s%s sotto %s --help lists them", word,
                      nearest == NULL ? "" : " did you mean --", nearest == NULL ? "" : nearest,
                      nearest == NULL ? "" : "?", line->self->name);
}

/* ---- values ------------------------------------------------------------------------------- */

static bool out_of_range(const command_line *line, const option *row, const char *text)
{
    char shown[SOTTO__SHOWN_BYTES];
    fprintf(stderr, "sotto %s: --%s = %s: allowed %s", line->self->name, row->name,
            sotto__shown(text, strlen(text), shown),
            row->kind == OPTION_IS_F64 ? "" : "whole numbers ");
    option_print_range(stderr, row);
    fprintf(stderr, "\n");
    return false;
}

static bool parse_pair(const command_line *line, const option *row, const char *text, double *pair)
{
    return word_pair(text, row->lo, row->hi, pair) ||
           option_say(line, "--%s = %s: allowed LO,HI, each %.10g to %.10g", row->name, text,
                      row->lo, row->hi);
}

static bool parse_whole(const command_line *line, const option *row, const char *text, void *field)
{
    uint64_t value;
    if (!word_whole(text, &value) || (double)value < row->lo || (double)value > row->hi) {
        return out_of_range(line, row, text);
    }
    if (row->kind == OPTION_IS_U64) {
        *(uint64_t *)field = value;
    } else {
        *(uint32_t *)field = (uint32_t)value; /* hi is below 2^32 */
    }
    return true;
}

static bool parse_name(const command_line *line, const option *row, const char *text, void *field)
{
    char fault[SOTTO_FAULT_BYTES];
    if (name_find(text, row->names, field, fault) == NULL) return true;
    return option_say(line, "--%s = %s", row->name, fault);
}

static bool parse_words(const command_line *line, const option *row, const char *text)
{
    char fault[SOTTO_FAULT_BYTES];
    if (row->parse(row, text, line->fields, fault) == NULL) return true;
    return option_say(line, "--%s = %s", row->name, fault);
}

static bool parse_value(const command_line *line, const option *row, const char *text)
{
    void *field = (char *)line->fields + row->field;
    if (row->parse != NULL) return parse_words(line, row, text);
    switch (row->kind) {
    case OPTION_IS_FLAG: *(bool *)field = true; return true;
    case OPTION_IS_U32:
        if (row->names != NULL) return parse_name(line, row, text, field);
        return parse_whole(line, row, text, field);
    case OPTION_IS_U64: return parse_whole(line, row, text, field);
    case OPTION_IS_F64:
        return word_real(text, row->lo, row->hi, field) || out_of_range(line, row, text);
    case OPTION_IS_PAIR: return parse_pair(line, row, text, field);
    case OPTION_IS_TEXT: *(const char **)field = text; return true;
    case OPTION_IS_OTHER: break;
    }
    assert(false); /* such a field has a parser */
    return false;
}

/* ---- the command line --------------------------------------------------------------------- */

static const option *find_row(const command *self, const char *name, size_t length)
{
    for (const option *row = self->table; row->meaning != NULL; row++) {
        if (strlen(row->name) == length && strncmp(row->name, name, length) == 0) return row;
    }
    return NULL;
}

static void fill_defaults(const command_line *line)
{
    for (const option *row = line->self->table; row->meaning != NULL; row++) {
        bool fits = row->usual == NULL || parse_value(line, row, row->usual);
        assert(fits); /* tables are ours */
        (void)fits;
    }
}

/* One option, at argv[*at]; moves on to its value. */
static bool parse_option(command_line *line, int argc, char **argv, int *at)
{
    const char *name = argv[*at] + 2;
    size_t length = strcspn(name, "=");
    const option *row = find_row(line->self, name, length);
    if (row == NULL) return unknown_option(line, name);
    const char *text = name[length] == '=' ? name + length + 1 : NULL;
    bool flag = row->kind == OPTION_IS_FLAG;
    if (flag && text != NULL) return option_say(line, "--%s takes no value", row->name);
    if (!flag && text == NULL) text = *at + 1 < argc ? argv[++*at] : NULL;
    if (!flag && text == NULL) return option_say(line, "--%s needs a value", row->name);
    line->given |= UINT64_C(1) << (row - line->self->table);
    return parse_value(line, row, text);
}

bool command_line_parse(command_line *out, const command *self, void *fields, int argc, char **argv)
{
    *out = (command_line){.self = self, .fields = fields};
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--help") != 0 && strcmp(argv[i], "-h") != 0) continue;
        help_print(stdout, self, columns_of_output());
        exit(fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED);
    }
    fill_defaults(out);
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0) {
            argv[out->words_count++] = argv[i];
        } else if (!parse_option(out, argc, argv, &i)) {
            return false;
        }
    }
    return true;
}

bool command_line_no_words(const command_line *line, char **argv)
{
    return line->words_count == 0 || option_say(line, "%s: does not belong to an option", argv[0]);
}

static bool row_is_given(const command_line *line, const option *row)
{
    return (line->given >> (row - line->self->table) & 1) != 0;
}

bool command_line_applies(const command_line *line, uint32_t subject, const char *what)
{
    for (const option *row = line->self->table; row->meaning != NULL; row++) {
        bool applies = row->subjects == 0 || (row->subjects & subject) != 0;
        if (applies || !row_is_given(line, row)) continue;
        return option_say(line, "--%s does not apply to %s", row->name, what);
    }
    return true;
}

/* ---- by field ----------------------------------------------------------------------------- */

bool option_is_given(const command_line *line, size_t field)
{
    bool given = false, found = false;
    for (const option *row = line->self->table; row->meaning != NULL; row++) {
        if (row->field != field) continue;
        found = true;
        given |= row_is_given(line, row);
    }
    assert(found);
    (void)found;
    return given;
}

const char *option_name(const command_line *line, size_t field)
{
    for (const option *row = line->self->table; row->meaning != NULL; row++) {
        if (row->field == field) return row->name;
    }
    assert(false);
    return "";
}

bool option_is_there(const command_line *line, size_t field)
{
    return option_is_given(line, field) ||
           option_say(line, "--%s is needed; sotto %s --help shows an example",
                      option_name(line, field), line->self->name);
}

bool option_say(const command_line *line, const char *format, ...)
{
    char sentence[SENTENCE_BYTES];
    va_list values;
    va_start(values, format);
    int bytes = vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    if (bytes >= (int)sizeof sentence) {
        sentence[sotto__whole_bytes(sentence, sizeof sentence - 1)] = '\0';
    }
    fprintf(stderr, "sotto %s: %s\n", line->self->name, sotto__printable(sentence));
    return false;
}

const char *option_typed(const command_line *line, const char *fault, char text[SOTTO_FAULT_BYTES])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    char typed[2 * SOTTO_FAULT_BYTES + WORD_BYTES] = "";
    size_t end = 0;
    while (*fault != '\0' && end < SOTTO_FAULT_BYTES) {
        char word[WORD_BYTES];
        size_t length = strspn(fault, letters);
        if (length > WORD_BYTES - 1) length = WORD_BYTES - 1;
        for (size_t i = 0; i < length; i++) {
            word[i] = fault[i];
            if (fault[i] == '_') word[i] = '-';
        }
        bool field = memchr(fault, '_', length) != NULL;
        bool ours = field && find_row(line->self, word, length) != NULL;
        size_t other = length == 0 ? 1 : 0; /* a blank, a comma, ... */
        if (other > 0) word[0] = *fault;
        end += (size_t)snprintf(typed + end, sizeof typed - end, "%s%.*s", ours ? "--" : "",
                                (int)(length + other), word);
        fault += length + other;
    }
    size_t fits = strlen(typed);
    if (fits >= SOTTO_FAULT_BYTES) fits = sotto__whole_bytes(typed, SOTTO_FAULT_BYTES - 1);
    snprintf(text, SOTTO_FAULT_BYTES, "%.*s", (int)fits, typed);
    return text;
}

static size_t bytes_of(option_kind kind)
{
    switch (kind) {
    case OPTION_IS_FLAG: return sizeof(bool);
    case OPTION_IS_U32: return sizeof(uint32_t);
    case OPTION_IS_U64: return sizeof(uint64_t);
    case OPTION_IS_F64: return sizeof(double);
    case OPTION_IS_PAIR: return 2 * sizeof(double);
    case OPTION_IS_TEXT: return sizeof(const char *);
    case OPTION_IS_OTHER: break;
    }
    return 0;
}

uint32_t command_line_given(const command_line *line, size_t from, size_t bytes, option_span *out,
                            uint32_t most)
{
    uint32_t count = 0;
    for (const option *row = line->self->table; row->meaning != NULL; row++) {
        if (!row_is_given(line, row) || row->field < from || row->field >= from + bytes) continue;
        assert(count < most);
        assert(bytes_of(row->kind) > 0); /* a field that can be copied */
        out[count++] = (option_span){.field = row->field - from, .bytes = bytes_of(row->kind)};
    }
    return count;
}

void command_line_copy_given(const command_line *line, size_t from, size_t bytes, void *to)
{
    option_span span[OPTION_ROWS_MAX];
    uint32_t count = command_line_given(line, from, bytes, span, OPTION_ROWS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        memcpy((char *)to + span[i].field, (const char *)line->fields + from + span[i].field,
               span[i].bytes);
    }
}
