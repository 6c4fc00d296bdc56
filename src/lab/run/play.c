/* One round of a simulation, as a straight line. */
#include "play.h"

/* The next person, the arm that they get, and what they answer to it. */
static sotto_status meet(sotto__world *world, sotto__player *player, double *regret, double *reward)
{
    uint32_t arm;
    sotto__world_next(world);
    if (world->fault[0] != '\0') return SOTTO_E_PLUGIN;
    sotto_status status = player->decide(player, world->context, &arm);
    if (status != SOTTO_OK) return status;
    *regret = world->value_best - world->value[arm];
    *reward = sotto__world_reward(world, arm);
    return world->fault[0] != '\0' ? SOTTO_E_PLUGIN : SOTTO_OK;
}

sotto_status sotto__play(sotto__world *world, sotto__player *player, double *regret)
{
    double reward;
    sotto_status status = meet(world, player, regret, &reward);
    return status == SOTTO_OK ? player->learn(player, reward) : status;
}

static sotto_status wake(sotto__player *player, double now_ms)
{
    return player->wake == NULL ? SOTTO_OK : player->wake(player, now_ms);
}

/* All that arrives until now, and what the clock does in between. */
static sotto_status receive_until(sotto__player *player, sotto__flight *flight, double now_ms)
{
    double arrival_ms;
    const void *sent;
    while ((sent = sotto__flight_take(flight, now_ms, &arrival_ms)) != NULL) {
        sotto_status status = wake(player, arrival_ms);
        if (status == SOTTO_OK) status = player->receive(player, sent, arrival_ms);
        if (status != SOTTO_OK) return status;
    }
    return wake(player, now_ms);
}

sotto_status sotto__play_delayed(sotto__world *world, sotto__player *player, sotto__flight *flight,
                                 double *regret)
{
    double now_ms = 1000 * (double)world->t / world->match->people_per_second, reward;
    void *sent;
    sotto_status status = receive_until(player, flight, now_ms);
    if (status == SOTTO_OK) status = meet(world, player, regret, &reward);
    if (status == SOTTO_OK) status = sotto__flight_add(flight, now_ms, &sent);
    if (status == SOTTO_OK) status = player->send(player, reward, sent);
    if (status != SOTTO_OK) return status;
    return receive_until(player, flight, now_ms); /* a report that is not delayed at all */
}
