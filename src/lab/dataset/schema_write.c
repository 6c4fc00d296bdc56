/* The schema file, written: see schema_file.c. */
#include "number.h"
#include "schema_file.h"
#include "settings.h"
#include "words.h"

#include <string.h>

void sotto__number_write(double value, FILE *file)
{
    char text[40];
    double back = 0;
    for (int digits = 15; digits <= 17; digits++) {
        int bytes = snprintf(text, sizeof text, "%.*g", digits, value);
        if (sotto__number(text, (size_t)bytes, &back) && back == value) break;
    }
    fputs(text, file);
}

static void write_range(double lo, double hi, FILE *file)
{
    fputc(' ', file);
    sotto__number_write(lo, file);
    fputc(' ', file);
    sotto__number_write(hi, file);
}

/* Words below each other where they would not fit beside each other. */
static void write_words(char *const *word, uint32_t count, size_t at, FILE *file)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t bytes = strlen(word[i]) + 1;
        bool fits = at + bytes <= 98;
        fputs(fits ? " " : "\n   ", file);
        if (!fits) fputc(' ', file);
        sotto__word_write(word[i], file);
        at = (fits ? at : 4) + bytes;
    }
}

static void write_column(const sotto__column *column, FILE *file)
{
    if (column->note != NULL) fprintf(file, "# %s\n", column->note);
    const char *kind = sotto__column_kind_name(column->kind);
    fprintf(file, "%s ", kind);
    sotto__word_write(column->name, file);
    if (column->kind == SOTTO__COLUMN_NUMBER || column->kind == SOTTO__COLUMN_REWARD) {
        write_range(column->lo, column->hi, file);
        if (column->log) fputs(" log", file);
    }
    size_t at = strlen(kind) + strlen(column->name) + 1;
    write_words(column->level, column->levels_count, at, file);
    fputc('\n', file);
    for (uint32_t i = 0; i < column->aliases_count; i++) {
        fputs("alias ", file);
        sotto__word_write(column->alias[i], file);
        fputc(' ', file);
        sotto__word_write(column->level[column->alias_level[i]], file);
        fputc('\n', file);
    }
}

/* What only some files have stands there only if it is not the usual one. */
static bool is_told(const sotto_schema *schema, sotto__setting which, uint32_t choice)
{
    bool csv = schema->format == SOTTO_DATASET_CSV;
    switch (which) {
    case SOTTO__SETTING_SEPARATOR: return csv || choice != 0; /* of other files, too */
    case SOTTO__SETTING_HEADER: return csv;
    case SOTTO__SETTING_DECIMAL:
    case SOTTO__SETTING_NUMBERED: return choice != 0;
    case SOTTO__SETTING_FORMAT:
    case SOTTO__SETTING_SCALE:
    case SOTTO__SETTING_RANGES:
    case SOTTO__SETTING_OTHERS:
    case SOTTO__SETTING_UNLABELLED:
    case SOTTO__SETTINGS: break;
    }
    return true;
}

void sotto__schema_write(const sotto_schema *schema, FILE *file)
{
    for (uint32_t i = 0; i < SOTTO__SETTINGS; i++) {
        sotto__setting which = (sotto__setting)i;
        uint32_t choice = sotto__setting_get(schema, which);
        if (!is_told(schema, which, choice)) continue;
        fprintf(file, "%s %s\n", sotto__setting_name(which), sotto__setting_choice(which, choice));
    }
    if (schema->missing_count > 0) {
        fputs("missing", file);
        write_words(schema->missing, schema->missing_count, strlen("missing"), file);
        fputc('\n', file);
    }
    if (schema->propensity > 0) {
        fputs("propensity constant ", file);
        sotto__number_write(schema->propensity, file);
        fputc('\n', file);
    }
    if (schema->rewards_file != NULL) {
        fputs("rewards ", file);
        sotto__word_write(schema->rewards_file, file);
        if (schema->rewards_ranged) write_range(schema->rewards_lo, schema->rewards_hi, file);
        fputc('\n', file);
    }
    if (schema->arms_file != NULL) {
        fputs("arms ", file);
        sotto__word_write(schema->arms_file, file);
        fputc('\n', file);
    }
    for (uint32_t i = 0; schema->arms != NULL && i < schema->arms->columns_count; i++) {
        const sotto__column *column = &schema->arms->column[i];
        if (column->kind == SOTTO__COLUMN_LABEL) continue; /* names the arm */
        fputs("arm ", file);
        write_column(column, file);
    }
    if (schema->hash > 0) fprintf(file, "hash %u\n", schema->hash);
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        if (schema->column[i].bucket) continue; /* which hash stands for */
        write_column(&schema->column[i], file);
    }
}
