/* What files of this room share. */
#ifndef SOTTO_CLI_REPRODUCE_INNER_H
#define SOTTO_CLI_REPRODUCE_INNER_H

#include "cli/option/option.h"
#include "paper/paper.h"

/* ---- again ---------------------------------------------------------------------------------- */

/* The command that makes the same page. */

/* Quoted for a shell; allocated in the pool. */
const char *reproduce_again(const sotto__reproduction_settings *settings, sotto__pool *pool);

/* ---- make ----------------------------------------------------------------------------------- */

/* Makes the page and shows progress. */

/* Returns an exit status. If it is not EXIT_OK, the reason is on stderr. */
int reproduce_make(const command_line *line, const sotto__reproduction_settings *settings,
                   bool quiet);

#endif
