/* One round of a simulation. */
#ifndef SOTTO_LAB_RUN_PLAY_H
#define SOTTO_LAB_RUN_PLAY_H

#include "flight.h"
#include "lab/player/player.h"

/* A person arrives, gets an arm, answers; the player learns. *regret is what the arm cost.
 * SOTTO_E_PLUGIN: world->fault or player->fault says what went wrong. */
SOTTO_CHECK sotto_status sotto__play(sotto__world *world, sotto__player *player, double *regret);

/* The same with a clock. Person t, counted from 0, comes 1000 t/people_per_second ms after the first, and decides
 * by what the player has received until then; the report goes on its way. */
SOTTO_CHECK sotto_status sotto__play_delayed(sotto__world *world, sotto__player *player,
                                             sotto__flight *flight, double *regret);

#endif
