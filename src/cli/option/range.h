/* The range of an option's numbers, in words. */
#ifndef SOTTO_CLI_OPTION_RANGE_H
#define SOTTO_CLI_OPTION_RANGE_H

#include "table.h"

/* "1 to 1024", "0.01 to 8" */
void option_print_range(FILE *file, const option *row);

#endif
