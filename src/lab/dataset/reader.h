/*
 * The parts of reading that dataset.c and dataset_draft.c stand on: bytes, records, numbers, words.
 */
#ifndef SOTTO_LAB_DATASET_READER_H
#define SOTTO_LAB_DATASET_READER_H

#include "dataset.h"

#define SOTTO__COLUMNS_MAX 4096u
#define SOTTO__RECORD_BYTES_MAX 1048576u
#define SOTTO__NUMBER_BYTES_MAX 1000u
#define SOTTO__SHOWN_BYTES 64u /* of a text as sotto__shown leaves it */

/* ---- eight bytes at once ---- */

#define SOTTO__EACH(byte) (UINT64_C(0x0101010101010101) * (uint64_t)(byte))

/* Bit 7 of the lowest byte that is 0 is set, and of no byte below it. */
static inline uint64_t sotto__zero_byte(uint64_t word)
{
    return (word - SOTTO__EACH(1)) & ~word & SOTTO__EACH(0x80);
}

/* ---- dataset_source: the bytes of a file ---- */

typedef struct sotto__source {
    const char *path; /* borrowed, for faults */
    int fd;
    bool end; /* nothing is left to read(2) */
    char *buffer;
    size_t from, to; /* the bytes of the buffer that nobody has taken yet */
    uint64_t line;   /* of buffer[from], from 1 */
    uint64_t bytes;  /* handed out by read(2) since the beginning */
} sotto__source;

/* A regular file, a pipe, or "-". The path is borrowed until the close. */
const char *sotto__source_open(sotto__source *source, const char *path, char *fault);
/* Moves the bytes that are left, at most SOTTO__RECORD_BYTES_MAX, to the front and reads a chunk
 * more, or what is left of the file. A line feed and some bytes more stand behind the last
 * byte; a byte-order mark in front of the first counts as taken. */
const char *sotto__source_fill(sotto__source *source, char *fault);
const char *sotto__source_rewind(sotto__source *source, char *fault);
void sotto__source_close(sotto__source *source);

/* The sentence, in SOTTO__DATASET_FAULT_BYTES; returns `fault`. */
__attribute__((format(printf, 2, 3))) const char *sotto__dataset_fault(char *fault,
                                                                       const char *format, ...);
/* A text from a file as it may stand in a sentence: short, without control characters. */
const char *sotto__shown(const char *text, size_t bytes, char shown[SOTTO__SHOWN_BYTES]);

/* ---- dataset_csv, dataset_libsvm: records ---- */

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

/* The next record that is not blank. NULL, or `fault`. */
const char *sotto__csv_next(sotto__source *source, char separator, sotto__record *record,
                            char *fault);
const char *sotto__libsvm_next(sotto__source *source, sotto__record *record, char *fault);

/* ---- dataset_number ---- */

/* The double nearest to the text, whatever the locale; false unless it is a finite decimal number
 * such as -1, +.5, 3.25e-7 of at most SOTTO__NUMBER_BYTES_MAX bytes. */
bool sotto__number(const char *text, size_t bytes, double *out);
/* The same, and faster, for a text in a source's buffer, behind which 8 bytes can be read. */
bool sotto__padded_number(const char *text, size_t bytes, double *out);

/* ---- dataset_levels: words as indices ---- */

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

/* ---- dataset_schema, dataset_fit: what a schema is made of ---- */

/* A column at the end of the schema; NULL: no memory. */
sotto__column *sotto__schema_add(sotto__schema *schema, sotto__column_kind kind, const char *name,
                                 size_t name_bytes);
/* False: no memory. */
bool sotto__schema_add_level(sotto__column *column, const char *text, size_t bytes);
bool sotto__schema_add_missing(sotto__schema *schema, const char *text, size_t bytes);

/* A name such as 12 as a number from 1 to SOTTO__COLUMNS_MAX, or 0. */
uint32_t sotto__column_index(const char *name);

#endif
