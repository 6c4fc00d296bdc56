/* Liars: people whose device does all that an honest one does, and then sends something else, at the same time. */
#ifndef SOTTO_FLEET_LIARS_H
#define SOTTO_FLEET_LIARS_H

#include "stage.h"

typedef struct sotto__liars sotto__liars;

/* match->liars of all people; at most so many at once. Copies the stage, and borrows what it and the match hold. */
SOTTO_CHECK sotto_status sotto__liars_new(const sotto__stage *stage, const sotto_match *match,
                                          uint64_t seed, uint32_t at_once, sotto__liars **out);
void sotto__liars_free(sotto__liars *liars); /* accepts NULL; before the wire and the site */

/* Whether the next person lies. */
bool sotto__liars_come(sotto__liars *liars);

/* The current person of the world plays a round, and lies. They have no lie for measure rounds and for the mean
 * phase: there they send what they should. */
SOTTO_CHECK sotto_status sotto__liars_add(sotto__liars *liars);

/* After a turn: those whose report is acknowledged or dropped go. */
void sotto__liars_part(sotto__liars *liars);

#endif
