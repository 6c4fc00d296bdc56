/* The rows of the table of players. */
#ifndef SOTTO_LAB_PLAYER_PLAYER_ROWS_H
#define SOTTO_LAB_PLAYER_PLAYER_ROWS_H

#include "player.h"

sotto__player_maker sotto__player_shipped_new;
sotto__player_maker sotto__player_paper_new;
sotto__player_maker sotto__player_published_new;
sotto__player_maker sotto__player_baseline_new;
sotto__player_maker sotto__player_brought_new;

/* Reports to learn from, and those of them that are null. 0 of players that do not ship, and of terms
 * without nulls. */
void sotto__player_shipped_reports(const sotto__player *player, uint64_t *learn, uint64_t *null);

#endif
