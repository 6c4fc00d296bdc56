/* The table of scores: which one a spec has. */
#ifndef SOTTO_SCORE_TABLE_H
#define SOTTO_SCORE_TABLE_H

#include "score.h"

/* The function of a spec's score. */
sotto__score_function *sotto__score_of(const sotto_spec *spec);

#endif
