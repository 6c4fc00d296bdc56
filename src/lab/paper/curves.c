/* Regret as curves. */
#include "curves.h"
#include "numbers.h"

#include <math.h>

/* Room for the numbers of a curve; NULL if there is none. */
static double *take_numbers(sotto__pool *pool, sotto__curve *curve, uint32_t count)
{
    double *numbers = sotto__pool_take(pool, 4 * (size_t)count * sizeof *numbers);
    if (numbers == NULL) return NULL;
    curve->count = count;
    curve->x = numbers;
    curve->y = numbers + count;
    curve->lo = numbers + 2 * (size_t)count;
    curve->hi = numbers + 3 * (size_t)count;
    return numbers;
}

/* A point and its band. A logarithmic axis has no place below 0, so the band ends at a tenth of the
 * mean. */
static void set_point(double *numbers, uint32_t count, uint32_t i, double x,
                      const sotto__spread *spread, double unit)
{
    double y = spread->mean / unit, half = 0.5 * spread->deviation / unit;
    numbers[i] = x;
    numbers[count + i] = y;
    numbers[2 * count + i] = fmax(y - half, 0.1 * y);
    numbers[3 * count + i] = y + half;
}

/* Before, everybody guesses. */
static uint32_t first_point(const sotto__part *part)
{
    uint32_t first = 0;
    while (part->comparison.at[first] < part->horizon / 1000) {
        first++;
    }
    return first;
}

bool sotto__curve_along(const sotto__part *part, uint32_t match, sotto__pool *pool,
                        sotto__curve *curve)
{
    const sotto__comparison *comparison = &part->comparison;
    uint32_t first = first_point(part), count = comparison->sweep.at_count - first;
    double *numbers = take_numbers(pool, curve, count);
    if (numbers == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        sotto__spread spread = sotto__part_spread(part, match, first + i);
        set_point(numbers, count, i, (double)comparison->at[first + i], &spread, 1);
    }
    return true;
}

bool sotto__curve_of_shares(const sotto__part *part, uint32_t match, uint32_t random,
                            sotto__pool *pool, sotto__curve *curve)
{
    const sotto__comparison *comparison = &part->comparison;
    uint32_t first = first_point(part), count = comparison->sweep.at_count - first;
    double *numbers = take_numbers(pool, curve, count);
    if (numbers == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        sotto__spread spread = sotto__part_spread(part, match, first + i);
        double unit = sotto__part_spread(part, random, first + i).mean;
        set_point(numbers, count, i, (double)comparison->at[first + i], &spread, unit);
        numbers[2 * count + i] = (spread.mean - 0.5 * spread.deviation) / unit; /* a linear axis */
    }
    return true;
}

bool sotto__curve_over_horizons(const sotto__part *part, uint32_t horizons, uint32_t match,
                                sotto__pool *pool, sotto__curve *curve)
{
    bool bound = part->experiment->kind == SOTTO__EXPERIMENT_BOUND;
    double *numbers = take_numbers(pool, curve, horizons);
    if (numbers == NULL) return false;
    for (uint32_t i = 0; i < horizons; i++) {
        sotto__spread spread =
            sotto__part_spread(&part[i], match, sotto__part_last_point(&part[i]));
        double unit = bound ? sotto__part_bound(&part[i], part[i].comparison.epsilon[match]) : 1;
        set_point(numbers, horizons, i, (double)part[i].horizon, &spread, unit);
    }
    return true;
}

bool sotto__curve_over_epsilons(const sotto__part *part, sotto_player player, sotto__pool *pool,
                                sotto__curve *curve)
{
    uint32_t count = sotto__stage_epsilons(part->stage);
    double *numbers = take_numbers(pool, curve, count);
    if (numbers == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        double epsilon = part->stage->epsilon[i];
        uint32_t match = sotto__part_match(part, player, epsilon);
        sotto__spread spread = sotto__part_spread(part, match, sotto__part_last_point(part));
        set_point(numbers, count, i, epsilon, &spread, 1);
    }
    return true;
}
