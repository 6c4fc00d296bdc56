/* The table of experiments as parts, each one sweep. */
#include "cli/option/args.h"
#include "reproduce.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool reproduce_wants(const reproduction *r, const sotto__experiment *experiment)
{
    return r->only == NULL || strcmp(r->only, experiment->name) == 0;
}

static uint32_t count_parts(const reproduction *r)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        const sotto__experiment *experiment = &sotto__experiments[e];
        for (uint32_t s = 0; reproduce_wants(r, experiment) && s < experiment->stages_count; s++) {
            count += sotto__stage_horizons(&experiment->stage[s], r->scale);
        }
    }
    return count;
}

static bool fill_matches(const reproduction *r, const sotto__stage *stage, uint64_t horizon,
                         sotto__comparison *plan)
{
    uint32_t count = 0, epsilons = sotto__stage_epsilons(stage);
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        for (uint32_t e = 0; e < epsilons && (stage->players >> p & 1) != 0; e++, count++) {
            char fault[SOTTO_FAULT_BYTES];
            sotto_match *match = &plan->match[count];
            plan->epsilon[count] = stage->epsilon[e];
            sotto_status status = sotto__stage_match(stage, r->customers, (sotto_player)p,
                                                     stage->epsilon[e], horizon, match);
            if (status != SOTTO_OK || sotto_match_fault(match, fault) != NULL) return false;
        }
    }
    plan->sweep.matches_count = count;
    return true;
}

/* Check-points: where curves are drawn along t all usual ones, otherwise the last round. */
static uint32_t fill_points(const reproduce_part *part, uint64_t *at)
{
    bool along = part->experiment->kind == SOTTO__EXPERIMENT_CURVES;
    uint32_t count = along ? sotto__usual_points(part->horizon, at) : 0;
    at[count] = part->horizon;
    return count + 1;
}

static int fill_part(const reproduction *r, reproduce_part *part)
{
    sotto__comparison *plan = &part->comparison;
    size_t matches = SOTTO_PLAYERS * SOTTO__STAGE_EPSILONS;
    bool good = sotto__comparison_new((uint32_t)matches, plan) == SOTTO_OK;
    if (good && !fill_matches(r, part->stage, part->horizon, plan)) {
        fprintf(stderr, REPRODUCE ": %s, %s: a match of the table cannot be played\n",
                part->experiment->name, part->stage->name);
        return EXIT_FAILED;
    }
    if (good) {
        plan->sweep.first_seed = r->first_seed;
        plan->sweep.seeds_count = r->seeds > 0 ? r->seeds : part->stage->size[r->scale].seeds;
        plan->sweep.at_count = fill_points(part, plan->at);
        plan->sweep.threads = r->threads;
        good = sotto__results_new(plan, &part->results) == SOTTO_OK;
    }
    if (!good) fprintf(stderr, REPRODUCE ": %s\n", sotto_status_text(SOTTO_E_MEMORY));
    return good ? EXIT_OK : EXIT_FAILED;
}

/* Where T itself is what is looked at, or theirs, it stays. */
static uint64_t horizon_of(const reproduction *r, const sotto__experiment *experiment,
                           const sotto__stage_size *size, uint32_t which)
{
    bool free = experiment->kind == SOTTO__EXPERIMENT_CURVES ||
                experiment->kind == SOTTO__EXPERIMENT_EPSILONS;
    return free && r->horizon > 0 ? r->horizon : size->horizon[which];
}

static int fill_stage(reproduction *r, const sotto__experiment *experiment,
                      const sotto__stage *stage)
{
    uint32_t horizons = sotto__stage_horizons(stage, r->scale);
    for (uint32_t h = 0; h < horizons; h++) {
        reproduce_part *part = &r->part[r->parts_count++];
        part->experiment = experiment;
        part->stage = stage;
        part->horizon = horizon_of(r, experiment, &stage->size[r->scale], h);
        int code = fill_part(r, part);
        if (code != EXIT_OK) return code;
    }
    return EXIT_OK;
}

