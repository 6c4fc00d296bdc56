/* Comma-separated values. */
#include "csv.h"
#include "lab/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* In quotes if it needs them. */
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
