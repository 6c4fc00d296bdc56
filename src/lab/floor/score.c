#include "core/core.h"
#include "inner.h"
#include "lab/math/math.h"

#include <math.h>
#include <stdlib.h>

/* ==== fixed point ============================================================================ */

/* False position between two ends; the value at an end that stays is halved (Illinois). */

#define STEPS_MAX 200

double sotto__fixed_point(sotto__falling *f, void *state, double low, double high, double tolerance)
{
    double above = f(low, state) - low;
    double near = fmin(high, 1.3 * low); /* `low` is often close, so look near it first */
    double under = f(near, state) - near;
    if (under <= 0) {
        high = near;
    } else {
        low = near, above = under;
        under = f(high, state) - high;
    }
    double rho = low;
    for (int i = 0, side = 0; i < STEPS_MAX && high - low > tolerance * high; i++) {
        bool bracketed = above > 0 && under < 0;
        rho = bracketed ? (low * under - high * above) / (under - above) : (low + high) / 2;
        double rest = f(rho, state) - rho;
        if (fabs(rest) <= tolerance * rho) break; /* f falls, so the root is nearer than that */
        if (rest > 0) {
            low = rho, above = rest;
            under = side > 0 ? under / 2 : under;
            side = 1;
        } else {
            high = rho, under = rest;
            above = side < 0 ? above / 2 : above;
            side = -1;
        }
    }
    return rho;
}

/* ==== information ============================================================================ */

/*
 * A report Z is a random map of the secret, P(Z = z | secret) = q(z, secret). By epsilon-LDP, q
 * lies between some b(z) and e^epsilon b(z) for all secrets. E[S] = 0, so for a unit u
 *
 *     <u, E[S | Z = z]> = E[<u, S> (q/b - 1)]/E[q/b] <= max over q/b in [1, e^epsilon].
 *
 * The maximum rho has q/b = e^epsilon where <u, S> is above rho, and 1 elsewhere, so rho =
 * (e^epsilon - 1) E[(<u, S> - rho)_+]. Hence |E[S | Z]| <= rho if no direction u has a larger rho,
 * and the trace E|E[S | Z]|^2 is at most rho^2. By Jensen it is at most E|S|^2.
 *
 * If a report does not say which of K arms was pulled, u may be spread evenly over the directions
 * of m arms: <u, S>/sqrt(m) with chance m/K, otherwise 0.
 */

typedef struct spread {
    const sotto__cells *cells;
    const sotto__floor_score *score;
    double factor; /* (e^epsilon - 1) m/K */
    double scale;  /* 1/sqrt(m) */
} spread;

static double excess(double rho, void *state)
{
    const spread *of = state;
    double sum = 0;
    for (uint32_t i = 0; i < of->cells->count; i++) {
        const sotto__cell *at = &of->cells->cell[i];
        sum += at->weight * sotto__score_excess(of->score, at->c, at->y * of->scale, rho);
    }
    return of->factor * sum;
}

double sotto__information_root(const sotto__cells *cells, const sotto__floor_score *score,
                               double epsilon, uint32_t m, uint32_t arms)
{
    spread of = {cells, score, sotto__expm1(epsilon) * m / arms, 1 / sqrt(m)};
    return sotto__fixed_point(excess, &of, 0, excess(0, &of), 1e-10);
}

double sotto__information_open(const sotto__cells *cells, const sotto__floor_score *score)
{
    double sum = 0;
    for (uint32_t i = 0; i < cells->count; i++) {
        const sotto__cell *at = &cells->cell[i];
        sum += at->weight * (1 - at->c * at->c) * sotto__score_square(score, at->c);
    }
    return sum;
}

/* ==== score ================================================================================== */

/*
 * A person's reward r has mean mu = mu(D c), c = x . theta* over D, and variance v. Its
 * log-likelihood has the derivative
 *
 *     e = (r - mu) mu'/v
 *
 * by x . theta* (laws gaussian, bernoulli and poisson), so that theta* turned along a unit tangent
 * u has the score <u, S> = e D y, y = <u, x>. E[e] = 0 and E[e^2] = mu'^2/v.
 */

