/* Schemas of a test's own. */
#ifndef SOTTO_SCHEMAS_H
#define SOTTO_SCHEMAS_H

#include "lab/dataset/schema_file.h"
#include "texts.h"

/* Reads a schema of these lines, in a folder where the file `other` has this text. */
static inline const char *schema_beside(const char *other, const char *lines, sotto_schema *schema,
                                        char *fault)
{
    folder f = folder_new();
    file_write(f.other, (const uint8_t *)other, strlen(other));
    const char *said = sotto__schema_read(text_file(&f, lines), schema, fault);
    folder_free(&f);
    return said;
}

#endif
