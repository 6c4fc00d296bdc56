/* What is asked for: its defaults, its faults, and the matches that it makes. */
#include "request.h"
#include "core/fault.h"
#include "core/float_environment.h"
#include "lab/player/brought.h"

#include <inttypes.h>
#include <string.h>

#define PLAYER(name) (1u << SOTTO_PLAYER_##name)
#define LATTICE (PLAYER(LDP_OLS) | PLAYER(LDP_UCB) | PLAYER(LDP_GLOC))
#define CODEBOOK (PLAYER(SOTTO) | PLAYER(SOTTO_OLS) | PLAYER(LDP_SGD))
#define PRIVATE SOTTO__PLAYERS_PRIVATE
#define CONTEXTUAL (~PLAYER(BEST_ARM))
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
    {AT(spec.version), PRIVATE, ALL},
    {AT(liars), PRIVATE &CONTEXTUAL, PRIVATE &CONTEXTUAL},
    {AT(spec.measure), CODEBOOK, PRIVATE &CONTEXTUAL},
    {AT(grind), CODEBOOK, PRIVATE},
    {AT(spec.epoch_lag_max), PRIVATE, ALL},
    {AT(spec.window_reports), PRIVATE, ALL},
    {AT(spec.reward_rate), PLAYER(SOTTO), PLAYER(SOTTO)},
    {AT(learning.warm_up), CONTEXTUAL, CONTEXTUAL},
    {AT(learning.mean_phase), PLAYER(SOTTO), PLAYER(SOTTO)},
    {AT(learning.prior_variance), PLAYER(SOTTO), PLAYER(SOTTO)},
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

static bool is_changed(const sotto_comparison_request *request, size_t field)
{
    for (uint32_t i = 0; i < request->changes_count; i++) {
        if (request->change[i].field == field) return true;
    }
    return false;
}

/* Copies the fields that are changed, of those between `from` and `to`. */
static void take_changes(const sotto_comparison_request *request, size_t from, size_t to,
                         sotto_match *match)
{
    for (uint32_t i = 0; i < request->changes_count; i++) {
        const sotto_comparison_change *change = &request->change[i];
        bool within = change->field >= from && change->field < to;
        if (!within || !takes_change(match, change->field)) continue;
        memcpy((char *)match + change->field, (const char *)&request->wanted + change->field,
               change->bytes);
    }
}

/* What goes with a change. */
static void set_rest_of_spec(const sotto_comparison_request *request, sotto_match *match)
{
    sotto_spec *spec = &match->spec;
    const sotto_match *wanted = &request->wanted;
    if (is_changed(request, AT(spec.score)) && spec->score == SOTTO_SCORE_HUBER) {
        spec->huber_tau = wanted->spec.huber_tau;
    }
    bool own_score = !is_changed(request, AT(spec.score));
    if (own_score && spec->version == 1 && spec->score == SOTTO_SCORE_CENTRED) {
        spec->score = SOTTO_SCORE_SELF; /* what version 1 has for counts */
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

static sotto_status set_learning(const sotto_comparison_request *request, sotto_match *match)
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

static const char *set_match(const sotto_comparison_request *request, sotto_match *match,
                             char *fault)
{
    take_changes(request, 0, sizeof *match, match);
    set_rest_of_spec(request, match);
    sotto_status status = set_learning(request, match);
    if (sotto_match_fault(match, fault) != NULL) return fault;
    return status == SOTTO_OK ? NULL : sotto__fault(fault, "%s", sotto_status_text(status));
}

/* The points that are asked for, or the usual ones, into `at`; returns how many. */
static uint32_t set_points(const sotto_comparison_request *request, uint64_t *at)
{
    if (request->at == NULL) {
        uint32_t count = sotto__usual_points(request->scene.horizon, at);
        at[count] = request->scene.horizon;
        return count + 1;
    }
    memcpy(at, request->at, request->at_count * sizeof at[0]);
    return request->at_count;
}

static void set_sweep(const sotto_comparison_request *request, sotto__comparison *out)
{
    out->sweep.matches_count = request->players_count * request->epsilons_count;
    out->sweep.first_seed = request->first_seed;
    out->sweep.seeds_count = request->seeds;
    out->sweep.threads = request->threads;
    out->sweep.at_count = set_points(request, out->at);
}

const char *sotto__comparison_of(const sotto_comparison_request *request, sotto__comparison *out,
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

/* ---- defaults, changes, faults ------------------------------------------------------------ */

sotto_comparison_request sotto_comparison_request_default(const sotto_scene *scene)
{
    static const sotto_player player[] = {SOTTO_PLAYER_SOTTO};
    static const double epsilon[] = {1};
    if (scene == NULL) return (sotto_comparison_request){0};
    return (sotto_comparison_request){
        .scene = *scene,
        .calibration = SOTTO_CALIBRATION_EXACT,
        .player = player,
        .players_count = 1,
        .epsilon = epsilon,
        .epsilons_count = 1,
        .delta = 1e-6,
        .epoch = 1,
        .first_seed = 1,
        .seeds = 10,
        .threads = 1,
    };
}

bool sotto_comparison_request_change(sotto_comparison_request *request, size_t field, size_t bytes)
{
    if (request == NULL || bytes == 0) return false;
    if (field >= sizeof(sotto_match) || bytes > sizeof(sotto_match) - field) return false;
    if (is_changed(request, field)) return true;
    if (request->changes_count >= SOTTO_COMPARISON_CHANGES_MAX) return false;
    request->change[request->changes_count++] = (sotto_comparison_change){field, bytes};
    return true;
}

static const char *whole_fault(char *text, const char *field, uint64_t value, uint64_t lo,
                               uint64_t hi)
{
    if (value >= lo && value <= hi) return NULL;
    return sotto__fault(text, "%s = %" PRIu64 ": allowed %" PRIu64 " to %" PRIu64, field, value, lo,
                        hi);
}

static const char *counts_fault(const sotto_comparison_request *request, char *text)
{
    const struct {
        const char *field;
        uint64_t value, lo, hi;
    } counts[] = {
        {"players_count", request->players_count, 1, SOTTO_COMPARISON_PLAYERS_MAX},
        {"epsilons_count", request->epsilons_count, 1, SOTTO_COMPARISON_EPSILONS_MAX},
        {"seeds", request->seeds, 1, UINT32_MAX},
        {"first_seed", request->first_seed, 0, UINT64_MAX - request->seeds},
        {"threads", request->threads, 1, SOTTO_THREADS_MAX},
        {"horizon", request->scene.horizon, 1, SOTTO_HORIZON_MAX},
        {"changes_count", request->changes_count, 0, SOTTO_COMPARISON_CHANGES_MAX},
    };
    const char *fault = NULL;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && fault == NULL; i++) {
        fault = whole_fault(text, counts[i].field, counts[i].value, counts[i].lo, counts[i].hi);
    }
    return fault;
}

static const sotto_player_table *brought_of(const sotto_comparison_request *request, uint32_t i)
{
    return request->brought == NULL ? NULL : request->brought[i];
}

/* Methods that people brought: tables that can be used, each name once. */
static const char *brought_fault(const sotto_comparison_request *request, char *text)
{
    for (uint32_t i = 0; i < request->players_count; i++) {
        const sotto_player_table *table = brought_of(request, i);
        if (table == NULL) continue;
        const char *fault = sotto__brought_player_fault(table, text);
        if (fault != NULL) return fault;
        for (uint32_t j = 0; j < i; j++) {
            const sotto_player_table *other = brought_of(request, j);
            if (other == NULL || strcmp(table->name, other->name) != 0) continue;
            return sotto__fault(text, "player %u = %s: each method may be given only once", i,
                                table->name);
        }
    }
    return NULL;
}

/* Of the lists: each method and each epsilon once. */
static const char *lists_fault(const sotto_comparison_request *request, char *text)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < request->players_count; i++) {
        sotto_player player = request->player[i];
        if (brought_of(request, i) != NULL) continue;
        const char *name = sotto_player_name(player);
        if (name == NULL) {
            return sotto__fault(text, "player %u = %u: not one of the known ones (%s, ...)", i,
                                (unsigned)player, sotto_player_name(0));
        }
        if ((seen >> player & 1) != 0) {
            return sotto__fault(text, "player %u = %s: each method may be given only once", i,
                                name);
        }
        seen |= 1u << player;
    }
    const char *fault = brought_fault(request, text);
    if (fault != NULL) return fault;
    for (uint32_t i = 0; i < request->epsilons_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (request->epsilon[i] != request->epsilon[j]) continue;
            return sotto__fault(text, "epsilon %u = %.15g: each value may be given only once", i,
                                request->epsilon[i]);
        }
    }
    return NULL;
}

