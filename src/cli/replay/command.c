/* sotto replay: methods on people from a file. */
#include "command.h"
#include "cli/option/args.h"
#include "cli/print/progress.h"
#include "figure.h"
#include "lab/dataset/fit.h"
#include "lab/dataset/schema_file.h"
#include "survey.h"
#include "targets.h"

#include <errno.h>
#include <string.h>

#define PROGRAM "sotto replay"

static int tell(const char *wrong)
{
    fprintf(stderr, PROGRAM ": %s\n", wrong);
    return EXIT_FAILED;
}

static int cannot_write(const char *path)
{
    fprintf(stderr, PROGRAM ": cannot write %s: %s\n", path, strerror(errno));
    return EXIT_FAILED;
}

static void show_progress(void *state, uint64_t rounds)
{
    progress_show(state, rounds);
}

/* ---- what was found ----------------------------------------------------------------------- */

static int show_summary(const replay_report *report)
{
    const replay_options *o = report->options;
    replay_summary summary;
    if (o->quiet && !o->summary && o->figure == NULL) return EXIT_OK;
    if (!replay_summary_of(report, &summary)) return tell(sotto_status_text(SOTTO_E_MEMORY));
    replay_format format = o->summary && o->json  ? REPLAY_JSON
                           : o->summary && o->csv ? REPLAY_CSV
                                                  : REPLAY_TABLE;
    if (o->summary || !o->quiet) {
        replay_summary_print(o->summary ? stdout : stderr, report, &summary, format);
    }
    int code = o->figure != NULL ? replay_figure(report, &summary) : EXIT_OK;
    replay_summary_free(&summary);
    return code;
}

static int print_rows(const replay_report *report, FILE *rows)
{
    const replay_options *o = report->options;
    if (rows == NULL) return EXIT_OK;
    replay_rows_print(rows, report, o->json ? REPLAY_JSON : REPLAY_CSV);
    bool good = fflush(rows) == 0 && !ferror(rows);
    return good || rows == stdout ? EXIT_OK : cannot_write(o->out);
}

/* ---- playing ------------------------------------------------------------------------------ */

static int play(const replay_options *o, const replay_plan *plan, const sotto__schema *schema,
                sotto__dataset *dataset, FILE *rows)
{
    char fault[SOTTO__DATASET_FAULT_BYTES];
    sotto__replay *replay = NULL;
    sotto_status status = sotto__replay_new(&plan->settings, sotto__schema_dim(schema), &replay);
    if (status != SOTTO_OK) return tell(sotto_status_text(status));
    uint64_t rounds = plan->told ? replay->runs_count * plan->settings.rules.people_max : 0;
    progress bar = progress_begin("rounds", rounds, o->quiet);
    const sotto__replay_listener listener = {show_progress, &bar};
    const char *wrong = sotto__replay_play(replay, dataset, &listener, fault);
    progress_end(&bar);
    const replay_report report = {o, plan, schema, replay, sotto__dataset_counted(dataset)};
    int code = wrong != NULL ? tell(wrong) : print_rows(&report, rows);
    if (code == EXIT_OK) code = show_summary(&report);
    sotto__replay_free(replay);
    return code;
}

/* A file is looked through first: methods are told how many people will come. */
static int look_through(const replay_options *o, const args_option *options,
                        const sotto__schema *schema, sotto__dataset *dataset,
                        sotto__yardstick **survey)
{
    char fault[SOTTO__DATASET_FAULT_BYTES];
    *survey = NULL;
    if (o->passes > 1 && sotto__schema_is_log(schema)) {
        fprintf(stderr,
                PROGRAM ": --passes = %u: a log is played once: a method that met its events "
                        "before would be valued by events it learnt from\n",
                o->passes);
        return EXIT_USAGE;
    }
    const char *pipe = sotto__dataset_rewind(dataset, fault);
    if (pipe != NULL && o->passes > 1) {
        fprintf(stderr, PROGRAM ": --passes = %u: %s\n", o->passes, pipe);
        return EXIT_USAGE;
    }
    if (pipe != NULL) return EXIT_OK;
    uint64_t most = args_given(options, "horizon") ? o->horizon : UINT64_MAX;
    int code = replay_survey(o, schema, dataset, most, survey);
    if (code != EXIT_OK) return code;
    const char *wrong = sotto__dataset_rewind(dataset, fault);
    return wrong == NULL ? EXIT_OK : tell(wrong);
}

