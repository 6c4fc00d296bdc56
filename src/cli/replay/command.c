/* sotto replay: methods on people from a file. */
#include "cli/print/print.h"
#include "inner.h"
#include "lab/dataset/dataset.h"
#include "lab/replay/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static int fail(const command_line *line, const char *wrong)
{
    option_say(line, "%s", wrong);
    return EXIT_FAILED;
}

static int fail_to_write(const command_line *line, const char *path)
{
    option_say(line, "cannot write %s: %s", path, strerror(errno));
    return EXIT_FAILED;
}

static bool show_progress(void *state, uint64_t done)
{
    progress_show(state, done);
    return true;
}

/* ---- what was found ----------------------------------------------------------------------- */

static int draw_figure(const command_line *line, const replay_outcome *outcome,
                       const sotto_replay_summary *summary)
{
    const replay_options *o = line->fields;
    sotto_fault fault;
    sotto__replay_figure *f;
    sotto_status status =
        sotto__replay_figure_new(summary, o->figure, outcome->data, outcome->schema->from_data, &f);
    if (status != SOTTO_OK) return fail(line, sotto_status_text(status));
    status = sotto__figure_csv(&f->figure, f->directory, &fault);
    if (status == SOTTO_OK) status = sotto__figure_svg(&f->figure, f->directory, &fault);
    if (status == SOTTO_OK) status = sotto__figure_convert(&f->figure, f->directory, &fault);
    if (status != SOTTO_OK) option_say(line, "--figure %s: %s", o->figure, fault.sentence);
    sotto__replay_figure_free(f);
    return status == SOTTO_OK ? EXIT_OK : EXIT_FAILED;
}

/* For a log: computes the estimates of each method. */
static sotto_status estimate(const sotto__replay *replay, const sotto_replay_summary *summary,
                             sotto_replay_estimates **out)
{
    uint32_t matches = replay->settings.matches_count;
    sotto_status status = SOTTO_OK;
    *out = calloc(matches, sizeof **out);
    if (*out == NULL) return SOTTO_E_MEMORY;
    for (uint32_t m = 0; m < matches && summary->log && status == SOTTO_OK; m++) {
        status = sotto__replay_estimates_of(replay, m, &summary->line[m], &(*out)[m]);
    }
    return status;
}

static int print_summary(const command_line *line, const replay_outcome *outcome,
                         const sotto_replay_summary *summary)
{
    const replay_options *o = line->fields;
    sotto_replay_estimates *estimates;
    sotto_status status = estimate(outcome->replay, summary, &estimates);
    print_format format = o->summary && o->json  ? PRINT_JSON
                          : o->summary && o->csv ? PRINT_CSV
                                                 : PRINT_TABLE;
    if (status == SOTTO_OK) {
        print_page p;
        FILE *to = o->summary ? stdout : stderr;
        page_begin(&p, to);
        p.tone = replay_tone(summary);
        replay_print_summary(format == PRINT_TABLE ? p.file : to, format, outcome, summary,
                             estimates);
        page_end(&p, to);
    }
    free(estimates);
    return status == SOTTO_OK ? EXIT_OK : fail(line, sotto_status_text(status));
}

static int show_summary(const command_line *line, const replay_outcome *outcome)
{
    const replay_options *o = line->fields;
    sotto_replay_summary summary;
    if (o->quiet && !o->summary && o->figure == NULL) return EXIT_OK;
    sotto_status status = sotto__replay_summary_of(outcome->replay, &summary);
    if (status != SOTTO_OK) return fail(line, sotto_status_text(status));
    int code = EXIT_OK;
    if (o->summary || !o->quiet) code = print_summary(line, outcome, &summary);
    if (code == EXIT_OK && o->figure != NULL) code = draw_figure(line, outcome, &summary);
    sotto__replay_summary_free(&summary);
    return code;
}

static int show_rows(const command_line *line, const replay_outcome *outcome, FILE *rows)
{
    const replay_options *o = line->fields;
    if (rows == NULL) return EXIT_OK;
    replay_print_rows(rows, o->json ? PRINT_JSON : PRINT_CSV, outcome);
    bool good = fflush(rows) == 0 && !ferror(rows);
    return good || rows == stdout ? EXIT_OK : fail_to_write(line, o->out);
}

/* ---- a look at the file ------------------------------------------------------------------- */

static uint64_t bytes_of(const char *path)
{
    struct stat status;
    bool file = strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
    return file ? (uint64_t)status.st_size : 0;
}

