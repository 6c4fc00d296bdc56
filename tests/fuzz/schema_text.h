/* A schema as it is written. */
#ifndef SOTTO_FUZZ_SCHEMA_TEXT_H
#define SOTTO_FUZZ_SCHEMA_TEXT_H

#include "lab/dataset/dataset.h"
#include "specs.h"

#include <stdio.h>

/* The caller frees it. */
static inline char *schema_text(const sotto_schema *schema, size_t *bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, bytes);
    fuzz_require(out != NULL);
    sotto__schema_write(schema, out);
    fclose(out);
    return text;
}

#endif
