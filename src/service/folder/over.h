/* Experiments that are over: closed ones have their last reports folded, and all reports of both go. */
#ifndef SERVICE_FOLDER_OVER_H
#define SERVICE_FOLDER_OVER_H

#include "round.h"

/* It is closed or deleted: noted once for each state. Without memory, at the next reading. */
void folder_over_note(folder_round *round, const journal_experiment *row);
/* Empties those that were noted. What is busy now goes after another reading. False: the database is away. */
bool folder_over_empty(folder_round *round, uint64_t now_ms);

#endif
