/* Numbers as people read them. */
#ifndef SOTTO_LAB_TEXT_GROUPED_H
#define SOTTO_LAB_TEXT_GROUPED_H

#define SOTTO__GROUPED_BYTES 32u

/* With a comma between each three digits, and with the digits that a reader wants: 12,346, 123, 12.3,
 * 0.0123; from 1e15 on 1.23e+15; "-" if it is not finite. Returns `text`. */
const char *sotto__grouped(double value, char text[SOTTO__GROUPED_BYTES]);

#endif
