/* One round of a simulation. */
#ifndef SOTTO_PLAY_H
#define SOTTO_PLAY_H

#include "player.h"

/* A person arrives, gets an arm, answers; the player learns. *regret is what the arm cost. */
SOTTO_CHECK sotto_status sotto__play(sotto__world *world, sotto__player *player, double *regret);

#endif
