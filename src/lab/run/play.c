/* One round of a simulation, as a straight line. */
#include "play.h"

sotto_status sotto__play(sotto__world *world, sotto__player *player, double *regret)
{
    uint32_t arm;
    sotto__world_next(world);
    if (world->fault[0] != '\0') return SOTTO_E_PLUGIN;
    sotto_status status = player->decide(player, world->context, &arm);
    if (status != SOTTO_OK) return status;
    *regret = world->value_best - world->value[arm];
    double reward = sotto__world_reward(world, arm);
    if (world->fault[0] != '\0') return SOTTO_E_PLUGIN;
    return player->learn(player, reward);
}
