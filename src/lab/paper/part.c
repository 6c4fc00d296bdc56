/* A part: the matches of a stage as one comparison. */
#include "part.h"
#include "core/fault.h"

static sotto_status fill_matches(const sotto__part *part, const sotto_population *customers,
                                 sotto__comparison *comparison)
{
    const sotto__stage *stage = part->stage;
    uint32_t count = 0, epsilons = sotto__stage_epsilons(stage);
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        for (uint32_t e = 0; e < epsilons && (stage->players >> p & 1) != 0; e++, count++) {
            char fault[SOTTO_FAULT_BYTES];
            sotto_match *match = &comparison->match[count];
            comparison->epsilon[count] = stage->epsilon[e];
            sotto_status status = sotto__stage_match(stage, customers, (sotto_player)p,
                                                     stage->epsilon[e], part->horizon, match);
            if (status != SOTTO_OK) return status;
            if (sotto_match_fault(match, fault) != NULL) return SOTTO_E_FAULT;
        }
    }
    comparison->sweep.matches_count = count;
    return SOTTO_OK;
}

/* Check-points: where curves are drawn along t all usual ones, otherwise the last round. */
static uint32_t fill_points(const sotto__part *part, uint64_t *at)
{
    bool along = part->experiment->kind == SOTTO__EXPERIMENT_CURVES;
    uint32_t count = along ? sotto__usual_points(part->horizon, at) : 0;
    at[count] = part->horizon;
    return count + 1;
}

const char *sotto__part_fill(sotto__part *part, const sotto__part_runs *runs,
                             char fault[SOTTO_FAULT_BYTES])
{
    sotto__comparison *comparison = &part->comparison;
    part->results = (sotto__results){0};
    sotto_status status = sotto__comparison_new(SOTTO_PLAYERS * SOTTO__STAGE_EPSILONS, comparison);
    if (status != SOTTO_OK) return sotto__fault(fault, "%s", sotto_status_text(status));
    status = fill_matches(part, runs->customers, comparison);
    if (status == SOTTO_OK) {
        comparison->sweep.first_seed = runs->first_seed;
        comparison->sweep.seeds_count = runs->seeds_count;
        comparison->sweep.at_count = fill_points(part, comparison->at);
        comparison->sweep.threads = runs->threads;
        status = sotto__results_new(comparison, &part->results);
    }
    if (status == SOTTO_OK) return NULL;
    sotto__part_free(part);
    if (status == SOTTO_E_MEMORY) return sotto__fault(fault, "%s", sotto_status_text(status));
    return sotto__fault(fault, "%s, %s: a match of the table cannot be played",
                        part->experiment->name, part->stage->name);
}

void sotto__part_free(sotto__part *part)
{
    sotto__results_free(&part->results);
    sotto__comparison_free(&part->comparison);
}
