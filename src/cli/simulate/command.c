/* sotto simulate: methods on an environment, run by run, and what they cost. */
#include "command.h"
#include "cli/print/progress.h"
#include "cli/print/stop_signals.h"
#include "constants.h"
#include "loan.h"
#include "options.h"
#include "resume.h"
#include "rows.h"
#include "summary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM "sotto simulate"

/* A sweep under way. */
typedef struct simulation {
    const simulate_options *options;
    simulate_plan plan;
    simulate_results results;
    simulate_rows rows;
    simulate_resume resume;
    sigset_t signals; /* those that stop it; noticed when progress is */
    bool stopped;     /* by one of them */
    bool unwritable;  /* an output failed */
    progress bar;
} simulation;

static bool cannot_write(const char *name)
{
    fprintf(stderr, PROGRAM ": cannot write %s: %s\n", name, strerror(errno));
    return false;
}

static const char *rows_name(const simulation *s)
{
    return s->options->out != NULL ? s->options->out : "the output";
}

/* ---- the listener ------------------------------------------------------------------------- */

static bool is_known(void *state, uint64_t run)
{
    const simulation *s = state;
    return s->results.run[run].done;
}

static bool take_run(void *state, uint64_t run, const sotto_point *point,
                     const sotto_run_result *result)
{
    simulation *s = state;
    memcpy(simulate_points(&s->plan, &s->results, run), point,
           s->plan.sweep.at_count * sizeof *point);
    s->results.run[run] = (simulate_run){.done = true, .played = true, .result = *result};
    s->results.done_count++;
    bool kept = simulate_resume_add(&s->resume, &s->plan, &s->results, run);
    if (!kept) {
        progress_end(&s->bar);
        cannot_write(s->resume.path);
    }
    bool written = simulate_rows_advance(&s->rows, &s->plan, &s->results);
    if (!written) {
        progress_end(&s->bar);
        cannot_write(rows_name(s));
        s->rows.file = -1; /* it will not get better */
    }
    s->unwritable = !kept || !written;
    return !s->unwritable;
}

static bool show_progress(void *state, uint64_t rounds)
{
    simulation *s = state;
    s->stopped = stop_signals_came(&s->signals);
    progress_show(&s->bar, rounds);
    return !s->stopped;
}

/* ---- the sweep ---------------------------------------------------------------------------- */

/* What is there of a sweep that was stopped, and how to go on. */
static void tell_rest(const simulation *s)
{
    fprintf(stderr, PROGRAM ": stopped%s: %" PRIu64 " of %" PRIu64 " runs are finished",
            s->stopped ? " by a signal" : "", s->results.done_count,
            sotto_sweep_runs(&s->plan.sweep));
    if (s->resume.file >= 0) {
        fprintf(stderr, ", %" PRIu64 " are kept in %s; the same command goes on from there\n",
                s->resume.kept_count, s->resume.path);
    } else {
        fprintf(stderr, "; with --resume FILE the same command can go on where it stopped\n");
    }
}

static int play(simulation *s)
{
    const sotto_sweep *sweep = &s->plan.sweep;
    uint64_t runs = sotto_sweep_runs(sweep), left = runs - s->results.done_count;
    uint64_t horizon = s->options->horizon;
    uint64_t rounds = left > UINT64_MAX / horizon ? UINT64_MAX : left * horizon;
    const sotto_sweep_listener listener = {is_known, take_run, show_progress, s};
    s->bar = progress_begin("rounds", rounds, s->options->quiet);
    sotto_status status = sotto_sweep_run(sweep, &listener);
    progress_end(&s->bar);
    if (!simulate_rows_end(&s->rows, &s->plan, &s->results)) {
        s->unwritable = true;
        cannot_write(rows_name(s));
    }
    if (status != SOTTO_OK) fprintf(stderr, PROGRAM ": %s\n", sotto_status_text(status));
    bool whole = s->results.done_count == runs;
    if (!whole) tell_rest(s);
    return whole && status == SOTTO_OK && !s->unwritable ? EXIT_OK : EXIT_FAILED;
}

static void print_summary(const simulation *s)
{
    const simulate_options *o = s->options;
    if ((o->quiet || s->results.done_count == 0) && !o->summary) return;
    summary_format format = o->summary && o->json  ? SUMMARY_JSON
                            : o->summary && o->csv ? SUMMARY_CSV
                                                   : SUMMARY_TABLE;
    FILE *file = o->summary ? stdout : stderr;
    if (!simulate_summary_print(file, &s->plan, &s->results, format)) {
        fprintf(stderr, PROGRAM ": %s\n", sotto_status_text(SOTTO_E_MEMORY));
    }
}

