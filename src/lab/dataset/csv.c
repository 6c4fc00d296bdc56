/*
 * CSV as records of fields (RFC 4180, and what files are like).
 *
 *   record  fields between separators, up to a line feed or the end of the file; a carriage return
 *           before it is part of the line's end. Blank lines are not records.
 *   field   blanks around it do not count. If it begins with a quote it ends with one; separators
 *           and line ends may stand between, and two quotes stand for one. A quote inside of a
 *           field that does not begin with one is an ordinary letter.
 *   file    has no byte 0.
 *
 * The separator ' ' stands for one or more blanks; blanks at either end of a line separate nothing.
 *
 * A record that continues beyond the bytes in the buffer is read again from its start once more
 * bytes are there. So nothing is changed in the buffer before the whole record has been seen.
 */
#include "core/core.h"
#include "inner.h"

#include <string.h>

typedef enum scan_result {
    WHOLE,
    MORE,     /* the bytes end before the record does */
    UNCLOSED, /* as MORE, inside of quotes */
    AFTER,    /* text behind a closing quote */
    ZERO,     /* a byte 0 */
    COLUMNS   /* too many fields */
} scan_result;

typedef struct scan {
    const char *p, *end; /* *end is a line feed */
    const char *quote;   /* the last one that opened */
    char separator;
    bool last;           /* no bytes come after the end */
    uint64_t separators; /* the separator, eight times */
} scan;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(scan *s)
{
    while (is_blank(*s->p) && (*s->p != s->separator || s->separator == ' ')) {
        s->p++;
    }
}

/* Reads a quoted field, from the opening quote to the blanks behind the closing one. */
static scan_result quoted(scan *s, sotto__field *field)
{
    s->quote = s->p++;
    field->text = s->p;
    for (;;) {
        const char *close = memchr(s->p, '"', (size_t)(s->end - s->p));
        if (close == NULL) return UNCLOSED;
        s->p = close + 1;
        if (*s->p != '"') break;
        field->doubled = true;
        s->p++;
    }
    field->bytes = (uint32_t)(s->p - 1 - field->text);
    if (memchr(field->text, '\0', field->bytes) != NULL) return ZERO;
    if (s->separator != ' ') skip_blanks(s);
    if (*s->p == '\r' && s->p[1] == '\n') s->p++;
    return WHOLE;
}

static uint64_t stops_in(const scan *s, const char *p)
{
    uint64_t word = sotto__get_u64((const uint8_t *)p);
    return sotto__zero_byte(word) | sotto__zero_byte(word ^ SOTTO__EACH('\n')) |
           sotto__zero_byte(word ^ s->separators);
}

/* Finds the first separator, line feed or byte 0. Most fields end within 16 bytes. Whether they
 * end within 8 is hard for a processor to predict, so there is no branch on it. */
static const char *stop(const scan *s)
{
    for (const char *p = s->p;; p += 16) {
        uint64_t first = stops_in(s, p), second = stops_in(s, p + 8);
        uint64_t later = -(uint64_t)(first == 0);
        uint64_t hit = first | (second & later);
        if (hit != 0) return p + (later & 8) + __builtin_ctzll(hit) / 8;
    }
}

static void plain(scan *s, sotto__field *field)
{
    const char *p = stop(s);
    field->text = s->p;
    s->p = p;
    if (*p == '\n' && p > field->text && p[-1] == '\r') p--;
    while (p > field->text && is_blank(p[-1])) {
        p--;
    }
    field->bytes = (uint32_t)(p - field->text);
}

