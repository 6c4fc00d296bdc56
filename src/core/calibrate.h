/* Scales that a spec's constants are made of; the public ones are in sotto/core.h. */
#ifndef SOTTO_CALIBRATE_H
#define SOTTO_CALIBRATE_H

#include <sotto/core.h>

#define SOTTO__WEIGHT_REST (UINT64_C(1) << 28)

/* dim 1 to SOTTO_CELLS_MAX, epsilon 1e-3 to 50: where the calibrations are right. */
bool sotto__calibration_range(uint32_t dim, double epsilon);

/* The weight of a TOP codeword that a new spec gets, and the largest that a client accepts: the gap
 * between the two absorbs the last bits in which two machines' exp() may differ. */
uint64_t sotto__weight_top(double epsilon);
uint64_t sotto__weight_top_max(double epsilon);

/* The codebook with nulls, of `groups` arm tags, whose report varies least for scores of mean size
 * `score_size` (0 to 1); scale infinity where there is none. */
sotto_codebook sotto__codebook_with_nulls(uint32_t dim, uint32_t groups, double epsilon,
                                          double score_size);
/* q: the chance that a report of such a score is not null; 1 without nulls. */
double sotto__codebook_heard(const sotto_codebook *codebook, double epsilon, double score_size);
/* B^2 q: the variance of a report of such a score, up to what all codebooks share. */
double sotto__codebook_variance(const sotto_codebook *codebook, double epsilon, double score_size);

/* L2 and L1 diameters of the moment statistics. */
double sotto__moments_diameter(double context_norm_max, double reward_max, double weight);
double sotto__moments_diameter_l1(uint32_t dim, double context_norm_max, double reward_max,
                                  double weight);

#endif
