/* A file as records of fields: CSV (csv.c) and LIBSVM (libsvm.c). */
#ifndef SOTTO_LAB_DATASET_RECORD_H
#define SOTTO_LAB_DATASET_RECORD_H

#include "source.h"

#define SOTTO__COLUMNS_MAX 4096u

typedef struct sotto__field {
    const char *text; /* not terminated */
    uint32_t bytes;
    uint16_t column; /* of the file: of CSV from 0; of LIBSVM from 1, and 0 is the label */
    bool doubled;    /* of CSV, while a record is read: holds quotes that are written twice */
} sotto__field;

/* Valid until the next one is asked for. */
typedef struct sotto__record {
    uint64_t line;  /* where it begins */
    uint32_t count; /* of fields; 0 at the end of the file */
    sotto__field field[SOTTO__COLUMNS_MAX + 1];
} sotto__record;

/* The next record that is not blank, without the bars around it where the header has some (bars.h).
 * NULL, or `fault`. */
const char *sotto__csv_next(sotto__source *source, char separator, sotto__record *record,
                            char *fault);
const char *sotto__libsvm_next(sotto__source *source, sotto__record *record, char *fault);

#endif