#define COUNT_MAX 1000

static double variance(const sotto__floor_score *score, double mean)
{
    switch (score->law) {
    case SOTTO_LAW_GAUSSIAN: return score->noise * score->noise;
    case SOTTO_LAW_BERNOULLI: return mean * (1 - mean);
    case SOTTO_LAW_POISSON: return mean;
    case SOTTO_LAW_NONE: return 0;
    }
    return 0;
}

bool sotto__score_exists(const sotto__floor_score *score)
{
    bool chance = score->link == SOTTO_LINK_LOGIT || score->link == SOTTO_LINK_PROBIT;
    if (!(score->theta_norm >= 1e-6 && score->theta_norm <= 5)) return false;
    switch (score->law) {
    case SOTTO_LAW_GAUSSIAN: return score->noise >= 1e-6 && score->noise <= 1e6;
    case SOTTO_LAW_BERNOULLI: return chance;
    case SOTTO_LAW_POISSON: return score->link == SOTTO_LINK_LOG;
    case SOTTO_LAW_NONE: return false;
    }
    return false;
}

/* E[(s Z - rho)_+], Z a standard normal, s > 0. */
static double normal_excess(double s, double rho)
{
    const double root_two_pi = 2.50662827463100050242;
    double a = rho / s;
    if (a > 38) return 0;
    return fmax(0, s * exp(-0.5 * a * a) / root_two_pi - rho * sotto__normal_tail(a));
}

/* (|value| - rho)_+/2: only one of the two signs is above 0. */
static double either(double value, double rho)
{
    return fmax(0, fabs(value) - rho) / 2;
}

static double count_excess(double mean, double scale, double rho)
{
    double chance = exp(-mean), sum = 0;
    for (int k = 0; k < COUNT_MAX; k++) {
        sum += chance * either((k - mean) * scale, rho);
        if (k > mean && chance < 1e-18) break;
        chance *= mean / (k + 1);
    }
    return sum;
}

double sotto__score_excess(const sotto__floor_score *score, double c, double y, double rho)
{
    double at = score->theta_norm * c, mean = sotto__link_mean(score->link, at);
    double scale =
        sotto__link_slope(score->link, at) / variance(score, mean) * score->theta_norm * y;
    if (!(scale > 0)) return 0;
    switch (score->law) {
    case SOTTO_LAW_GAUSSIAN: return normal_excess(score->noise * scale, rho);
    case SOTTO_LAW_BERNOULLI:
        return mean * either((1 - mean) * scale, rho) + (1 - mean) * either(mean * scale, rho);
    case SOTTO_LAW_POISSON: return count_excess(mean, scale, rho);
    case SOTTO_LAW_NONE: return 0;
    }
    return 0;
}

double sotto__score_square(const sotto__floor_score *score, double c)
{
    double at = score->theta_norm * c, mean = sotto__link_mean(score->link, at);
    double slope = sotto__link_slope(score->link, at) * score->theta_norm;
    return slope * slope / variance(score, mean);
}

/* ==== cells ================================================================================== */

/*
 * With phi the angle between x and theta*, and a that between its tangent part and u,
 *
 *     c = cos(phi),  y = sin(phi) |cos(a)|,  density ~ sin^(d-2)(phi) sin^(d-3)(a).
 *
 * In the plane there is only one tangent, and y = sin(phi). Both angles are integrated where the
 * density is: within 12/sqrt(d) of a right angle. The largest c of K arms has K F^(K-1) times the
 * density of one.
 *
 * The grid swaps the roles of the angles, y = cos(b), c = sin(b) cos(a), so that each row has one
 * y. It extends 8/sqrt(d) to each side. Rows are shifted against each other by the golden ratio, so
 * that no two cells have the same c, which matters where cells are sorted.
 */

#define OUTER_PANELS 32u
#define INNER_PANELS 4u
#define ROWS 32u
#define COLUMNS 64u
#define ROWS_PLANE 128u

