#include "run.h"
#include "core/core.h"
#include "inner.h"
#include "lab/environment/environment.h"
#include "lab/player/player.h"
#include "lab/plugin/plugin.h"

#include <sotto/lab/runs.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ==== run ==================================================================================== */

/* A run: one match, one seed, all its rounds. Memory does not depend on how many there are. */

/* Rounds between two checks of the watch: 1024 quick ones, or a single slow one. A round with many
 * numbers may take a large part of a second (arms x dim^2 steps, or dim^3). */
static uint64_t watch_rounds(const sotto_spec *spec)
{
    double work = (double)spec->dim * spec->dim * (spec->dim + spec->arms);
    uint64_t rounds = 1024;
    while (rounds > 1 && (double)rounds * work > 0x1p24) {
        rounds /= 2;
    }
    return rounds;
}

static double processor_seconds(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool points_fit(const sotto_match *match, const sotto_point *point, uint32_t count)
{
    if (count == 0 || count > SOTTO_POINTS_MAX || point[0].t == 0) return false;
    for (uint32_t i = 1; i < count; i++) {
        if (point[i].t <= point[i - 1].t) return false;
    }
    return point[count - 1].t == match->horizon;
}

/* Who plays; `flight` is NULL without a clock. */
typedef struct scene {
    sotto__world *world;
    sotto__player *player;
    sotto__flight *flight;
} scene;

/* Plays rounds until the next checkpoint; *stopped if the watch says so. */
static sotto_status play_until(const scene *s, uint64_t t, const sotto_run_watch *watch,
                               double *regret, bool *stopped)
{
    sotto__world *world = s->world;
    uint64_t every = watch_rounds(&world->match->spec);
    while (world->t < t) {
        double cost;
        sotto_status status = s->flight == NULL
                                  ? sotto__play(world, s->player, &cost)
                                  : sotto__play_delayed(world, s->player, s->flight, &cost);
        if (status != SOTTO_OK) return status;
        *regret += cost;
        if (watch == NULL || world->t % every != 0) continue;
        *stopped = !SOTTO__ASK(watch->go_on(watch->state, every));
        if (*stopped) return SOTTO_OK;
    }
    return SOTTO_OK;
}

/* Refuses an estimate of a custom method with a number that is not finite. */
static sotto_status check_estimate(const sotto__world *world, const double *estimate,
                                   sotto_fault *fault)
{
    const sotto_player_table *custom = world->match->custom;
    for (uint32_t i = 0; custom != NULL && estimate != NULL && i < world->theta_count; i++) {
        if (isfinite(estimate[i])) continue;
        return sotto__table_blame(fault, "method", custom->name, world->t,
                                  "number %u of its estimate is %g: only finite ones can be used",
                                  i, estimate[i]);
    }
    return SOTTO_OK;
}

static sotto_status play_all(const scene *s, sotto_point *point, uint32_t points_count,
                             const sotto_run_watch *watch, bool *finished, sotto_fault *fault)
{
    const sotto__world *world = s->world;
    double regret = 0;
    bool stopped = false;
    for (uint32_t i = 0; i < points_count; i++) {
        sotto_status status = play_until(s, point[i].t, watch, &regret, &stopped);
        if (status != SOTTO_OK || stopped) return status;
        const double *estimate = s->player->estimate(s->player);
        status = check_estimate(world, estimate, fault);
        if (status != SOTTO_OK) return status;
        point[i].regret = regret;
        point[i].estimation_error = sotto__world_error(world, estimate);
    }
    *finished = true;
    if (watch != NULL) {
        (void)SOTTO__ASK(watch->go_on(watch->state, world->t % watch_rounds(&world->match->spec)));
    }
    return SOTTO_OK;
}

/* The fault that ended the run: that of the estimate, otherwise of the world,
 * otherwise of the player. */
static const sotto_fault *failure_of(const scene *s, const sotto_fault *of_estimate)
{
    if (of_estimate->sentence[0] != '\0') return of_estimate;
    bool player = s->world->fault.sentence[0] == '\0' && s->player->fault != NULL;
    return player ? s->player->fault(s->player) : &s->world->fault;
}

static sotto_status make_scene(const sotto_match *match, uint64_t seed, scene *out)
{
    sotto_status status = sotto__world_new(match, seed, &out->world);
    if (status != SOTTO_OK) return status;
    status = sotto__player_new(match, seed, out->world, &out->player);
    if (status != SOTTO_OK || match->people_per_second == 0) return status;
    return sotto__flight_new(match, seed, out->player->sent_bytes, &out->flight);
}

static void free_scene(scene *s)
{
    sotto__flight_free(s->flight);
    sotto__player_free(s->player);
    sotto__world_free(s->world);
}

static sotto_run_delay delay_of(const scene *s)
{
    sotto_run_delay delay = {.there = s->flight != NULL};
    if (!delay.there) return delay;
    if (s->player->delayed != NULL) s->player->delayed(s->player, &delay);
    delay.under_way = sotto__flight_count(s->flight);
    delay.arrived = s->world->t - delay.under_way - delay.late - delay.unsent;
    return delay;
}

sotto_status sotto_match_play(const sotto_match *match, uint64_t seed, sotto_point *point,
                              uint32_t points_count, const sotto_run_watch *watch,
                              sotto_run_result *result, bool *finished)
{
    if (match == NULL || point == NULL || result == NULL || finished == NULL) {
        return SOTTO_E_ARGUMENT;
    }
    *finished = false;
    *result = (sotto_run_result){0};
    if (sotto_match_fault(match, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    if (!points_fit(match, point, points_count)) return SOTTO_E_LENGTH;

    scene s = {0};
    sotto_fault fault = {.field = ""};
    double start_s = processor_seconds();
    sotto_status status = make_scene(match, seed, &s);
    if (status != SOTTO_OK) goto cleanup;
    status = play_all(&s, point, points_count, watch, finished, &fault);
    if (status == SOTTO_E_PLUGIN) result->fault = *failure_of(&s, &fault);
    sotto__player_shipped_reports(s.player, &result->learn_reports, &result->null_reports);
    result->repairs = s.player->repairs(s.player);
    result->delay = delay_of(&s);
    if (status == SOTTO_OK && s.player->measure != NULL) {
        status = s.player->measure(s.player, &result->measured);
    }
    result->seconds = processor_seconds() - start_s;
cleanup:
    free_scene(&s);
    return status;
}

/* ==== results ================================================================================ */

/* The results of the runs of a comparison. */

static bool has_measure_rounds(const sotto__comparison *comparison)
{
    bool some = false;
    for (uint32_t i = 0; i < comparison->sweep.matches_count; i++) {
        some |= comparison->match[i].spec.measure > 0;
    }
    return some;
}

sotto_status sotto__results_new(const sotto__comparison *comparison, sotto__results *out)
{
    uint64_t runs = sotto_sweep_runs(&comparison->sweep);
    uint32_t at_count = comparison->sweep.at_count;
    *out = (sotto__results){
        .at_count = at_count,
        .run = calloc(runs, sizeof *out->run),
        .point = calloc(runs * at_count, sizeof *out->point),
    };
    bool measured = has_measure_rounds(comparison);
    if (measured) out->measured = calloc(runs, sizeof *out->measured);
    bool whole = out->run != NULL && out->point != NULL && (!measured || out->measured != NULL);
    if (whole) return SOTTO_OK;
    sotto__results_free(out);
    return SOTTO_E_MEMORY;
}

void sotto__results_free(sotto__results *results)
{
    free(results->run);
    free(results->point);
    free(results->measured);
    *results = (sotto__results){0};
}

void sotto__results_take(sotto__results *results, uint64_t run, const sotto_point *point,
                         const sotto_run_result *result)
{
    memcpy(sotto__results_points(results, run), point, results->at_count * sizeof *point);
    results->run[run] = (sotto__run_record){.done = true,
                                            .played = true,
                                            .learn_reports = result->learn_reports,
                                            .null_reports = result->null_reports,
                                            .seconds = result->seconds,
                                            .repairs = result->repairs,
                                            .delay = result->delay};
    if (results->measured != NULL) results->measured[run] = result->measured;
    results->done_count++;
}
