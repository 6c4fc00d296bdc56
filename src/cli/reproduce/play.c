/* Plays all parts, one after the other, under one progress bar; every finished run is kept. */
#include "cli/option/args.h"
#include "cli/print/progress.h"
#include "cli/print/stop_signals.h"
#include "lab/run/resume.h"
#include "lab/run/rows.h"
#include "reproduce.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct playing {
    reproduction *r;
    reproduce_part *part; /* the one under way */
    sotto__resume resume;
    bool stopped, unwritable;
    double before; /* work done in parts that are over */
    double weight; /* of a round of this part */
    progress bar;
} playing;

/* ---- how long it will take ---------------------------------------------------------------- */

/* Roughly the time of a round, in any unit: contexts, the codewords of a report, moments with their
 * noise, and the dense matrix over all arms of the authors' ldp-ucb. Only the bar depends on it. */
static double round_weight(const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    double dim = spec->dim, arms = spec->arms;
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    bool published = match->calibration == SOTTO_CALIBRATION_PUBLISHED;
    double squares = dim * dim * (per_arm ? arms : 1);
    double weight = 0.2 + 0.0035 * dim * (per_arm ? 1 : arms);
    switch (match->player) {
    case SOTTO_PLAYER_SOTTO:
    case SOTTO_PLAYER_SOTTO_OLS: return weight + 2.5 + 0.06 * dim;
    case SOTTO_PLAYER_LDP_SGD: return weight + (published ? 0.1 : 0.4) + 0.03 * dim;
    case SOTTO_PLAYER_LDP_UCB:
        if (published && per_arm) return weight + 0.007 * dim * dim * arms * arms;
        return weight + 0.4 + 0.01 * squares;
    case SOTTO_PLAYER_LDP_OLS:
    case SOTTO_PLAYER_LDP_GLOC: return weight + 0.4 + 0.008 * squares;
    case SOTTO_PLAYER_OLS:
    case SOTTO_PLAYER_LINUCB:
    case SOTTO_PLAYER_SGD:
    case SOTTO_PLAYER_GLM_UCB: return weight + 0.003 * dim * dim;
    case SOTTO_PLAYER_RANDOM:
    case SOTTO_PLAYER_ORACLE:
    case SOTTO_PLAYERS: break;
    }
    return weight;
}

/* Of the runs of a part that are still to be played. */
static double work_left(const reproduce_part *part)
{
    double work = 0;
    for (uint64_t run = 0; run < sotto_sweep_runs(&part->comparison.sweep); run++) {
        if (part->results.run[run].done) continue;
        work +=
            round_weight(sotto__comparison_match(&part->comparison, run)) * (double)part->horizon;
    }
    return work;
}

static const char *runs_path(reproduction *r, const reproduce_part *part)
{
    return sotto__pool_print(&r->pool, "%s/runs/%s-%s-%" PRIu64 ".jsonl", r->out,
                             part->experiment->name, part->stage->name, part->horizon);
}

/* ---- the listener ------------------------------------------------------------------------- */

static bool is_known(void *state, uint64_t run)
{
    const playing *p = state;
    return p->part->results.run[run].done;
}

static bool take_run(void *state, uint64_t run, const sotto_point *point,
                     const sotto_run_result *result)
{
    playing *p = state;
    reproduce_part *part = p->part;
    sotto__results_take(&part->results, run, point, result);
    p->unwritable = !sotto__resume_add(&p->resume, &part->comparison, &part->results, run);
    if (p->unwritable) {
        progress_end(&p->bar);
        fprintf(stderr, REPRODUCE ": %s: %s\n", runs_path(p->r, part), strerror(errno));
    }
    return !p->unwritable;
}

static bool show_progress(void *state, uint64_t rounds)
{
    playing *p = state;
    p->stopped = stop_signals_came(&p->r->signals);
    progress_show(&p->bar, (uint64_t)(p->before + p->weight * (double)rounds));
    return !p->stopped;
}

/* ---- parts -------------------------------------------------------------------------------- */

/* Takes what an earlier call finished. */
static int open_runs(playing *p, reproduce_part *part)
{
    char fault[SOTTO_FAULT_BYTES];
    const char *path = runs_path(p->r, part);
    const char *wrong =
        sotto__resume_open(&p->resume, path, &part->comparison, &part->results, fault);
    if (wrong == NULL && p->resume.dropped_bytes > 0) {
        fprintf(stderr,
                REPRODUCE ": %s: the end was cut off; %" PRIu64 " bytes of it are dropped\n", path,
                p->resume.dropped_bytes);
    }
    if (wrong == NULL) return EXIT_OK;
    fprintf(stderr, REPRODUCE ": %s: %s\n", path, wrong);
    return p->resume.foreign ? EXIT_USAGE : EXIT_FAILED;
}

static int play_part(playing *p, reproduce_part *part)
{
    p->part = part;
    int code = open_runs(p, part);
    double work = work_left(part);
    uint64_t left = sotto_sweep_runs(&part->comparison.sweep) - part->results.done_count;
    if (code == EXIT_OK && left > 0) {
        const sotto_sweep_listener listener = {is_known, take_run, show_progress, p};
        p->bar.what = part->experiment->name;
        p->weight = work / ((double)left * (double)part->horizon);
        sotto_status status = sotto_sweep_run(&part->comparison.sweep, &listener);
        if (status != SOTTO_OK) {
            progress_end(&p->bar);
            fprintf(stderr, REPRODUCE ": %s: %s\n", part->experiment->name,
                    sotto_status_text(status));
        }
        if (status != SOTTO_OK || p->stopped || p->unwritable) code = EXIT_FAILED;
    }
    p->before += work;
    sotto__resume_close(&p->resume);
    return code;
}

int reproduce_stopped(const reproduction *r)
{
    uint64_t done = 0, runs = 0;
    for (uint32_t i = 0; i < r->parts_count; i++) {
        done += r->part[i].results.done_count;
        runs += sotto_sweep_runs(&r->part[i].comparison.sweep);
    }
    fprintf(stderr,
            REPRODUCE ": stopped: %" PRIu64 " of %" PRIu64
                      " runs are finished and kept in %s/runs; the same command goes on from "
                      "there\n",
            done, runs, r->out);
    return EXIT_FAILED;
}

/* Reads what is there first, so that the bar knows what is left. */
static int look(playing *p, double *work)
{
    for (uint32_t i = 0; i < p->r->parts_count; i++) {
        reproduce_part *part = &p->r->part[i];
        int code = open_runs(p, part);
        sotto__resume_close(&p->resume);
        if (code != EXIT_OK) return code;
        *work += work_left(part);
        /* It is read again when its turn comes. */
        memset(part->results.run, 0,
               sotto_sweep_runs(&part->comparison.sweep) * sizeof *part->results.run);
        part->results.done_count = 0;
    }
    return EXIT_OK;
}

int reproduce_play(reproduction *r)
{
    playing p = {.r = r};
    r->signals = stop_signals_hold();
    double work = 0;
    int code = look(&p, &work);
    p.bar = progress_begin("", (uint64_t)work, r->quiet);
    p.bar.share = true;
    for (uint32_t i = 0; i < r->parts_count && code == EXIT_OK; i++) {
        code = play_part(&p, &r->part[i]);
    }
    progress_end(&p.bar);
    return p.stopped ? reproduce_stopped(r) : code;
}
