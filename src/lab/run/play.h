/* One round of a simulation. */
#ifndef SOTTO_LAB_RUN_PLAY_H
#define SOTTO_LAB_RUN_PLAY_H

#include "lab/player/player.h"

/* A person arrives, gets an arm, answers; the player learns. *regret is what the arm cost.
 * SOTTO_E_PLUGIN: world->fault or player->fault says what went wrong. */
SOTTO_CHECK sotto_status sotto__play(sotto__world *world, sotto__player *player, double *regret);

#endif
