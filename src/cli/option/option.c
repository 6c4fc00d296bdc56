/* Options of a command. */
#include "option.h"
#include "words.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the nearest name --------------------------------------------------------------------- */

/* What it costs to write b for a: 0, 1 where only the case differs, else 2. */
static uint32_t letter_cost(char a, char b)
{
    if (a == b) return 0;
    return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : 2;
}

/* Twice the Levenshtein distance, for words of at most 31 letters; 0 means that they are the same. A
 * part of a name, of three letters or more, is next to it. */
static uint32_t distance(const char *word, const char *name)
{
    enum { LONGEST = 31 };
    size_t m = strlen(word), n = strlen(name);
    if (m > LONGEST || n > LONGEST) return 2 * LONGEST;
    if (m >= 3 && m < n && strstr(name, word) != NULL) return 1;
    uint32_t row[LONGEST + 1];
    for (uint32_t j = 0; j <= n; j++) {
        row[j] = 2 * j;
    }
    for (uint32_t i = 1; i <= m; i++) {
        uint32_t diagonal = row[0];
        row[0] = 2 * i;
        for (uint32_t j = 1; j <= n; j++) {
            uint32_t change = diagonal + letter_cost(word[i - 1], name[j - 1]);
            uint32_t drop = row[j] + 2, insert = row[j - 1] + 2;
            diagonal = row[j];
            row[j] = change < drop ? change : drop;
            if (insert < row[j]) row[j] = insert;
        }
    }
    return row[n];
}

bool option_find_name(const char *who, const char *what, const char *word, option_names *names,
                      uint32_t *value)
{
    uint32_t nearest = 0, nearest_distance = UINT32_MAX;
    for (uint32_t i = 0; names(i) != NULL; i++) {
        uint32_t d = distance(word, names(i));
        if (d < nearest_distance) {
            nearest = i;
            nearest_distance = d;
        }
    }
    if (nearest_distance == 0) {
        *value = nearest;
        return true;
    }
    fprintf(stderr, "%s: %s = %s: allowed", who, what, word);
    for (uint32_t i = 0; names(i) != NULL; i++) {
        fprintf(stderr, "%s %s", i == 0 ? "" : ",", names(i));
    }
    if (nearest_distance <= strlen(word)) {
        fprintf(stderr, "; did you mean %s?", names(nearest));
    }
    fprintf(stderr, "\n");
    return false;
}

static bool take_name(const command_line *line, const char *name, const char *word,
                      option_names *names, uint32_t *value)
{
    char who[64], what[64];
    snprintf(who, sizeof who, "sotto %s", line->self->name);
    snprintf(what, sizeof what, "--%s", name);
    return option_find_name(who, what, word, names, value);
}

bool option_take_name(const command_line *line, size_t field, const char *word, option_names *names,
                      uint32_t *value)
{
    return take_name(line, option_name(line, field), word, names, value);
}

static bool unknown_option(const command_line *line, const char *word)
{
    const char *nearest = NULL;
    uint32_t nearest_distance = (uint32_t)strlen(word) < 7 ? (uint32_t)strlen(word) + 1 : 8;
    for (const option *row = line->self->table; row->meaning != NULL; row++) {
        uint32_t d = distance(word, row->name);
        if (d < nearest_distance) {
            nearest = row->name;
            nearest_distance = d;
        }
    }
    fprintf(stderr, "sotto %s: unknown option --%s", line->self->name, word);
    if (nearest != NULL) fprintf(stderr, "; did you mean --%s?", nearest);
    fprintf(stderr, "; sotto %s --help lists them\n", line->self->name);
    return false;
}

/* ---- values ------------------------------------------------------------------------------- */

/* "1 to 1024", "0.01 to 8" */
static void print_range(FILE *file, const option *row)
{
    if (row->kind == OPTION_IS_F64) {
        fprintf(file, "%.10g to %.10g", row->lo, row->hi);
    } else {
        fprintf(file, "%.0f to %.0f", row->lo, row->hi);
    }
}

