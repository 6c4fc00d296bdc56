/* The help of a command, and of settings. */
#include "inner.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

enum { MEANING_AT = 23 };

static bool is_number(const option *row)
{
    bool number =
        row->kind == OPTION_IS_U32 || row->kind == OPTION_IS_U64 || row->kind == OPTION_IS_F64;
    return number && row->names == NULL && row->parse == NULL;
}

static const char *word_of(const option *row)
{
    if (row->value != NULL) return row->value->word;
    if (row->names != NULL) return "NAME";
    return row->kind == OPTION_IS_FLAG ? "" : "N";
}

/* Writes the help of an option: "of each report; 0.01 to 8; default 1". */
static void write_option(FILE *file, const option *row)
{
    char allowed[OPTION_ALLOWED_BYTES];
    fprintf(file, "%s", row->meaning);
    if (is_number(row)) {
        option_range(row, allowed);
        fprintf(file, "; %s", allowed);
    }
    /* If the meaning has several lines, each explains one name, so the names are not listed
     * again. */
    bool listed = row->names != NULL && strchr(row->meaning, '\n') == NULL;
    for (uint32_t i = 0; listed && row->names(i) != NULL; i++) {
        fprintf(file, "%s%s", i == 0 ? "; " : ", ", row->names(i));
    }
    if (row->usual != NULL) fprintf(file, "; default %s", row->usual);
}

/* Writes the help of a setting, whose meaning is a full sentence, because it is also printed in
 * files. */
static void write_setting(FILE *file, const option *row)
{
    char allowed[OPTION_ALLOWED_BYTES];
    const char *usual = row->usual == NULL || row->usual[0] == '\0' ? "none" : row->usual;
    if (row->value != NULL && row->value->usual != NULL) usual = row->value->usual;
    option_allowed(row, allowed);
    fprintf(file, "%s\nDefault: %s.\nAllowed: %s.", row->meaning, usual, allowed);
}

static void print_row(FILE *file, const option *row, uint32_t at, uint32_t columns)
{
    char name[64], *text = NULL;
    size_t bytes;
    FILE *meaning = open_memstream(&text, &bytes);
    const char *word = row->sources != 0 ? word_of(row) : "";
    snprintf(name, sizeof name, "--%s%s%s", row->name, word[0] == '\0' ? "" : " ", word);
    if (meaning == NULL) return;
    if (row->sources != 0) {
        write_setting(meaning, row);
    } else {
        write_option(meaning, row);
    }
    if (fclose(meaning) == 0) pair_print(file, name, text, at, columns);
    free(text);
}

void option_table_print(FILE *file, const option *table, uint32_t at, uint32_t columns)
{
    const char *group = "";
    for (const option *row = table; row->meaning != NULL; row++) {
        if (strcmp(group, row->group) != 0) heading_print(file, row->group, columns);
        group = row->group;
        print_row(file, row, at, columns);
    }
}

void help_print(FILE *file, const command *self, uint32_t columns)
{
    uint32_t at = (uint32_t)fprintf(file, "sotto %s - ", self->name);
    wrap_print(file, self->summary, at, 4, columns);
    fprintf(file, "\nusage: ");
    wrap_print(file, self->usage, 7, 11, columns);
    option_table_print(file, self->table, MEANING_AT, columns);
    fprintf(file, "\n");
    pair_print(file, "--help", "this text", MEANING_AT, columns);
    examples_print(file, self->example, columns);
}