static int survey(const command_line *line, const sotto_schema *schema, sotto_dataset *dataset,
                  uint64_t people_max, sotto__yardstick **out)
{
    const replay_options *o = line->fields;
    sotto_fault fault;
    progress_bar bar = progress_begin("bytes", bytes_of(o->data), o->quiet);
    const sotto_replay_listener listener = {show_progress, &bar};
    sotto_status status =
        sotto__survey(schema, dataset, o->clip, people_max, &listener, out, &fault);
    progress_end(&bar);
    return status == SOTTO_OK ? EXIT_OK : fail(line, fault.sentence);
}

/* Reads the file once before playing, so that methods know how many people will come. A pipe cannot
 * be read twice: *out is then NULL. */
static int look_through(const command_line *line, const sotto_replay_request *asked,
                        const sotto_schema *schema, sotto_dataset *dataset, sotto__yardstick **out)
{
    sotto_fault fault;
    *out = NULL;
    bool pipe = sotto_dataset_rewind(dataset, &fault) != SOTTO_OK;
    if (pipe && asked->passes > 1) {
        option_say(line, "--passes = %u: %s", asked->passes, fault.sentence);
        return EXIT_USAGE;
    }
    if (pipe) return EXIT_OK;
    int code = survey(line, schema, dataset, asked->people_max, out);
    if (code != EXIT_OK) return code;
    sotto_status status = sotto_dataset_rewind(dataset, &fault);
    return status == SOTTO_OK ? EXIT_OK : fail(line, fault.sentence);
}

