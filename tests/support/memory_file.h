/* A file in memory, for the output of a printer. */
#ifndef SOTTO_MEMORY_FILE_H
#define SOTTO_MEMORY_FILE_H

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct memory_file {
    char *text;
    size_t bytes;
    FILE *file;
} memory_file;

static inline FILE *memory_file_open(memory_file *m)
{
    *m = (memory_file){0};
    m->file = open_memstream(&m->text, &m->bytes);
    assert_non_null(m->file);
    return m->file;
}

/* Closes the file, which must hold this text. */
static inline void assert_written(memory_file *m, const char *wanted)
{
    assert_int_equal(fclose(m->file), 0);
    assert_string_equal(m->text, wanted);
    free(m->text);
}

#endif
