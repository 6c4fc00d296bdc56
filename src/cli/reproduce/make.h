/* Makes the page, and says how it goes. */
#ifndef SOTTO_CLI_REPRODUCE_MAKE_H
#define SOTTO_CLI_REPRODUCE_MAKE_H

#include "cli/option/option.h"
#include "lab/paper/reproduction.h"

/* An exit status; unless it is EXIT_OK the reason is on stderr. */
int reproduce_make(const command_line *line, const sotto__reproduction_settings *settings,
                   bool quiet);

#endif
