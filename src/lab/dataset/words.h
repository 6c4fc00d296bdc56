/* The words of a schema file. */
#ifndef SOTTO_LAB_DATASET_WORDS_H
#define SOTTO_LAB_DATASET_WORDS_H

#include "record.h"

#include <stdio.h>

#define SOTTO__WORDS_MAX (SOTTO__COLUMNS_MAX + 2u) /* of one statement */

typedef struct sotto__word {
    const char *text; /* not terminated */
    size_t bytes;
    bool quoted;
} sotto__word;

typedef struct sotto__words {
    char *at, *end;     /* what is left */
    uint64_t next_line; /* where it begins */
    uint64_t line;      /* where the statement begins */
    uint32_t count;     /* of its words; 0 at the end of the file */
    sotto__word word[SOTTO__WORDS_MAX];
} sotto__words;

/* The text is changed while it is read; a line feed stands behind it. */
void sotto__words_begin(sotto__words *words, char *text, size_t bytes);
/* The next statement. NULL, or why it is none. */
const char *sotto__words_next(sotto__words *words);
bool sotto__word_is(const sotto__word *word, const char *text);

/* As sotto__words_next reads it back, and never as a range. */
void sotto__word_write(const char *text, FILE *file);

#endif
