/* Plays the sweep of sotto simulate. */
#include "cli/print/print.h"
#include "inner.h"
#include "lab/player/player.h"
#include "lab/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== failures =============================================================================== */

/* Runs in which a plug-in failed. They are reported after all other runs were played. */

/* The failed runs of one match. The fault is that of the lowest failed run, whatever the number of
 * threads. */
typedef struct match_failures {
    uint64_t count;
    uint64_t run;
    char fault[SOTTO_FAULT_BYTES];
} match_failures;

typedef struct run_failures {
    uint64_t count;
    uint32_t seeds;
    match_failures *match; /* one per match */
} run_failures;

/* False if there is no memory. */
static bool failures_begin(run_failures *failures, const sotto__comparison *comparison)
{
    *failures = (run_failures){
        .seeds = comparison->sweep.seeds_count,
        .match = calloc(comparison->sweep.matches_count, sizeof *failures->match),
    };
    return failures->match != NULL;
}

static void failures_free(run_failures *failures)
{
    free(failures->match);
    failures->match = NULL;
}

static void failures_take(run_failures *failures, uint64_t run, const char *fault)
{
    match_failures *match = &failures->match[run / failures->seeds];
    failures->count++;
    match->count++;
    if (match->count > 1 && run > match->run) return;
    match->run = run;
    snprintf(match->fault, sizeof match->fault, "%s", fault);
}

/* One sentence per match that failed. */
static void failures_tell(const run_failures *failures, const command_line *line,
                          const sotto__comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->sweep.matches_count; i++) {
        const match_failures *match = &failures->match[i];
        if (match->count == 0) continue;
        option_say(line,
                   "%s, in the run of %s at epsilon %.15g, seed %" PRIu64 "; the rows of %" PRIu64
                   " of %" PRIu32 " seeds are missing",
                   match->fault, sotto__match_method(&comparison->match[i]), comparison->epsilon[i],
                   comparison->sweep.first_seed + match->run % failures->seeds, match->count,
                   failures->seeds);
    }
}

/* ==== play ================================================================================ */

/* A sweep under way. */
typedef struct simulation {
    const command_line *line;
    const simulate_options *options;
    const sotto__comparison *comparison;
    sotto__shard shard; /* its runs are played */
    uint64_t runs;      /* of the shard; without a shard, all */
    sotto__results results;
    sotto__rows rows;
    sotto__resume resume;
    sigset_t signals; /* those that stop it; checked with each progress report */
    bool stopped;     /* by a signal */
    bool unwritable;  /* an output failed */
    run_failures failures;
    bool subprocesses;              /* runs with a plug-in are being played now, not the others */
    uint64_t rounds, rounds_before; /* of these runs; of the runs played before them */
    progress_bar bar;
} simulation;

static int cannot_write(const simulation *s, const char *name)
{
    option_say(s->line, "cannot write %s: %s", name, strerror(errno));
    return EXIT_FAILED;
}

static const char *rows_name(const simulation *s)
{
    return s->options->out != NULL ? s->options->out : "the output";
}

/* ---- the listener ------------------------------------------------------------------------- */

/* Counts the finished runs of this shard; a resume file may also have runs of other shards. */
static uint64_t done_count(const simulation *s)
{
    uint64_t done = 0, runs = sotto_sweep_runs(&s->comparison->sweep);
    if (s->shard.count == 0) return s->results.done_count;
    for (uint64_t run = 0; run < runs; run++) {
        done += s->results.run[run].done && sotto__shard_has(&s->shard, run);
    }
    return done;
}

static bool is_known(void *state, uint64_t run)
{
    const simulation *s = state;
    if (!sotto__shard_has(&s->shard, run)) return true;
    const sotto_match *match = sotto__comparison_match(s->comparison, run);
    bool subprocesses = match->custom != NULL || match->environment.custom != NULL;
    return s->results.run[run].done || subprocesses != s->subprocesses;
}

static bool take_run(void *state, uint64_t run, const sotto_point *point,
                     const sotto_run_result *result)
{
    simulation *s = state;
    sotto__results_take(&s->results, run, point, result);
    bool kept = sotto__resume_add(&s->resume, s->comparison, &s->results, run);
    if (!kept) {
        progress_end(&s->bar);
        cannot_write(s, s->options->resume);
    }
    bool written = sotto__rows_advance(&s->rows, s->comparison, &s->results);
    if (!written) {
        progress_end(&s->bar);
        cannot_write(s, rows_name(s));
        s->rows.file = -1; /* do not try again */
    }
    s->unwritable = !kept || !written;
    return !s->unwritable;
}

