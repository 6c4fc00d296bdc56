/* Which of two methods has less regret, and whether so few runs can tell. */
#include "claim.h"
#include "lab/math/moments.h"
#include "lab/page/table.h"
#include "numbers.h"

#include <math.h>
#include <stdlib.h>

#define BIT(name) (1u << SOTTO_PLAYER_##name)
#define OWN (BIT(LDP_SGD) | BIT(LDP_OLS))
#define EARLIER (BIT(LDP_UCB) | BIT(LDP_GLOC))

#define ERRORS 3 /* so many standard errors make a verdict */

sotto__verdict sotto__verdict_of(double less, double error)
{
    if (fabs(less) <= ERRORS * error) return SOTTO__VERDICT_CANNOT_TELL;
    return less > 0 ? SOTTO__VERDICT_YES : SOTTO__VERDICT_NO;
}

/* Of some methods, the one with the largest mean or the smallest; UINT32_MAX: none is played. */
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

static sotto__claim judge(const sotto__part *part, uint32_t one, uint32_t other)
{
    sotto__claim claim = {.verdict = SOTTO__VERDICT_NOT_PLAYED, .less = NAN, .error = NAN};
    if (one == UINT32_MAX || other == UINT32_MAX) return claim;
    uint32_t seeds = part->comparison.sweep.seeds_count, last = sotto__part_last_point(part);
    double *gain = calloc(2 * (size_t)seeds, sizeof *gain);
    if (gain == NULL) return claim;
    sotto__part_regrets(part, other, last, gain);
    sotto__part_regrets(part, one, last, gain + seeds);
    for (uint32_t i = 0; i < seeds; i++) {
        gain[i] -= gain[seeds + i];
    }
    claim.one = part->comparison.match[one].player;
    claim.other = part->comparison.match[other].player;
    claim.less = sotto__mean(gain, seeds);
    claim.error = sotto__standard_error(gain, seeds);
    claim.verdict = sotto__verdict_of(claim.less, claim.error);
    free(gain);
    return claim;
}

sotto__claim sotto__claim_of_paper(const sotto__part *part, double epsilon)
{
    return judge(part, extreme_of(part, epsilon, OWN, true),
                 extreme_of(part, epsilon, EARLIER, false));
}

sotto__claim sotto__claim_of_sotto(const sotto__part *part, double epsilon)
{
    return judge(part, extreme_of(part, epsilon, BIT(SOTTO), true),
                 extreme_of(part, epsilon, OWN | EARLIER, false));
}

const char *sotto__claim_text(const sotto__claim *claim, sotto__pool *pool)
{
    static const char *const word_of[] = {[SOTTO__VERDICT_YES] = "yes",
                                          [SOTTO__VERDICT_NO] = "no",
                                          [SOTTO__VERDICT_CANNOT_TELL] = "cannot tell"};
    if (claim->verdict == SOTTO__VERDICT_NOT_PLAYED) return "-";
    return sotto__pool_print(pool, "%s: %s has %s ± %s %s than %s", word_of[claim->verdict],
                             sotto_player_name(claim->one),
                             sotto__page_number(pool, fabs(claim->less)),
                             sotto__page_number(pool, claim->error),
                             claim->less < 0 ? "more" : "less", sotto_player_name(claim->other));
}
