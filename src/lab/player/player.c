/* The table of players. */
#include "player.h"

#include <assert.h>

static_assert((int)SOTTO_PLAYER_SOTTO == (int)SOTTO_METHOD_SOTTO, "players begin with the methods");
static_assert((int)SOTTO_PLAYER_LDP_GLOC == (int)SOTTO_METHOD_LDP_GLOC, "in the same order");

const char *sotto_player_name(uint32_t value)
{
#define NAME(name, text) text,
    static const char *const names[] = {SOTTO_PLAYER_MAP(NAME)};
    return value < SOTTO_PLAYERS ? names[value] : NULL;
}

const char *sotto_calibration_name(uint32_t value)
{
    static const char *const names[] = {SOTTO_CALIBRATION_MAP(NAME)};
#undef NAME
    return value < sizeof names / sizeof names[0] ? names[value] : NULL;
}

bool sotto_player_is_private(sotto_player player)
{
    return player <= SOTTO_PLAYER_LDP_GLOC;
}

/* Where the paper does not split epsilon over arms its gradients are those of the exact
 * calibration. */
static bool paper_is_exact(const sotto_match *match)
{
    return match->player == SOTTO_PLAYER_LDP_SGD && !match->split_paper;
}

static sotto__player_maker *maker_of(const sotto_match *match)
{
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

void sotto__player_free(sotto__player *player)
{
    if (player != NULL) player->free(player);
}

uint64_t sotto__player_no_repairs(const sotto__player *self)
{
    (void)self;
    return 0;
}
