#include "core/core.h"
#include "inner.h"
#include "lab/math/math.h"
#include "lab/page/page.h"

#include <math.h>
#include <stdlib.h>

/* ==== numbers ================================================================================ */

/* The results of a part as numbers. */

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
    if (regret == NULL) return (sotto__spread){NAN, NAN, NAN};
    sotto__part_regrets(part, match, point, regret);
    sotto__spread spread = {
        .mean = sotto__mean_of(regret, seeds),
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

/* The mean regret without one seed, or of all seeds if `without` is not one of them. */
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

/* ==== regret difference ====================================================================== */

/* Which of two methods has less regret, and whether the runs suffice to say so. */

#define BIT(name) (1u << SOTTO_PLAYER_##name)
#define OWN (BIT(LDP_SGD) | BIT(LDP_OLS))
#define EARLIER (BIT(LDP_UCB) | BIT(LDP_GLOC))

#define ERRORS 3 /* this many standard errors make a verdict */

sotto__difference_verdict sotto__verdict_of(double less, double error)
{
    if (fabs(less) <= ERRORS * error) return SOTTO__VERDICT_CANNOT_TELL;
    return less > 0 ? SOTTO__VERDICT_YES : SOTTO__VERDICT_NO;
}

/* The match, among those of `players`, with the largest or the smallest mean;
 * UINT32_MAX: none is played. */
static uint32_t extreme_of(const sotto__part *part, double epsilon, uint32_t players, bool largest)
{
    uint32_t found = UINT32_MAX;
    double extreme = NAN;
    for (uint32_t m = 0; part != NULL && m < part->comparison.sweep.matches_count; m++) {
        bool counts = (players >> part->comparison.match[m].player & 1) != 0;
        if (!counts || part->comparison.epsilon[m] != epsilon) continue;
        double mean = sotto__part_spread(part, m, sotto__part_last_point(part)).mean;
        if (found != UINT32_MAX && (largest ? mean <= extreme : mean >= extreme)) continue;
        extreme = mean;
        found = m;
    }
    return found;
}

static sotto__regret_difference judge(const sotto__part *part, uint32_t one, uint32_t other)
{
    sotto__regret_difference difference = {
        .verdict = SOTTO__VERDICT_NOT_PLAYED, .less = NAN, .error = NAN};
    if (one == UINT32_MAX || other == UINT32_MAX) return difference;
    uint32_t seeds = part->comparison.sweep.seeds_count, last = sotto__part_last_point(part);
    double *gain = calloc(2 * (size_t)seeds, sizeof *gain);
    if (gain == NULL) return difference;
    sotto__part_regrets(part, other, last, gain);
    sotto__part_regrets(part, one, last, gain + seeds);
    for (uint32_t i = 0; i < seeds; i++) {
        gain[i] -= gain[seeds + i];
    }
    difference.one = part->comparison.match[one].player;
    difference.other = part->comparison.match[other].player;
    difference.less = sotto__mean_of(gain, seeds);
    difference.error = sotto__standard_error(gain, seeds);
    difference.verdict = sotto__verdict_of(difference.less, difference.error);
    free(gain);
    return difference;
}

sotto__regret_difference sotto__regret_difference_of_paper(const sotto__part *part, double epsilon)
{
    return judge(part, extreme_of(part, epsilon, OWN, true),
                 extreme_of(part, epsilon, EARLIER, false));
}

sotto__regret_difference sotto__regret_difference_of_sotto(const sotto__part *part, double epsilon)
{
    return judge(part, extreme_of(part, epsilon, BIT(SOTTO), true),
                 extreme_of(part, epsilon, OWN | EARLIER, false));
}

const char *sotto__regret_difference_text(const sotto__regret_difference *difference,
                                          sotto__pool *pool)
{
    static const char *const word_of[] = {[SOTTO__VERDICT_YES] = "yes",
                                          [SOTTO__VERDICT_NO] = "no",
                                          [SOTTO__VERDICT_CANNOT_TELL] = "cannot tell"};
    if (difference->verdict == SOTTO__VERDICT_NOT_PLAYED) return "-";
    return sotto__pool_print(
        pool, "%s: %s has %s ± %s %s than %s", word_of[difference->verdict],
        sotto_player_name(difference->one), sotto__page_number(pool, fabs(difference->less)),
        sotto__page_number(pool, difference->error), difference->less < 0 ? "more" : "less",
        sotto_player_name(difference->other));
}
