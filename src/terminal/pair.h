/* Names and what they mean, under headings: the body of a help. */
#ifndef SOTTO_TERMINAL_PAIR_H
#define SOTTO_TERMINAL_PAIR_H

#include <stdint.h>
#include <stdio.h>

/* An empty line, and a heading with a colon. */
void heading_print(FILE *file, const char *heading, uint32_t columns);

/* A name, and from column `at` on what it means. In a terminal that is too narrow for that, and after
 * a name that is too long, the meaning stands below. */
void pair_print(FILE *file, const char *name, const char *meaning, uint32_t at, uint32_t columns);

#endif
