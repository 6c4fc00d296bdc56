#include "print.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== rows =================================================================================== */

/* Rows of named values, in any format. */

void print_head(FILE *file, print_format format, const print_column *column, uint32_t count)
{
    switch (format) {
    case PRINT_TABLE: table_head(file, column, count); break;
    case PRINT_CSV: csv_head(file, column, count); break;
    case PRINT_JSON: break;
    }
}

void print_row(FILE *file, print_format format, const print_column *column,
               const print_value *value, uint32_t count)
{
    switch (format) {
    case PRINT_TABLE: table_row(file, column, value, count); break;
    case PRINT_CSV: csv_row(file, column, value, count); break;
    case PRINT_JSON: json_row(file, column, value, count); break;
    }
}

/* ==== table ================================================================================== */

/* Tables for people: columns of a fixed width, one blank apart. If a table does not fit the
 * terminal, its head and each row continue on indented lines. */

enum { STACKED = 4 };

/* Prints the separator before a column of this width, a blank or a new line, and advances *at. */
static void next_cell(FILE *file, uint32_t width, uint32_t columns, uint32_t *at)
{
    if (*at > 0 && *at + 1 + width > columns) {
        fprintf(file, "\n%*s", STACKED, "");
        *at = STACKED;
    } else if (*at > 0) {
        fputc(' ', file);
        *at += 1;
    }
    *at += width;
}

void table_head(FILE *file, const print_column *column, uint32_t count)
{
    uint32_t at = 0, columns = text_columns_of_tables();
    /* Trailing columns without a heading are left out of the head. */
    while (count > 0 && (column[count - 1].title == NULL || column[count - 1].title[0] == '\0')) {
        count--;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (column[i].title == NULL) continue;
        next_cell(file, (uint32_t)abs(column[i].width), columns, &at);
        fprintf(file, "%*s", column[i].width, column[i].title);
    }
    fprintf(file, "\n");
}

void table_cell(FILE *file, const print_column *column, const print_value *value)
{
    switch (value->kind) {
    case PRINT_TEXT: fprintf(file, "%*s", column->width, value->text); return;
    case PRINT_NATURAL: fprintf(file, "%*" PRIu64, column->width, value->natural); return;
    case PRINT_FLAG:
        fprintf(file, "%*s", column->width, value->natural != 0 ? "yes" : "no");
        return;
    case PRINT_REAL:
        if (!isfinite(value->real)) break;
        fprintf(file, "%*.*g", column->width, column->digits, value->real);
        return;
    case PRINT_NONE: break;
    }
    fprintf(file, "%*s", column->width, "-");
}

void table_row(FILE *file, const print_column *column, const print_value *value, uint32_t count)
{
    uint32_t at = 0, columns = text_columns_of_tables();
    for (uint32_t i = 0; i < count; i++) {
        if (column[i].title == NULL) continue;
        if (column[i].width == 0 && value[i].kind == PRINT_TEXT && at > 0) {
            /* Words without a width are the last column, beside the numbers if they fit. */
            bool fits = at + 1 + strlen(value[i].text) <= columns;
            fits ? fputc(' ', file) : fprintf(file, "\n%*s", STACKED, "");
            wrap_print(file, value[i].text, fits ? at + 1 : STACKED, STACKED, columns);
            return;
        }
        next_cell(file, (uint32_t)abs(column[i].width), columns, &at);
        table_cell(file, &column[i], &value[i]);
    }
    fprintf(file, "\n");
}

/* ==== page =================================================================================== */

void page_begin(print_page *out, FILE *to)
{
    *out = (print_page){.file = NULL};
    out->file = open_memstream(&out->text, &out->bytes);
    if (out->file == NULL) out->file = to;
}

void page_end(print_page *p, FILE *to)
{
    uint32_t columns = text_columns_of_tables();
    if (p->file == to) return;
    bool whole = fclose(p->file) == 0;
    for (char *at = p->text, *end; whole && *at != '\0'; at = end + 1) {
        end = at + strcspn(at, "\n");
        bool last = *end == '\0';
        *end = '\0';
        uint32_t indent = (uint32_t)strspn(at, " ");
        if (at == p->text && p->tone != VERDICT_NONE && !last) {
            verdict_print(to, at, p->tone, columns);
        } else if ((size_t)(end - at) <= columns) {
            fprintf(to, "%s%s", at, last ? "" : "\n");
        } else {
            fprintf(to, "%*s", (int)indent, "");
            wrap_print(to, at + indent, indent, indent, columns);
        }
        if (last) break;
    }
    free(p->text);
    *p = (print_page){.file = NULL};
}

/* ==== line =================================================================================== */

/* One line of numbers. */

void line_reals(FILE *file, const double *x, uint32_t count, bool json)
{
    char text[SOTTO__NUMBER_BYTES];
    sotto__text_format format = json ? SOTTO__TEXT_JSON : SOTTO__TEXT_CSV;
    if (json) fputc('[', file);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) fputs(json ? ", " : " ", file);
        fputs(sotto__number_text(x[i], SOTTO__NUMBER_DIGITS, format, text), file);
    }
    fputs(json ? "]\n" : "\n", file);
}

void line_wholes(FILE *file, const int32_t *x, uint32_t count, bool json)
{
    if (json) fputc('[', file);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "%s%d", i == 0 ? "" : json ? ", " : " ", x[i]);
    }
    fputs(json ? "]\n" : "\n", file);
}

/* ==== csv ==================================================================================== */

/* Comma-separated values. */

/* Prints a field of CSV, in quotes if it needs them. */
static void print_field(FILE *file, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"') fputc('"', file);
        fputc(*at, file);
    }
    fputc('"', file);
}

static void print_value_of(FILE *file, const print_column *column, const print_value *value)
{
    char text[SOTTO__NUMBER_BYTES];
    int digits = column->digits_exact > 0 ? column->digits_exact : SOTTO__NUMBER_DIGITS;
    switch (value->kind) {
    case PRINT_TEXT: print_field(file, value->text); break;
    case PRINT_NATURAL: fprintf(file, "%" PRIu64, value->natural); break;
    case PRINT_FLAG: fputs(value->natural != 0 ? "true" : "false", file); break;
    case PRINT_REAL:
        fputs(sotto__number_text(value->real, digits, SOTTO__TEXT_CSV, text), file);
        break;
    case PRINT_NONE: fputs(sotto__number_text(NAN, digits, SOTTO__TEXT_CSV, text), file); break;
    }
}

void csv_head(FILE *file, const print_column *column, uint32_t count)
{
    const char *comma = "";
    for (uint32_t i = 0; i < count; i++) {
        if (column[i].key == NULL) continue;
        fprintf(file, "%s%s", comma, column[i].key);
        comma = ",";
    }
    fputc('\n', file);
}

void csv_row(FILE *file, const print_column *column, const print_value *value, uint32_t count)
{
    const char *comma = "";
    for (uint32_t i = 0; i < count; i++) {
        if (column[i].key == NULL) continue;
        fputs(comma, file);
        print_value_of(file, &column[i], &value[i]);
        comma = ",";
    }
    fputc('\n', file);
}
