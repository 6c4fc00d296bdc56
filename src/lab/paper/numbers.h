/* What a part gave, in numbers. All its runs are finished. */
#ifndef SOTTO_LAB_PAPER_NUMBERS_H
#define SOTTO_LAB_PAPER_NUMBERS_H

#include "part.h"

/* The match of a method at an epsilon; UINT32_MAX if the part has none. */
uint32_t sotto__part_match(const sotto__part *part, sotto_player player, double epsilon);

/* The check-point of the last round. */
uint32_t sotto__part_last_point(const sotto__part *part);

/* Regret of every seed at a check-point; as many numbers as there are seeds. */
void sotto__part_regrets(const sotto__part *part, uint32_t match, uint32_t point, double *out);

/* The same as mean, standard deviation, standard error of the mean, and median; NAN if there is no
 * memory. */
typedef struct sotto__spread {
    double mean, deviation, error, median;
} sotto__spread;
sotto__spread sotto__part_spread(const sotto__part *part, uint32_t match, uint32_t point);

/* sqrt(T d)/(e^epsilon - 1): what the lower bound on regret is a multiple of. */
double sotto__part_bound(const sotto__part *part, double epsilon);

/* The slope of the line through log mean regret against log_x, and its standard error: seeds left
 * out one by one (jackknife). A part and a match for each of `count` numbers, at most
 * SOTTO__STAGE_EPSILONS. */
typedef struct sotto__exponent {
    double slope, error;
} sotto__exponent;
sotto__exponent sotto__exponent_of(const sotto__part *const *part, const uint32_t *match,
                                   const double *log_x, uint32_t count);

#endif
