/* What files of this room share. */
#ifndef SOTTO_LAB_DATASET_INNER_H
#define SOTTO_LAB_DATASET_INNER_H

#include "dataset.h"
#include "text/text.h"

#include <sotto/core.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- arms ----------------------------------------------------------------------------------- */

/* The features of the arms. */

/* Completes the schema of the arms' file with the column that names the arm. The schema of the
 * people must fit. SOTTO_OK, or a fault if there is a file without features, or features without a
 * file. Does nothing if there is neither. */
sotto_status sotto__arms_prepare(sotto_schema *schema, sotto_fault *fault);

/* Reads the arms_file of a schema that was prepared (its format is at the head of arms.c) into its
 * `arm_feature`. SOTTO_OK, or a fault. */
sotto_status sotto__arms_read(sotto_schema *schema, sotto_fault *fault);

/* ---- eight_bytes ---------------------------------------------------------------------------- */

/* Eight bytes at once, in a word. */

#define SOTTO__EACH(byte) (UINT64_C(0x0101010101010101) * (uint64_t)(byte))

/* Bit 7 of the lowest byte that is 0 is set, and of no byte below it. */
static inline uint64_t sotto__zero_byte(uint64_t word)
{
    return (word - SOTTO__EACH(1)) & ~word & SOTTO__EACH(0x80);
}

/* ---- guess ---------------------------------------------------------------------------------- */

/* How a CSV file writes fields and numbers, guessed from its first bytes. */

/* Both look at the bytes in the source's buffer, and take none of them. */
char sotto__guess_separator(const sotto__source *source);
char sotto__guess_decimal(const sotto__source *source, char separator); /* '.' or ',' */

/* ---- levels --------------------------------------------------------------------------------- */

/* Maps words to indices. */

typedef struct sotto__levels {
    uint32_t mask; /* slots - 1, a power of two */
    uint32_t count;
    struct sotto__level_slot {
        const char *text; /* borrowed; NULL: free */
        uint32_t bytes, index;
    } * slot;
} sotto__levels;

/* Room for `count` words. */
SOTTO_CHECK sotto_status sotto__levels_new(sotto__levels *levels, uint32_t count);
/* False if the word is there already. The text is borrowed. */
bool sotto__levels_add(sotto__levels *levels, const char *text, size_t bytes, uint32_t index);
/* The index, or UINT32_MAX. */
uint32_t sotto__levels_find(const sotto__levels *levels, const char *text, size_t bytes);
void sotto__levels_free(sotto__levels *levels);

/* ---- other_number --------------------------------------------------------------------------- */

/* Numbers that are not written like those of the file. */

/* Whether a text is a number to people but not to sotto__marked_number with this mark: it has
 * thousands separators, as in 1.234,50 or 1 234, or the other decimal mark. */
bool sotto__is_other_number(const char *text, size_t bytes, char mark);

/* Why a text is not a number with this mark, worded to follow the text in a sentence. */
const char *sotto__number_reason(const char *text, size_t bytes, char mark);

/* ---- rewards -------------------------------------------------------------------------------- */

/* What each arm earns where a label is right: the table of a file. */

/* Reads the schema's rewards_file (its format is at the head of rewards.c) into its
 * `rewards`, and sets their range unless it was given. The schema must fit and have a
 * label. SOTTO_OK, or a fault. */
sotto_status sotto__rewards_read(sotto_schema *schema, sotto_fault *fault);

/* ---- survey --------------------------------------------------------------------------------- */

/* One pass over a file for a draft: of every column its smallest and largest number and its words. */

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
    sotto__sighting first_other; /* a number that is written otherwise (inner.h) */
    sotto__sighting first_missing;
    bool words;         /* some values are neither numbers nor written otherwise */
    const char *excess; /* why its values are not levels, or NULL */
    double lo, hi;
    sotto__levels levels;
    char *level[SOTTO__DRAFT_LEVELS_MAX];
} sotto__seen;

