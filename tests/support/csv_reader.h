/* A CSV file in the test's directory, read record by record. */
#ifndef SOTTO_CSV_READER_H
#define SOTTO_CSV_READER_H

#include "lab/dataset/dataset.h"
#include "texts.h"
#include "why.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct reader {
    directory directory;
    sotto__source source;
    sotto__record record;
} reader;

static inline reader *reader_of_bytes(const char *bytes, size_t count)
{
    reader *r = malloc(sizeof *r);
    assert_non_null(r);
    r->directory = directory_new();
    file_write(r->directory.file, (const uint8_t *)bytes, count);
    assert_silent(WHY(sotto__source_open, &r->source, r->directory.file));
    return r;
}

static inline void reader_free(reader *r)
{
    sotto__source_close(&r->source);
    directory_free(&r->directory);
    free(r);
}

/* Writes the current record: fields in brackets, then the line number. Returns the bytes. */
static inline size_t reader_print(const reader *r, char *out, size_t room)
{
    size_t at = 0;
    for (uint32_t i = 0; i < r->record.count; i++) {
        const sotto__field *field = &r->record.field[i];
        assert_int_equal(field->column, i);
        at += (size_t)snprintf(out + at, room - at, "[%.*s]", (int)field->bytes, field->text);
    }
    at += (size_t)snprintf(out + at, room - at, "%llu;", (unsigned long long)r->record.line);
    assert_true(at < room);
    return at;
}

#endif
