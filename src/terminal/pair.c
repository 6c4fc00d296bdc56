/* Names and what they mean, under headings. */
#include "pair.h"
#include "wrap.h"

#include <stdbool.h>
#include <string.h>

enum { INDENT = 2, BELOW = 6, MEANING_MIN = 37 };

void heading_print(FILE *file, const char *heading, uint32_t columns)
{
    char line[128];
    snprintf(line, sizeof line, "%s:", heading);
    fprintf(file, "\n");
    wrap_print(file, line, 0, INDENT, columns);
}

void pair_print(FILE *file, const char *name, const char *meaning, uint32_t at, uint32_t columns)
{
    bool below = columns < at + MEANING_MIN || INDENT + strlen(name) >= at;
    if (below) {
        fprintf(file, "%*s%s\n%*s", INDENT, "", name, BELOW, "");
        wrap_print(file, meaning, BELOW, BELOW, columns);
    } else {
        fprintf(file, "%*s%-*s", INDENT, "", (int)at - INDENT, name);
        wrap_print(file, meaning, at, at, columns);
    }
}