/* One record into `record`; the scan ends at its line feed. */
static scan_result split(scan *s, sotto__record *record)
{
    record->count = 0;
    for (;;) {
        if (record->count == SOTTO__COLUMNS_MAX) return COLUMNS;
        sotto__field *field = &record->field[record->count];
        field->doubled = false;
        field->column = (uint16_t)record->count;
        skip_blanks(s);
        if (*s->p == '"') {
            scan_result got = quoted(s, field);
            if (got != WHOLE) return got;
        } else {
            plain(s, field);
        }
        if (s->p == s->end && !s->last) return MORE;
        if (*s->p == '\0') return ZERO;
        record->count++;
        if (*s->p == '\n') return WHOLE;
        if (*s->p != s->separator) return AFTER;
        s->p++;
        if (s->separator == ' ') {
            skip_blanks(s);
            if (s->p == s->end && !s->last) return MORE;
            if (*s->p == '\n' || (*s->p == '\r' && s->p[1] == '\n')) break;
        }
    }
    while (*s->p != '\n') {
        s->p++;
    }
    return WHOLE;
}

static void undouble(sotto__field *field)
{
    char *text = (char *)(uintptr_t)field->text; /* the source's buffer, which may be changed */
    uint32_t to = 0;
    for (uint32_t from = 0; from < field->bytes; from++) {
        text[to++] = text[from];
        if (text[from] == '"') from++;
    }
    field->bytes = to;
}

static uint64_t lines_between(const char *from, const char *to)
{
    uint64_t lines = 0;
    for (const char *p = from; p < to && (p = memchr(p, '\n', (size_t)(to - p))) != NULL; p++) {
        lines++;
    }
    return lines;
}

static sotto_status scan_fault(const sotto__source *source, const scan *s, scan_result got,
                               uint32_t count, sotto_fault *fault)
{
    const char *start = source->buffer + source->from;
    unsigned long long line = source->line;
    switch (got) {
    case MORE:
    case WHOLE:
        return sotto__refuse(fault, "%s: line %llu: longer than %u bytes", source->path, line,
                             SOTTO__RECORD_BYTES_MAX);
    case UNCLOSED:
        return sotto__refuse(fault, "%s: line %llu: a quote that is not closed", source->path,
                             line + lines_between(start, s->quote));
    case AFTER:
        return sotto__refuse(fault,
                             "%s: line %llu: text after the closing quote of field %u; a "
                             "quote inside of quotes is written twice",
                             source->path, line, count);
    case ZERO:
        return sotto__refuse(fault, "%s: line %llu: a zero byte; the file is not text",
                             source->path, line);
    case COLUMNS: break;
    }
    return sotto__refuse(fault, "%s: line %llu: more than %u columns", source->path, line,
                         SOTTO__COLUMNS_MAX);
}

static bool is_blank_line(const sotto__record *record, const scan *s)
{
    return record->count == 1 && record->field[0].bytes == 0 && s->quote == NULL;
}

sotto_status sotto__csv_next(sotto__source *source, char separator, sotto__record *record,
                             sotto_fault *fault)
{
    scan s = {.separator = separator, .separators = SOTTO__EACH((unsigned char)separator)};
    for (;;) {
        s.p = source->buffer + source->from;
        s.end = source->buffer + source->to;
        s.last = source->end;
        s.quote = NULL;
        record->line = source->line;
        record->count = 0;
        if (s.p == s.end && s.last) return SOTTO_OK;
        scan_result got = s.p == s.end ? MORE : split(&s, record);
        bool more = got == MORE || (got == UNCLOSED && !s.last);
        size_t to = more ? source->to : (size_t)(s.p - source->buffer);
        bool too_long = to - source->from > SOTTO__RECORD_BYTES_MAX;
        if (too_long || (got != WHOLE && !more))
            return scan_fault(source, &s, got, record->count, fault);
        if (more) {
            if (sotto__source_fill(source, fault) != SOTTO_OK) return SOTTO_E_FAULT;
            continue;
        }
        source->line +=
            1 + (s.quote == NULL ? 0 : lines_between(source->buffer + source->from, s.p));
        source->from = (size_t)(s.p - source->buffer) + (s.p < s.end);
        if (!is_blank_line(record, &s)) break;
    }
    for (uint32_t i = 0; i < record->count; i++) {
        if (record->field[i].doubled) undouble(&record->field[i]);
    }
    return SOTTO_OK;
}
