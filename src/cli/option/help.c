/* The help of a command. */
#include "help.h"
#include "range.h"
#include "terminal/example.h"
#include "terminal/pair.h"
#include "terminal/wrap.h"

#include <stdlib.h>
#include <string.h>

enum { MEANING_AT = 23 };

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
    if (fclose(meaning) == 0) pair_print(file, name, text, MEANING_AT, columns);
    free(text);
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
        if (other) heading_print(file, row->group, columns);
        group = row->group;
        print_row(file, row, columns);
    }
    fprintf(file, "\n");
    pair_print(file, "--help", "this text", MEANING_AT, columns);
    examples_print(file, self->example, columns);
}
