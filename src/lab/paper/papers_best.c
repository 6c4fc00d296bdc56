/* The best of the paper's methods: those that promise what they claim. */
#include "papers_best.h"
#include "lab/run/true_privacy.h"
#include "numbers.h"

#include <math.h>

bool sotto__player_is_papers(sotto_player player)
{
    return sotto_player_is_private(player) && player != SOTTO_PLAYER_SOTTO &&
           player != SOTTO_PLAYER_SOTTO_OLS && player != SOTTO_PLAYER_BEST_ARM;
}

/* Whether what a method truly promises is what it claims. */
static bool keeps_claim(const sotto_match *match, double epsilon)
{
    sotto__true_privacy truth = sotto__true_privacy_of(match);
    return truth.epsilon <= epsilon * (1 + 1e-9) && truth.delta <= match->delta;
}

sotto__papers_best sotto__papers_best_of(const sotto__reproduction *reproduction,
                                         const sotto__experiment *experiment, double epsilon)
{
    sotto__papers_best best = {NAN, SOTTO_PLAYERS, NULL};
    for (uint32_t i = 0; i < reproduction->parts_count; i++) {
        const sotto__part *part = &reproduction->part[i];
        for (uint32_t m = 0;
             part->experiment == experiment && m < part->comparison.sweep.matches_count; m++) {
            const sotto_match *match = &part->comparison.match[m];
            bool counts = sotto__player_is_papers(match->player) &&
                          part->comparison.epsilon[m] == epsilon && keeps_claim(match, epsilon);
            if (!counts) continue;
            double mean = sotto__part_spread(part, m, sotto__part_last_point(part)).mean;
            if (!(mean >= best.mean)) best = (sotto__papers_best){mean, match->player, part->stage};
        }
    }
    return best;
}
