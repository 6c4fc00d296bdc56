/* A part as a command. */
#ifndef SOTTO_LAB_PAPER_SIMULATE_COMMAND_H
#define SOTTO_LAB_PAPER_SIMULATE_COMMAND_H

#include "lab/text/pool.h"
#include "part.h"

/* The `sotto simulate` command that plays the same runs; on the stand-in, if they need customers. */
const char *sotto__simulate_command(const sotto__part *part, sotto__pool *pool);

#endif