static bool out_of_range(const command_line *line, const option *row, const char *text)
{
    fprintf(stderr, "sotto %s: --%s = %s: allowed %s", line->self->name, row->name, text,
            row->kind == OPTION_IS_F64 ? "" : "whole numbers ");
    print_range(stderr, row);
    fprintf(stderr, "\n");
    return false;
}

static bool parse_pair(const command_line *line, const option *row, const char *text, double *pair)
{
    char *middle, *end;
    pair[0] = strtod(text, &middle);
    pair[1] = *middle == ',' ? strtod(middle + 1, &end) : 0;
    bool whole = middle != text && *middle == ',' && end != middle + 1 && *end == '\0';
    bool within =
        pair[0] >= row->lo && pair[0] <= row->hi && pair[1] >= row->lo && pair[1] <= row->hi;
    if (whole && within) return true;
    return option_say(line, "--%s = %s: allowed LO,HI, each %.10g to %.10g", row->name, text,
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

static bool parse_value(const command_line *line, const option *row, const char *text)
{
    void *field = (char *)line->fields + row->field;
    switch (row->kind) {
    case OPTION_IS_FLAG: *(bool *)field = true; return true;
    case OPTION_IS_U32:
        if (row->names != NULL) return take_name(line, row->name, text, row->names, field);
        return parse_whole(line, row, text, field);
    case OPTION_IS_U64: return parse_whole(line, row, text, field);
    case OPTION_IS_F64:
        return word_real(text, row->lo, row->hi, field) || out_of_range(line, row, text);
    case OPTION_IS_PAIR: return parse_pair(line, row, text, field);
    case OPTION_IS_TEXT: *(const char **)field = text; return true;
    }
    return false;
}

/* ---- help --------------------------------------------------------------------------------- */

static void print_row(const option *row)
{
    printf("  --%-18s %s", row->name, row->meaning);
    bool number =
        row->kind == OPTION_IS_U32 || row->kind == OPTION_IS_U64 || row->kind == OPTION_IS_F64;
    if (number && row->names == NULL) {
        printf("; ");
        print_range(stdout, row);
    }
    for (uint32_t i = 0; row->names != NULL && row->names(i) != NULL; i++) {
        printf("%s%s", i == 0 ? "; " : ", ", row->names(i));
    }
    if (row->usual != NULL) printf("; default %s", row->usual);
    printf("\n");
}

static void print_help(const command *self)
{
    const char *group = NULL;
    printf("sotto %s - %s\n\nusage: %s\n", self->name, self->summary, self->usage);
    for (const option *row = self->table; row->meaning != NULL; row++) {
        if (group == NULL || strcmp(group, row->group) != 0) printf("\n%s:\n", row->group);
        group = row->group;
        print_row(row);
    }
    printf("\n  --%-18s %s\n\nexamples:\n%s", "help", "this text", self->example);
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
        print_help(self);
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
    return line->words_count == 0 ||
           option_say(line, "%s: every word belongs to an option", argv[0]);
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

bool option_refuse(const command_line *line, size_t field, const char *value, const char *allowed)
{
    return option_say(line, "--%s = %s: allowed %s", option_name(line, field), value, allowed);
}

bool option_say(const command_line *line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fprintf(stderr, "sotto %s: ", line->self->name);
    vfprintf(stderr, format, values);
    fprintf(stderr, "\n");
    va_end(values);
    return false;
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
    }
    return 0;
}

void command_line_copy_given(const command_line *line, size_t from, size_t bytes, void *to)
{
    for (const option *row = line->self->table; row->meaning != NULL; row++) {
        bool inside = row->field >= from && row->field < from + bytes;
        if (!inside || !row_is_given(line, row)) continue;
        memcpy((char *)to + (row->field - from), (const char *)line->fields + row->field,
               bytes_of(row->kind));
    }
}
