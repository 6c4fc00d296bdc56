/* sotto audit: measure how much a mechanism gives away. */
#include "command.h"
#include "cli/option/args.h"
#include "cli/print/progress.h"
#include "report.h"

#include <sotto/lab.h>

#include <stdio.h>
#include <string.h>

static void show_progress(void *state, uint64_t done, uint64_t total)
{
    (void)total; /* the bar knows it */
    progress_show(state, done);
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

static int audit(const sotto_audit_settings *settings, bool json, bool quiet)
{
    uint64_t passes = settings->command != NULL ? 5 : 6; /* the pairs, and the law */
    progress bar = progress_begin("trials", passes * settings->trials, quiet);
    sotto_audit_progress hears = {show_progress, &bar};
    sotto_audit_result result;
    sotto_status status = sotto_audit_run(settings, &hears, &result);
    progress_end(&bar);
    if (status != SOTTO_OK) {
        fprintf(stderr, "sotto audit: %s\n", sotto_status_text(status));
        return EXIT_USAGE; /* nothing was found out */
    }
    if (result.verdict == SOTTO_AUDIT_INCONCLUSIVE) {
        fprintf(stderr, "sotto audit: inconclusive: %s\n", result.reason);
    }
    if (json) {
        audit_report_json(settings, &result);
    } else {
        audit_report_table(settings, &result);
    }
    return exit_code(result.verdict);
}

static bool usable(const command *self, const args_option *options, int words, char **argv)
{
    static const char *const inside[] = {
        "mechanism", "dim",           "epsilon", "delta", "allow-weak-delta",
        "radius",    "codebook-size", "trials",  "alpha", "seed",
        "json",      "quiet",         NULL};
    static const char *const outside[] = {
        "exec",   "dim",    "epsilon", "delta", "allow-weak-delta",
        "radius", "trials", "alpha",   "seed",  "timeout",
        "json",   "quiet",  NULL};
    if (words > 0) {
        fprintf(stderr, "sotto audit: %s: a command to audit goes behind --exec, in quotes\n",
                argv[0]);
        return false;
    }
    bool program = args_given(options, "exec");
    if (!program && !args_need(self, options, "mechanism")) return false;
    if (!args_need(self, options, "dim") || !args_need(self, options, "epsilon")) return false;
    return args_only(self, options, program ? "--exec" : "--mechanism", program ? outside : inside);
}

static int run(const command *self, int argc, char **argv)
{
    uint32_t kind = 0, dim = 0, size = 0;
    double epsilon = 0, delta = 0, radius = 1, alpha = 0, timeout_s = 0;
    uint64_t trials = 0, seed = 0;
    const char *command_text = NULL;
    bool weak = false, json = false, quiet = false;
    args_option options[] = {
        {"mechanism", ARGS_NAME, &kind, .list = sotto_mechanism_kind_name,
         .meaning = "one of the library's own"},
        {"exec", ARGS_TEXT, &command_text,
         .meaning = "a shell command instead: a line of D numbers in, a line of numbers out"},
        {"dim", ARGS_U32, &dim, 1, SOTTO_DIM_MAX, .meaning = "numbers in a line, needed"},
        {"epsilon", ARGS_F64, &epsilon, 0.01, 50, .meaning = "claimed, needed"},
        {"delta", ARGS_F64, &delta, 0, 0.5,
         .meaning = "claimed, default 0; gaussian 1e-6; above 0: a claim of Gaussian noise"},
        {"allow-weak-delta", ARGS_FLAG, &weak, .meaning = "consent to delta above 1e-6"},
        {"radius", ARGS_F64, &radius, 1e-6, 1e6,
         .meaning = "longer vectors must be clipped to it, default 1"},
        {"codebook-size", ARGS_U32, &size, 2, SOTTO_CODEBOOK_SIZE_MAX,
         .meaning = "M of codebook, even, default by epsilon"},
        {"trials", ARGS_U64, &trials, 1, 1e9,
         .meaning = "of each of 5 pairs of inputs, default 1000000"},
        {"alpha", ARGS_F64, &alpha, 1e-5, 0.5, .meaning = "chance of a false alarm, default 0.01"},
        {"seed", ARGS_U64, &seed, 0, 9007199254740992,
         .meaning = "the same audit every time; default: the system's randomness"},
        {"timeout", ARGS_F64, &timeout_s, 0.01, 86400,
         .meaning = "seconds that CMD may stand still, default 10"},
        {"json", ARGS_FLAG, &json, .meaning = "one JSON object"},
        {"quiet", ARGS_FLAG, &quiet, .meaning = "no progress"},
        {.meaning = NULL},
    };
    int words;
    if (!args_parse(self, options, argc, argv, &words)) return EXIT_USAGE;
    if (!usable(self, options, words, argv)) return EXIT_USAGE;
    sotto_mechanism_settings mechanism =
        sotto_mechanism_default((sotto_mechanism_kind)kind, dim, epsilon);
    mechanism.radius = radius;
    mechanism.allow_weak_delta = weak;
    mechanism.seeded = args_given(options, "seed");
    mechanism.seed = seed;
    if (args_given(options, "delta")) mechanism.delta = delta;
    if (args_given(options, "codebook-size")) mechanism.codebook_size = size;
    sotto_audit_settings settings = sotto_audit_default(&mechanism);
    settings.command = command_text;
    if (args_given(options, "trials")) settings.trials = trials;
    if (args_given(options, "alpha")) settings.alpha = alpha;
    if (args_given(options, "timeout")) settings.timeout_s = timeout_s;
    char text[SOTTO_FAULT_BYTES];
    if (sotto_audit_fault(&settings, text) != NULL) {
        fprintf(stderr, "sotto audit: %s\n", text);
        return EXIT_USAGE;
    }
    return audit(&settings, json, quiet);
}

const command command_audit = {
    .name = "audit",
    .summary = "measure a lower bound on epsilon, find violations",
    .usage = "sotto audit --mechanism NAME | --exec CMD --dim D --epsilon E [options]",
    .example = "  sotto audit --mechanism codebook --dim 5 --epsilon 1 --trials 100000\n"
               "  sotto audit --exec 'python3 mine.py' --dim 3 --epsilon 1 --delta 1e-5 --json\n\n"
               "exit status: 0 no violation found, 1 violation, 2 wrong usage or inconclusive\n",
    .run = run,
};
