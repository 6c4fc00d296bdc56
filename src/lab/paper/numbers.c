/* What a part gave, in numbers. */
#include "numbers.h"
#include "core/elementary.h"
#include "lab/math/moments.h"

#include <math.h>
#include <stdlib.h>

uint32_t sotto__part_match(const sotto__part *part, sotto_player player, double epsilon)
{
    for (uint32_t i = 0; i < part->comparison.sweep.matches_count; i++) {
        if (part->comparison.match[i].player == player && part->comparison.epsilon[i] == epsilon)
            return i;
    }
    return UINT32_MAX;
}

void sotto__part_regrets(const sotto__part *part, uint32_t match, uint32_t point, double *out)
{
    uint32_t seeds = part->comparison.sweep.seeds_count;
    for (uint32_t i = 0; i < seeds; i++) {
        uint64_t run = (uint64_t)match * seeds + i;
        out[i] = sotto__results_points(&part->results, run)[point].regret;
    }
}

uint32_t sotto__part_last_point(const sotto__part *part)
{
    return part->comparison.sweep.at_count - 1;
}

sotto__spread sotto__part_spread(const sotto__part *part, uint32_t match, uint32_t point)
{
    uint32_t seeds = part->comparison.sweep.seeds_count;
    double *regret = calloc(seeds, sizeof *regret);
    if (regret == NULL) return (sotto__spread){NAN, NAN, NAN, NAN};
    sotto__part_regrets(part, match, point, regret);
    sotto__spread spread = {
        .mean = sotto__mean(regret, seeds),
        .deviation = sotto__deviation(regret, seeds),
        .error = sotto__standard_error(regret, seeds),
    };
    sotto__sort(regret, seeds);
    spread.median = sotto__quantile(regret, seeds, 0.5);
    free(regret);
    return spread;
}

double sotto__part_bound(const sotto__part *part, double epsilon)
{
    return sqrt((double)part->horizon * part->stage->scene.dim) / sotto__expm1(epsilon);
}

/* The mean without one seed; `without` at or above seeds: of all. */
static double mean_without(const sotto__part *part, uint32_t match, uint32_t without)
{
    uint32_t seeds = part->comparison.sweep.seeds_count, last = sotto__part_last_point(part),
             count = 0;
    double sum = 0;
    for (uint32_t i = 0; i < seeds; i++) {
        if (i == without) continue;
        sum += sotto__results_points(&part->results, (uint64_t)match * seeds + i)[last].regret;
        count++;
    }
    return sum / count;
}

static double slope_without(const sotto__part *const *part, const uint32_t *match,
                            const double *log_x, uint32_t count, uint32_t without)
{
    double log_y[SOTTO__STAGE_EPSILONS];
    for (uint32_t i = 0; i < count; i++) {
        log_y[i] = log(mean_without(part[i], match[i], without));
    }
    return sotto__slope(log_x, log_y, count);
}

/* The jackknife: error^2 = (n - 1)/n sum_i (slope without i - their mean)^2. All parts have the
 * same seeds, and meet the same people with them. */
sotto__exponent sotto__exponent_of(const sotto__part *const *part, const uint32_t *match,
                                   const double *log_x, uint32_t count)
{
    uint32_t seeds = part[0]->comparison.sweep.seeds_count;
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < seeds; i++) {
        double one = slope_without(part, match, log_x, count, i);
        sum += one;
        squares += one * one;
    }
    double variance = fmax(0, squares - sum * sum / seeds) * (seeds - 1) / seeds;
    return (sotto__exponent){
        .slope = slope_without(part, match, log_x, count, seeds),
        .error = seeds > 1 ? sqrt(variance) : NAN,
    };
}