static bool show_progress(void *state, uint64_t rounds)
{
    simulation *s = state;
    s->stopped = stop_signals_came(&s->signals);
    s->rounds = rounds;
    progress_show(&s->bar, s->bar.known + s->rounds_before + rounds);
    return !s->stopped;
}

static bool take_failure(void *state, uint64_t run, const char *fault)
{
    simulation *s = state;
    failures_take(&s->failures, run, fault);
    return true;
}

/* ---- the sweep ---------------------------------------------------------------------------- */

/* Says how much a stopped sweep has finished, and how to continue it. */
static void tell_rest(const simulation *s)
{
    uint64_t runs = s->runs, done = done_count(s);
    const char *by = s->stopped ? " by a signal" : "";
    if (s->resume.file < 0) {
        option_say(
            s->line,
            "stopped%s: %" PRIu64 " of %" PRIu64
            " runs are finished; with --resume FILE the same command can continue where it stopped",
            by, done, runs);
        return;
    }
    option_say(s->line,
               "stopped%s: %" PRIu64 " of %" PRIu64 " runs are finished, %" PRIu64
               " are kept in %s; the same command continues from there",
               by, done, runs, s->resume.kept_count, s->options->resume);
}

static uint64_t rounds_of(uint64_t runs, uint64_t horizon)
{
    return runs > UINT64_MAX / horizon ? UINT64_MAX : runs * horizon;
}

static int play(simulation *s)
{
    const sotto_sweep *sweep = &s->comparison->sweep;
    uint64_t runs = s->runs, horizon = s->options->request.scene.horizon;
    const sotto_sweep_listener listener = {is_known, take_run, show_progress, s, take_failure};
    s->bar = progress_begin("rounds", rounds_of(runs, horizon), s->options->quiet);
    s->bar.known = rounds_of(done_count(s), horizon);
    sotto_status status = sotto_sweep_run(sweep, &listener);
    if (status == SOTTO_OK && !s->stopped && !s->unwritable) {
        s->subprocesses = true;
        s->rounds_before = s->rounds;
        status = sotto__sweep_subprocesses(sweep, &listener);
    }
    progress_end(&s->bar);
    if (!sotto__rows_end(&s->rows, s->comparison, &s->results)) {
        s->unwritable = true;
        cannot_write(s, rows_name(s));
    }
    if (!sotto__resume_end(&s->resume, s->comparison, &s->results)) {
        s->unwritable = true;
        cannot_write(s, s->options->resume);
    }
    if (status != SOTTO_OK) option_say(s->line, "%s", sotto_status_text(status));
    failures_tell(&s->failures, s->line, s->comparison);
    uint64_t done = done_count(s);
    bool whole = done == runs;
    if (done + s->failures.count < runs) tell_rest(s);
    return whole && status == SOTTO_OK && !s->unwritable ? EXIT_OK : EXIT_FAILED;
}

static print_format format_of(const simulate_options *o)
{
    return o->json ? PRINT_JSON : o->csv ? PRINT_CSV : PRINT_TABLE;
}

/* A shard has no summary, because its runs are only a part of the sweep. */
static void tell_shard(const simulation *s, int code)
{
    uint64_t runs = sotto_sweep_runs(&s->comparison->sweep);
    if (s->options->quiet || code != EXIT_OK) return;
    if (s->runs == 0) {
        option_say(s->line,
                   "shard %" PRIu32 " of %" PRIu32 " has no runs: the sweep has only %" PRIu64
                   ". sotto merge still needs its file",
                   s->shard.index, s->shard.count, runs);
        return;
    }
    option_say(s->line,
               "shard %" PRIu32 " of %" PRIu32 ": %" PRIu64 " of the %" PRIu64
               " runs of the sweep; sotto merge joins the files of all shards",
               s->shard.index, s->shard.count, s->runs, runs);
}

static void print_summary(const simulation *s)
{
    const simulate_options *o = s->options;
    print_page p;
    if (o->measured) {
        page_begin(&p, stdout);
        simulate_measured_print(format_of(o) == PRINT_TABLE ? p.file : stdout, format_of(o),
                                s->comparison, &s->results);
        page_end(&p, stdout);
        return;
    }
    if ((o->quiet || s->results.done_count == 0) && !o->summary) return;
    print_format format = o->summary ? format_of(o) : PRINT_TABLE;
    FILE *file = o->summary ? stdout : stderr;
    page_begin(&p, file);
    sotto_status status = simulate_summary_print(format == PRINT_TABLE ? p.file : file, format,
                                                 s->comparison, &s->results);
    if (status != SOTTO_OK) option_say(s->line, "%s", sotto_status_text(status));
    if (format == PRINT_TABLE) {
        simulate_measured_print(p.file, PRINT_TABLE, s->comparison, &s->results);
    }
    page_end(&p, file);
}

