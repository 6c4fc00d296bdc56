#include "core/core.h"
#include "inner.h"
#include "lab/loan/loan.h"
#include "paper.h"
#include "text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ==== customers ============================================================================== */

/* The customers of the auto-loan study: a file, or the synthetic stand-in. */

sotto_status sotto__customers_open(const char *path, sotto__customers *out, sotto_fault *fault)
{
    *out = (sotto__customers){0};
    if (sotto__loan_open(path, &out->loan, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    out->population = &out->loan->population;
    out->rows = out->loan->rows;
    out->synthetic = sotto__loan_origin_of(&out->loan->signs) != SOTTO__LOAN_UNKNOWN;
    return SOTTO_OK;
}

void sotto__customers_close(sotto__customers *customers)
{
    sotto__loan_free(customers->loan);
    *customers = (sotto__customers){0};
}

/* A file with the marks of a stand-in counts as one, whatever its name is. */
const char *sotto__customers_notice(const sotto__customers *customers, const char *path,
                                    sotto__pool *pool)
{
    if (customers->loan == NULL) return NULL;
    char rows[SOTTO__GROUPED_BYTES];
    sotto__grouped((double)customers->rows, rows);
    const char *file = path == NULL ? "the stand-in that comes with sotto" : path;
    if (!customers->synthetic) {
        return sotto__pool_print(
            pool, "Auto loans: %s customers of %s. A file cannot prove where it comes from.", rows,
            file);
    }
    sotto__loan_origin origin = sotto__loan_origin_of(&customers->loan->signs);
    return sotto__pool_print(pool,
                             "Auto loans: SYNTHETIC customers (%s). The %s rows of %s are "
                             "not the data of the study, and nothing below about auto loans is a "
                             "result on that data.",
                             sotto__loan_origin_name(origin), rows, file);
}

/* Never overwrites a file: it might be the data. */
sotto_status sotto__customers_write(const char *path, uint64_t seed, uint32_t *rows,
                                    sotto_fault *fault)
{
    FILE *file = fopen(path, "wx");
    if (file == NULL) return sotto__refuse(fault, "%s", strerror(errno));
    *rows = SOTTO__LOAN_STANDIN_ROWS;
    sotto_status status = sotto__loan_standin_write(file, *rows, seed);
    bool written = !ferror(file);
    if (fclose(file) != 0) written = false;
    if (status != SOTTO_OK) return sotto__fault_status(fault, status);
    return written ? SOTTO_OK : sotto__refuse(fault, "%s", strerror(errno));
}

/* ==== simulate command ======================================================================= */

/* The command of a part: what differs from the defaults of `sotto simulate`. */

static const char *players_text(const sotto__stage *stage, sotto__pool *pool)
{
    const char *text = "";
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        if ((stage->players >> p & 1) == 0) continue;
        text =
            sotto__pool_print(pool, "%s%s%s", text, *text == '\0' ? "" : ",", sotto_player_name(p));
    }
    return text;
}

static const char *epsilons_text(const sotto__stage *stage, sotto__pool *pool)
{
    const char *text = "";
    for (uint32_t e = 0; e < sotto__stage_epsilons(stage); e++) {
        text = sotto__pool_print(pool, "%s%s%g", text, e == 0 ? "" : ",", stage->epsilon[e]);
    }
    return text;
}

static const char *extra_text(const sotto__stage *stage, sotto__pool *pool)
{
    const sotto_scene *scene = &stage->scene;
    const char *extra = "";
    if (stage->calibration == SOTTO_CALIBRATION_PUBLISHED) {
        extra = sotto__pool_print(pool, " --calibration published --step %s",
                                  sotto_step_name(stage->step));
    }
    if (scene->environment != SOTTO_ENVIRONMENT_SPHERE &&
        scene->environment != SOTTO_ENVIRONMENT_PUBLISHED) {
        extra = sotto__pool_print(pool, "%s --environment %s", extra,
                                  sotto_environment_kind_name(scene->environment));
    }
    if (stage->reward_hi > 0) {
        extra = sotto__pool_print(pool, "%s --reward-range 0,%g", extra, stage->reward_hi);
    }
    if (stage->revenue) extra = sotto__pool_print(pool, "%s --revenue", extra);
    if (scene->environment == SOTTO_ENVIRONMENT_MARGIN) {
        extra = sotto__pool_print(pool, "%s --margin %g", extra, stage->margin);
    }
    return extra;
}

const char *sotto__simulate_command(const sotto__part *part, sotto__pool *pool)
{
    const sotto__stage *stage = part->stage;
    const sotto_scene *scene = &stage->scene;
    const sotto_sweep *sweep = &part->comparison.sweep;
    return sotto__pool_print(
        pool,
        "sotto simulate --method %s --parameters %s --link %s --dim %u --arms %u --horizon %" PRIu64
        " --epsilon %s --delta %g%s --seeds %u --first-seed %" PRIu64 "%s",
        players_text(stage, pool), sotto_parameters_name(scene->parameters),
        sotto_link_name(scene->link), scene->dim, scene->arms, part->horizon,
        epsilons_text(stage, pool), stage->delta, stage->delta > 1e-6 ? " --allow-weak-delta" : "",
        sweep->seeds_count, sweep->first_seed, extra_text(stage, pool));
}

/* ==== part =================================================================================== */

/* A part: the matches of a stage as one comparison. */

static sotto_status fill_matches(const sotto__part *part, const sotto_population *customers,
                                 sotto__comparison *comparison)
{
    const sotto__stage *stage = part->stage;
    uint32_t count = 0, epsilons = sotto__stage_epsilons(stage);
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        for (uint32_t e = 0; e < epsilons && (stage->players >> p & 1) != 0; e++, count++) {
            sotto_match *match = &comparison->match[count];
            comparison->epsilon[count] = stage->epsilon[e];
            sotto_status status = sotto__stage_match(stage, customers, (sotto_player)p,
                                                     stage->epsilon[e], part->horizon, match);
            if (status != SOTTO_OK) return status;
            if (sotto_match_fault(match, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
        }
    }
    comparison->sweep.matches_count = count;
    return SOTTO_OK;
}

/* Checkpoints: all usual ones if curves are drawn against t, otherwise only the last round. */
static uint32_t fill_points(const sotto__part *part, uint64_t *at)
{
    bool along = part->experiment->kind == SOTTO__EXPERIMENT_CURVES;
    uint32_t count = along ? sotto__usual_points(part->horizon, at) : 0;
    at[count] = part->horizon;
    return count + 1;
}

sotto_status sotto__part_fill(sotto__part *part, const sotto__part_runs *runs, sotto_fault *fault)
{
    sotto__comparison *comparison = &part->comparison;
    part->results = (sotto__results){0};
    sotto_status status = sotto__comparison_new(SOTTO_PLAYERS * SOTTO__STAGE_EPSILONS, comparison);
    if (status != SOTTO_OK) return sotto__fault_status(fault, status);
    status = fill_matches(part, runs->customers, comparison);
    if (status == SOTTO_OK) {
        comparison->sweep.first_seed = runs->first_seed;
        comparison->sweep.seeds_count = runs->seeds_count;
        comparison->sweep.at_count = fill_points(part, comparison->at);
        comparison->sweep.threads = runs->threads;
        status = sotto__results_new(comparison, &part->results);
    }
    if (status == SOTTO_OK) return status;
    sotto__part_free(part);
    if (status == SOTTO_E_MEMORY) return sotto__fault_status(fault, status);
    return sotto__refuse(fault, "%s, %s: a match of the table cannot be played",
                         part->experiment->name, part->stage->name);
}

void sotto__part_free(sotto__part *part)
{
    sotto__results_free(&part->results);
    sotto__comparison_free(&part->comparison);
}
