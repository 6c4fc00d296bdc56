/* The rows of the table of scores. */
#ifndef SOTTO_SCORE_ROWS_H
#define SOTTO_SCORE_ROWS_H

#include "score.h"

sotto__score_function sotto__score_sign;
sotto__score_function sotto__score_self;
sotto__score_function sotto__score_huber;
sotto__score_function sotto__score_gradient;
sotto__score_function sotto__score_moments;
sotto__score_function sotto__score_gloc_pair;
sotto__score_function sotto__score_centred;
sotto__score_function sotto__score_reward; /* also of measure rounds */
sotto__score_function sotto__score_lifted;
sotto__score_function sotto__score_mean;

#endif
