/*
 * What k reports of one person protect together, at the least.
 *
 * Kairouz, Oh, Viswanath 2015, "The composition theorem for differential privacy", theorem 3.3: k
 * mechanisms, each (eps, delta)-private and each chosen after seeing the answers of those before,
 * are together (eps_g, delta_g)-private for
 *
 *     delta_g = 1 - (1 - delta)^k (1 - delta_rr(eps_g)),
 *     delta_rr(eps_g) = sum_l C(k,l) max(0, e^((k-l) eps) - e^(eps_g + l eps)) / (1 + e^eps)^k
 *                     = E max(0, 1 - e^(eps_g - (k - 2 l) eps)),    l ~ Bin(k, 1/(1 + e^eps)),
 *
 * and no smaller delta_g is true of all such mechanisms: delta_rr is k answers of randomised
 * response. With w_l the law of l up to a factor,
 *
 *     w_(l+1)/w_l = (k - l)/(l + 1) e^-eps,     delta_rr = sum_l w_l gain_l / sum_l w_l,
 *
 * starting from w = 1 at the mode. Whatever is left out or rounded errs upward: a sum over fewer
 * terms below the line makes delta_rr larger, and terms left out above the line are replaced by
 * the geometric series that bounds them, unless it is below the last bit of the sum. The weights
 * fall from 1 to 1e-290 within 37 standard deviations, so the work is below 2 million steps at
 * k = 2^31; for more reports only the sum of their epsilons is claimed.
 */
#include "core.h"

#include <sotto/core.h>

#include <math.h>

static const uint64_t optimal_reports_max = UINT64_C(1) << 31;
static const double weight_least = 1e-290; /* no result below this is claimed */
static const double negligible = 1e-18;
/* A step rounds five times at most, and the two sums may err against each other. */
static const double error_per_step = 2e-15;

typedef struct sums {
    double k;
    double epsilon;
    double epsilon_total;
    uint64_t steps;
    double all;    /* sum of w */
    double gained; /* sum of w gain, and a bound on what was left out */
} sums;

/* max(0, 1 - e^(eps_g - (k - 2 l) eps)), falling in l. */
static double gain(const sums *s, double l)
{
    return fmax(0, -expm1(s->epsilon_total - (s->k - 2 * l) * s->epsilon));
}

/* Sums from `l`, whose weight is 1 and left out, down to 0. */
static void sum_down(sums *s, double l)
{
    double growth = exp(s->epsilon), w = 1;
    for (; l > 0; l--) {
        double ratio = l / (s->k - l + 1) * growth; /* w_(l-1)/w_l, falling as l falls */
        double rest = ratio < 1 ? w * ratio / (1 - ratio) : INFINITY;
        if (w < weight_least || rest <= negligible * s->gained) {
            s->gained += rest; /* no gain is above 1 */
            return;
        }
        w *= ratio;
        s->all += w;
        s->gained += w * gain(s, l - 1);
        s->steps++;
    }
}

/* Sums from `l`, whose weight is 1 and left out, up to k. */
static void sum_up(sums *s, double l)
{
    double decay = exp(-s->epsilon), w = 1;
    for (; l < s->k; l++) {
        double ratio = (s->k - l) / (l + 1) * decay; /* w_(l+1)/w_l, falling as l grows */
        double next = gain(s, l + 1);
        double rest = ratio < 1 ? w * ratio / (1 - ratio) : INFINITY;
        /* The rest is then below the last bit of either sum. */
        if (rest <= negligible * s->all && rest * next <= negligible * s->gained) return;
        w *= ratio;
        s->all += w;
        s->gained += w * next;
        s->steps++;
    }
}

static double delta_rr(uint64_t k, double epsilon, double epsilon_total)
{
    double basic = (double)k * epsilon;
    if (epsilon_total >= basic) return 0;
    if (k > optimal_reports_max) return 1;
    /* A bound on the rounding of (k - 2 l) eps and of its difference to eps_g. */
    double rounding = 1e-15 * basic;
    sums s = {.k = (double)k, .epsilon = epsilon, .epsilon_total = epsilon_total - rounding};
    double mode = floor((s.k + 1) / (1 + exp(epsilon)));
    s.all = 1;
    s.gained = gain(&s, mode);
    sum_down(&s, mode);
    sum_up(&s, mode);
    double bound = s.gained / s.all * (1 + error_per_step * ((double)s.steps + 16));
    return fmin(1, fmax(weight_least, bound));
}

/* 1 - (1 - delta)^k (1 - delta_rr). */
static double with_failures(uint64_t k, double delta, double rr)
{
    if (delta == 0) return rr;
    double log_kept = (double)k * log1p(-delta) + log1p(-rr);
    return fmin(1, -expm1(log_kept) * (1 + 1e-15));
}

static bool in_range(double epsilon, double delta)
{
    return epsilon >= 0 && epsilon <= 700 && delta >= 0 && delta < 1;
}

double sotto_compose_delta(uint64_t k, double epsilon, double delta, double epsilon_total)
{
    if (!in_range(epsilon, delta) || !(epsilon_total >= 0)) return 1;
    if (k == 0) return 0;
    double bound = with_failures(k, delta, delta_rr(k, epsilon, epsilon_total));
    bool basic = epsilon_total >= (double)k * epsilon;
    return basic ? fmin(bound, (double)k * delta) : bound;
}

/* Bisection between 0 and k eps, keeping a right end whose delta is small enough. */
double sotto_compose_epsilon(uint64_t k, double epsilon, double delta, double delta_total)
{
    if (!in_range(epsilon, delta) || !(delta_total >= 0)) return INFINITY;
    double least = 0, enough = (double)k * epsilon;
    if (sotto_compose_delta(k, epsilon, delta, enough) > delta_total) return INFINITY;
    if (sotto_compose_delta(k, epsilon, delta, least) <= delta_total) return 0;
    for (int i = 0; i < 60 && enough - least > 1e-13 * enough; i++) {
        double middle = 0.5 * (least + enough);
        if (sotto_compose_delta(k, epsilon, delta, middle) <= delta_total) {
            enough = middle;
        } else {
            least = middle;
        }
    }
    return enough;
}
