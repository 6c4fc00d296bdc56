/* The schema of a replay's file: read, or drafted. */
#include "schema.h"
#include "lab/dataset/draft.h"
#include "lab/dataset/number.h"
#include "lab/dataset/schema_file.h"
#include "lab/dataset/words.h"
#include "lab/text/printable.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

/* The words of a list, cut apart in `text`, a copy of it. */
static uint32_t cut_list(char *text, const char **word)
{
    uint32_t count = 0;
    while (text != NULL) {
        word[count++] = text;
        text = strchr(text, ',');
        if (text != NULL) *text++ = '\0';
    }
    return count;
}

/* A number between 0 and 1 is no column but the chance of every action; otherwise 0. */
static double constant_chance(const char *propensity)
{
    double chance = 0;
    if (propensity == NULL || !sotto__number(propensity, strlen(propensity), &chance)) return 0;
    return chance > 0 && chance < 1 ? chance : 0;
}

/* What a draft decided by itself. */
static void say_notes(const command_line *line, const sotto_schema *schema)
{
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        const sotto__column *column = &schema->column[i];
        char shown[SOTTO__SHOWN_BYTES];
        if (column->note == NULL) continue;
        option_say(line, "column %s: %s%s", sotto__shown(column->name, strlen(column->name), shown),
                   column->kind == SOTTO__COLUMN_IGNORE ? "ignored: " : "", column->note);
    }
}

static bool draft_schema(const command_line *line, sotto_schema *out)
{
    const replay_options *o = line->fields;
    char fault[SOTTO_FAULT_BYTES];
    const char *wrong = sotto_status_text(SOTTO_E_MEMORY);
    double chance = constant_chance(o->propensity);
    char *text = o->ignored != NULL ? strdup(o->ignored) : NULL;
    const char **word = calloc(text != NULL ? strlen(text) + 1 : 1, sizeof *word);
    if (word != NULL && (text != NULL || o->ignored == NULL)) {
        sotto_draft draft = {
            .format = (sotto_dataset_format)o->format,
            .separator = o->separator == 0 ? '\0' : SOTTO__SEPARATORS[o->separator - 1],
            .decimal = "\0.,"[o->decimal],
            .header = (sotto_draft_header)o->header,
            .label = o->label,
            .action = o->action,
            .reward = o->reward,
            .propensity = chance > 0 ? NULL : o->propensity,
            .constant_propensity = chance,
            .ignored_count = cut_list(text, word),
            .ignored = word,
            .once = o->draft,
        };
        wrong = sotto__schema_draft(&draft, o->data, out, fault);
    }
    free(word);
    free(text);
    if (wrong != NULL) return option_say(line, "%s", wrong);
    say_notes(line, out);
    return true;
}

bool replay_schema(const command_line *line, sotto_schema *out)
{
    const replay_options *o = line->fields;
    char fault[SOTTO_FAULT_BYTES];
    *out = (sotto_schema){0};
    if (o->schema == NULL) return draft_schema(line, out);
    const char *wrong = sotto__schema_read(o->schema, out, fault);
    return wrong == NULL || option_say(line, "%s", wrong);
}