static int replay(const replay_options *o, const args_option *options, const sotto__schema *schema,
                  sotto__dataset *dataset)
{
    sotto__yardstick *survey;
    replay_plan plan = {0};
    FILE *rows = o->summary ? NULL : stdout;
    int code = look_through(o, options, schema, dataset, &survey);
    if (code == EXIT_OK) code = replay_plan_of(o, options, schema, survey, &plan);
    if (code == EXIT_OK && o->out != NULL) {
        rows = fopen(o->out, "w"); /* before anything is played */
        if (rows == NULL) code = cannot_write(o->out);
    }
    if (code == EXIT_OK) code = play(o, &plan, schema, dataset, rows);
    if (o->out != NULL && rows != NULL && fclose(rows) != 0 && code == EXIT_OK) {
        code = cannot_write(o->out);
    }
    replay_plan_free(&plan);
    sotto__yardstick_free(survey);
    return code;
}

/* ---- the command -------------------------------------------------------------------------- */

static int with_schema(const replay_options *o, const args_option *options,
                       const sotto__schema *schema)
{
    char fault[SOTTO__DATASET_FAULT_BYTES];
    sotto__dataset *dataset;
    if (o->draft) {
        sotto__schema_write(schema, stdout);
        return EXIT_OK;
    }
    const char *wrong = sotto__dataset_open(schema, o->data, &dataset, fault);
    if (wrong != NULL) return tell(wrong);
    int code =
        o->describe ? replay_describe(o, schema, dataset) : replay(o, options, schema, dataset);
    sotto__dataset_close(dataset);
    return code;
}

static int run(const command *self, int argc, char **argv)
{
    replay_options s = {
        .methods = "sotto",
        .epsilons = "1",
        .parameters = SOTTO_PARAMETERS_PER_ARM,
        .seeds = 10,
        .passes = 1,
        .delta = 1e-6,
        .clip = 0.01,
    };
    args_option options[] = {REPLAY_OPTIONS(s), {.meaning = NULL}};
    sotto__schema schema;
    int words;
    if (!args_parse(self, options, argc, argv, &words)) return EXIT_USAGE;
    if (words > 0) {
        fprintf(stderr, PROGRAM ": %s: every word belongs to an option\n", argv[0]);
        return EXIT_USAGE;
    }
    if (!args_need(self, options, "data")) return EXIT_USAGE;
    if (!replay_options_fit(&s, options) || !replay_targets_fit(&s)) return EXIT_USAGE;
    int code = replay_schema(&s, &schema);
    if (code == EXIT_OK) code = with_schema(&s, options, &schema);
    sotto__schema_free(&schema);
    return code;
}

const command command_replay = {
    .name = "replay",
    .summary = "run methods on people from a file: labelled rows, or a log of arms and rewards",
    .usage = "sotto replay --data FILE --schema FILE [--method M[,M...]] [options]",
    .example = "  sotto replay --data people.csv --label income --draft > people.schema\n"
               "  sotto replay --data people.csv --schema people.schema --describe\n"
               "  sotto replay --data people.csv --schema people.schema --method sotto,ldp-sgd \\\n"
               "      --epsilon 0.5,1,2,4,8 --summary\n"
               "  sotto replay --data log.csv --action item --reward click --propensity chance \\\n"
               "      --ranges-from-data --summary\n",
    .run = run,
};
