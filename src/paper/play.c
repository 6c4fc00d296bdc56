/* Plays all parts, one after the other; every finished run is kept. */
#include "core/core.h"
#include "lab/run/run.h"
#include "paper.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

typedef struct reproduction_run {
    sotto__reproduction *r;
    const sotto__reproduction_listener *listener;
    sotto__part *part; /* the one under way */
    sotto__resume resume;
    sotto_status status; /* of playing it */
    sotto_fault *fault;
    bool stopped;
    double work;   /* in all */
    double known;  /* of it, done by an earlier call */
    double before; /* known, or done in parts that are over */
    double weight; /* of a round of this part */
} reproduction_run;

/* ---- how long it will take ---------------------------------------------------------------- */

/* Adds up contexts, the codewords of a report, moments with their noise, and the dense matrix over
 * all arms of the authors' ldp-ucb. Only the progress that the listener shows depends on it. */
double sotto__round_weight(const sotto_match *match)
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
    case SOTTO_PLAYER_BEST_ARM: return weight + 0.4 + 1.2 * arms; /* a publish after each report */
    case SOTTO_PLAYER_OLS:
    case SOTTO_PLAYER_LINUCB:
    case SOTTO_PLAYER_SGD:
    case SOTTO_PLAYER_GLM:
    case SOTTO_PLAYER_GLM_UCB: return weight + 0.003 * dim * dim;
    case SOTTO_PLAYER_MERINO:
    case SOTTO_PLAYER_SHUFFLE_UCB:
    case SOTTO_PLAYER_JOINT_GLM: return weight + 0.01 * squares * dim;
    case SOTTO_PLAYER_RANDOM:
    case SOTTO_PLAYER_ORACLE:
    case SOTTO_PLAYERS: break;
    }
    return weight;
}

/* The work of the runs of a part that are finished, or of those that are still to be played. */
static double work_of(const sotto__part *part, bool done)
{
    double work = 0;
    for (uint64_t run = 0; run < sotto_sweep_runs(&part->comparison.sweep); run++) {
        if (part->results.run[run].done != done || !sotto__shard_has(&part->shard, run)) continue;
        const sotto_match *match = sotto__comparison_match(&part->comparison, run);
        work += sotto__round_weight(match) * (double)part->horizon;
    }
    return work;
}

/* ---- the listener ------------------------------------------------------------------------- */

static const char *runs_path(sotto__reproduction *r, const sotto__part *part)
{
    return sotto__pool_print(&r->pool, "%s/runs/%s-%s-%" PRIu64 ".jsonl", r->settings.out,
                             part->experiment->name, part->stage->name, part->horizon);
}

static sotto_status cannot_keep(reproduction_run *p)
{
    int reason = errno;
    return sotto__refuse(p->fault, "%.300s: %s", runs_path(p->r, p->part), strerror(reason));
}

static bool is_known(void *state, uint64_t run)
{
    const reproduction_run *p = state;
    return p->part->results.run[run].done || !sotto__shard_has(&p->part->shard, run);
}

static bool take_run(void *state, uint64_t run, const sotto_point *point,
                     const sotto_run_result *result)
{
    reproduction_run *p = state;
    sotto__part *part = p->part;
    sotto__results_take(&part->results, run, point, result);
    if (sotto__resume_add(&p->resume, &part->comparison, &part->results, run)) return true;
    p->status = cannot_keep(p);
    return false;
}

static bool go_on(void *state, uint64_t rounds)
{
    reproduction_run *p = state;
    const sotto__reproduction_listener *listener = p->listener;
    p->stopped = listener->stops(listener->state);
    listener->progress(listener->state, p->part->experiment->name, p->known,
                       p->before + p->weight * (double)rounds, p->work);
    return !p->stopped;
}

/* ---- parts -------------------------------------------------------------------------------- */

/* Takes the runs that an earlier call finished. */
static sotto_status open_runs(reproduction_run *p, sotto__part *part)
{
    const char *path = runs_path(p->r, part);
    if (sotto__resume_open(&p->resume, path, &part->comparison, &part->shard, &part->results,
                           p->fault) != SOTTO_OK) {
        p->r->foreign = p->resume.foreign;
        return sotto__fault_within(p->fault, "%.250s: ", path);
    }
    if (p->resume.dropped_bytes == 0) return SOTTO_OK;
    p->listener->tell(p->listener->state, sotto__pool_print(&p->r->pool,
                                                            "%s: the end was cut off; %" PRIu64
                                                            " bytes of it are dropped",
                                                            path, p->resume.dropped_bytes));
    return SOTTO_OK;
}

static void play_rest(reproduction_run *p, sotto__part *part, double work)
{
    const sotto_sweep *sweep = &part->comparison.sweep;
    uint64_t left = 0;
    for (uint64_t run = 0; run < sotto_sweep_runs(sweep); run++) {
        left += !part->results.run[run].done && sotto__shard_has(&part->shard, run);
    }
    if (left == 0) return;
    const sotto_sweep_listener listener = {
        .known = is_known, .finished = take_run, .progress = go_on, .state = p};
    p->weight = work / ((double)left * (double)part->horizon);
    sotto_status status = sotto_sweep_run(sweep, &listener);
    if (status == SOTTO_OK || p->status != SOTTO_OK) return;
    p->status =
        sotto__refuse(p->fault, "%s: %s", part->experiment->name, sotto_status_text(status));
}

static sotto_status play_part(reproduction_run *p, sotto__part *part)
{
    p->part = part;
    p->status = open_runs(p, part);
    double work = work_of(part, false);
    if (p->status == SOTTO_OK) play_rest(p, part, work);
    p->before += work;
    if (p->status == SOTTO_OK &&
        !sotto__resume_end(&p->resume, &part->comparison, &part->results)) {
        p->status = cannot_keep(p);
    }
    sotto__resume_close(&p->resume);
    if (p->status == SOTTO_OK && p->stopped) return sotto__reproduction_stopped(p->r, p->fault);
    return p->status;
}

/* Reads the kept runs first, so that the listener is told how much is known. */
static sotto_status look(reproduction_run *p)
{
    for (uint32_t i = 0; i < p->r->parts_count; i++) {
        sotto__part *part = &p->r->part[i];
        sotto_status status = open_runs(p, part);
        sotto__resume_close(&p->resume);
        if (status != SOTTO_OK) return status;
        p->known += work_of(part, true);
        p->work += work_of(part, false) + work_of(part, true);
        /* The part is read again when its turn comes. */
        memset(part->results.run, 0,
               (size_t)sotto_sweep_runs(&part->comparison.sweep) * sizeof *part->results.run);
        part->results.done_count = 0;
    }
    p->before = p->known;
    return SOTTO_OK;
}

sotto_status sotto__reproduction_play(sotto__reproduction *reproduction,
                                      const sotto__reproduction_listener *listener,
                                      sotto_fault *fault)
{
    reproduction_run p = {.r = reproduction, .listener = listener, .fault = fault};
    sotto_status status = look(&p);
    for (uint32_t i = 0; i < reproduction->parts_count && status == SOTTO_OK; i++) {
        status = play_part(&p, &reproduction->part[i]);
    }
    return status;
}
