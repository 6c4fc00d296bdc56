/* What a comparison found. */
#include "summary.h"
#include "lab/math/moments.h"
#include "lab/player/brought.h"

#include <math.h>
#include <stdlib.h>

/* `regret` and `error` have room for one number per seed. All but the cost. */
static sotto__summary_line line_of(const sotto__comparison *comparison,
                                   const sotto__results *results, uint32_t match, double *regret,
                                   double *error)
{
    const sotto_sweep *sweep = &comparison->sweep;
    sotto__summary_line line = {
        .method = sotto__match_method(&comparison->match[match]),
        .epsilon = comparison->epsilon[match],
        .t = comparison->match[match].horizon,
    };
    double seconds = 0, rounds = 0;
    for (uint32_t i = 0; i < sweep->seeds_count; i++) {
        uint64_t r = (uint64_t)match * sweep->seeds_count + i;
        const sotto__run_record *run = &results->run[r];
        if (!run->done) continue;
        const sotto_point *last = sotto__results_points(results, r) + sweep->at_count - 1;
        regret[line.seeds] = last->regret;
        error[line.seeds] = last->estimation_error;
        line.seeds++;
        if (!run->played) continue;
        line.repairs += run->repairs;
        seconds += run->seconds;
        rounds += (double)last->t;
    }
    line.regret_mean = sotto__mean(regret, line.seeds);
    line.regret_se = sotto__standard_error(regret, line.seeds);
    line.error_mean = sotto__mean(error, line.seeds);
    sotto__sort(regret, line.seeds);
    line.regret_median = sotto__quantile(regret, line.seeds, 0.5);
    line.regret_p10 = sotto__quantile(regret, line.seeds, 0.1);
    line.regret_p90 = sotto__quantile(regret, line.seeds, 0.9);
    line.cost = NAN;
    line.rounds_per_second = seconds > 0 ? rounds / seconds : NAN;
    return line;
}

/* The cost of privacy: regret over that of the same learning without privacy. */
static void set_costs(const sotto__comparison *comparison, sotto__summary_line *line)
{
    uint32_t count = comparison->sweep.matches_count;
    for (uint32_t i = 0; i < count; i++) {
        bool identity = comparison->match[i].spec.link == SOTTO_LINK_IDENTITY;
        sotto_player wanted = identity ? SOTTO_PLAYER_OLS : SOTTO_PLAYER_GLM_UCB;
        for (uint32_t j = 0; j < count; j++) {
            bool same = comparison->match[j].player == wanted && line[j].epsilon == line[i].epsilon;
            if (!same || comparison->match[j].brought != NULL || !(line[j].regret_mean > 0))
                continue;
            line[i].cost = line[i].regret_mean / line[j].regret_mean;
        }
    }
}

sotto_status sotto__summary_of(const sotto__comparison *comparison, const sotto__results *results,
                               sotto__summary_line *out)
{
    const sotto_sweep *sweep = &comparison->sweep;
    double *numbers = calloc(2 * (size_t)sweep->seeds_count, sizeof *numbers);
    if (numbers == NULL) return SOTTO_E_MEMORY;
    for (uint32_t i = 0; i < sweep->matches_count; i++) {
        out[i] = line_of(comparison, results, i, numbers, numbers + sweep->seeds_count);
    }
    set_costs(comparison, out);
    free(numbers);
    return SOTTO_OK;
}
