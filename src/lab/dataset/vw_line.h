/* A line of VW text as words and features. */
#ifndef SOTTO_LAB_DATASET_VW_LINE_H
#define SOTTO_LAB_DATASET_VW_LINE_H

#include <stdbool.h>
#include <stdint.h>

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

/* A text without line ends. NULL, or why it is no line of VW text. */
const char *sotto__vw_line_begin(sotto__vw_line *line, const char *text, uint32_t bytes);
/* The next feature; an empty one at the end. NULL, or why it is none. */
const char *sotto__vw_line_next(sotto__vw_line *line, sotto__vw_feature *feature);

#endif
