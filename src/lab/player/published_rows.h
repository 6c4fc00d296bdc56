/* The methods of the authors' code: the rows of their table. */
#ifndef SOTTO_LAB_PLAYER_PUBLISHED_ROWS_H
#define SOTTO_LAB_PLAYER_PUBLISHED_ROWS_H

#include "player.h"

sotto__player_maker sotto__published_sgd_new;
sotto__player_maker sotto__published_ols_new;
sotto__player_maker sotto__published_ucb_new;
sotto__player_maker sotto__published_gloc_new;

#endif
