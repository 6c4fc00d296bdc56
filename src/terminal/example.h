/* Commands to try, at the end of a help. */
#ifndef SOTTO_TERMINAL_EXAMPLE_H
#define SOTTO_TERMINAL_EXAMPLE_H

#include <stdint.h>
#include <stdio.h>

/* Under a heading: a line that begins with a blank is a command, continued by a backslash where the
 * terminal is too narrow, so that it can be copied; other lines are text, which is wrapped. */
void examples_print(FILE *file, const char *text, uint32_t columns);

#endif
