/* From what is asked for to matches. */
#include "request.h"
#include "core/fault.h"
#include "lab/player/brought.h"

#include <string.h>

#define PLAYER(name) (1u << SOTTO_PLAYER_##name)
#define LATTICE (PLAYER(LDP_OLS) | PLAYER(LDP_UCB) | PLAYER(LDP_GLOC))
#define CODEBOOK (PLAYER(SOTTO) | PLAYER(SOTTO_OLS) | PLAYER(LDP_SGD))
#define PRIVATE SOTTO__PLAYERS_PRIVATE
#define ALL UINT32_MAX

#define AT(member) offsetof(sotto_match, member)

/* Fields that some methods have no use for, and which methods keep their own value of it. */
static const struct {
    size_t field;
    uint32_t users;   /* methods that it means something to */
    uint32_t changed; /* methods that take the change */
} special[] = {
    {AT(spec.score), PLAYER(SOTTO), PLAYER(SOTTO)},
    {AT(spec.split), PLAYER(LDP_SGD), PLAYER(LDP_SGD)},
    {AT(spec.noise_law), LATTICE, LATTICE},
    {AT(exact_noise), LATTICE, LATTICE},
    {AT(liars), PRIVATE, PRIVATE},
    {AT(grind), CODEBOOK, PRIVATE},
    {AT(spec.epoch_lag_max), PRIVATE, ALL},
    {AT(spec.window_reports), PRIVATE, ALL},
    {AT(learning.step), PLAYER(LDP_SGD) | PLAYER(SGD), ALL},
    {AT(learning.eta0), PLAYER(LDP_SGD) | PLAYER(SGD), ALL},
    {AT(learning.shift_scale), LATTICE | PLAYER(SOTTO_OLS), ALL},
    {AT(learning.elimination_scale), PLAYER(LDP_SGD) | PLAYER(LDP_OLS), ALL},
};
static const size_t specials_count = sizeof special / sizeof special[0];

uint32_t sotto__request_users(size_t field)
{
    for (size_t i = 0; i < specials_count; i++) {
        if (special[i].field == field) return special[i].users;
    }
    return ALL;
}

static bool takes_change(const sotto_match *match, size_t field)
{
    for (size_t i = 0; i < specials_count; i++) {
        if (special[i].field == field) {
            return match->brought == NULL && (special[i].changed >> match->player & 1) != 0;
        }
    }
    return true;
}

static bool is_changed(const sotto__request *request, size_t field)
{
    for (uint32_t i = 0; i < request->changes_count; i++) {
        if (request->change[i].field == field) return true;
    }
    return false;
}

/* Copies the fields that are changed, of those between `from` and `to`. */
static void take_changes(const sotto__request *request, size_t from, size_t to, sotto_match *match)
{
    for (uint32_t i = 0; i < request->changes_count; i++) {
        const sotto__change *change = &request->change[i];
        bool within = change->field >= from && change->field < to;
        if (!within || !takes_change(match, change->field)) continue;
        memcpy((char *)match + change->field, (const char *)&request->wanted + change->field,
               change->bytes);
    }
}

/* What goes with a change. */
static void set_rest_of_spec(const sotto__request *request, sotto_match *match)
{
    sotto_spec *spec = &match->spec;
    const sotto_match *wanted = &request->wanted;
    if (is_changed(request, AT(spec.score)) && spec->score == SOTTO_SCORE_HUBER) {
        spec->huber_tau = wanted->spec.huber_tau;
    }
    if (is_changed(request, AT(spec.split)) && takes_change(match, AT(spec.split))) {
        match->split_paper = wanted->split_paper;
    }
    if (is_changed(request, AT(spec.reward_lo))) {
        spec->reward_hi = wanted->spec.reward_hi;
        spec->reward_default = spec->reward_lo;
        /* A reward that never came counts as 0 where 0 is a reward. */
        if (spec->reward_lo <= 0 && spec->reward_hi >= 0) spec->reward_default = 0;
    }
    if (spec->noise_law == SOTTO_NOISE_LAPLACE) spec->delta = 0;
    bool weak = request->allow_weak_delta || match->calibration != SOTTO_CALIBRATION_EXACT;
    spec->allow_weak_delta = weak && spec->delta > 1e-6; /* else it is another spec for nothing */
    if (request->epoch > spec->epoch_reports_max) spec->epoch_reports_max = request->epoch;
    if (sotto__match_is_private(match)) match->growth = request->growth;
    if (request->revenue && request->scene.population != NULL) {
        match->worth = request->scene.population->worth;
    }
}

static sotto_status set_learning(const sotto__request *request, sotto_match *match)
{
    sotto_learning *learning = &match->learning;
    sotto_status status = sotto_match_set_learning(match);
    if (status != SOTTO_OK) return status;
    bool told =
        match->calibration == SOTTO_CALIBRATION_PUBLISHED || !sotto__match_is_private(match);
    if (request->unknown_horizon && !told) {
        sotto_terms terms;
        status = sotto_spec_resolve(&match->spec, &terms);
        if (status != SOTTO_OK) return status;
        *learning = sotto_learning_default(&terms, 0);
    }
    if (request->unknown_horizon && match->brought != NULL) learning->horizon = 0;
    learning->epoch = request->epoch;
    take_changes(request, AT(learning), AT(learning) + sizeof *learning, match);
    if (is_changed(request, AT(learning.step)) && !is_changed(request, AT(learning.eta0))) {
        learning->eta0 = learning->step == SOTTO_STEP_SQRT ? 0.03 : 5;
    }
    return SOTTO_OK;
}

static const char *set_match(const sotto__request *request, sotto_match *match, char *fault)
{
    take_changes(request, 0, sizeof *match, match);
    set_rest_of_spec(request, match);
    sotto_status status = set_learning(request, match);
    if (sotto_match_fault(match, fault) != NULL) return fault;
    return status == SOTTO_OK ? NULL : sotto__fault(fault, "%s", sotto_status_text(status));
}

static void set_sweep(const sotto__request *request, sotto__comparison *out)
{
    out->sweep.matches_count = request->players_count * request->epsilons_count;
    out->sweep.first_seed = request->first_seed;
    out->sweep.seeds_count = request->seeds;
    out->sweep.threads = request->threads;
    out->sweep.at_count = request->at_count;
    memcpy(out->at, request->at, request->at_count * sizeof request->at[0]);
}

const char *sotto__comparison_of(const sotto__request *request, sotto__comparison *out,
                                 uint32_t *culprit, char fault[SOTTO_FAULT_BYTES])
{
    uint32_t matches = request->players_count * request->epsilons_count;
    *culprit = 0;
    if (sotto__comparison_new(matches, out) != SOTTO_OK) {
        return sotto__fault(fault, "%s", sotto_status_text(SOTTO_E_MEMORY));
    }
    set_sweep(request, out);
    for (uint32_t i = 0; i < matches; i++) {
        *culprit = i / request->epsilons_count;
        out->epsilon[i] = request->epsilon[i % request->epsilons_count];
        out->match[i] = sotto_match_default(request->player[*culprit], request->calibration,
                                            &request->scene, out->epsilon[i], request->delta);
        if (request->brought != NULL) out->match[i].brought = request->brought[*culprit];
        if (set_match(request, &out->match[i], fault) == NULL) continue;
        sotto__comparison_free(out);
        return fault;
    }
    return NULL;
}
