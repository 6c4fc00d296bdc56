/* sotto inspect calibration: the paper's noise on the moments beside the exact one. */
#include "calibrate.h"
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

void inspect_calibration(const calibration_grid *grid, bool json)
{
    if (json) {
        printf("[");
    } else {
        printf("noise on the moments (x x', r x), |r| <= 1: standard deviations, and the true\n"
               "epsilon (at the delta) and delta (at the epsilon) of the paper's\n\n"
               "claimed               paper               exact               paper, in truth\n"
               "epsilon   delta   C_B      x x'       r x      x x'       r x   epsilon"
               "     delta\n");
    }
    bool first = true;
    for (uint32_t c = 0; c < grid->bounds_count; c++) {
        for (uint32_t d = 0; d < grid->deltas_count; d++) {
            for (uint32_t e = 0; e < grid->epsilons_count; e++) {
                print_row(grid->epsilons[e], grid->deltas[d], grid->bounds[c], json, first);
                first = false;
            }
        }
    }
    printf(json ? "]\n" : "\n");
}
