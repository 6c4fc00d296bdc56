/* The two-sided rank test of Mann and Whitney, exact. */
#ifndef SOTTO_LAB_MATH_RANK_TEST_H
#define SOTTO_LAB_MATH_RANK_TEST_H

#include <sotto/core.h>

#define SOTTO__RANK_TEST_MAX 128u /* values of one side */

/* The chance of an order as far from even as this one, if all values have one law. NAN for more
 * values than SOTTO__RANK_TEST_MAX, for none, or for a value of one side that is also in the other:
 * the law is that of continuous values. */
double sotto__rank_test(const double *first, uint32_t first_count, const double *second,
                        uint32_t second_count);

#endif
