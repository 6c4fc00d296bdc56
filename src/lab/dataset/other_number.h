/* Numbers that are written otherwise than those of the file. */
#ifndef SOTTO_LAB_DATASET_OTHER_NUMBER_H
#define SOTTO_LAB_DATASET_OTHER_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* A number to people but not to sotto__marked_number with this mark: it has thousands separators, as
 * 1.234,50 or 1 234, or the other decimal mark. */
bool sotto__is_other_number(const char *text, size_t bytes, char mark);

/* Why a text that is not a number with this mark is none, to stand behind it in a sentence. */
const char *sotto__number_reason(const char *text, size_t bytes, char mark);

#endif
