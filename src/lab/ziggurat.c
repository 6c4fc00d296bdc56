/*
 * Marsaglia and Tsang's ziggurat (2000): the area under e^(-x^2/2), x > 0, in 256 layers of equal
 * area V. Layer i is the box [0, x_i) x [y_i, y_(i+1)); the lowest also holds the tail beyond R.
 *
 *     x_1 = R,   x_(i+1) = f^-1(V/x_i + f(x_i)),   f(x) = e^(-x^2/2),   x_0 = V/f(R)
 */
#include "ziggurat.h"

#include <math.h>

static const double edge = 3.6541528853610087963519472518; /* R */
static const double area = 0.0049286732339746519516134115; /* V */

static double density(double x)
{
    return exp(-x * x / 2);
}

void sotto__ziggurat_begin(sotto__ziggurat *ziggurat)
{
    double *x = ziggurat->x, *y = ziggurat->y;
    x[0] = area / density(edge);
    x[1] = edge;
    for (int i = 1; i < SOTTO__LAYERS - 1; i++) {
        x[i + 1] = sqrt(-2 * log(area / x[i] + density(x[i])));
    }
    x[SOTTO__LAYERS] = 0;
    y[0] = 0; /* the base reaches down to the axis */
    for (int i = 1; i <= SOTTO__LAYERS; i++) {
        y[i] = density(x[i]);
    }
}

/* Beyond R (Marsaglia 1964): x = R - ln(u)/R, kept where x and another exponential agree. */
static double draw_tail(sotto__seeded *seeded)
{
    double x, y;
    do {
        x = -log(sotto__uniform(sotto__seeded_next(seeded))) / edge;
        y = -log(sotto__uniform(sotto__seeded_next(seeded)));
    } while (2 * y < x * x);
    return edge + x;
}

double sotto__normal(const sotto__ziggurat *ziggurat, sotto__seeded *seeded)
{
    const double *edges = ziggurat->x, *heights = ziggurat->y;
    for (;;) {
        uint64_t bits = sotto__seeded_next(seeded);
        uint32_t layer = bits & 255;
        double sign = (bits & 256) != 0 ? -1 : 1;
        double x = (double)(bits >> 11) * 0x1p-53 * edges[layer];
        if (x < edges[layer + 1]) return sign * x;
        if (layer == 0) return sign * draw_tail(seeded);
        double u = sotto__uniform(sotto__seeded_next(seeded));
        double y = heights[layer] + u * (heights[layer + 1] - heights[layer]);
        if (y < density(x)) return sign * x;
    }
}
