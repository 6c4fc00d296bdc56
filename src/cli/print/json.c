/* JSON on one line. */
#include "core/core.h"
#include "print.h"
#include "text/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

json_writer json_begin(FILE *file)
{
    return (json_writer){.file = file};
}

/* Writes the separator after the previous value, and the key. */
static void begin_value(json_writer *j, const char *key)
{
    assert((key != NULL) == (j->depth > 0 && j->closing[j->depth] == '}'));
    if (j->filled[j->depth]) fputs(j->lines && j->depth == 1 ? ",\n " : ", ", j->file);
    j->filled[j->depth] = true;
    if (key != NULL) fprintf(j->file, "\"%s\": ", key);
}

void json_open(json_writer *j, const char *key, char bracket)
{
    begin_value(j, key);
    assert(j->depth < JSON_DEPTH_MAX);
    assert(bracket == '{' || bracket == '[');
    j->depth++;
    j->closing[j->depth] = bracket == '{' ? '}' : ']';
    j->filled[j->depth] = false;
    fputc(bracket, j->file);
}

void json_close(json_writer *j)
{
    assert(j->depth > 0);
    fputc(j->closing[j->depth--], j->file);
}

void json_end(json_writer *j)
{
    assert(j->depth == 0);
    fputc('\n', j->file);
}

void json_text(json_writer *j, const char *key, const char *text)
{
    begin_value(j, key);
    fputc('"', j->file);
    size_t bytes = strlen(text), length;
    for (size_t at = 0; at < bytes; at += length) {
        uint32_t c = sotto__character(text + at, bytes - at, &length);
        if (c == '"' || c == '\\') fputc('\\', j->file);
        if (c == SOTTO__NO_CHARACTER) {
            fputs("\\ufffd", j->file); /* not UTF-8: the replacement character */
        } else if (sotto__is_obeyed(c)) {
            fprintf(j->file, "\\u%04" PRIx32, c);
        } else {
            fwrite(text + at, 1, length, j->file);
        }
    }
    fputc('"', j->file);
}

void json_natural(json_writer *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    fprintf(j->file, "%" PRIu64, value);
}

void json_whole(json_writer *j, const char *key, int64_t value)
{
    begin_value(j, key);
    fprintf(j->file, "%" PRId64, value);
}

void json_digits(json_writer *j, const char *key, double value, int digits)
{
    char text[SOTTO__NUMBER_BYTES];
    begin_value(j, key);
    fputs(sotto__number_text(value, digits, SOTTO__TEXT_JSON, text), j->file);
}

void json_real(json_writer *j, const char *key, double value)
{
    json_digits(j, key, value, SOTTO__NUMBER_DIGITS);
}

void json_flag(json_writer *j, const char *key, bool value)
{
    begin_value(j, key);
    fputs(value ? "true" : "false", j->file);
}

void json_null(json_writer *j, const char *key)
{
    begin_value(j, key);
    fputs("null", j->file);
}

static void print_value_of(json_writer *j, const print_column *column, const print_value *value)
{
    int digits = column->digits_exact > 0 ? column->digits_exact : SOTTO__NUMBER_DIGITS;
    switch (value->kind) {
    case PRINT_TEXT: json_text(j, column->key, value->text); break;
    case PRINT_NATURAL: json_natural(j, column->key, value->natural); break;
    case PRINT_REAL: json_digits(j, column->key, value->real, digits); break;
    case PRINT_FLAG: json_flag(j, column->key, value->natural != 0); break;
    case PRINT_NONE: json_null(j, column->key); break;
    }
}

void json_object(json_writer *j, const char *key, const print_column *column,
                 const print_value *value, uint32_t count)
{
    json_open(j, key, '{');
    for (uint32_t i = 0; i < count; i++) {
        if (column[i].key != NULL) print_value_of(j, &column[i], &value[i]);
    }
    json_close(j);
}

void json_row(FILE *file, const print_column *column, const print_value *value, uint32_t count)
{
    json_writer j = json_begin(file);
    json_object(&j, NULL, column, value, count);
    json_end(&j);
}
