/* A comparison as callers see it: its matches, and the results of its runs. */
#include "core/core.h"
#include "inner.h"
#include "lab/player/player.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define METHOD_BYTES_MAX 100u /* the numbers of a row take less than 130 */

static_assert(SOTTO_ROW_BYTES == SOTTO__ROW_BYTES, "one room for rows");

struct sotto_comparison {
    sotto__comparison matches;
    sotto__results results;
};

/* ---- making one --------------------------------------------------------------------------- */

static bool is_too_large(const sotto_sweep *sweep)
{
    return sotto_sweep_runs(sweep) > SOTTO_COMPARISON_ROWS_MAX / sweep->at_count;
}

/* Takes ownership of the matches. */
static sotto_status finish(sotto__comparison *matches, sotto_comparison **out)
{
    sotto_comparison *made = calloc(1, sizeof *made);
    sotto_status status = SOTTO_E_MEMORY;
    if (made != NULL && !is_too_large(&matches->sweep)) {
        status = sotto__results_new(matches, &made->results);
    }
    if (status != SOTTO_OK) {
        sotto__comparison_free(matches);
        free(made);
        return status;
    }
    made->matches = *matches;
    *out = made;
    return SOTTO_OK;
}

sotto_status sotto_comparison_new(const sotto_comparison_request *request, sotto_comparison **out)
{
    if (out == NULL) return SOTTO_E_ARGUMENT;
    *out = NULL;
    if (request == NULL || request->player == NULL || request->epsilon == NULL) {
        return SOTTO_E_ARGUMENT;
    }
    sotto__comparison matches;
    uint32_t culprit;
    sotto_status status = sotto_comparison_request_fault(request, NULL);
    if (status != SOTTO_OK) return status;
    if (sotto__comparison_of(request, &matches, &culprit, NULL) != SOTTO_OK) return SOTTO_E_MEMORY;
    return finish(&matches, out);
}

void sotto_comparison_free(sotto_comparison *comparison)
{
    if (comparison == NULL) return;
    sotto__results_free(&comparison->results);
    sotto__comparison_free(&comparison->matches);
    free(comparison);
}

const sotto_sweep *sotto_comparison_sweep(const sotto_comparison *comparison)
{
    return comparison == NULL ? NULL : &comparison->matches.sweep;
}

/* ---- playing it --------------------------------------------------------------------------- */

typedef struct comparison_run {
    sotto_comparison *comparison;
    sotto_sweep_listener callers; /* functions may be NULL */
} comparison_run;

static bool is_known(void *state, uint64_t run)
{
    comparison_run *p = state;
    if (p->comparison->results.run[run].done) return true;
    return p->callers.known != NULL && p->callers.known(p->callers.state, run);
}

static bool take_run(void *state, uint64_t run, const sotto_point *point,
                     const sotto_run_result *result)
{
    comparison_run *p = state;
    sotto__results_take(&p->comparison->results, run, point, result);
    return p->callers.finished == NULL || p->callers.finished(p->callers.state, run, point, result);
}

static bool tell_progress(void *state, uint64_t rounds)
{
    comparison_run *p = state;
    return p->callers.progress == NULL || p->callers.progress(p->callers.state, rounds);
}

static bool tell_failed(void *state, uint64_t run, const char *fault)
{
    comparison_run *p = state;
    return p->callers.failed(p->callers.state, run, fault);
}

sotto_status sotto_comparison_play(sotto_comparison *comparison,
                                   const sotto_sweep_listener *listener)
{
    if (comparison == NULL) return SOTTO_E_ARGUMENT;
    comparison_run p = {.comparison = comparison};
    if (listener != NULL) p.callers = *listener;
    const sotto_sweep_listener own = {.known = is_known,
                                      .finished = take_run,
                                      .progress = tell_progress,
                                      .state = &p,
                                      .failed = p.callers.failed == NULL ? NULL : tell_failed};
    return sotto_sweep_run(&comparison->matches.sweep, &own);
}

