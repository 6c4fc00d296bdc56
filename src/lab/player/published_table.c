/* The authors' code as a player: the table of its methods. */
#include "player_rows.h"
#include "published_rows.h"

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
