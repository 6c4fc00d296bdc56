/*
 * With value_k ~ N(m_k, s_k^2), Phi_k(t) = Phi((t - m_k)/s_k) and G_k = prod_{j != k} Phi_j:
 *
 *     p_k = P(value_k is the largest) = int G_k dPhi_k
 *
 * Over nodes t_0 < t_1 < ... the sum of (Phi_k(t_{i+1}) - Phi_k(t_i)) (G_k(t_i) + G_k(t_{i+1}))/2 is off by
 * about h^2/50, h the distance of nodes over s. Here a panel is two steps of one length, and 4/3 of that sum
 * less 1/3 of the sum over the panel as one step leaves h^4: with a = Phi_k(t_1) - Phi_k(t_0) and
 * b = Phi_k(t_2) - Phi_k(t_1)
 *
 *     p_k += (a (3 G_k(t_0) + 4 G_k(t_1) - G_k(t_2)) + b (4 G_k(t_1) + 3 G_k(t_2) - G_k(t_0)))/6
 *
 * and the p_k are divided by their sum. Below max_j (m_j - 7 s_j), where the nodes begin, some Phi_j is below
 * 1.3e-12; above m_j + 7 s_j arm j has Phi_j = 1, up to the same, and leaves. A step is 1/4 of the least s_j of
 * the arms that have not left: 56 nodes for each arm that ever has the least, 100 to 200 in most cases, each
 * with K values of Phi. (The nodes m_j + s_j u, u = -7(.25)7, of all arms would be 58,368 for 1,024 arms.) G_k
 * comes from products of the arms before k and after it: dividing the product of all by Phi_k would fail where
 * that is 0.
 *
 * Phi is read from a table of steps of 1/64 by the cubic through four entries: off by at most 2e-9.
 */
#include "core/core.h"
#include "inner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define REACH 7.0 /* sd */
#define NODES_PER_SD 4.0
#define TABLE_END 8.0
#define TABLE_STEPS 64.0 /* per unit */
#define TABLE_COUNT 1025 /* -8 to 8 */

/* One arm in the present panel. */
typedef struct ranked_arm {
    double mean, sd, inverse_sd;
    double upper;             /* m + 7 s */
    double least;             /* of the sd of this arm and those behind it */
    double cdf[3], others[3]; /* Phi and G at the nodes of the panel */
    double chance;            /* so far */
    uint32_t arm;
} ranked_arm;

struct sotto__best_chance {
    uint32_t arms;
    double table[TABLE_COUNT];
    ranked_arm place[]; /* arms, by `upper` */
};

sotto_status sotto__best_chance_new(uint32_t arms, sotto__best_chance **out)
{
    *out = NULL;
    sotto__best_chance *best = calloc(1, sizeof *best + arms * sizeof best->place[0]);
    if (best == NULL) return SOTTO_E_MEMORY;
    best->arms = arms;
    for (int i = 0; i < TABLE_COUNT; i++) {
        double z = i / TABLE_STEPS - TABLE_END;
        best->table[i] = 0.5 * sotto__erfc(-z * 0.70710678118654752440);
    }
    for (uint32_t k = 0; k < arms; k++) {
        best->place[k].arm = k;
    }
    *out = best;
    return SOTTO_OK;
}

void sotto__best_chance_free(sotto__best_chance *best)
{
    free(best);
}

static double cdf_of(const double *table, double z)
{
    double at = (fmax(-REACH, fmin(REACH, z)) + TABLE_END) * TABLE_STEPS;
    int i = (int)at;
    const double *y = table + i - 1;
    double f = at - i, below = f + 1, above = f - 1, far = f - 2;
    return (above * far * (3 * below * y[1] - f * y[0]) +
            below * f * (above * y[3] - 3 * far * y[2])) /
           6;
}

/* Sorts by `upper`, then by arm. The result does not depend on the order before, so a learner that
 * was read from its bytes continues bit by bit. By insertion, because little moves from one publish
 * to the next. */
static void sort(ranked_arm *of, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        ranked_arm moved = of[i];
        uint32_t to = i;
        for (; to > 0; to--) {
            const ranked_arm *before = &of[to - 1];
            if (before->upper < moved.upper) break;
            if (before->upper == moved.upper && before->arm < moved.arm) break;
            of[to] = *before;
        }
        of[to] = moved;
    }
}

/* Sets the places; returns the first node. */
static double begin(sotto__best_chance *best, const double *mean, const double *sd)
{
    double first = -INFINITY, least = INFINITY;
    for (uint32_t i = 0; i < best->arms; i++) {
        uint32_t k = best->place[i].arm;
        best->place[i] = (ranked_arm){
            .mean = mean[k],
            .inverse_sd = 1 / sd[k],
            .sd = sd[k],
            .upper = mean[k] + REACH * sd[k],
            .arm = k,
        };
        first = fmax(first, mean[k] - REACH * sd[k]);
    }
    sort(best->place, best->arms);
    for (uint32_t i = best->arms; i-- > 0;) {
        least = fmin(least, best->place[i].sd);
        best->place[i].least = least;
    }
    return first;
}

/* Phi and G of the arms from `left` on, at a node. */
static void look(sotto__best_chance *best, uint32_t left, double node, int slot)
{
    ranked_arm *of = best->place;
    double before = 1, after = 1;
    for (uint32_t i = best->arms; i-- > left;) {
        of[i].cdf[slot] = cdf_of(best->table, (node - of[i].mean) * of[i].inverse_sd);
        of[i].others[slot] = after;
        after *= of[i].cdf[slot];
    }
    for (uint32_t i = left; i < best->arms; i++) {
        of[i].others[slot] *= before;
        before *= of[i].cdf[slot];
    }
}

/* Adds the panel, and makes its end the beginning of the next. */
static void add_panel(sotto__best_chance *best, uint32_t left)
{
    for (uint32_t i = left; i < best->arms; i++) {
        ranked_arm *of = &best->place[i];
        double *g = of->others, a = of->cdf[1] - of->cdf[0], b = of->cdf[2] - of->cdf[1];
        of->chance += a * (3 * g[0] + 4 * g[1] - g[2]) + b * (4 * g[1] + 3 * g[2] - g[0]);
        of->cdf[0] = of->cdf[2];
        g[0] = g[2];
    }
}

void sotto__best_chances(sotto__best_chance *best, const double *mean, const double *sd,
                         double *chance)
{
    double node = begin(best, mean, sd), total = 0;
    uint32_t left = 0;
    look(best, left, node, 0);
    while (left < best->arms) { /* a panel is 1/28 of what an arm reaches over */
        double step = best->place[left].least / NODES_PER_SD;
        look(best, left, node + step, 1);
        node += 2 * step;
        look(best, left, node, 2);
        add_panel(best, left);
        while (left < best->arms && best->place[left].upper <= node) {
            left++;
        }
    }
    for (uint32_t i = 0; i < best->arms; i++) {
        chance[best->place[i].arm] = fmax(0, best->place[i].chance);
    }
    for (uint32_t k = 0; k < best->arms; k++) {
        total += chance[k];
    }
    assert(total > 0);
    for (uint32_t k = 0; k < best->arms; k++) {
        chance[k] /= total;
    }
}
