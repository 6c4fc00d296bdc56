/* The table of players. */
#ifndef SOTTO_LAB_PLAYER_PLAYER_TABLE_H
#define SOTTO_LAB_PLAYER_PLAYER_TABLE_H

#include "player.h"

/* The player of a match, by its method and calibration. */
sotto__player_maker sotto__player_new;

#endif
