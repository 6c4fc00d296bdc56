/* What files of this room share. */
#ifndef SOTTO_OPTION_INNER_H
#define SOTTO_OPTION_INNER_H

#include "option.h"

/* Prints the help of a command from its table, wrapped to `columns`. Examples are not wrapped as
 * text, so that they can be copied. */
void help_print(FILE *file, const command *self, uint32_t columns);

#endif
