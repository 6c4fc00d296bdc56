/* Schemas made by a test. */
#ifndef SOTTO_SCHEMAS_H
#define SOTTO_SCHEMAS_H

#include "lab/dataset/dataset.h"
#include "texts.h"
#include "why.h"

/* Reads a schema of these lines, in a directory where the file `other` has this text. */
static inline const char *schema_beside(const char *other, const char *lines, sotto_schema *schema)
{
    directory f = directory_new();
    file_write(f.other, (const uint8_t *)other, strlen(other));
    const char *said = WHY(sotto__schema_read, text_file(&f, lines), schema);
    directory_free(&f);
    return said;
}

static inline sotto_schema schema_of(const char *lines)
{
    sotto_schema schema;
    assert_silent(schema_beside("", lines, &schema));
    return schema;
}

/* A data set of this text under a schema of these lines. */
typedef struct bench {
    directory directory;
    sotto_schema schema;
    sotto_dataset *dataset;
} bench;

static inline void bench_begin(bench *b, const char *lines, const char *text)
{
    b->directory = directory_new();
    file_write(b->directory.other, (const uint8_t *)lines, strlen(lines));
    assert_silent(WHY(sotto__schema_read, b->directory.other, &b->schema));
    assert_silent(WHY(sotto_dataset_open, &b->schema, text_file(&b->directory, text), &b->dataset));
}

static inline void bench_free(bench *b)
{
    sotto_dataset_close(b->dataset);
    sotto__schema_free(&b->schema);
    directory_free(&b->directory);
}

#endif
