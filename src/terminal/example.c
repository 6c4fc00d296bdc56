/* Commands to try, at the end of a help. */
#include "example.h"
#include "wrap.h"

#include <stdbool.h>
#include <string.h>

/* How much of a command belongs on one line: up to the next option, pipe or file. */
static size_t piece_of(const char *at, size_t length)
{
    bool quoted = false;
    for (size_t i = 1; i + 1 < length; i++) {
        if (at[i] == '\'') quoted = !quoted;
        if (!quoted && at[i] == ' ' && strchr("-|>", at[i + 1]) != NULL) return i;
    }
    return length;
}

/* A command, continued by a backslash where the terminal is too narrow. */
static void print_command(FILE *file, const char *at, size_t length, uint32_t columns)
{
    enum { INDENT = 6 };
    uint32_t column = 0;
    while (length > 0) {
        size_t piece = piece_of(at, length);
        bool last = piece == length;
        size_t needed = column + piece + (last ? 0 : strlen(" \\"));
        if (column > INDENT && needed > columns) {
            fprintf(file, " \\\n%*s", INDENT, "");
            column = INDENT;
            at++, piece--, length--; /* the blank */
        }
        fprintf(file, "%.*s", (int)piece, at);
        column += (uint32_t)piece;
        at += piece, length -= piece;
    }
    fprintf(file, "\n");
}

void examples_print(FILE *file, const char *text, uint32_t columns)
{
    fprintf(file, "\nexamples:\n");
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        if (text[0] == ' ') {
            print_command(file, text, length, columns);
        } else {
            char line[256];
            snprintf(line, sizeof line, "%.*s", (int)length, text);
            wrap_print(file, line, 0, 4, columns);
        }
        text += length + (text[length] == '\n');
    }
}
