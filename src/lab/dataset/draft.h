/* A schema to start from, after a look at the file. */
#ifndef SOTTO_LAB_DATASET_DRAFT_H
#define SOTTO_LAB_DATASET_DRAFT_H

#include "schema.h"
#include "source.h"

/* What to say of a file beforehand, to draft a schema from it. */
typedef enum sotto__header {
    SOTTO__HEADER_GUESS,
    SOTTO__HEADER_NO,
    SOTTO__HEADER_YES
} sotto__header;

typedef struct sotto__draft {
    sotto__dataset_format format;
    char separator;                           /* of CSV; 0: guess */
    sotto__header header;                     /* of CSV */
    const char *label;                        /* NULL: none. LIBSVM has one, under whatever name */
    const char *action, *reward, *propensity; /* NULL: none */
    uint32_t ignored_count;
    const char *const *ignored; /* columns that are no features */
    bool once;                  /* the file will not be read again, and may be a pipe */
} sotto__draft;

/* A schema from one pass over the rows of a file: numbers with their smallest and largest value,
 * categories with their levels (at most 256 of one column, 1024 of all), the labels. Columns that
 * are ignored unasked have a note that says why, as has a label that rows are without. It is a
 * place to begin, not a private one: from_data is set, for ranges and levels must not come from
 * people's rows. NULL, or `fault`; then `out` is empty. */
const char *sotto__schema_draft(const sotto__draft *draft, const char *path, sotto__schema *out,
                                char fault[SOTTO_FAULT_BYTES]);

#endif
