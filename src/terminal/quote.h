/* Text within the single quotes of a shell's script. */
#ifndef SOTTO_TERMINAL_QUOTE_H
#define SOTTO_TERMINAL_QUOTE_H

#include <stddef.h>
#include <stdio.h>

/* Prints `length` characters of a text within single quotes that the caller has opened. Before each
 * character in `escaped` stands a backslash; a single quote becomes `quote`. */
void quote_print(FILE *file, const char *text, size_t length, const char *escaped,
                 const char *quote);

/* The same for the first clause of a text: up to a semicolon, the end of the line, or the colon or
 * full stop before it. */
void quote_clause(FILE *file, const char *text, const char *escaped, const char *quote);

#endif
