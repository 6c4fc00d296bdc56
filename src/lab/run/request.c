/* Requests of comparisons: defaults, faults, and the matches that follow. */
#include "core/core.h"
#include "lab/player/player.h"
#include "run.h"
#include "server/server.h"

#include <inttypes.h>
#include <string.h>

#define PLAYER(name) (1u << SOTTO_PLAYER_##name)
#define LATTICE (PLAYER(LDP_OLS) | PLAYER(LDP_UCB) | PLAYER(LDP_GLOC))
#define CODEBOOK (PLAYER(SOTTO) | PLAYER(SOTTO_OLS) | PLAYER(LDP_SGD))
#define PRIVATE SOTTO__PLAYERS_PRIVATE
#define CONTEXTUAL (~PLAYER(BEST_ARM))
#define ALL UINT32_MAX

#define AT(member) offsetof(sotto_match, member)

/* Fields that some methods do not use, and which methods take a requested value. */
static const struct {
    size_t field;
    uint32_t users;   /* methods that use it */
    uint32_t changed; /* methods that take a requested value */
} special[] = {
    {AT(spec.score), PLAYER(SOTTO), PLAYER(SOTTO)},
    {AT(spec.split), PLAYER(LDP_SGD), PLAYER(LDP_SGD)},
    {AT(spec.noise_law), LATTICE, LATTICE},
    {AT(exact_noise), LATTICE, LATTICE},
    {AT(liars), PRIVATE, PRIVATE},
    {AT(spec.measure), CODEBOOK, PRIVATE},
    {AT(grind), CODEBOOK, PRIVATE},
    {AT(spec.epoch_lag_max), PRIVATE, ALL},
    {AT(epoch_seconds_min), PRIVATE, PRIVATE},
    {AT(spec.window_reports), PRIVATE, ALL},
    {AT(spec.reward_rate), PLAYER(SOTTO), PLAYER(SOTTO)},
    {AT(learning.fallback), CODEBOOK, PRIVATE},
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

/* best-arm has no measure rounds and no fallback. Beside other methods it ignores a request for
 * them; alone it refuses the request. */
static bool is_spared(const sotto_comparison_request *request, const sotto_match *match,
                      size_t field)
{
    bool measures = field == AT(spec.measure) || field == AT(learning.fallback);
    return measures && request->players_count > 1 && match->player == SOTTO_PLAYER_BEST_ARM;
}

static bool takes_change(const sotto_comparison_request *request, const sotto_match *match,
                         size_t field)
{
    if (is_spared(request, match, field)) return false;
    for (size_t i = 0; i < specials_count; i++) {
        if (special[i].field == field) {
            return match->custom == NULL && (special[i].changed >> match->player & 1) != 0;
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

static const sotto_player_table *custom_of(const sotto_comparison_request *request, uint32_t i)
{
    return request->custom == NULL ? NULL : request->custom[i];
}

/* Copies the changed fields whose offsets are in [from, to). */
static void take_changes(const sotto_comparison_request *request, size_t from, size_t to,
                         sotto_match *match)
{
    for (uint32_t i = 0; i < request->changes_count; i++) {
        const sotto_comparison_change *change = &request->change[i];
        bool within = change->field >= from && change->field < to;
        if (!within || !takes_change(request, match, change->field)) continue;
        memcpy((char *)match + change->field, (const char *)&request->wanted + change->field,
               change->bytes);
    }
}

/* Sets the clock as a service has it, except for fields that the request changes. */
static void set_clock(const sotto_comparison_request *request, sotto_match *match)
{
    const sotto_match *wanted = &request->wanted;
    if (!is_changed(request, AT(people_per_second))) return;
    uint32_t lag = match->spec.epoch_lag_max, seconds = match->epoch_seconds_min;
    sotto_match_set_clock(match, wanted->spec.reward_window_s, wanted->spec.send_spread_s,
                          wanted->people_per_second);
    if (!sotto__match_is_private(match)) return;
    if (is_changed(request, AT(spec.epoch_lag_max))) {
        match->spec.epoch_lag_max = lag;
        match->epoch_seconds_min = sotto__epoch_seconds_min(&match->spec);
    }
    if (is_changed(request, AT(epoch_seconds_min))) match->epoch_seconds_min = seconds;
}

/* Sets the fields that follow from a change. */
static void set_rest_of_spec(const sotto_comparison_request *request, sotto_match *match)
{
    sotto_spec *spec = &match->spec;
    const sotto_match *wanted = &request->wanted;
    if (is_changed(request, AT(spec.score)) && spec->score == SOTTO_SCORE_HUBER) {
        spec->huber_tau = wanted->spec.huber_tau;
    }
    if (is_changed(request, AT(spec.split)) && takes_change(request, match, AT(spec.split))) {
        match->split_paper = wanted->split_paper;
    }
    if (is_changed(request, AT(spec.reward_lo))) {
        spec->reward_hi = wanted->spec.reward_hi;
        spec->reward_default = spec->reward_lo;
        /* A reward that never came counts as 0 if 0 is in the range. */
        if (spec->reward_lo <= 0 && spec->reward_hi >= 0) spec->reward_default = 0;
    }
    if (spec->noise_law == SOTTO_NOISE_LAPLACE) spec->delta = 0;
    bool weak = request->allow_weak_delta || match->calibration != SOTTO_CALIBRATION_EXACT;
    spec->allow_weak_delta = weak && spec->delta > 1e-6; /* else it is another spec for nothing */
    if (request->epoch > spec->epoch_reports_max) spec->epoch_reports_max = request->epoch;
    if (sotto__match_is_private(match)) match->growth = request->growth;
    set_clock(request, match);
    if (request->revenue && request->scene.population != NULL) {
        match->worth = request->scene.population->worth;
    }
}

static sotto_status set_learning(const sotto_comparison_request *request, sotto_match *match)
{
    sotto_learning *learning = &match->learning;
    sotto_status status = sotto_match_set_learning(match);
    if (status != SOTTO_OK) return status;
    bool knows_horizon =
        match->calibration == SOTTO_CALIBRATION_PUBLISHED || !sotto__match_is_private(match);
    if (request->unknown_horizon && !knows_horizon) {
        sotto_terms terms;
        status = sotto_spec_resolve(&match->spec, &terms);
        if (status != SOTTO_OK) return status;
        *learning = sotto_learning_default(&terms, 0);
    }
    if (request->unknown_horizon && match->custom != NULL) learning->horizon = 0;
    learning->epoch = request->epoch;
    take_changes(request, AT(learning), AT(learning) + sizeof *learning, match);
    if (is_changed(request, AT(learning.step)) && !is_changed(request, AT(learning.eta0))) {
        learning->eta0 = learning->step == SOTTO_STEP_SQRT ? 0.03 : 5;
    }
    return SOTTO_OK;
}

static sotto_status set_match(const sotto_comparison_request *request, sotto_match *match,
                              sotto_fault *fault)
{
    take_changes(request, 0, sizeof *match, match);
    set_rest_of_spec(request, match);
    sotto_status status = set_learning(request, match);
    if (sotto_match_fault(match, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    return status == SOTTO_OK ? SOTTO_OK : sotto__fault_status(fault, status);
}

/* Writes the requested checkpoints, or the usual ones, to `at`; returns how many. */
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
    out->sweep.first_seed = request->first_seed;
    out->sweep.seeds_count = request->seeds;
    out->sweep.threads = request->threads;
    out->sweep.at_count = set_points(request, out->at);
}

/* Adds a method at an epsilon as the next match. After a fault nothing is added. */
static sotto_status add_match(const sotto_comparison_request *request, sotto_player player,
                              const sotto_player_table *custom, double epsilon,
                              sotto__comparison *out, sotto_fault *fault)
{
    sotto_match *match = &out->match[out->sweep.matches_count];
    *match =
        sotto_match_default(player, request->calibration, &request->scene, epsilon, request->delta);
    match->custom = custom;
    sotto_status status = set_match(request, match, fault);
    if (status != SOTTO_OK) return status;
    out->epsilon[out->sweep.matches_count++] = epsilon;
    return SOTTO_OK;
}

/* Whether to add best-arm: it is wanted, there are several methods, one of them private,
 * and none is best-arm. */
static bool wants_best_arm(const sotto_comparison_request *request)
{
    bool any_private = false;
    if (!request->best_arm || request->players_count < 2) return false;
    for (uint32_t i = 0; i < request->players_count; i++) {
        if (custom_of(request, i) != NULL) continue;
        if (request->player[i] == SOTTO_PLAYER_BEST_ARM) return false;
        any_private |= sotto_player_is_private(request->player[i]);
    }
    return any_private;
}

/* Adds best-arm, the yardstick without context, where it can be played. It learns by the
 * rule: a model after every report would take far longer than other methods do, for the
 * same regret within noise. */
static void add_best_arm(const sotto_comparison_request *request, sotto__comparison *out)
{
    sotto_comparison_request yardstick = *request;
    if (!wants_best_arm(request)) return;
    if (yardstick.epoch == 1) yardstick.epoch = 0;
    for (uint32_t i = 0; i < request->epsilons_count; i++) {
        (void)add_match(&yardstick, SOTTO_PLAYER_BEST_ARM, NULL, request->epsilon[i], out, NULL);
    }
}

sotto_status sotto__comparison_of(const sotto_comparison_request *request, sotto__comparison *out,
                                  uint32_t *culprit, sotto_fault *fault)
{
    uint32_t matches = request->players_count * request->epsilons_count;
    *culprit = 0;
    if (sotto__comparison_new(matches + request->epsilons_count, out) != SOTTO_OK) {
        return sotto__fault_status(fault, SOTTO_E_MEMORY);
    }
    set_sweep(request, out);
    for (uint32_t i = 0; i < matches; i++) {
        *culprit = i / request->epsilons_count;
        sotto_status status =
            add_match(request, request->player[*culprit], custom_of(request, *culprit),
                      request->epsilon[i % request->epsilons_count], out, fault);
        if (status == SOTTO_OK) continue;
        sotto__comparison_free(out);
        return status;
    }
    add_best_arm(request, out);
    return SOTTO_OK;
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

static sotto__request_lists lists_of(const sotto_comparison_request *request)
{
    return (sotto__request_lists){
        .player = request->player,
        .custom = request->custom,
        .players_count = request->players_count,
        .epsilon = request->epsilon,
        .epsilons_count = request->epsilons_count,
        .at = request->at,
        .at_count = request->at_count,
    };
}

const char *sotto__request_method(const sotto__request_lists *lists, uint32_t i)
{
    const sotto_player_table *custom = lists->custom == NULL ? NULL : lists->custom[i];
    return custom != NULL ? custom->name : sotto_player_name(lists->player[i]);
}

static sotto_status method_fault(const sotto__request_lists *lists, uint32_t i, sotto_fault *fault)
{
    char place[SOTTO_FAULT_FIELD_BYTES];
    const sotto_player_table *custom = lists->custom == NULL ? NULL : lists->custom[i];
    sotto_status status = custom == NULL ? SOTTO_OK : sotto__custom_player_fault(custom, fault);
    if (status != SOTTO_OK) return status;
    const char *name = sotto__request_method(lists, i);
    sotto__format(place, sizeof place, "player[%u]", i);
    if (name == NULL) {
        return sotto__fault_at(fault, place, "%u: not one of the known ones (%s, ...)",
                               (unsigned)lists->player[i], sotto_player_name(0));
    }
    for (uint32_t j = 0; j < i; j++) {
        if (strcmp(name, sotto__request_method(lists, j)) != 0) continue;
        return sotto__fault_at(fault, place, "%s: each method may be given only once", name);
    }
    return SOTTO_OK;
}

sotto_status sotto__request_lists_fault(const sotto__request_lists *lists, sotto_fault *fault)
{
    for (uint32_t i = 0; i < lists->players_count; i++) {
        sotto_status status = method_fault(lists, i, fault);
        if (status != SOTTO_OK) return status;
    }
    for (uint32_t i = 0; i < lists->epsilons_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (lists->epsilon[i] != lists->epsilon[j]) continue;
            return sotto__fault_at(fault, "epsilon", "%.15g: each value may be given only once",
                                   lists->epsilon[i]);
        }
    }
    for (uint32_t i = 0; lists->at != NULL && i < lists->at_count; i++) {
        if (lists->at[i] > (i == 0 ? 0 : lists->at[i - 1])) continue;
        return sotto__fault_at(fault, "at", "%" PRIu64 ": they must increase, from 1 on",
                               lists->at[i]);
    }
    return SOTTO_OK;
}

sotto_status sotto__request_counts_fault(const sotto__request_count *count, size_t counts_count,
                                         sotto_fault *fault)
{
    for (size_t i = 0; i < counts_count; i++) {
        if (count[i].value >= count[i].lo && count[i].value <= count[i].hi) continue;
        return sotto__fault_at(fault, count[i].field,
                               "%" PRIu64 ": allowed %" PRIu64 " to %" PRIu64, count[i].value,
                               count[i].lo, count[i].hi);
    }
    return SOTTO_OK;
}

static sotto_status counts_fault(const sotto_comparison_request *request, sotto_fault *fault)
{
    const sotto__request_count counts[] = {
        {"players_count", request->players_count, 1, SOTTO_COMPARISON_PLAYERS_MAX},
        {"epsilons_count", request->epsilons_count, 1, SOTTO_COMPARISON_EPSILONS_MAX},
        {"seeds", request->seeds, 1, UINT32_MAX},
        {"first_seed", request->first_seed, 0, UINT64_MAX - request->seeds},
        {"threads", request->threads, 1, SOTTO_THREADS_MAX},
        {"horizon", request->scene.horizon, 1, SOTTO_HORIZON_MAX},
        {"changes_count", request->changes_count, 0, SOTTO_COMPARISON_CHANGES_MAX},
        {"at_count", request->at == NULL ? 1 : request->at_count, 1, SOTTO_POINTS_MAX},
    };
    return sotto__request_counts_fault(counts, sizeof counts / sizeof counts[0], fault);
}

static sotto_status last_point_fault(const sotto_comparison_request *request, sotto_fault *fault)
{
    uint64_t horizon = request->scene.horizon;
    uint64_t last = request->at == NULL ? horizon : request->at[request->at_count - 1];
    if (last == horizon) return SOTTO_OK;
    return sotto__fault_at(fault, "at", "%" PRIu64 ": the last must be the `horizon`, %" PRIu64,
                           last, horizon);
}

static sotto_status changes_fault(const sotto_comparison_request *request, sotto_fault *fault)
{
    for (uint32_t i = 0; i < request->changes_count; i++) {
        const sotto_comparison_change *change = &request->change[i];
        bool within = change->field < sizeof(sotto_match) &&
                      change->bytes <= sizeof(sotto_match) - change->field;
        if (within) continue;
        return sotto__fault_at(fault, "change", "%zu bytes at %zu: no field of a match",
                               change->bytes, change->field);
    }
    return SOTTO_OK;
}

sotto_status sotto_comparison_request_fault(const sotto_comparison_request *request,
                                            sotto_fault *fault)
{
    if (request == NULL || request->player == NULL || request->epsilon == NULL)
        return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto__comparison comparison;
    uint32_t culprit;
    const sotto__request_lists lists = lists_of(request);
    sotto_status status = counts_fault(request, fault);
    if (status == SOTTO_OK) status = sotto__request_lists_fault(&lists, fault);
    if (status == SOTTO_OK) status = last_point_fault(request, fault);
    if (status == SOTTO_OK) status = changes_fault(request, fault);
    if (status != SOTTO_OK) return status;
    status = sotto__comparison_of(request, &comparison, &culprit, fault);
    if (status != SOTTO_OK) {
        (void)sotto__fault_within(fault, "method %s: ", sotto__request_method(&lists, culprit));
        return status;
    }
    sotto__comparison_free(&comparison);
    return SOTTO_OK;
}