static const double right_angle = 1.57079632679489661923;

/* The angle where the density of sin^power begins: `sds` standard deviations before a right
 * angle. */
static double first_angle(double power, double sds)
{
    return acos(fmin(1, sds / sqrt(power + 2)));
}

/* Adds one row of cells at angle phi: `inner` nodes of the second angle, or one in the plane. */
static void add_row(sotto__cells *cells, uint32_t dim, double phi, double weight, uint32_t inner)
{
    double c = cos(phi), s = sin(phi);
    if (dim == 2) {
        cells->cell[cells->count++] = (sotto__cell){c, s, weight};
        return;
    }
    double power = dim - 3.0, from = first_angle(power, 12);
    for (uint32_t i = 0; i < inner; i++) {
        sotto__node node = sotto__quadrature_node(from, right_angle, INNER_PANELS, i);
        double density = exp(power * log(sin(node.at))) * node.weight;
        cells->cell[cells->count++] = (sotto__cell){c, s * cos(node.at), weight * density};
    }
}

static void normalise(sotto__cells *cells)
{
    double sum = 0;
    for (uint32_t i = 0; i < cells->count; i++) {
        sum += cells->cell[i].weight;
    }
    for (uint32_t i = 0; i < cells->count; i++) {
        cells->cell[i].weight /= sum;
    }
}

static sotto__cells *empty(uint32_t outer, uint32_t inner)
{
    sotto__cells *cells = malloc(sizeof *cells + (size_t)outer * inner * sizeof(sotto__cell));
    if (cells != NULL) cells->count = 0;
    return cells;
}

sotto__cells *sotto__cells_greedy(uint32_t dim, uint32_t arms)
{
    const uint32_t outer = OUTER_PANELS * SOTTO__PANEL_NODES;
    const uint32_t inner = INNER_PANELS * SOTTO__PANEL_NODES;
    sotto__cells *cells = empty(outer, inner);
    if (cells == NULL) return NULL;
    double a = (dim - 1) / 2.0, from = first_angle(dim - 2.0, 12);
    for (uint32_t i = 0; i < outer; i++) {
        sotto__node node = sotto__quadrature_node(from, 2 * right_angle - from, OUTER_PANELS, i);
        double log_cdf = log(sotto__incomplete_beta((1 + cos(node.at)) / 2, a, a));
        double density = exp((dim - 2.0) * log(sin(node.at)) + (arms - 1.0) * log_cdf);
        add_row(cells, dim, node.at, node.weight * density, inner);
    }
    normalise(cells);
    return cells;
}

/* Adds one row of the grid at angle b. */
static void add_even(sotto__cells *cells, uint32_t dim, double b, double shift)
{
    double y = cos(b), s = sin(b), weight = exp((dim - 2.0) * log(s));
    if (dim == 2) {
        cells->cell[cells->count++] = (sotto__cell){-s, y, weight};
        cells->cell[cells->count++] = (sotto__cell){s, y, weight};
        return;
    }
    double power = dim - 3.0, from = first_angle(power, 8);
    double step = 2 * (right_angle - from) / COLUMNS;
    for (uint32_t i = 0; i < COLUMNS; i++) {
        double a = from + (i + shift) * step, density = exp(power * log(sin(a)));
        cells->cell[cells->count++] = (sotto__cell){s * cos(a), y, weight * density};
    }
}

sotto__cells *sotto__cells_even(uint32_t dim)
{
    const double golden = 0.61803398874989484820;
    uint32_t rows = dim == 2 ? ROWS_PLANE : ROWS;
    sotto__cells *cells = empty(rows, COLUMNS);
    if (cells == NULL) return NULL;
    double from = first_angle(dim - 2.0, 8), step = (right_angle - from) / rows;
    for (uint32_t i = 0; i < rows; i++) {
        add_even(cells, dim, from + (i + 0.5) * step, fmod((i + 0.5) * golden, 1));
    }
    normalise(cells);
    return cells;
}