/* ---- files -------------------------------------------------------------------------------- */

static int open_resume(simulation *s)
{
    sotto_fault fault;
    const char *path = s->options->resume;
    if (path == NULL) return EXIT_OK;
    sotto_status status =
        sotto__resume_open(&s->resume, path, s->comparison, &s->shard, &s->results, &fault);
    if (status == SOTTO_OK) {
        if (s->resume.dropped_bytes > 0) {
            option_say(s->line,
                       "--resume %s: the end was cut off; %" PRIu64 " bytes of it are dropped",
                       path, s->resume.dropped_bytes);
        }
        return EXIT_OK;
    }
    if (!s->resume.foreign) {
        option_say(s->line, "--resume %s: %s", path, fault.sentence);
        return EXIT_FAILED;
    }
    option_say(
        s->line,
        "--resume %s: the file belongs to sweep %s, this is sweep %s: give another FILE, or the "
        "options of that sweep",
        path, s->resume.sweep_there, s->resume.sweep_here);
    return EXIT_USAGE;
}

/* Opens the file of --out and empties it. */
static int open_out(simulation *s, const char *path)
{
    struct stat out, resume;
    /* O_NONBLOCK: refuse a pipe that has no reader, instead of waiting for one. */
    s->rows.file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (s->rows.file < 0 || fstat(s->rows.file, &out) != 0) return cannot_write(s, path);
    if (s->resume.file >= 0 && fstat(s->resume.file, &resume) == 0 && out.st_dev == resume.st_dev &&
        out.st_ino == resume.st_ino) {
        option_say(s->line, "--out %s: this is the file of --resume", path);
        return EXIT_USAGE;
    }
    if (fcntl(s->rows.file, F_SETFL, O_WRONLY) != 0) return cannot_write(s, path);
    bool regular = S_ISREG(out.st_mode);
    if (regular && ftruncate(s->rows.file, 0) != 0) return cannot_write(s, path);
    return EXIT_OK;
}

/* Opens the output of rows before playing, so that a failure shows at once. */
static int open_rows(simulation *s)
{
    const char *path = s->options->out;
    s->rows.format = s->options->json ? SOTTO__TEXT_JSON : SOTTO__TEXT_CSV;
    bool is_kept = s->shard.count > 0 && s->resume.file >= 0; /* in the resume file, to be merged */
    s->rows.file = s->options->summary || s->options->measured || is_kept ? -1 : STDOUT_FILENO;
    int code = path != NULL ? open_out(s, path) : EXIT_OK;
    if (code != EXIT_OK) return code;
    bool begun = sotto__rows_begin(&s->rows, s->comparison) &&
                 sotto__rows_advance(&s->rows, s->comparison, &s->results);
    return begun ? EXIT_OK : cannot_write(s, rows_name(s));
}

int simulate_play(const command_line *line, const simulate_options *options,
                  const sotto__comparison *comparison)
{
    simulation s = {
        .line = line,
        .options = options,
        .comparison = comparison,
        .shard = {options->shard.index, options->shard.count, 0},
        .rows = {.file = -1},
        .resume = SOTTO__RESUME_NONE,
        .signals = stop_signals_hold(),
    };
    s.rows.shard = s.shard;
    s.runs = sotto__shard_count(&s.shard, sotto_sweep_runs(&comparison->sweep));
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large then fails like any other output */
    if (write(STDOUT_FILENO, "", 0) < 0 &&
        (options->out == NULL || options->summary || options->measured)) {
        return cannot_write(&s, "the output");
    }
    int code = EXIT_FAILED;
    s.rows.text = malloc((size_t)comparison->sweep.at_count * SOTTO__ROW_BYTES);
    if (s.rows.text == NULL || sotto__results_new(comparison, &s.results) != SOTTO_OK) {
        option_say(line, "%s", sotto_status_text(SOTTO_E_MEMORY));
        goto cleanup;
    }
    if (!failures_begin(&s.failures, comparison)) {
        option_say(line, "%s", sotto_status_text(SOTTO_E_MEMORY));
        goto cleanup;
    }
    code = open_resume(&s);
    if (code == EXIT_OK) code = open_rows(&s);
    if (code != EXIT_OK) goto cleanup;
    code = play(&s);
    if (s.shard.count > 0) {
        tell_shard(&s, code);
    } else {
        print_summary(&s);
    }
cleanup:
    sotto__resume_close(&s.resume);
    if (options->out != NULL && s.rows.file >= 0) close(s.rows.file);
    sotto__results_free(&s.results);
    failures_free(&s.failures);
    free(s.rows.text);
    return code;
}