int reproduce_parts_new(reproduction *r)
{
    uint32_t count = count_parts(r);
    r->parts_count = 0;
    r->part = calloc(count + 1, sizeof *r->part); /* +1: `constants` alone has none */
    if (r->part == NULL) {
        fprintf(stderr, REPRODUCE ": %s\n", sotto_status_text(SOTTO_E_MEMORY));
        return EXIT_FAILED;
    }
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        const sotto__experiment *experiment = &sotto__experiments[e];
        for (uint32_t s = 0; reproduce_wants(r, experiment) && s < experiment->stages_count; s++) {
            int code = fill_stage(r, experiment, &experiment->stage[s]);
            if (code != EXIT_OK) return code;
        }
    }
    return EXIT_OK;
}

void reproduce_parts_free(reproduction *r)
{
    for (uint32_t i = 0; i < r->parts_count; i++) {
        sotto__results_free(&r->part[i].results);
        sotto__comparison_free(&r->part[i].comparison);
    }
    free(r->part);
    r->part = NULL;
    r->parts_count = 0;
}

const reproduce_part *reproduce_parts_of(const reproduction *r, const sotto__stage *stage,
                                         uint32_t *horizons)
{
    const reproduce_part *first = NULL;
    *horizons = 0;
    for (uint32_t i = 0; i < r->parts_count; i++) {
        if (r->part[i].stage != stage) continue;
        if (first == NULL) first = &r->part[i];
        ++*horizons;
    }
    return first;
}

/* ---- as a command ------------------------------------------------------------------------- */

static const char *players_text(reproduction *r, const sotto__stage *stage)
{
    const char *text = "";
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        if ((stage->players >> p & 1) == 0) continue;
        text = sotto__pool_print(&r->pool, "%s%s%s", text, *text == '\0' ? "" : ",",
                                 sotto_player_name(p));
    }
    return text;
}

static const char *epsilons_text(reproduction *r, const sotto__stage *stage)
{
    const char *text = "";
    for (uint32_t e = 0; e < sotto__stage_epsilons(stage); e++) {
        text = sotto__pool_print(&r->pool, "%s%s%g", text, e == 0 ? "" : ",", stage->epsilon[e]);
    }
    return text;
}

const char *reproduce_simulate_command(reproduction *r, const reproduce_part *part)
{
    const sotto__stage *stage = part->stage;
    const sotto_scene *scene = &stage->scene;
    const char *extra = "";
    if (stage->calibration == SOTTO_CALIBRATION_PUBLISHED) {
        extra = sotto__pool_print(&r->pool, " --calibration published --step %s",
                                  sotto_step_name((uint32_t)stage->step));
    }
    if (scene->environment != SOTTO_ENVIRONMENT_SPHERE &&
        scene->environment != SOTTO_ENVIRONMENT_PUBLISHED) {
        extra = sotto__pool_print(&r->pool, "%s --environment %s", extra,
                                  sotto_environment_kind_name((uint32_t)scene->environment));
    }
    if (stage->reward_hi > 0) {
        extra = sotto__pool_print(&r->pool, "%s --reward-range 0,%g", extra, stage->reward_hi);
    }
    if (stage->revenue) extra = sotto__pool_print(&r->pool, "%s --revenue", extra);
    if (scene->environment == SOTTO_ENVIRONMENT_MARGIN) {
        extra = sotto__pool_print(&r->pool, "%s --margin %g", extra, stage->margin);
    }
    return sotto__pool_print(
        &r->pool,
        "sotto simulate --method %s --parameters %s --link %s --dim %u --arms %u --horizon %" PRIu64
        " --epsilon %s --delta %g%s --seeds %u --first-seed %" PRIu64 "%s",
        players_text(r, stage), sotto_parameters_name((uint32_t)scene->parameters),
        sotto_link_name((uint32_t)scene->link), scene->dim, scene->arms, part->horizon,
        epsilons_text(r, stage), stage->delta, stage->delta > 1e-6 ? " --allow-weak-delta" : "",
        part->comparison.sweep.seeds_count, r->first_seed, extra);
}