/* Where rows go; opened before anything is played. */
static int open_rows(simulation *s)
{
    const char *path = s->options->out;
    struct stat out, resume;
    s->rows.format = s->options->json ? ROWS_JSON : ROWS_CSV;
    s->rows.file = s->options->summary ? -1 : STDOUT_FILENO;
    if (path != NULL) {
        /* Not to wait for a reader: a pipe without one is refused. */
        s->rows.file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
        if (s->rows.file < 0 || fstat(s->rows.file, &out) != 0) {
            return cannot_write(path), EXIT_FAILED;
        }
        if (s->resume.file >= 0 && fstat(s->resume.file, &resume) == 0 &&
            out.st_dev == resume.st_dev && out.st_ino == resume.st_ino) {
            fprintf(stderr, PROGRAM ": --out %s: this is the file of --resume\n", path);
            return EXIT_USAGE;
        }
        if (fcntl(s->rows.file, F_SETFL, O_WRONLY) != 0) return cannot_write(path), EXIT_FAILED;
        if (S_ISREG(out.st_mode) && ftruncate(s->rows.file, 0) != 0) {
            return cannot_write(path), EXIT_FAILED;
        }
    }
    if (simulate_rows_begin(&s->rows)) return EXIT_OK;
    return cannot_write(rows_name(s)), EXIT_FAILED;
}

static int simulate(simulation *s)
{
    size_t room = (size_t)s->plan.sweep.at_count * SIMULATE_ROW_BYTES;
    int code = EXIT_FAILED;
    s->rows.file = s->resume.file = -1;
    s->signals = stop_signals_hold();
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an output that fails */
    if (write(STDOUT_FILENO, "", 0) < 0 && (s->options->out == NULL || s->options->summary)) {
        cannot_write("the output");
        return EXIT_FAILED;
    }
    s->rows.text = malloc(room);
    s->resume.text = malloc(room);
    if (s->rows.text == NULL || s->resume.text == NULL ||
        !simulate_results_new(&s->plan, &s->results)) {
        fprintf(stderr, PROGRAM ": %s\n", sotto_status_text(SOTTO_E_MEMORY));
        goto cleanup;
    }
    s->resume.who = PROGRAM ": --resume ";
    s->resume.path = s->options->resume;
    code = simulate_resume_open(&s->resume, &s->plan, &s->results);
    if (code != EXIT_OK) goto cleanup;
    code = open_rows(s);
    if (code != EXIT_OK) goto cleanup;
    if (!simulate_rows_advance(&s->rows, &s->plan, &s->results)) {
        cannot_write(rows_name(s));
        code = EXIT_FAILED;
        goto cleanup;
    }
    code = play(s);
    print_summary(s);
cleanup:
    if (s->resume.file >= 0) close(s->resume.file);
    if (s->options->out != NULL && s->rows.file >= 0) close(s->rows.file);
    simulate_results_free(&s->results);
    free(s->rows.text);
    free(s->resume.text);
    return code;
}

/* ---- the command -------------------------------------------------------------------------- */

/* What was not given of the shape of the auto-loan study. */
static void take_loan_shape(simulate_options *s, const option *options)
{
    sotto_scene shape = simulate_loan_shape();
    if (!args_given(options, "dim")) s->dim = shape.dim;
    if (!args_given(options, "arms")) s->arms = shape.arms;
    if (!args_given(options, "link")) s->link = (uint32_t)shape.link;
}

int cmd_simulate(const command *self, int argc, char **argv)
{
    simulate_options s = {.delta = 1e-6, .seeds = SIMULATE_SEEDS_DEFAULT, .first_seed = 1};
    option options[] = {SIMULATE_OPTIONS(s), {.meaning = NULL}};
    int words;
    if (!args_parse(self, options, argc, argv, &words)) return EXIT_USAGE;
    if (words > 0) {
        fprintf(stderr, PROGRAM ": %s: every word belongs to an option\n", argv[0]);
        return EXIT_USAGE;
    }
    if (s.constants) { /* of the environment: any method does */
        if (s.methods == NULL) s.methods = "random";
        if (s.horizon == 0) s.horizon = 1;
    } else if (!args_need(self, options, "method") || !args_need(self, options, "horizon")) {
        return EXIT_USAGE;
    }
    if (s.environment == SOTTO_ENVIRONMENT_LOAN) {
        take_loan_shape(&s, options);
    } else if (!args_need(self, options, "dim") || !args_need(self, options, "arms")) {
        return EXIT_USAGE;
    }
    if (s.epsilons == NULL) s.epsilons = "1";
    simulation run = {.options = &s};
    int code = simulate_plan_of(&s, options, &run.plan);
    if (code != EXIT_OK) return code;
    if (s.constants) {
        code = simulate_constants_print(&run.plan.match[0], s.first_seed, s.json);
    } else {
        if (!s.quiet) simulate_plan_warn(&run.plan);
        code = simulate(&run);
    }
    simulate_plan_free(&run.plan);
    return code;
}
