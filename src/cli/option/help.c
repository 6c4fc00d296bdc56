/* The help of a command. */
#include "help.h"
#include "range.h"
#include "wrap.h"

#include <stdlib.h>
#include <string.h>

enum { NARROW = 60, MEANING_AT = 23, MEANING_BELOW = 6 };

void help_pair(FILE *file, const char *name, const char *meaning, uint32_t columns)
{
    if (columns < NARROW) {
        fprintf(file, "  %s\n%*s", name, MEANING_BELOW, "");
        wrap_print(file, meaning, MEANING_BELOW, MEANING_BELOW, columns);
    } else {
        fprintf(file, "  %-*s ", MEANING_AT - 3, name);
        wrap_print(file, meaning, MEANING_AT, MEANING_AT, columns);
    }
}

static void write_range(FILE *file, const option *row)
{
    bool number =
        row->kind == OPTION_IS_U32 || row->kind == OPTION_IS_U64 || row->kind == OPTION_IS_F64;
    if (!number || row->names != NULL || row->parse != NULL) return;
    fprintf(file, "; ");
    option_print_range(file, row);
}

static void write_names(FILE *file, const option *row)
{
    if (row->names == NULL) return;
    if (strchr(row->meaning, '\n') != NULL) return; /* it explains them, one per line */
    for (uint32_t i = 0; row->names(i) != NULL; i++) {
        fprintf(file, "%s%s", i == 0 ? "; " : ", ", row->names(i));
    }
}

static void print_heading(FILE *file, const char *group, uint32_t columns)
{
    char heading[128];
    snprintf(heading, sizeof heading, "%s:", group);
    fprintf(file, "\n");
    wrap_print(file, heading, 0, 2, columns);
}

static void print_row(FILE *file, const option *row, uint32_t columns)
{
    char name[64], *text = NULL;
    size_t bytes;
    FILE *meaning = open_memstream(&text, &bytes);
    snprintf(name, sizeof name, "--%s", row->name);
    if (meaning == NULL) return;
    fprintf(meaning, "%s", row->meaning);
    write_range(meaning, row);
    write_names(meaning, row);
    if (row->usual != NULL) fprintf(meaning, "; default %s", row->usual);
    if (fclose(meaning) == 0) help_pair(file, name, text, columns);
    free(text);
}

/* ---- examples ----------------------------------------------------------------------------- */

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

/* One command per line, indented; other lines are text. */
static void print_examples(FILE *file, const char *text, uint32_t columns)
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

void help_print(FILE *file, const command *self, uint32_t columns)
{
    const char *group = NULL;
    uint32_t at = (uint32_t)fprintf(file, "sotto %s - ", self->name);
    wrap_print(file, self->summary, at, 4, columns);
    fprintf(file, "\nusage: ");
    wrap_print(file, self->usage, 7, 11, columns);
    for (const option *row = self->table; row->meaning != NULL; row++) {
        bool other = group == NULL || strcmp(group, row->group) != 0;
        if (other) print_heading(file, row->group, columns);
        group = row->group;
        print_row(file, row, columns);
    }
    fprintf(file, "\n");
    help_pair(file, "--help", "this text", columns);
    print_examples(file, self->example, columns);
}
