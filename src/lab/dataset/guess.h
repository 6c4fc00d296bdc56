/* How a CSV file writes fields and numbers, guessed from its first bytes. */
#ifndef SOTTO_LAB_DATASET_GUESS_H
#define SOTTO_LAB_DATASET_GUESS_H

#include "source.h"

/* Both look at the bytes at hand, and take none of them. */
char sotto__guess_separator(const sotto__source *source);
char sotto__guess_decimal(const sotto__source *source, char separator); /* '.' or ',' */

#endif
