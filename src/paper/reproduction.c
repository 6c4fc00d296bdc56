/* The table of experiments as parts, each one comparison. */
#include "core/core.h"
#include "paper.h"

#include <inttypes.h>
#include <stdlib.h>

bool sotto__reproduction_wants(const sotto__reproduction_settings *settings,
                               const sotto__experiment *experiment)
{
    return settings->only == NULL || settings->only == experiment;
}

static bool plays_loan(const sotto__experiment *experiment)
{
    return experiment->stages_count > 0 && sotto__stage_is_loan(&experiment->stage[0]);
}

bool sotto__reproduction_needs_customers(const sotto__reproduction_settings *settings)
{
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        const sotto__experiment *experiment = &sotto__experiments[e];
        bool all = experiment->kind == SOTTO__EXPERIMENT_CONSTANTS; /* of all environments */
        if (!all && !plays_loan(experiment)) continue;
        if (sotto__reproduction_wants(settings, experiment)) return true;
    }
    return false;
}

/* ---- parts -------------------------------------------------------------------------------- */

uint32_t sotto__reproduction_parts(const sotto__reproduction_settings *settings)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        const sotto__experiment *experiment = &sotto__experiments[e];
        if (!sotto__reproduction_wants(settings, experiment)) continue;
        for (uint32_t s = 0; s < experiment->stages_count; s++) {
            count += sotto__stage_horizons(&experiment->stage[s], settings->scale);
        }
    }
    return count;
}

/* The horizon of the settings applies only to curves against t or epsilon. Other experiments are
 * about T, or repeat the authors' runs. */
static uint64_t horizon_of(const sotto__reproduction_settings *settings,
                           const sotto__experiment *experiment, const sotto__stage_size *size,
                           uint32_t which)
{
    bool free = experiment->kind == SOTTO__EXPERIMENT_CURVES ||
                experiment->kind == SOTTO__EXPERIMENT_EPSILONS;
    return free && settings->horizon > 0 ? settings->horizon : size->horizon[which];
}

/* How many runs the parts made so far have. Dealing continues after them; otherwise the first
 * shards would get one run more of every part. */
static uint64_t runs_before(const sotto__reproduction *r)
{
    uint64_t runs = 0;
    for (uint32_t i = 0; i < r->parts_count; i++) {
        runs += sotto_sweep_runs(&r->part[i].comparison.sweep);
    }
    return runs;
}

static sotto_status add_stage(sotto__reproduction *r, const sotto__experiment *experiment,
                              const sotto__stage *stage, sotto_fault *fault)
{
    const sotto__reproduction_settings *settings = &r->settings;
    const sotto__stage_size *size = &stage->size[settings->scale];
    const sotto__part_runs runs = {
        .customers = r->customers.population,
        .first_seed = settings->first_seed,
        .seeds_count = settings->seeds > 0 ? settings->seeds : size->seeds,
        .threads = settings->threads,
    };
    for (uint32_t h = 0; h < sotto__stage_horizons(stage, settings->scale); h++) {
        uint64_t dealt = runs_before(r);
        sotto__part *part = &r->part[r->parts_count++];
        part->shard = (sotto__shard){settings->shard.index, settings->shard.count, dealt};
        part->experiment = experiment;
        part->stage = stage;
        part->horizon = horizon_of(settings, experiment, size, h);
        if (sotto__part_fill(part, &runs, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    return SOTTO_OK;
}

static sotto_status add_parts(sotto__reproduction *r, sotto_fault *fault)
{
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        const sotto__experiment *experiment = &sotto__experiments[e];
        if (!sotto__reproduction_wants(&r->settings, experiment)) continue;
        for (uint32_t s = 0; s < experiment->stages_count; s++) {
            if (add_stage(r, experiment, &experiment->stage[s], fault) != SOTTO_OK)
                return SOTTO_E_FAULT;
        }
    }
    return SOTTO_OK;
}

/* ---- all of it ---------------------------------------------------------------------------- */

sotto_status sotto__reproduction_new(const sotto__reproduction_settings *settings,
                                     sotto__reproduction **out, sotto_fault *fault)
{
    sotto__reproduction *r = calloc(1, sizeof *r);
    sotto_status status = SOTTO_OK;
    *out = NULL;
    if (r != NULL) {
        r->settings = *settings;
        /* +1: `constants` alone has none */
        r->part = calloc(sotto__reproduction_parts(settings) + 1, sizeof *r->part);
    }
    if (r == NULL || r->part == NULL) {
        status = sotto__fault_status(fault, SOTTO_E_MEMORY);
    }
    if (status == SOTTO_OK && sotto__reproduction_needs_customers(settings)) {
        status = sotto__customers_open(settings->data, &r->customers, fault);
    }
    if (status == SOTTO_OK) status = add_parts(r, fault);
    if (status == SOTTO_OK) {
        *out = r;
        return SOTTO_OK;
    }
    sotto__reproduction_free(r);
    return status;
}

void sotto__reproduction_free(sotto__reproduction *reproduction)
{
    if (reproduction == NULL) return;
    for (uint32_t i = 0; i < reproduction->parts_count; i++) {
        sotto__part_free(&reproduction->part[i]);
    }
    free(reproduction->part);
    sotto__customers_close(&reproduction->customers);
    sotto__pool_free(&reproduction->pool);
    free(reproduction);
}

const sotto__part *sotto__reproduction_stage(const sotto__reproduction *reproduction,
                                             const sotto__stage *stage, uint32_t *horizons)
{
    const sotto__part *first = NULL;
    *horizons = 0;
    for (uint32_t i = 0; i < reproduction->parts_count; i++) {
        if (reproduction->part[i].stage != stage) continue;
        if (first == NULL) first = &reproduction->part[i];
        ++*horizons;
    }
    return first;
}

bool sotto__reproduction_is_synthetic(const sotto__reproduction *reproduction,
                                      const sotto__experiment *experiment)
{
    return plays_loan(experiment) && reproduction->customers.synthetic;
}

sotto_status sotto__reproduction_stopped(const sotto__reproduction *reproduction,
                                         sotto_fault *fault)
{
    uint64_t done = 0, runs = 0;
    for (uint32_t i = 0; i < reproduction->parts_count; i++) {
        const sotto__part *part = &reproduction->part[i];
        uint64_t all = sotto_sweep_runs(&part->comparison.sweep);
        runs += sotto__shard_count(&part->shard, all);
        for (uint64_t run = 0; run < all; run++) {
            done += part->results.run[run].done && sotto__shard_has(&part->shard, run);
        }
    }
    return sotto__refuse(fault,
                         "stopped: %" PRIu64 " of %" PRIu64 " runs are finished and kept in "
                         "%.300s/runs; the same command continues from there",
                         done, runs, reproduction->settings.out);
}
