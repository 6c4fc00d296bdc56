/* What files of this room share. */
#ifndef SOTTO_OPTION_INNER_H
#define SOTTO_OPTION_INNER_H

#include "option.h"

/* The help of a command, from its table, wrapped to so many columns. Examples stay as they are: they are copied. */
void help_print(FILE *file, const command *self, uint32_t columns);

#endif
