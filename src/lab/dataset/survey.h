/* One pass over a file for a draft: of every column its smallest and largest number and its words. */
#ifndef SOTTO_LAB_DATASET_SURVEY_H
#define SOTTO_LAB_DATASET_SURVEY_H

#include "lab/text/printable.h"
#include "levels.h"
#include "record.h"
#include "schema.h"

#define SOTTO__DRAFT_LEVELS_MAX 256u /* of one column */

/* The first field of a kind. */
typedef struct sotto__sighting {
    uint64_t line; /* 0: there is none */
    char shown[SOTTO__SHOWN_BYTES];
} sotto__sighting;

/* What was seen of a column. */
typedef struct sotto__seen {
    uint64_t values, missing;
    sotto__sighting first_word;  /* a value that is not a number */
    sotto__sighting first_other; /* a number that is written otherwise (other_number.h) */
    sotto__sighting first_missing;
    bool words;         /* some values are neither numbers nor written otherwise */
    const char *excess; /* why its values are no levels, or NULL */
    double lo, hi;
    sotto__levels levels;
    char *level[SOTTO__DRAFT_LEVELS_MAX];
} sotto__seen;

typedef struct sotto__survey {
    const sotto_draft *draft;
    sotto__source source;
    sotto_schema *schema;
    char *fault;
    sotto__levels missing;
    char mark;     /* of decimal numbers */
    uint64_t line; /* of the record that is seen */
    uint64_t rows;
    uint32_t columns_count; /* of LIBSVM with the label, which is the first */
    char *name[SOTTO__COLUMNS_MAX + 1];
    sotto__seen *seen[SOTTO__COLUMNS_MAX + 1];
    sotto__record record;
} sotto__survey;

/* Fills `seen` from the rows, with `source` open, and what the file says of separator, decimal mark and
 * header into the schema. NULL, or the fault. */
const char *sotto__survey_csv(sotto__survey *s);
const char *sotto__survey_libsvm(sotto__survey *s);
/* What was seen, but not the struct itself, its source and its words for missing. */
void sotto__survey_free(sotto__survey *s);

bool sotto__has_words(const sotto__seen *of);
/* The first column of that name, or columns_count. */
uint32_t sotto__survey_column(const sotto__survey *s, const char *name);
/* The k-th of the names that were given beforehand, k < 4 + ignored_count; it may be NULL. */
const char *sotto__draft_given(const sotto_draft *draft, uint32_t k);
const char *sotto__survey_no_memory(sotto__survey *s);

#endif