sotto_status sotto_comparison_take(sotto_comparison *comparison, uint64_t run,
                                   const sotto_point *point, uint32_t points_count)
{
    if (comparison == NULL || point == NULL) return SOTTO_E_ARGUMENT;
    const sotto_sweep *sweep = &comparison->matches.sweep;
    sotto__results *results = &comparison->results;
    if (points_count != sweep->at_count) return SOTTO_E_LENGTH;
    if (run >= sotto_sweep_runs(sweep) || results->run[run].done) return SOTTO_E_FAULT;
    for (uint32_t i = 0; i < points_count; i++) {
        if (point[i].t != sweep->at[i]) return SOTTO_E_FAULT;
    }
    sotto__results_take(results, run, point, &(sotto_run_result){0});
    results->run[run].played = false; /* its time is not known */
    return SOTTO_OK;
}

uint64_t sotto_comparison_done(const sotto_comparison *comparison)
{
    return comparison == NULL ? 0 : comparison->results.done_count;
}

/* ---- what came of it ---------------------------------------------------------------------- */

uint64_t sotto_comparison_rows(const sotto_comparison *comparison)
{
    if (comparison == NULL) return 0;
    return sotto_sweep_runs(&comparison->matches.sweep) * comparison->results.at_count;
}

bool sotto_comparison_row_at(const sotto_comparison *comparison, uint64_t row,
                             sotto_comparison_row *out)
{
    if (out == NULL || row >= sotto_comparison_rows(comparison)) return false;
    const sotto_sweep *sweep = &comparison->matches.sweep;
    uint64_t run = row / sweep->at_count;
    if (!comparison->results.run[run].done) return false;
    const sotto_point *point = &comparison->results.point[row];
    *out = (sotto_comparison_row){
        .method = sotto__match_method(sotto__comparison_match(&comparison->matches, run)),
        .epsilon = comparison->matches.epsilon[run / sweep->seeds_count],
        .seed = sweep->first_seed + run % sweep->seeds_count,
        .t = point->t,
        .regret = point->regret,
        .estimation_error = point->estimation_error,
    };
    return true;
}

bool sotto_comparison_measured(const sotto_comparison *comparison, uint64_t run,
                               sotto_run_measurement *out)
{
    if (comparison == NULL || out == NULL) return false;
    const sotto_run_measurement *measured = comparison->results.measured;
    bool there = measured != NULL && run < sotto_sweep_runs(&comparison->matches.sweep) &&
                 measured[run].there;
    if (there) *out = measured[run];
    return there;
}

size_t sotto_comparison_row_csv(const sotto_comparison_row *row, char text[SOTTO_ROW_BYTES])
{
    if (row == NULL || row->method == NULL || text == NULL) return 0;
    if (strlen(row->method) > METHOD_BYTES_MAX) return 0;
    const sotto_point point = {row->t, row->regret, row->estimation_error};
    return sotto__row_text(row->method, row->epsilon, row->seed, &point, SOTTO__TEXT_CSV, text);
}

/* ---- shards ------------------------------------------------------------------------------- */

static bool shard_is_done(const sotto_comparison *comparison, const sotto__shard *shard)
{
    bool done = true;
    for (uint64_t run = 0; run < sotto_sweep_runs(&comparison->matches.sweep); run++) {
        done &= comparison->results.run[run].done || !sotto__shard_has(shard, run);
    }
    return done;
}

sotto_status sotto_comparison_write_shard(const sotto_comparison *comparison, uint32_t index,
                                          uint32_t count, const char *path, sotto_fault *fault)
{
    if (comparison == NULL || path == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    const sotto__shard shard = {.index = index, .count = count};
    if (sotto_shard_fault(index, count, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    if (!shard_is_done(comparison, &shard)) {
        return sotto__fault_at(fault, "shard", "%u of %u: not all of its runs are finished",
                               (unsigned)index, (unsigned)count);
    }
    bool written =
        sotto__rows_save(path, SOTTO__TEXT_CSV, &shard, &comparison->matches, &comparison->results);
    if (written) return SOTTO_OK;
    return sotto__refuse(fault, "cannot write %.300s: %s", path, strerror(errno));
}

/* ---- the summary -------------------------------------------------------------------------- */

sotto_status sotto_comparison_summarise(const sotto_comparison *comparison,
                                        sotto_comparison_line *line, uint32_t lines_count)
{
    if (comparison == NULL || line == NULL) return SOTTO_E_ARGUMENT;
    if (lines_count != comparison->matches.sweep.matches_count) return SOTTO_E_LENGTH;
    return sotto__summary_of(&comparison->matches, &comparison->results, line);
}
