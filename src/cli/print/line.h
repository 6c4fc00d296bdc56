/* One line of numbers: blanks between them, or a JSON list. */
#ifndef SOTTO_CLI_PRINT_LINE_H
#define SOTTO_CLI_PRINT_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* With all digits, so that each number can be read back. */
void line_reals(FILE *file, const double *x, uint32_t count, bool json);
void line_wholes(FILE *file, const int32_t *x, uint32_t count, bool json);

#endif
