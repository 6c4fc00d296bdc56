/*
 * Chances of the watch.
 *
 *   binomial   P(X >= x) = I_q(x, n - x + 1),    P(X <= x) = I_{1-q}(n - x, x + 1)
 *
 *   entropy    n counts of m equally likely cells, phat = counts/n, have
 *
 *                  E exp(s n D(phat || uniform)) <= (1 - s)^-(m-1),     0 <= s < 1
 *
 *              (Agrawal 2020, "Finite-sample concentration of the multinomial in relative entropy"): for
 *              every n, small cells included. Sums of independent ones multiply, so with F the sum of
 *              their m - 1, by Markov at the best s = 1 - F/x:
 *
 *                  P(sum n D >= x) <= e^(F - x) (x/F)^F,     x > F
 *
 *              2 n D is the chi-square of the likelihood ratio; what a table of chi-square gives is
 *              true for large n only.
 *
 *   sphere     P(|U_1| > t) = I_{1-t^2}((d-1)/2, 1/2)
 */
#include "watch_chance.h"
#include "core/special.h"

#include <math.h>

#define HALVINGS 60

double sotto__chance_above(uint64_t x, uint64_t n, double chance)
{
    if (x == 0 || chance >= 1) return 1;
    return sotto__incomplete_beta(chance, (double)x, (double)(n - x) + 1);
}

double sotto__chance_apart(uint64_t x, uint64_t n, double chance)
{
    double above = sotto__chance_above(x, n, chance);
    double below = sotto__chance_above(n - x, n, 1 - chance);
    return fmin(1, 2 * fmin(above, below));
}

double sotto__entropy_of(const uint64_t *count, uint32_t cells, uint32_t stride, uint64_t *total)
{
    uint64_t n = 0;
    double sum = 0;
    for (uint32_t i = 0; i < cells; i++) {
        n += count[(uint64_t)i * stride];
    }
    *total += n;
    for (uint32_t i = 0; i < cells; i++) {
        double c = (double)count[(uint64_t)i * stride];
        if (c > 0) sum += c * log(c * cells / (double)n);
    }
    return sum;
}

double sotto__entropy_chance(double x, double freedom)
{
    if (x <= freedom) return 1;
    return freedom == 0 ? 1 : exp(freedom - x + freedom * log(x / freedom));
}

double sotto__tail_square(uint32_t dim, double chance)
{
    double low = 0, high = 1; /* of 1 - t^2: the chance grows with it */
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        bool above = sotto__incomplete_beta(middle, (dim - 1) / 2.0, 0.5) > chance;
        *(above ? &high : &low) = middle;
    }
    return 1 - low;
}
