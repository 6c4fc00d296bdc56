/* Text of strangers in sentences for people: read as it is, and obeyed by no terminal. */
#ifndef SOTTO_LAB_TEXT_PRINTABLE_H
#define SOTTO_LAB_TEXT_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOTTO__SHOWN_BYTES 64u /* of a text as sotto__shown leaves it */

/* True for what a terminal obeys or what changes how a line is read: control characters (C0, DEL, C1),
 * the separators of lines and paragraphs, controls of direction, and SOTTO__NO_CHARACTER. */
bool sotto__is_obeyed(uint32_t character);

/* Makes each character that would be obeyed, and each byte that is not UTF-8, a '?', in place; returns
 * `text`. */
char *sotto__printable(char *text);

/* The same as a copy; what does not fit is cut off behind a whole character, and "..." says so. The
 * room has 4 bytes or more. Returns `shown`. */
const char *sotto__shown_in(const char *text, size_t bytes, char *shown, size_t shown_bytes);
const char *sotto__shown(const char *text, size_t bytes, char shown[SOTTO__SHOWN_BYTES]);

#endif
