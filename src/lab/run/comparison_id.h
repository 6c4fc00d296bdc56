/* What a comparison is, as a hash and in words, for those who confuse two of them. */
#ifndef SOTTO_LAB_RUN_COMPARISON_ID_H
#define SOTTO_LAB_RUN_COMPARISON_ID_H

#include "comparison.h"
#include "core/digest.h"

#define SOTTO__COMPARISON_ID_BYTES (2 * SOTTO__DIGEST_BYTES + 1)
#define SOTTO__COMPARISON_ABOUT_BYTES 1024u

/* SHA-256, in hexadecimal, over everything that determines results, except how many seeds there
 * are: a sweep may grow. */
void sotto__comparison_id(const sotto__comparison *comparison,
                          char hex[SOTTO__COMPARISON_ID_BYTES]);

/* The main options. */
void sotto__comparison_about(const sotto__comparison *comparison,
                             char about[SOTTO__COMPARISON_ABOUT_BYTES]);

#endif
