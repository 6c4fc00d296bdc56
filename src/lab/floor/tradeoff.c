/*
 * A rule chooses among K contexts x_a. At theta*, with unit tangent u, c = <x, theta*> over D and
 * y = |<x, u>|, it loses r = E[max c] - E[c] and allows a trace of at most rho^2,
 *
 *     rho = (e^epsilon - 1) E[h_rho(y)],    h_rho(y) = E[(<u, S> - rho)_+ | y].
 *
 * For a given r, the rule with the largest E[h_rho] takes the arm with the largest h_rho(y) +
 * lambda c. The same form gives the largest E|S|^2. Each lambda gives one point of the frontier;
 * lambda = infinity is the greedy rule. A rule may be random, and regret may differ between
 * histories, so the bound is the least concave function above these points.
 *
 * Sort cells with weights w by that sum. The best of K arms is cell i with chance F_i^K -
 * F_(i-1)^K, F_i the weight of all cells up to i.
 */
#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <stdlib.h>

#define LAMBDAS (SOTTO__TRADEOFF_POINTS - 2)

typedef struct ranked {
    double key, c, h, weight;
} ranked;

typedef struct course {
    const sotto__floor_score *score;
    const sotto__cells *cells;
    uint32_t arms;
    double factor; /* e^epsilon - 1 */
    double unit;   /* lambda is in units of h at this y, which few contexts reach */
    ranked *rank;  /* one per cell */
} course;

typedef struct chosen {
    double c, h;
} chosen;

static int by_key(const void *a, const void *b)
{
    double x = ((const ranked *)a)->key, y = ((const ranked *)b)->key;
    return (x > y) - (x < y);
}

/* E[c] and E[h] of the arm with the largest key. */
static chosen best_of(course *at)
{
    chosen sum = {0, 0};
    double below = 0, before = 0;
    qsort(at->rank, at->cells->count, sizeof *at->rank, by_key);
    for (uint32_t i = 0; i < at->cells->count; i++) {
        const ranked *cell = &at->rank[i];
        below += cell->weight;
        double now = pow(fmin(1, below), at->arms);
        sum.c += (now - before) * cell->c;
        sum.h += (now - before) * cell->h;
        before = now;
    }
    return sum;
}

static chosen best_private(course *at, double rho, double lambda)
{
    double top = sotto__score_excess(at->score, 0, at->unit, rho), h = 0;
    for (uint32_t i = 0; i < at->cells->count; i++) {
        const sotto__cell *cell = &at->cells->cell[i];
        /* With link identity h does not depend on c. */
        if (i == 0 || cell->y != cell[-1].y) h = sotto__score_excess(at->score, 0, cell->y, rho);
        at->rank[i] = (ranked){h + lambda * top * cell->c, cell->c, h, cell->weight};
    }
    return best_of(at);
}

static chosen best_open(course *at, double lambda)
{
    double top = sotto__score_square(at->score, 0);
    for (uint32_t i = 0; i < at->cells->count; i++) {
        const sotto__cell *cell = &at->cells->cell[i];
        double h = (1 - cell->c * cell->c) * top;
        at->rank[i] = (ranked){h + lambda * top * cell->c, cell->c, h, cell->weight};
    }
    return best_of(at);
}

/* (e^epsilon - 1) E[h_rho] at a lambda; keeps E[c]. */
typedef struct step {
    course *at;
    double lambda, c;
} step;

static double excess(double rho, void *state)
{
    step *of = state;
    chosen best = best_private(of->at, rho, of->lambda);
    of->c = best.c;
    return of->at->factor * best.h;
}

/* Adds a point to the right. Removes points that are then not on the least concave function. */
static void extend(sotto__frontier *frontier, double at, double value)
{
    uint32_t n = frontier->count;
    if (n > 0 && (at <= frontier->at[n - 1] || value <= frontier->value[n - 1])) return;
    while (n >= 2) {
        double rise = frontier->value[n - 1] - frontier->value[n - 2];
        double run = frontier->at[n - 1] - frontier->at[n - 2];
        if (rise * (at - frontier->at[n - 2]) > (value - frontier->value[n - 2]) * run) break;
        n--;
    }
    frontier->at[n] = at;
    frontier->value[n] = value;
    frontier->count = n + 1;
}

/* Falls from the largest lambda, which is nearly greedy, to the smallest. */
static double lambda_of(uint32_t i)
{
    return 30 * pow(3e-4, i / (LAMBDAS - 1.0));
}

static void trace_frontiers(course *at, double greedy_root, sotto__tradeoff *out)
{
    double greedy = best_open(at, 1e9).c;
    double most = at->factor * sotto__score_excess(at->score, 0, 1, 0), low = 0.9 * greedy_root;
    for (uint32_t i = 0; i < LAMBDAS; i++) {
        step of = {.at = at, .lambda = lambda_of(i)};
        double rho = sotto__fixed_point(excess, &of, low, most, 1e-5);
        chosen open = best_open(at, lambda_of(i));
        low = fmax(low, 0.99 * rho); /* neighbouring lambdas have similar rho */
        extend(&out->private, greedy - of.c, rho * rho);
        extend(&out->open, greedy - open.c, open.h);
    }
}

sotto_status sotto__tradeoff_make(const sotto__floor_score *score, uint32_t dim, uint32_t arms,
                                  double epsilon, sotto__tradeoff *out)
{
    sotto_status status = SOTTO_E_MEMORY;
    sotto__cells *greedy = sotto__cells_greedy(dim, arms), *even = sotto__cells_even(dim);
    course at = {.score = score, .cells = even, .arms = arms, .factor = sotto__expm1(epsilon)};
    at.unit = fmin(1, 3 / sqrt(dim));
    if (greedy == NULL || even == NULL) goto cleanup;
    at.rank = malloc(even->count * sizeof *at.rank);
    if (at.rank == NULL) goto cleanup;
    *out = (sotto__tradeoff){0};
    double root = sotto__information_root(greedy, score, epsilon, 1, 1);
    extend(&out->private, 0, root * root);
    extend(&out->open, 0, sotto__information_open(greedy, score));
    trace_frontiers(&at, root, out);
    status = SOTTO_OK;
cleanup:
    free(at.rank);
    free(even);
    free(greedy);
    return status;
}

static double frontier_at(const sotto__frontier *frontier, double at)
{
    uint32_t last = frontier->count - 1;
    for (uint32_t i = 0; i < last; i++) {
        double from = frontier->at[i], to = frontier->at[i + 1];
        if (at >= to) continue;
        double part = (at - from) / (to - from);
        return frontier->value[i] + part * (frontier->value[i + 1] - frontier->value[i]);
    }
    return frontier->value[last];
}

double sotto__tradeoff_at(const sotto__tradeoff *tradeoff, double regret)
{
    return fmin(frontier_at(&tradeoff->private, regret), frontier_at(&tradeoff->open, regret));
}
