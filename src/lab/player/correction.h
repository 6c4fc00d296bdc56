/* Which departures of the authors' code a match can undo. */
#ifndef SOTTO_LAB_PLAYER_CORRECTION_H
#define SOTTO_LAB_PLAYER_CORRECTION_H

#include <sotto/lab/matches.h>

/* NULL, or `text`: the correction that does not belong to this match, and where it does. */
const char *sotto__correction_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES]);

#endif
