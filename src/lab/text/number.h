/* Numbers in files that programs read. A number that is not finite is `null` in JSON, and `nan`, `inf`
 * or `-inf` in CSV, wherever one is written. */
#ifndef SOTTO_LAB_TEXT_NUMBER_H
#define SOTTO_LAB_TEXT_NUMBER_H

typedef enum sotto__text_format { SOTTO__TEXT_CSV, SOTTO__TEXT_JSON } sotto__text_format;

#define SOTTO__NUMBER_BYTES 32u

/* With so many digits a number is the same when it is read back. */
#define SOTTO__NUMBER_DIGITS 17

/* The number with so many significant digits, at most SOTTO__NUMBER_DIGITS; returns `text`. */
const char *sotto__number_text(double value, int digits, sotto__text_format format,
                               char text[SOTTO__NUMBER_BYTES]);

#endif
