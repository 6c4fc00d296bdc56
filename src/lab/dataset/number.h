/* A field as a number. */
#ifndef SOTTO_LAB_DATASET_NUMBER_H
#define SOTTO_LAB_DATASET_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#define SOTTO__NUMBER_BYTES_MAX 1000u

/* The double nearest to the text, whatever the locale; false unless it is a finite decimal number
 * such as -1, +.5, 3.25e-7 of at most SOTTO__NUMBER_BYTES_MAX bytes. */
bool sotto__number(const char *text, size_t bytes, double *out);
/* The same with `mark` in place of the point: a point or a comma. */
bool sotto__marked_number(const char *text, size_t bytes, char mark, double *out);
/* And faster, for a text in a source's buffer, behind which 8 bytes can be read. */
bool sotto__padded_number(const char *text, size_t bytes, char mark, double *out);

#endif
