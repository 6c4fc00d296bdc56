/* Help for a terminal. */
#include "text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ==== columns ================================================================================ */

/* The width of help. */

/* The value of a text of digits, at most TEXT_COLUMNS_TABLE; 0 for any other text. */
static uint32_t number_of(const char *text)
{
    uint32_t number = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        number = 10 * number + (uint32_t)(*text - '0');
        if (number > TEXT_COLUMNS_TABLE) number = TEXT_COLUMNS_TABLE;
    }
    return *text == '\0' ? number : 0;
}

uint32_t text_columns(uint32_t terminal, const char *variable)
{
    uint32_t columns = terminal;
    if (columns == 0 && variable != NULL) columns = number_of(variable);
    if (columns == 0) return TEXT_COLUMNS_USUAL;
    if (columns < TEXT_COLUMNS_MIN) return TEXT_COLUMNS_MIN;
    return columns > TEXT_COLUMNS_MAX ? TEXT_COLUMNS_MAX : columns;
}

uint32_t text_columns_of_output(void)
{
    struct winsize size = {0};
    bool terminal = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return text_columns(terminal ? size.ws_col : 0, getenv("COLUMNS"));
}

uint32_t text_columns_of_errors(void)
{
    struct winsize size = {0};
    bool terminal = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
    return terminal ? text_columns(size.ws_col, getenv("COLUMNS")) : UINT32_MAX;
}

uint32_t text_columns_of_tables(void)
{
    struct winsize size = {0};
    const char *variable = getenv("COLUMNS");
    bool terminal = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    uint32_t columns = terminal ? size.ws_col : variable != NULL ? number_of(variable) : 0;
    if (columns == 0) return TEXT_COLUMNS_USUAL;
    return columns < TEXT_COLUMNS_MIN ? TEXT_COLUMNS_MIN : columns;
}

/* ==== example ================================================================================ */

/* Commands to try, at the end of a help. */

/* The length of the next piece of a command that is not split: up to the next option, pipe or
 * file. */
static size_t piece_of(const char *at, size_t length)
{
    bool quoted = false;
    for (size_t i = 1; i + 1 < length; i++) {
        if (at[i] == '\'') quoted = !quoted;
        if (!quoted && at[i] == ' ' && strchr("-|>", at[i + 1]) != NULL) return i;
    }
    return length;
}

/* Prints a command, with a backslash before each line break if the terminal is too narrow. */
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

/* ==== pair =================================================================================== */

/* Names and what they mean, under headings. */

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

/* ==== clause ================================================================================= */

size_t clause_length(const char *text)
{
    size_t length = strcspn(text, ";\n");
    return length > 0 && strchr(":.", text[length - 1]) != NULL ? length - 1 : length;
}

/* ==== wrap =================================================================================== */

/* Text wrapped to a width. */

static uint32_t begin_line(FILE *file, uint32_t indent)
{
    fprintf(file, "\n%*s", (int)indent, "");
    return indent;
}

/* Like wrap_print, but prints the text `behind` after the word that ends at `end`. */
static void wrap(FILE *file, const char *text, uint32_t at, uint32_t indent, uint32_t columns,
                 const char *end, const char *behind)
{
    uint32_t hanging = indent;
    const char *blank = "";
    while (*text != '\0') {
        size_t length = strcspn(text, " \n");
        if (length > 0 && blank[0] != '\0' && at + 1 + length > columns) {
            at = begin_line(file, hanging);
            blank = "";
        }
        if (length > 0) {
            fprintf(file, "%s%.*s", blank, (int)length, text);
            at += (uint32_t)(strlen(blank) + length);
            blank = " ";
        }
        text += length;
        if (text == end) fputs(behind, file);
        if (*text == '\n') {
            at = begin_line(file, indent);
            hanging = indent + 2;
            blank = "";
        }
        if (*text != '\0') text++;
    }
    fprintf(file, "\n");
}

void wrap_print(FILE *file, const char *text, uint32_t at, uint32_t indent, uint32_t columns)
{
    wrap(file, text, at, indent, columns, NULL, "");
}

/* ==== verdict ================================================================================ */

/* The sentence that the output of a command starts with. */

bool verdict_in_colour(bool terminal, const char *no_color, const char *term)
{
    if (no_color != NULL && no_color[0] != '\0') return false;
    return terminal && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

void verdict_print(FILE *file, const char *text, verdict_tone tone, uint32_t columns)
{
    static const char *const bold[] = {
        [VERDICT_OPEN] = "\033[1m", [VERDICT_GOOD] = "\033[1;32m", [VERDICT_BAD] = "\033[1;31m"};
    if (tone == VERDICT_NONE ||
        !verdict_in_colour(isatty(fileno(file)) == 1, getenv("NO_COLOR"), getenv("TERM"))) {
        wrap_print(file, text, 0, 0, columns);
        return;
    }
    const char *end = strstr(text, ". ");
    fputs(bold[tone], file);
    wrap(file, text, 0, 0, columns, end != NULL ? end + 1 : text + strlen(text), "\033[0m");
}
