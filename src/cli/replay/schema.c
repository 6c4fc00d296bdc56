#include "cli/option/option.h"
#include "inner.h"
#include "lab/dataset/dataset.h"
#include "text/text.h"
#include "threads/threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ==== request ================================================================================ */

/* From options to the request of a replay. */

bool replay_request_of(const command_line *line, bool log, sotto_replay_request *out)
{
    const replay_options *o = line->fields;
    sotto_fault fault;
    *out = (sotto_replay_request){
        .player = o->players.player,
        .players_count = o->players.count,
        .epsilon = o->epsilons.epsilon,
        .epsilons_count = o->epsilons.count,
        .parameters = (sotto_parameters)o->parameters,
        .link = (sotto_link)o->link,
        .delta = o->delta,
        .allow_weak_delta = o->weak_delta,
        .seeds_count = o->seeds,
        .passes = o->passes,
        .threads = OPTION_GIVEN(line, replay_options, threads) ? o->threads
                                                               : cores_count(SOTTO_THREADS_MAX),
        .shuffle = o->order == REPLAY_SHUFFLED,
        .people_max =
            OPTION_GIVEN(line, replay_options, horizon) ? o->horizon : SOTTO_REPLAY_UNSAID,
        .warm_up = OPTION_GIVEN(line, replay_options, warm_up) ? o->warm_up : SOTTO_REPLAY_UNSAID,
        .clip = o->clip,
    };
    return sotto_replay_request_fault(out, log, &fault) == SOTTO_OK ||
           option_refuse(line, "", &fault);
}

bool replay_request_points(const command_line *line, uint64_t people, sotto_replay_request *request)
{
    replay_options *o = line->fields;
    sotto_fault fault;
    if (point_list_end(&o->points, people, &fault) != SOTTO_OK) {
        return option_say(line, "--checkpoints = %s", fault.sentence);
    }
    request->at = o->points.at;
    request->at_count = o->points.count;
    return true;
}

/* ==== schema ================================================================================= */

/* The schema of a replay's file: read, or drafted. */

/* Splits a list into words in place: `text` is a copy of the list. */
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

/* If --propensity is a number between 0 and 1, it is the chance of every action, not a column.
 * Returns 0 for anything else. */
static double constant_chance(const char *propensity)
{
    double chance = 0;
    if (propensity == NULL || !sotto__number(propensity, strlen(propensity), &chance)) return 0;
    return chance > 0 && chance < 1 ? chance : 0;
}

/* Prints what the draft guessed. */
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
    sotto_fault fault;
    sotto_status status = SOTTO_E_MEMORY;
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
        status = sotto__schema_draft(&draft, o->data, out, &fault);
    } else {
        sotto__fault_status(&fault, status);
    }
    free(word);
    free(text);
    if (status != SOTTO_OK) return option_say(line, "%s", fault.sentence);
    say_notes(line, out);
    return true;
}

bool replay_schema(const command_line *line, sotto_schema *out)
{
    const replay_options *o = line->fields;
    sotto_fault fault;
    *out = (sotto_schema){0};
    if (o->schema == NULL) return draft_schema(line, out);
    return sotto__schema_read(o->schema, out, &fault) == SOTTO_OK ||
           option_say(line, "%s", fault.sentence);
}

/* ==== export ================================================================================= */

/* A data set as text for Vowpal Wabbit. */

static int fail_to_write(const command_line *line, const char *path)
{
    option_say(line, "cannot write %s: %s", path, strerror(errno));
    return EXIT_FAILED;
}

/* Closes the file. True if all bytes were written. */
static bool finish(FILE *file)
{
    bool good = fflush(file) == 0 && !ferror(file);
    return fclose(file) == 0 && good;
}

static int write_both(const command_line *line, const sotto_schema *schema, sotto_dataset *dataset,
                      const char *schema_path)
{
    const replay_options *o = line->fields;
    sotto_fault fault;
    uint64_t count;
    FILE *file = fopen(o->export_vw, "w");
    if (file == NULL) return fail_to_write(line, o->export_vw);
    FILE *schema_file = fopen(schema_path, "w");
    if (schema_file == NULL) {
        int code = fail_to_write(line, schema_path);
        fclose(file);
        return code;
    }
    sotto_status status = sotto__vw_write(schema, dataset, file, schema_file, &count, &fault);
    bool written = finish(file);
    if (!finish(schema_file)) return fail_to_write(line, schema_path);
    if (!written) return fail_to_write(line, o->export_vw);
    if (status != SOTTO_OK) {
        option_say(line, "%s", fault.sentence);
        return EXIT_FAILED;
    }
    if (!o->quiet) {
        option_say(line, "%" PRIu64 " people are in %s; %s reads them", count, o->export_vw,
                   schema_path);
    }
    return EXIT_OK;
}

int replay_export(const command_line *line, const sotto_schema *schema, sotto_dataset *dataset)
{
    const replay_options *o = line->fields;
    size_t bytes = strlen(o->export_vw) + sizeof ".schema";
    char *schema_path = malloc(bytes);
    if (schema_path == NULL) {
        option_say(line, "%s", sotto_status_text(SOTTO_E_MEMORY));
        return EXIT_FAILED;
    }
    snprintf(schema_path, bytes, "%s.schema", o->export_vw);
    int code = write_both(line, schema, dataset, schema_path);
    free(schema_path);
    return code;
}
