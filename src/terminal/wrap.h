/* Text wrapped to a width. */
#ifndef SOTTO_TERMINAL_WRAP_H
#define SOTTO_TERMINAL_WRAP_H

#include <stdint.h>
#include <stdio.h>

/* Prints the text from column `at` on, and what does not fit on lines indented by `indent`, then ends
 * the line. A line break in the text begins a line of its own, whose rest is indented by two more.
 * Words are never cut: one that is longer than a line stands out. Bytes count as columns. */
void wrap_print(FILE *file, const char *text, uint32_t at, uint32_t indent, uint32_t columns);

#endif
