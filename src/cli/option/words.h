/* Lists separated by commas, as options take them. */
#ifndef SOTTO_CLI_OPTION_WORDS_H
#define SOTTO_CLI_OPTION_WORDS_H

#include <sotto/core.h>

#define WORD_BYTES 64u

/* The next word of a list. False at its end. A word that does not fit is too long to be valid,
 * and its end shows that. */
bool word_next(const char **at, char word[WORD_BYTES]);

/* NULL, or `fault`: a list in which a word is missing, as in "1," or "1,,2". */
const char *word_list_fault(const char *text, char fault[SOTTO_FAULT_BYTES]);

/* A number within [lo, hi] and nothing else. */
bool word_real(const char *word, double lo, double hi, double *value);

/* A share of measure rounds: 0, or 0.001 to 0.5. NULL, or `fault`: the word, and what is allowed. */
const char *word_share(const char *word, double *share, char fault[SOTTO_FAULT_BYTES]);

/* Two numbers with a comma between them, each within [lo, hi]. */
bool word_pair(const char *text, double lo, double hi, double pair[2]);

/* A whole number, written in digits or like 1e5. False for anything else. */
bool word_whole(const char *text, uint64_t *value);

/* A delay: WINDOW,SPREAD,RATE, whole seconds to a year and people per second; or WINDOW,SPREAD, and the rate is 0. */
typedef struct word_delayed {
    uint32_t window_s, spread_s;
    double rate;
} word_delayed;

/* NULL, or `fault`. */
const char *word_delay(const char *text, bool rate_needed, word_delayed *out,
                       char fault[SOTTO_FAULT_BYTES]);

/* Bytes from 2 x count hexadecimal digits. */
bool word_hex(const char *text, uint8_t *out, uint32_t count);

#endif