static const char *points_fault(const sotto_comparison_request *request, char *text)
{
    if (request->at == NULL) return NULL;
    const char *fault = whole_fault(text, "at_count", request->at_count, 1, SOTTO_POINTS_MAX);
    if (fault != NULL) return fault;
    for (uint32_t i = 0; i < request->at_count; i++) {
        if (request->at[i] > (i == 0 ? 0 : request->at[i - 1])) continue;
        return sotto__fault(text, "check-point %u = %" PRIu64 ": they must increase, from 1 on", i,
                            request->at[i]);
    }
    uint64_t last = request->at[request->at_count - 1];
    if (last == request->scene.horizon) return NULL;
    return sotto__fault(text, "last check-point = %" PRIu64 ": it must be the horizon, %" PRIu64,
                        last, request->scene.horizon);
}

static const char *changes_fault(const sotto_comparison_request *request, char *text)
{
    for (uint32_t i = 0; i < request->changes_count; i++) {
        const sotto_comparison_change *change = &request->change[i];
        bool within = change->field < sizeof(sotto_match) &&
                      change->bytes <= sizeof(sotto_match) - change->field;
        if (within) continue;
        return sotto__fault(text, "change %u = %zu bytes at %zu: no field of a match", i,
                            change->bytes, change->field);
    }
    return NULL;
}

static const char *request_fault(const sotto_comparison_request *request, char *text)
{
    char inner[SOTTO_FAULT_BYTES];
    sotto__comparison comparison;
    uint32_t culprit;
    const char *fault = counts_fault(request, text);
    if (fault == NULL) fault = lists_fault(request, text);
    if (fault == NULL) fault = points_fault(request, text);
    if (fault == NULL) fault = changes_fault(request, text);
    if (fault != NULL) return fault;
    if (sotto__comparison_of(request, &comparison, &culprit, inner) != NULL) {
        const sotto_player_table *brought = brought_of(request, culprit);
        const char *name =
            brought != NULL ? brought->name : sotto_player_name(request->player[culprit]);
        return sotto__fault(text, "method %s: %.460s", name, inner);
    }
    sotto__comparison_free(&comparison);
    return NULL;
}

const char *sotto_comparison_request_fault(const sotto_comparison_request *request,
                                           char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    bool missing = request == NULL || text == NULL;
    if (missing) return sotto_status_text(SOTTO_E_ARGUMENT);
    missing = request->player == NULL || request->epsilon == NULL;
    if (missing) return sotto_status_text(SOTTO_E_ARGUMENT);
    return SOTTO__UNSEEN(request_fault)(request, text);
}
