/* Honest people: each has a ledger and a device of their own, for one round. */
#ifndef SOTTO_FLEET_CROWD_H
#define SOTTO_FLEET_CROWD_H

#include "stage.h"

typedef struct sotto__crowd sotto__crowd;

/* Room for so many at once. Copies the stage, and borrows what it holds. */
SOTTO_CHECK sotto_status sotto__crowd_new(const sotto__stage *stage, uint32_t at_once,
                                          sotto__crowd **out);
void sotto__crowd_free(sotto__crowd *crowd); /* accepts NULL; before the wire and the site */

/* The current person of the world plays a round; `missing`: their reward never comes. SOTTO_E_FULL if there is no
 * room. After a failure nobody has come. */
SOTTO_CHECK sotto_status sotto__crowd_add(sotto__crowd *crowd, bool missing);

/* After a turn: those whose report is acknowledged or dropped go. */
void sotto__crowd_part(sotto__crowd *crowd);

#endif
