/* sotto audit: measures how much the reports of a mechanism reveal. */
#include "cli/print/print.h"
#include "inner.h"

#include <stdio.h>
#include <stdlib.h>

static bool show_progress(void *state, uint64_t done, uint64_t total)
{
    (void)total; /* the progress bar already has it */
    progress_show(state, done);
    return true;
}

static int exit_code(sotto_audit_verdict verdict)
{
    switch (verdict) {
    case SOTTO_AUDIT_NO_VIOLATION: return EXIT_OK;
    case SOTTO_AUDIT_VIOLATION: return EXIT_FAILED;
    case SOTTO_AUDIT_INCONCLUSIVE: return EXIT_USAGE;
    }
    return EXIT_USAGE;
}

/* How an audit ended. */
typedef struct outcome {
    sotto_status status;
    sotto_audit_result result;
} outcome;

static void audit(const sotto_audit_settings *settings, const audit_options *options, outcome *out)
{
    bool foreign = settings->command != NULL || settings->custom != NULL;
    uint64_t passes = foreign ? 5 : 6; /* the pairs, and the law */
    progress_bar bar = progress_begin("trials", passes * settings->trials, options->quiet);
    sotto_audit_progress hears = {show_progress, &bar};
    out->status = sotto_audit_run(settings, &hears, &out->result);
    progress_end(&bar);
}

static int tell(const command_line *line, const sotto_audit_settings *settings,
                const audit_options *options, const outcome *found)
{
    if (found->status != SOTTO_OK) {
        option_say(line, "%s", sotto_status_text(found->status));
        return EXIT_USAGE; /* the audit failed */
    }
    if (found->result.verdict == SOTTO_AUDIT_INCONCLUSIVE) {
        option_say(line, "inconclusive: %s", found->result.reason.sentence);
    }
    if (options->json) {
        audit_print_json(settings, &found->result);
    } else {
        audit_print_table(settings, &found->result);
    }
    return exit_code(found->result.verdict);
}

/* What the subprocess of a plug-in needs. The audit runs there, so that a plug-in that crashes
 * cannot take this process with it; the outcome is reported here. */
typedef struct work {
    const sotto_audit_settings *settings;
    const audit_options *options;
    outcome *out;
} work;

static void audit_work(void *state)
{
    const work *w = state;
    audit(w->settings, w->options, w->out);
}

/* The result comes from a process that a plug-in can write to: bounds its counts and ends its
 * strings. */
static void make_harmless(sotto_audit_result *result)
{
    if (result->verdict > SOTTO_AUDIT_INCONCLUSIVE) result->verdict = SOTTO_AUDIT_INCONCLUSIVE;
    if (result->rows_count > SOTTO_AUDIT_ROWS_MAX) result->rows_count = SOTTO_AUDIT_ROWS_MAX;
    result->reason.sentence[sizeof result->reason.sentence - 1] = '\0';
    for (uint32_t i = 0; i < result->rows_count; i++) {
        result->row[i].name[SOTTO_AUDIT_NAME_BYTES - 1] = '\0';
    }
}

static int audit_in_subprocess(const command_line *line, const sotto_audit_settings *settings,
                               const audit_options *options)
{
    char what[64];
    sotto_fault fault;
    outcome found = {0};
    work w = {settings, options, &found};
    snprintf(what, sizeof what, "mechanism %s", settings->custom->name);
    if (plugin_guard(audit_work, &w, what, &found, sizeof found, &fault) != SOTTO_OK) {
        option_say(line, "inconclusive: %s", fault.sentence);
        return EXIT_USAGE;
    }
    make_harmless(&found.result);
    return tell(line, settings, options, &found);
}

static int audit_here(const command_line *line, const sotto_audit_settings *settings,
                      const audit_options *options)
{
    outcome found;
    audit(settings, options, &found);
    return tell(line, settings, options, &found);
}

static int run(const command *self, int argc, char **argv)
{
    audit_options options = {0};
    sotto_audit_settings settings;
    command_line line;
    if (!command_line_parse(&line, self, &options, argc, argv)) return EXIT_USAGE;
    if (!audit_options_settings(&line, argv, &options, &settings)) return EXIT_USAGE;
    int code = options.custom == NULL ? audit_here(&line, &settings, &options)
                                      : audit_in_subprocess(&line, &settings, &options);
    free(options.custom);
    return code;
}

const command command_audit = {
    .name = "audit",
    .summary = "measure a lower bound on epsilon, find violations",
    .usage =
        "sotto audit --mechanism NAME | --mechanism ./FILE.so | --exec CMD --dim D --epsilon E "
        "[options]",
    .example = "  sotto audit --mechanism codebook --dim 5 --epsilon 1 --trials 100000\n"
               "  sotto audit --exec 'python3 mine.py' --dim 3 --epsilon 1 --delta 1e-5 --json\n\n"
               "exit status: 0 no violation found, 1 violation, 2 wrong usage or inconclusive\n",
    .table = audit_table,
    .run = run,
};