/* Learns a model of a log's rewards. The file must be one that can be read again. */
static int learn_rewards(const command_line *line, const sotto_schema *schema,
                         sotto_dataset *dataset, uint64_t people_max, sotto__rewards *out)
{
    const replay_options *o = line->fields;
    sotto_fault fault;
    progress_bar bar = progress_begin("bytes", 2 * bytes_of(o->data), o->quiet);
    const sotto_replay_listener listener = {show_progress, &bar};
    sotto_status status = sotto__learn_rewards(schema, dataset, people_max, &listener, out, &fault);
    progress_end(&bar);
    return status == SOTTO_OK ? EXIT_OK : fail(line, fault.sentence);
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static int describe(const command_line *line, const sotto_schema *schema, sotto_dataset *dataset)
{
    const replay_options *o = line->fields;
    struct timespec start;
    sotto__yardstick *yardstick;
    sotto__description description;
    clock_gettime(CLOCK_MONOTONIC, &start);
    int code = survey(line, schema, dataset, UINT64_MAX, &yardstick);
    if (code != EXIT_OK) return code;
    double elapsed_s = seconds_since(&start);
    sotto_status status =
        sotto__describe(schema, yardstick, sotto_dataset_counted(dataset), &description);
    sotto__yardstick_free(yardstick);
    if (status != SOTTO_OK) return fail(line, sotto_status_text(status));
    replay_print_description(schema, &description, elapsed_s, o->json);
    sotto__description_free(&description);
    return EXIT_OK;
}

/* ---- playing ------------------------------------------------------------------------------ */

static int play(const command_line *line, const sotto__replay_settings *settings,
                const sotto_schema *schema, sotto_dataset *dataset, FILE *rows)
{
    const replay_options *o = line->fields;
    sotto_fault fault;
    sotto__replay *replay = NULL;
    sotto_status status = sotto__replay_new(settings, sotto_schema_dim(schema), &replay);
    if (status != SOTTO_OK) return fail(line, sotto_status_text(status));
    bool known = settings->known != SOTTO_KNOWN_NOTHING;
    uint64_t rounds = known ? replay->runs_count * settings->rules.people_max : 0;
    progress_bar bar = progress_begin("rounds", rounds, o->quiet);
    const sotto_replay_listener listener = {show_progress, &bar};
    status = sotto__replay_play(replay, dataset, &listener, &fault);
    progress_end(&bar);
    const replay_outcome outcome = {o->data, schema, replay, sotto_dataset_counted(dataset)};
    int code = status != SOTTO_OK ? fail(line, fault.sentence) : show_rows(line, &outcome, rows);
    if (code == EXIT_OK) code = show_summary(line, &outcome);
    sotto__replay_free(replay);
    return code;
}

/* Makes the matches of the request. `found` is what look_through() found, or NULL. */
static int set_matches(const command_line *line, sotto_replay_request *request,
                       const sotto_schema *schema, const sotto__yardstick *found,
                       sotto__replay_matches *out)
{
    sotto_fault fault;
    uint64_t people = sotto__replay_people(request, found);
    if (!replay_request_points(line, people, request)) return EXIT_USAGE;
    sotto_status status = sotto__replay_matches_of(request, schema, found, out, &fault);
    if (status == SOTTO_OK) return EXIT_OK;
    if (status != SOTTO_E_FAULT) return fail(line, sotto_status_text(status));
    option_refuse(line, "--method ", &fault);
    return EXIT_USAGE;
}

static int replay(const command_line *line, const sotto_schema *schema, sotto_dataset *dataset)
{
    const replay_options *o = line->fields;
    sotto_replay_request request;
    sotto__yardstick *found;
    sotto__rewards rewards = {NULL, SOTTO_UNAVAILABLE_PIPE};
    sotto__replay_matches matches = {0};
    FILE *rows = o->summary ? NULL : stdout;
    if (!replay_request_of(line, sotto_schema_is_log(schema), &request)) return EXIT_USAGE;
    int code = look_through(line, &request, schema, dataset, &found);
    if (code == EXIT_OK) code = set_matches(line, &request, schema, found, &matches);
    bool summary = o->summary || !o->quiet; /* only the summary shows the model's estimates */
    if (code == EXIT_OK && found != NULL && summary) {
        code = learn_rewards(line, schema, dataset, request.people_max, &rewards);
    }
    matches.settings.rules.model = rewards.model;
    matches.settings.rules.model_unavailable = rewards.unavailable;
    if (code == EXIT_OK && o->out != NULL) {
        rows = fopen(o->out, "w"); /* before playing, so that a failure shows at once */
        if (rows == NULL) code = fail_to_write(line, o->out);
    }
    if (code == EXIT_OK) code = play(line, &matches.settings, schema, dataset, rows);
    bool opened = o->out != NULL && rows != NULL && rows != stdout;
    if (opened && fclose(rows) != 0 && code == EXIT_OK) code = fail_to_write(line, o->out);
    sotto__replay_matches_free(&matches);
    sotto__rewards_free(&rewards);
    sotto__yardstick_free(found);
    return code;
}

/* ---- the command -------------------------------------------------------------------------- */

static int with_schema(const command_line *line, const sotto_schema *schema)
{
    const replay_options *o = line->fields;
    sotto_fault fault;
    sotto_dataset *dataset;
    if (o->draft) {
        sotto__schema_write(schema, stdout);
        return EXIT_OK;
    }
    sotto_status status = sotto_dataset_open(schema, o->data, &dataset, &fault);
    if (status != SOTTO_OK) return fail(line, fault.sentence);
    int code = o->export_vw != NULL ? replay_export(line, schema, dataset)
               : o->describe        ? describe(line, schema, dataset)
                                    : replay(line, schema, dataset);
    sotto_dataset_close(dataset);
    return code;
}

static int run(const command *self, int argc, char **argv)
{
    replay_options options = {0};
    command_line line;
    sotto_schema schema;
    if (!command_line_parse(&line, self, &options, argc, argv)) return EXIT_USAGE;
    if (!command_line_no_words(&line, argv)) return EXIT_USAGE;
    if (!OPTION_NEED(&line, replay_options, data)) return EXIT_USAGE;
    if (!replay_options_fit(&line) || !replay_targets_fit(&line)) return EXIT_USAGE;
    if (!replay_schema(&line, &schema)) return EXIT_FAILED;
    int code = with_schema(&line, &schema);
    sotto__schema_free(&schema);
    return code;
}

const command command_replay = {
    .name = "replay",
    .summary = "play methods on people from a file: labelled rows, or a log of arms and rewards",
    .usage = "sotto replay --data FILE --schema FILE [--method M[,M...]] [options]",
    .example = "  sotto replay --data people.csv --label income --draft > people.schema\n"
               "  sotto replay --data people.csv --schema people.schema --describe\n"
               "  sotto replay --data people.csv --schema people.schema --method sotto,ldp-sgd "
               "--epsilon 0.5,1,2,4,8 --summary\n"
               "  sotto replay --data log.csv --action item --reward click --propensity chance "
               "--ranges-from-data --summary\n"
               "  sotto replay --data people.csv --schema people.schema --export-vw people.vw\n"
               "  sotto replay --data people.vw --schema people.vw.schema --describe\n",
    .table = replay_table,
    .run = run,
};