typedef struct sotto__survey {
    const sotto_draft *draft;
    sotto__source source;
    sotto_schema *schema;
    sotto_fault *fault;
    sotto__levels missing;
    char mark;     /* of decimal numbers */
    uint64_t line; /* of the record that is seen */
    uint64_t rows;
    uint32_t columns_count; /* of LIBSVM with the label, which is the first */
    char *name[SOTTO__COLUMNS_MAX + 1];
    sotto__seen *seen[SOTTO__COLUMNS_MAX + 1];
    sotto__record record;
} sotto__survey;

/* Fills `seen` from the rows, and the schema's separator, decimal mark and header from the file.
 * `source` must be open. SOTTO_OK, or a fault. */
sotto_status sotto__survey_csv(sotto__survey *s);
sotto_status sotto__survey_libsvm(sotto__survey *s);
/* Frees what was seen, but not the struct itself, its source and its words for missing. */
void sotto__survey_free(sotto__survey *s);

bool sotto__has_words(const sotto__seen *of);
/* The first column of that name, or columns_count. */
uint32_t sotto__survey_column(const sotto__survey *s, const char *name);
/* The k-th of the names given in advance, k < 4 + ignored_count; it may be NULL. */
const char *sotto__draft_given(const sotto_draft *draft, uint32_t k);
sotto_status sotto__survey_no_memory(sotto__survey *s);

/* ---- vw ------------------------------------------------------------------------------------- */

/* VW text as records: names become the columns of a schema. */

typedef struct sotto__vw sotto__vw;

/* The schema is borrowed; its format must be vw or vw-adf, and it must fit. */
SOTTO_CHECK sotto_status sotto__vw_new(const sotto_schema *schema, sotto__vw **out);
void sotto__vw_free(sotto__vw *vw); /* accepts NULL */

/* The next person. The columns of its fields are those of the schema, each at most once; the first field
 * is the label, empty where there is none. SOTTO_OK, or a fault. */
sotto_status sotto__vw_next(sotto__vw *vw, sotto__source *source, sotto__record *record,
                            sotto_fault *fault);

/* The bucket of a name, below `buckets`, and the sign with which it counts there. */
uint32_t sotto__vw_bucket(const char *name, size_t bytes, uint32_t buckets, double *sign);

/* ---- vw_line -------------------------------------------------------------------------------- */

/* A line of VW text as words and features. */

#define SOTTO__VW_WORDS_MAX 8u /* before the first bar; labels of our kinds have one or two */

/* Texts lie in the line and are not terminated. */
typedef struct sotto__vw_word {
    const char *text;
    uint32_t bytes;
} sotto__vw_word;

typedef struct sotto__vw_feature {
    sotto__vw_word whole;
    sotto__vw_word name;  /* up to the first colon */
    sotto__vw_word value; /* behind it; text NULL: there is none */
} sotto__vw_feature;

typedef struct sotto__vw_line {
    const char *text, *end;
    const char *at;       /* what comes next */
    uint32_t words_count; /* before the first bar, the tag left out */
    sotto__vw_word word[SOTTO__VW_WORDS_MAX];
    sotto__vw_word space; /* the namespace of the feature that was read last; empty: the default */
    double weight;        /* of that namespace */
    sotto__vw_word wrong; /* what a fault is about */
} sotto__vw_line;

/* Begins a line of VW text; `text` has no line ends. The sentence of a fault is worded to
 * follow line->wrong. */
SOTTO_CHECK sotto_status sotto__vw_line_begin(sotto__vw_line *line, const char *text,
                                              uint32_t bytes, sotto_fault *fault);
/* Reads the next feature; an empty one at the end. A fault is worded in the same way. */
SOTTO_CHECK sotto_status sotto__vw_line_next(sotto__vw_line *line, sotto__vw_feature *feature,
                                             sotto_fault *fault);

#endif
