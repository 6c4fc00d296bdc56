/* Names that a person may have meant. */
#ifndef SOTTO_CLI_OPTION_NEAREST_H
#define SOTTO_CLI_OPTION_NEAREST_H

#include <sotto/core.h>

/* The names of 0, 1, ...; NULL after the last. */
typedef const char *option_names(uint32_t value);

/* Twice the Levenshtein distance, for words of at most 31 letters; 0 means that they are the same. A
 * part of a name, of three letters or more, is next to it. */
uint32_t name_distance(const char *word, const char *name);

/* The number of `word` in a list of names. NULL, or `fault`: the word, what is allowed, and the
 * nearest name. */
const char *name_find(const char *word, option_names *names, uint32_t *value,
                      char fault[SOTTO_FAULT_BYTES]);

#endif
