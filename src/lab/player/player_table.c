/* The table of players. */
#include "inner.h"
#include "player.h"

/* The authors' code. */
sotto_status sotto__player_published_new(const sotto_match *match, uint64_t seed,
                                         const sotto__world *world, sotto__player **out)
{
    static sotto__player_maker *const makers[SOTTO_PLAYERS] = {
        [SOTTO_PLAYER_LDP_SGD] = sotto__published_sgd_new,
        [SOTTO_PLAYER_LDP_OLS] = sotto__published_ols_new,
        [SOTTO_PLAYER_LDP_UCB] = sotto__published_ucb_new,
        [SOTTO_PLAYER_LDP_GLOC] = sotto__published_gloc_new,
    };
    *out = NULL;
    if (makers[match->player] == NULL) return SOTTO_E_FAULT;
    return makers[match->player](match, seed, world, out);
}

/* Unless the match splits epsilon over arms, the paper's gradients equal those of the exact
 * calibration. */
static bool paper_is_exact(const sotto_match *match)
{
    return match->player == SOTTO_PLAYER_LDP_SGD && !match->split_paper;
}

static sotto__player_maker *maker_of(const sotto_match *match)
{
    if (match->custom != NULL) return sotto__player_custom_new;
    if (sotto_player_is_rival(match->player)) return sotto__player_rival_new;
    if (!sotto_player_is_private(match->player)) return sotto__player_baseline_new;
    switch (match->calibration) {
    case SOTTO_CALIBRATION_EXACT: return sotto__player_shipped_new;
    case SOTTO_CALIBRATION_PAPER:
        return paper_is_exact(match) ? sotto__player_shipped_new : sotto__player_paper_new;
    case SOTTO_CALIBRATION_PUBLISHED: return sotto__player_published_new;
    }
    return NULL;
}

sotto_status sotto__player_new(const sotto_match *match, uint64_t seed, const sotto__world *world,
                               sotto__player **out)
{
    return maker_of(match)(match, seed, world, out);
}
