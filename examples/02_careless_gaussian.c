/*
 * A careless program, for the audit to catch. It reads lines of numbers, clips them to the unit
 * ball, and answers each with Gaussian noise "for epsilon 1, delta 1e-6". It makes two mistakes. It
 * uses the radius of the ball as the greatest distance of two people, but they can be two radii
 * apart, so its noise is half of what is needed. And it adds the noise in doubles, whose low bits
 * reveal more.
 *
 *     sotto audit --exec build/release/02_careless_gaussian --dim 2 --epsilon 1 --delta 1e-6
 */
#include <sotto/core.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DIM_MAX 64

static double normal(void)
{
    return sqrt(-2 * log(1 - drand48())) * cos(6.28318530717958647693 * drand48());
}

int main(void)
{
    double sigma = sotto_gaussian_sigma(1, 1e-6, 1); /* should be 2, the diameter */
    char *line = NULL;
    size_t capacity = 0;
    srand48(time(NULL));
    while (getline(&line, &capacity, stdin) > 0) {
        double x[DIM_MAX], norm = 0;
        int dim = 0;
        for (char *at = line, *end; dim < DIM_MAX; at = end, dim++) {
            x[dim] = strtod(at, &end);
            if (end == at) break;
            norm = hypot(norm, x[dim]);
        }
        for (int i = 0; i < dim; i++) {
            printf("%.17g%c", x[i] / fmax(1, norm) + sigma * normal(), i + 1 < dim ? ' ' : '\n');
        }
    }
    free(line);
    return 0;
}
