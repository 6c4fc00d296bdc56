/* sotto inspect calibration: the paper's noise on the moments beside the exact one. */
#include "core/calibrate.h"
#include "inspect.h"

#include <sotto/lab.h>

#include <math.h>
#include <stdio.h>

/* Noise of least squares with rewards in [-1, 1]: its standard deviation on an off-diagonal entry
 * of x x' and on an entry of r x, by the paper and by us, and what the paper's truly gives. */
static void print_row(double epsilon, double delta, double bound, bool json, bool first)
{
    sotto_paper_moments paper = sotto_paper_calibration(epsilon, delta, bound);
    double exact = sotto_gaussian_sigma(epsilon, delta, sotto__moments_diameter(bound, 1, 1));
    const char *format =
        json ? "%s{\"epsilon\": %.17g, \"delta\": %.17g, \"context_norm_max\": %.17g, "
               "\"paper_square\": %.17g, \"paper_product\": %.17g, \"exact_square\": %.17g, "
               "\"exact_product\": %.17g, \"true_epsilon\": %.17g, \"true_delta\": %.17g, "
               "\"holds\": %s}"
             : "%s%7.4g %7.2g %5.3g %9.4g %9.4g %9.4g %9.4g %9.4g %9.3g  %s";
    bool holds = paper.epsilon <= epsilon;
    printf(format,
           first  ? ""
           : json ? ",\n "
                  : "\n",
           epsilon, delta, bound, 2 * bound * paper.sigma, bound * paper.sigma, exact / sqrt(2),
           exact, paper.epsilon, paper.delta,
           json    ? (holds ? "true" : "false")
           : holds ? "holds"
                   : "BROKEN");
}

void inspect_calibration(const double *epsilon, const double *delta, const double *bound, bool json)
{
    static const double epsilons[] = {0.5, 1, 2, 5, 8, 10};
    static const double deltas[] = {0.1, 1e-2, 1e-5, 1e-6}, bounds[] = {1, 2, 3, 5};
    const char *head =
        "noise on the moments (x x', r x), |r| <= 1: standard deviations, and the true\n"
        "epsilon (at the delta) and delta (at the epsilon) of the paper's\n\n"
        "claimed               paper               exact               paper, in truth\n"
        "epsilon   delta   C_B      x x'       r x      x x'       r x   epsilon     delta\n";
    printf("%s", json ? "[" : head);
    for (int i = 0; i < 4 * 4 * 6; i++) {
        int e = i % 6, d = i / 6 % 4, c = i / 24;
        /* what was given stands in for the first of its list */
        if ((epsilon != NULL && e > 0) || (delta != NULL && d > 0) || (bound != NULL && c > 0)) {
            continue;
        }
        print_row(epsilon != NULL ? *epsilon : epsilons[e], delta != NULL ? *delta : deltas[d],
                  bound != NULL ? *bound : bounds[c], json, i == 0);
    }
    printf(json ? "]\n" : "\n");
}
