/* sotto audit: measure how much a mechanism gives away. */
#include "command.h"
#include "cli/print/progress.h"
#include "options.h"
#include "print.h"

#include <stdio.h>
#include <stdlib.h>

static bool show_progress(void *state, uint64_t done, uint64_t total)
{
    (void)total; /* the bar knows it */
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

static int audit(const command_line *line, const sotto_audit_settings *settings,
                 const audit_options *options)
{
    bool foreign = settings->command != NULL || settings->brought != NULL;
    uint64_t passes = foreign ? 5 : 6; /* the pairs, and the law */
    progress_bar bar = progress_begin("trials", passes * settings->trials, options->quiet);
    sotto_audit_progress hears = {show_progress, &bar};
    sotto_audit_result result;
    sotto_status status = sotto_audit_run(settings, &hears, &result);
    progress_end(&bar);
    if (status != SOTTO_OK) {
        option_say(line, "%s", sotto_status_text(status));
        return EXIT_USAGE; /* nothing was found out */
    }
    if (result.verdict == SOTTO_AUDIT_INCONCLUSIVE) {
        option_say(line, "inconclusive: %s", result.reason);
    }
    if (options->json) {
        audit_print_json(settings, &result);
    } else {
        audit_print_table(settings, &result);
    }
    return exit_code(result.verdict);
}

/* What a plug-in does to its process is no harm to ours. */
typedef struct work {
    const command_line *line;
    const sotto_audit_settings *settings;
    const audit_options *options;
} work;

static int audit_work(void *state)
{
    const work *w = state;
    return audit(w->line, w->settings, w->options);
}

static int audit_apart(const command_line *line, const sotto_audit_settings *settings,
                       const audit_options *options)
{
    char what[SOTTO_FAULT_BYTES], fault[SOTTO_FAULT_BYTES];
    work w = {line, settings, options};
    snprintf(what, sizeof what, "mechanism %s", settings->brought->name);
    int code = plugin_guard(audit_work, &w, what, fault);
    if (code >= 0) return code;
    option_say(line, "inconclusive: %s", fault);
    return EXIT_USAGE;
}

static int run(const command *self, int argc, char **argv)
{
    audit_options options = {0};
    sotto_audit_settings settings;
    command_line line;
    if (!command_line_parse(&line, self, &options, argc, argv)) return EXIT_USAGE;
    if (!audit_options_settings(&line, argv, &options, &settings)) return EXIT_USAGE;
    int code = options.brought == NULL ? audit(&line, &settings, &options)
                                       : audit_apart(&line, &settings, &options);
    free(options.brought);
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
