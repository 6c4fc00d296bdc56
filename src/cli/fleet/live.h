/* What happens, while it happens: a table on stderr, and the curve in a file. */
#ifndef SOTTO_CLI_FLEET_LIVE_H
#define SOTTO_CLI_FLEET_LIVE_H

#include "fleet/fleet.h"

#include <signal.h>
#include <stdio.h>

typedef struct fleet_live {
    bool table, terminal;
    FILE *csv;        /* NULL: none */
    sigset_t signals; /* that stop a run */
    bool came;        /* one of them */
    sotto__sight shown,
        written; /* as it was when a row of the table, and one of the curve, was last made */
    bool head;   /* of the table, was printed */
} fleet_live;

void fleet_live_begin(fleet_live *live, FILE *csv, bool quiet);
/* For sotto__fleet_play. */
sotto__fleet_listener fleet_live_listener(fleet_live *live);
/* The last row, of what came since the one before. */
void fleet_live_end(fleet_live *live, const sotto__sight *sight);

#endif
