/* Tables for people: columns of a fixed width, one blank apart. */
#include "table.h"

#include <inttypes.h>
#include <math.h>

void table_head(FILE *file, const print_column *column, uint32_t count)
{
    const char *blank = "";
    /* Nothing stands over the last columns if they have no head. */
    while (count > 0 && (column[count - 1].title == NULL || column[count - 1].title[0] == '\0')) {
        count--;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (column[i].title == NULL) continue;
        fprintf(file, "%s%*s", blank, column[i].width, column[i].title);
        blank = " ";
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
    const char *blank = "";
    for (uint32_t i = 0; i < count; i++) {
        if (column[i].title == NULL) continue;
        fprintf(file, "%s", blank);
        table_cell(file, &column[i], &value[i]);
        blank = " ";
    }
    fprintf(file, "\n");
}
