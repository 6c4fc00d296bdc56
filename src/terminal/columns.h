/* How wide help may be. */
#ifndef SOTTO_TERMINAL_COLUMNS_H
#define SOTTO_TERMINAL_COLUMNS_H

#include <stdint.h>

#define COLUMNS_MIN 40u   /* narrower, it would be one word per line */
#define COLUMNS_MAX 100u  /* wider, lines are hard to read */
#define COLUMNS_USUAL 80u /* where nothing says it */

/* From the width of the terminal, 0 if there is none, and the text of the variable COLUMNS, which may
 * be NULL: the first of the two that is a width, within the limits. */
uint32_t columns_of(uint32_t terminal, const char *variable);

/* Of the standard output. */
uint32_t columns_of_output(void);

#endif
