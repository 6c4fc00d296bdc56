/* Players: their names, and what they share. */
#include "player.h"

#include <assert.h>
#include <string.h>

static_assert((int)SOTTO_PLAYER_SOTTO == (int)SOTTO_METHOD_SOTTO, "players begin with the methods");
static_assert((int)SOTTO_PLAYER_BEST_ARM == (int)SOTTO_METHOD_BEST_ARM, "in the same order");

const char *sotto_player_name(sotto_player value)
{
#define NAME(name, text) text,
    static const char *const names[] = {SOTTO_PLAYER_MAP(NAME)};
    return (uint32_t)value < SOTTO_PLAYERS ? names[value] : NULL;
}

bool sotto_player_from_name(const char *name, sotto_player *out)
{
    for (uint32_t i = 0; name != NULL && out != NULL && sotto_player_name(i) != NULL; i++) {
        if (strcmp(name, sotto_player_name(i)) != 0) continue;
        *out = (sotto_player)i;
        return true;
    }
    return false;
}

const char *sotto_calibration_name(sotto_calibration value)
{
    static const char *const names[] = {SOTTO_CALIBRATION_MAP(NAME)};
#undef NAME
    return (uint32_t)value < sizeof names / sizeof names[0] ? names[value] : NULL;
}

bool sotto_player_is_private(sotto_player player)
{
    return player <= SOTTO_PLAYER_BEST_ARM;
}

bool sotto_player_is_rival(sotto_player player)
{
    return player >= SOTTO_PLAYER_MERINO && player < SOTTO_PLAYERS;
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
