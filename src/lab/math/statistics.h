/* Distributions and confidence bounds: what turns counts into statements with an error rate. */
#ifndef SOTTO_LAB_MATH_STATISTICS_H
#define SOTTO_LAB_MATH_STATISTICS_H

#include <stdint.h>

/* P(N(0,1) > x), and z with P(N(0,1) <= z) = p, 0 < p < 1. */
double sotto__normal_tail(double x);
double sotto__normal_quantile(double p);
/* P(|N(0,1)| > |z|). */
double sotto__two_sided(double z);

/* P(chi-square with `freedom` degrees > x). */
double sotto__chi_square_tail(double x, double freedom);

/* x with I_x(a, b) = p; a, b > 0, 0 <= p <= 1. */
double sotto__beta_inverse(double p, double a, double b);

/* Clopper and Pearson: k successes in n; the true chance lies below (above) the bound with
 * probability at most alpha. */
double sotto__chance_lower(uint64_t k, uint64_t n, double alpha);
double sotto__chance_upper(uint64_t k, uint64_t n, double alpha);

/* P(X >= k) of a binomial X, and the two-sided p-value of k. */
double sotto__binomial_tail(uint64_t k, uint64_t n, double chance);
double sotto__binomial_p(uint64_t k, uint64_t n, double chance);

/* p-value of counts whose places are equally likely. */
double sotto__uniform_p(const uint64_t *count, uint32_t places);

/* p-value of a mean square over `count` numbers of mean 0, variance 1 and this kurtosis. */
double sotto__variance_p(double mean_square, uint64_t count, double kurtosis);

/* p of the smallest of `rows` p-values, if all hypotheses were true (Bonferroni). */
double sotto__smallest_p(double p, double rows);

#endif
