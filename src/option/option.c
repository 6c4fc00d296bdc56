/* Options of a command. */
#include "core/core.h"
#include "inner.h"
#include "text/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENTENCE_BYTES 8192u /* room for a path of 4096 bytes and more */

/* ---- rows --------------------------------------------------------------------------------- */

const option *option_find(const option *table, const char *name, size_t length)
{
    for (const option *row = table; row->meaning != NULL; row++) {
        if (strlen(row->name) == length && strncmp(row->name, name, length) == 0) return row;
    }
    return NULL;
}

const option *option_nearest(const option *table, const char *word, option_source source)
{
    const option *nearest = NULL;
    size_t length = strlen(word);
    uint32_t nearest_distance = length < 7 ? (uint32_t)length + 1 : 8;
    for (const option *row = table; row->meaning != NULL; row++) {
        if (row->sources != 0 && (row->sources & source) == 0) continue;
        uint32_t d = name_distance(word, row->name);
        if (d < nearest_distance) {
            nearest = row;
            nearest_distance = d;
        }
    }
    return nearest;
}

static bool unknown_option(const command_line *line, const char *word)
{
    const option *nearest = option_nearest(line->self->table, word, OPTION_FROM_LINE);
    return option_say(line, "unknown option --%s;%s%s%s sotto %s --help lists them", word,
                      nearest == NULL ? "" : " did you mean --",
                      nearest == NULL ? "" : nearest->name, nearest == NULL ? "" : "?",
                      line->self->name);
}

static bool read_option(const command_line *line, const option *row, const char *text)
{
    sotto_fault fault;
    return option_read(row, text, line->fields, &fault) == SOTTO_OK ||
           option_say(line, "--%s = %s", row->name, fault.sentence);
}

/* ---- the command line --------------------------------------------------------------------- */

static void fill_defaults(const command_line *line)
{
    for (const option *row = line->self->table; row->meaning != NULL; row++) {
        bool fits = row->usual == NULL || read_option(line, row, row->usual);
        assert(fits); /* defaults are in our own tables */
        (void)fits;
    }
}

/* Parses the option at argv[*at]; moves *at to its value. */
static bool parse_option(command_line *line, int argc, char **argv, int *at)
{
    const char *name = argv[*at] + 2;
    size_t length = strcspn(name, "=");
    const option *row = option_find(line->self->table, name, length);
    if (row == NULL) return unknown_option(line, name);
    const char *text = name[length] == '=' ? name + length + 1 : NULL;
    bool flag = row->kind == OPTION_IS_FLAG;
    if (flag && text != NULL) return option_say(line, "--%s takes no value", row->name);
    if (!flag && text == NULL) text = *at + 1 < argc ? argv[++*at] : NULL;
    if (!flag && text == NULL) return option_say(line, "--%s needs a value", row->name);
    line->given |= UINT64_C(1) << (row - line->self->table);
    return read_option(line, row, text);
}

bool command_line_parse(command_line *out, const command *self, void *fields, int argc, char **argv)
{
    *out = (command_line){.self = self, .fields = fields};
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--help") != 0 && strcmp(argv[i], "-h") != 0) continue;
        help_print(stdout, self, text_columns_of_output());
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
           option_say(line, "%s: unexpected word; sotto %s --help lists options", argv[0],
                      line->self->name);
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
    uint32_t at = (uint32_t)fprintf(stderr, "sotto %s: ", line->self->name);
    uint32_t columns = text_columns_of_errors();
    if (columns < UINT32_MAX) {
        wrap_print(stderr, sotto__printable(sentence), at, 0, columns);
    } else {
        fprintf(stderr, "%s\n", sotto__printable(sentence));
    }
    return false;
}

/* True if the row fills a field of this name. A fault about a pair of limits, "reward_lo,
 * reward_hi", matches the row of the first limit, or the row of the pair: reward_range. */
static bool fills(const option *row, const char *field)
{
    char name[WORD_BYTES];
    const char *dot = strrchr(row->member, '.');
    const char *member = dot == NULL ? row->member : dot + 1;
    size_t length = strcspn(field, ","), stem = length > 2 ? length - 2 : 0;
    bool pair = row->kind == OPTION_IS_PAIR && field[length] == ',';
    if (pair && strncmp(member, field, stem) == 0 && strcmp(member + stem, "range") == 0)
        return true;
    if (strlen(member) == length && strncmp(member, field, length) == 0) return true;
    if (length >= sizeof name) return false;
    for (size_t i = 0; i < length; i++) {
        name[i] = field[i];
        if (field[i] == '_') name[i] = '-';
    }
    name[length] = '\0';
    return strcmp(row->name, name) == 0;
}

typedef struct typed {
    const command_line *line;
    char option[WORD_BYTES];
} typed;

static const char *as_typed(void *state, const char *field)
{
    typed *of = state;
    for (const option *row = of->line->self->table; row->meaning != NULL; row++) {
        if (!fills(row, field)) continue;
        snprintf(of->option, sizeof of->option, "--%s", row->name);
        return of->option;
    }
    return NULL;
}

bool option_refuse(const command_line *line, const char *before, const sotto_fault *fault)
{
    sotto_fault spelled = *fault;
    typed of = {.line = line};
    sotto_fault_spell(&spelled, as_typed, &of);
    return option_say(line, "%s%s", before, spelled.sentence);
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
        assert(bytes_of(row->kind) > 0); /* the kind of the field can be copied */
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
