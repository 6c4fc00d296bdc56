/* The help of a command, from its table. */
#ifndef SOTTO_CLI_OPTION_HELP_H
#define SOTTO_CLI_OPTION_HELP_H

#include "table.h"

#include <stdio.h>

/* The rows of the table under the headings of their groups, each with its range, names and default;
 * wrapped to so many columns. Examples stay as they are: they are copied. */
void help_print(FILE *file, const command *self, uint32_t columns);

#endif
