/* Matches: a method in an environment. The defaults fit together; a fault says why a
 * match cannot be played. */
#include "core/core.h"
#include "lab/environment/environment.h"
#include "lab/math/math.h"
#include "lab/player/player.h"
#include "run.h"
#include "server/server.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define CLOCK_LAG_MAX 8u  /* the default epoch_lag_max of a service */
#define CLOCK_PACE_LAG 2u /* epoch_lag_max for which a service paces reports */
#define JOINT_NUMBERS_MAX (UINT64_C(1) << 27)
#define AUTHORS_WARM_UP 3000u /* rounds, all arms together */

/* ---- defaults ----------------------------------------------------------------------------- */

sotto_reward_kind sotto_link_reward_kind(sotto_link link)
{
    switch (link) {
    case SOTTO_LINK_IDENTITY: return SOTTO_REWARD_CONTINUOUS;
    case SOTTO_LINK_LOGIT:
    case SOTTO_LINK_PROBIT: return SOTTO_REWARD_BINARY;
    case SOTTO_LINK_LOG: return SOTTO_REWARD_COUNT;
    }
    return SOTTO_REWARD_CONTINUOUS;
}

/* The default score of method sotto. sign is correct only for symmetric noise around a linear
 * mean; centred is its counterpart for counts whose mean is exponential. */
static sotto_score own_score(const sotto_spec *spec)
{
    bool linear = spec->link == SOTTO_LINK_IDENTITY, log = spec->link == SOTTO_LINK_LOG;
    if (linear && spec->reward_kind == SOTTO_REWARD_CONTINUOUS) return SOTTO_SCORE_SIGN;
    if (log && spec->reward_kind == SOTTO_REWARD_COUNT) return SOTTO_SCORE_CENTRED;
    return SOTTO_SCORE_SELF;
}

static sotto_score score_of(sotto_player player, const sotto_spec *spec)
{
    switch (player) {
    case SOTTO_PLAYER_SOTTO: return own_score(spec);
    case SOTTO_PLAYER_SOTTO_OLS:
    case SOTTO_PLAYER_LDP_OLS:
    case SOTTO_PLAYER_LDP_UCB: return SOTTO_SCORE_MOMENTS;
    case SOTTO_PLAYER_LDP_SGD: return SOTTO_SCORE_GRADIENT;
    case SOTTO_PLAYER_LDP_GLOC: return SOTTO_SCORE_GLOC_PAIR;
    case SOTTO_PLAYER_BEST_ARM: return SOTTO_SCORE_REWARD;
    case SOTTO_PLAYER_OLS:
    case SOTTO_PLAYER_LINUCB:
    case SOTTO_PLAYER_SGD:
    case SOTTO_PLAYER_GLM:
    case SOTTO_PLAYER_GLM_UCB:
    case SOTTO_PLAYER_RANDOM:
    case SOTTO_PLAYER_ORACLE:
    case SOTTO_PLAYER_MERINO:
    case SOTTO_PLAYER_SHUFFLE_UCB:
    case SOTTO_PLAYER_JOINT_GLM:
    case SOTTO_PLAYERS: break;
    }
    return SOTTO_SCORE_SELF; /* fits every spec; a baseline reports nothing */
}

/* The noise of rewards: as in the environment's source, otherwise 0.1. */
static double noise_of(const sotto_scene *scene, sotto_calibration calibration)
{
    bool authors = scene->environment == SOTTO_ENVIRONMENT_PUBLISHED ||
                   calibration == SOTTO_CALIBRATION_PUBLISHED;
    if (authors) return scene->parameters == SOTTO_PARAMETERS_SHARED ? 0 : 0.05;
    return scene->environment == SOTTO_ENVIRONMENT_GAUSSIAN ? 1 : 0.1;
}

static sotto_reward_law law_of(sotto_reward_kind kind)
{
    switch (kind) {
    case SOTTO_REWARD_CONTINUOUS: return SOTTO_LAW_GAUSSIAN;
    case SOTTO_REWARD_BINARY: return SOTTO_LAW_BERNOULLI;
    case SOTTO_REWARD_COUNT: return SOTTO_LAW_POISSON;
    }
    return SOTTO_LAW_NONE;
}

/* Makes the reward range wide enough for the means. The lower bound's instance has
 * rewards in [-6, 6]. */
static void widen_range(sotto_match *match)
{
    sotto_spec *spec = &match->spec;
    if (spec->reward_kind == SOTTO_REWARD_BINARY) return;
    double reach = spec->context_norm_max * match->environment.theta_norm;
    if (spec->reward_kind == SOTTO_REWARD_CONTINUOUS) {
        if (match->environment.kind == SOTTO_ENVIRONMENT_GAUSSIAN) reach = fmax(reach, 6);
        spec->reward_lo = fmin(spec->reward_lo, floor(sotto__link_mean(spec->link, -reach)));
    }
    spec->reward_hi = fmax(spec->reward_hi, ceil(sotto__link_mean(spec->link, reach)));
}

/* Takes the bound on the parameter, and its length, from the population. */
static void set_population(sotto_match *match, const sotto_population *population)
{
    match->environment.population = population;
    if (population == NULL || population->theta == NULL) return; /* a fault, reported later */
    match->spec.theta_norm_max = population->theta_norm_max;
    match->environment.theta_norm = sotto__norm(population->theta, population->dim);
}

/* Takes the bounds of a custom environment. */
static void set_custom(sotto_match *match, const sotto_environment_table *table)
{
    sotto_spec *spec = &match->spec;
    match->environment.kind = SOTTO_ENVIRONMENT_SPHERE; /* ignored */
    match->environment.custom = table;
    match->environment.noise = 0.1;
    if (sotto__custom_environment_fault(table, NULL) != SOTTO_OK) return; /* reported later */
    match->environment.theta_norm = table->theta_norm_max;
    spec->theta_norm_max = table->theta_norm_max;
    spec->context_norm_max = table->context_norm_max;
    spec->reward_lo = table->reward_lo;
    spec->reward_hi = table->reward_hi;
    bool zero = table->reward_lo <= 0 && table->reward_hi >= 0;
    spec->reward_default = zero ? 0 : table->reward_lo;
}

sotto_match sotto_match_default(sotto_player player, sotto_calibration calibration,
                                const sotto_scene *scene, double epsilon, double delta)
{
    if (scene == NULL) return (sotto_match){0};
    sotto_match match = {
        .player = player,
        .calibration = calibration,
        .spec = sotto_spec_default(scene->reward_kind),
        .environment = {.kind = scene->environment,
                        .law = law_of(scene->reward_kind),
                        .noise = noise_of(scene, calibration),
                        .theta_norm = 1,
                        .margin = 1,
                        .drift = 1.0 / 30000},
        .horizon = scene->horizon,
        .delta = delta,
        .grind = 1,
    };
    bool private = sotto_player_is_private(player);
    sotto_spec *spec = &match.spec;
    spec->dim = scene->dim;
    spec->arms = scene->arms;
    spec->parameters = scene->parameters;
    spec->link = scene->link;
    spec->epsilon = epsilon;
    spec->method = private ? (sotto_method)player : SOTTO_METHOD_SOTTO;
    spec->score = score_of(player, spec);
    bool lattice = sotto__method_of(spec)->lattice;
    spec->delta = lattice ? delta : 0;
    spec->allow_weak_delta = calibration != SOTTO_CALIBRATION_EXACT && spec->delta > 1e-6;
    bool known = sotto_environment_kind_name(scene->environment) != NULL &&
                 sotto_link_name(scene->link) != NULL;
    if (!known) return match; /* a fault, reported later */
    spec->context_norm_max = sotto__environment_of(scene->environment)->context_norm_max(spec);
    if (scene->custom == NULL && scene->environment == SOTTO_ENVIRONMENT_GAUSSIAN) {
        match.environment.theta_norm =
            sotto__lower_bound_theta_norm(scene->dim, epsilon, scene->horizon);
    }
    bool loan = scene->custom == NULL && scene->environment == SOTTO_ENVIRONMENT_LOAN;
    if (loan) set_population(&match, scene->population);
    if (scene->custom != NULL) {
        set_custom(&match, scene->custom);
    } else {
        widen_range(&match);
    }
    match.split_paper = calibration == SOTTO_CALIBRATION_PAPER && player == SOTTO_PLAYER_LDP_SGD &&
                        scene->parameters == SOTTO_PARAMETERS_PER_ARM;
    return match;
}

/* Baselines have no epsilon, and custom methods handle theirs themselves. For both, the spec only
 * provides the bounds. */
static sotto_spec spec_in_use(const sotto_match *match)
{
    sotto_spec spec = match->spec;
    if (!sotto__match_is_private(match)) spec.epsilon = 1;
    return spec;
}

/* How many of `people` will send a report to learn from, on average. */
static uint64_t learn_reports(const sotto_spec *spec, uint64_t people)
{
    uint64_t measured = (uint64_t)((double)people * spec->measure * 0x1p-32);
    return people > measured ? people - measured : people;
}

sotto_status sotto_match_set_learning(sotto_match *match)
{
    if (match == NULL) return SOTTO_E_ARGUMENT;
    sotto_spec spec = spec_in_use(match);
    sotto_terms terms;
    sotto_status status = sotto_spec_resolve(&spec, &terms);
    if (status != SOTTO_OK) return status;
    match->learning = sotto_learning_default(&terms, learn_reports(&spec, match->horizon));
    if (match->liars > 0) match->learning.mean_phase = 0; /* not simulated with liars */
    bool per_arm = spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    if (match->calibration == SOTTO_CALIBRATION_PUBLISHED && per_arm) {
        match->learning.warm_up = AUTHORS_WARM_UP;
    }
    return SOTTO_OK;
}

void sotto_match_set_clock(sotto_match *match, uint32_t window_s, uint32_t spread_s,
                           double people_per_second)
{
    if (match == NULL) return;
    match->people_per_second = people_per_second;
    match->spec.reward_window_s = window_s;
    match->spec.send_spread_s = spread_s;
    match->epoch_seconds_min = 0;
    if (people_per_second == 0 || !sotto__match_is_private(match)) return;
    match->spec.epoch_lag_max = CLOCK_PACE_LAG;
    match->epoch_seconds_min = sotto__epoch_seconds_min(&match->spec);
    match->spec.epoch_lag_max = CLOCK_LAG_MAX;
}

/* ---- faults ------------------------------------------------------------------------------- */

/* Checks what a rival method cannot play. */
static sotto_status rival_fault(const sotto_match *match, sotto_fault *fault)
{
    const sotto_spec *spec = &match->spec;
    const char *name = sotto__match_method(match);
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    if (!(spec->epsilon >= 0.01 && spec->epsilon <= 50)) {
        return sotto__fault_at(fault, "epsilon", "%.15g: method %s has 0.01 to 50", spec->epsilon,
                               name);
    }
    bool pure = match->player == SOTTO_PLAYER_MERINO;
    if (!pure && !(match->delta >= 1e-12 && match->delta <= 0.5)) {
        return sotto__fault_at(fault, "delta", "%.15g: method %s has 1e-12 to 0.5", match->delta,
                               name);
    }
    if (pure && shared) {
        return sotto__fault_at(fault, "parameters",
                               "shared: method merino has per-arm parameters only");
    }
    uint64_t most = JOINT_NUMBERS_MAX / (spec->dim + UINT64_C(2));
    if (match->player == SOTTO_PLAYER_JOINT_GLM && match->horizon > most) {
        return sotto__fault_at(fault, "horizon",
                               "%" PRIu64 ": method joint-glm keeps all people; allowed at "
                               "most %" PRIu64,
                               match->horizon, most);
    }
    if (match->player == SOTTO_PLAYER_JOINT_GLM && !shared) {
        return sotto__fault_at(fault, "parameters",
                               "per-arm: method joint-glm has shared parameters only");
    }
    return SOTTO_OK;
}

/* Checks the method. Some have a statistic or an estimator for one link only. */
static sotto_status player_fault(const sotto_match *match, sotto_fault *fault)
{
    const sotto_spec *spec = &match->spec;
    const char *name = sotto__match_method(match);
    bool linear = match->player == SOTTO_PLAYER_OLS || match->player == SOTTO_PLAYER_LINUCB ||
                  match->player == SOTTO_PLAYER_SHUFFLE_UCB;
    if (match->custom != NULL) return SOTTO_OK; /* its own `make` refuses links */
    if (sotto_player_is_rival(match->player)) {
        sotto_status status = rival_fault(match, fault);
        if (status != SOTTO_OK) return status;
    }
    bool private = sotto__match_is_private(match);
    if (private && spec->method != (sotto_method)match->player) {
        return sotto__fault_at(fault, "method", "%u: must be that of player %s",
                               (unsigned)spec->method, name);
    }
    if (private && sotto__method_of(spec)->identity_only) linear = true;
    if (linear && spec->link != SOTTO_LINK_IDENTITY) {
        return sotto__fault_at(fault, "link",
                               "%s: method %s needs the identity link; %s takes every link",
                               sotto_link_name(spec->link), name, private ? "sotto" : "glm-ucb");
    }
    if (private && sotto__method_of(spec)->shared_only &&
        spec->parameters != SOTTO_PARAMETERS_SHARED) {
        return sotto__fault_at(fault, "parameters",
                               "per-arm: method %s has shared parameters only; sotto "
                               "and ldp-ols have both",
                               name);
    }
    return SOTTO_OK;
}

/* Refuses what the authors' code does not have. */
static sotto_status published_fault(const sotto_match *match, sotto_fault *fault)
{
    const sotto_spec *spec = &match->spec;
    if (!(match->delta > 0 && match->delta <= 0.5)) {
        return sotto__fault_at(
            fault, "delta", "%.15g: calibration published needs one above 0, to 0.5", match->delta);
    }
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    if (spec->link == SOTTO_LINK_PROBIT || (!shared && spec->link != SOTTO_LINK_IDENTITY)) {
        return sotto__fault_at(fault, "link",
                               "%s: the authors have identity, and for shared parameters "
                               "logit and log; exact has every link",
                               sotto_link_name(spec->link));
    }
    bool blocks = match->player == SOTTO_PLAYER_LDP_UCB && !shared; /* one matrix over all arms */
    if (blocks && (uint64_t)spec->dim * spec->arms > SOTTO__DENSE_MAX) {
        return sotto__fault_at(fault, "arms",
                               "%u: the authors' ldp-ucb has dim x arms at most %u; exact "
                               "has more",
                               spec->arms, SOTTO__DENSE_MAX);
    }
    return SOTTO_OK;
}

/* Refuses what the paper and the authors' code do not have. */
static sotto_status calibration_fault(const sotto_match *match, sotto_fault *fault)
{
    const sotto_spec *spec = &match->spec;
    sotto_calibration calibration = match->calibration;
    const char *name = sotto__match_method(match);
    const char *how = sotto_calibration_name(calibration);
    if (how == NULL) {
        return sotto__fault_at(fault, "calibration", "%u: not known", (unsigned)calibration);
    }
    if (match->split_paper &&
        (match->player != SOTTO_PLAYER_LDP_SGD || spec->parameters != SOTTO_PARAMETERS_PER_ARM)) {
        return sotto__fault_at(fault, "split",
                               "paper: only ldp-sgd with per-arm parameters splits");
    }
    if (match->split_paper && calibration != SOTTO_CALIBRATION_PAPER) {
        return sotto__fault_at(fault, "split",
                               "paper: only under calibration paper; joint needs no split "
                               "of epsilon");
    }
    if (calibration == SOTTO_CALIBRATION_EXACT || !sotto__match_is_private(match)) {
        return SOTTO_OK;
    }
    if (match->player == SOTTO_PLAYER_SOTTO || match->player == SOTTO_PLAYER_SOTTO_OLS ||
        match->player == SOTTO_PLAYER_BEST_ARM) {
        return sotto__fault_at(fault, "calibration",
                               "%s: method %s is not in the paper; exact has it", how, name);
    }
    if (spec->noise_law != SOTTO_NOISE_GAUSSIAN) {
        return sotto__fault_at(fault, "noise_law",
                               "laplace: calibration %s is gaussian; exact has both", how);
    }
    if (spec->epoch_lag_max > 0 || match->learning.epoch != 1 || spec->window_reports > 0 ||
        match->growth > 0 || match->people_per_second > 0) {
        return sotto__refuse(
            fault,
            "epoch, lag, window, delay: calibration %s publishes after every report; "
            "exact has epochs",
            how);
    }
    if (match->split_paper && spec->epsilon < 0.02) {
        return sotto__fault_at(fault, "epsilon", "%.15g: split paper halves it, so at least 0.02",
                               spec->epsilon);
    }
    return calibration == SOTTO_CALIBRATION_PAPER ? SOTTO_OK : published_fault(match, fault);
}

/* Rewards are clipped, so their range must contain the means. The authors do not clip. */
static sotto_status means_fault(const sotto_match *match, sotto_fault *fault)
{
    const sotto_spec *spec = &match->spec;
    double reach = spec->context_norm_max * match->environment.theta_norm;
    double lo = sotto__link_mean(spec->link, -reach), hi = sotto__link_mean(spec->link, reach);
    double slack = 1e-9 * (1 + fabs(hi - lo));
    if (match->calibration == SOTTO_CALIBRATION_PUBLISHED) return SOTTO_OK;
    if (match->environment.custom != NULL) return SOTTO_OK; /* each of its means is checked */
    if (spec->reward_kind == SOTTO_REWARD_BINARY && spec->link == SOTTO_LINK_IDENTITY)
        lo = 0, hi = 1;
    if (lo >= spec->reward_lo - slack && hi <= spec->reward_hi + slack) return SOTTO_OK;
    const char *nearest = spec->reward_kind == SOTTO_REWARD_BINARY
                              ? "link logit fits binary rewards"
                              : "give a wider reward range";
    return sotto__fault_at(fault, "reward_lo, reward_hi",
                           "%.15g, %.15g: link %s has means from %.3g to "
                           "%.3g; %s",
                           spec->reward_lo, spec->reward_hi, sotto_link_name(spec->link), lo, hi,
                           nearest);
}

/* Checks growth, liars and grind. */
static sotto_status reports_fault(const sotto_match *match, sotto_fault *fault)
{
    if (!(match->growth >= 0 && match->growth <= 1)) {
        return sotto__fault_at(fault, "growth", "%.15g: allowed 0 to 1", match->growth);
    }
    if (!(match->liars >= 0 && match->liars <= 0.5)) {
        return sotto__fault_at(fault, "liars", "%.15g: allowed 0 to 0.5", match->liars);
    }
    if (match->grind < 1 || match->grind > SOTTO_GRIND_MAX) {
        return sotto__fault_at(fault, "grind", "%u: allowed 1 to %u", match->grind,
                               SOTTO_GRIND_MAX);
    }
    bool sends = sotto__match_is_private(match);
    if (match->liars > 0 && match->environment.custom != NULL) {
        return sotto__fault_at(
            fault, "liars", "%.15g: only environments of the lab's own have liars", match->liars);
    }
    if (match->growth > 0 && !sends) {
        return sotto__fault_at(fault, "growth", "%.15g: method %s has no epochs", match->growth,
                               sotto__match_method(match));
    }
    if (match->liars > 0 && !(sends && match->calibration == SOTTO_CALIBRATION_EXACT)) {
        return sotto__fault_at(fault, "liars",
                               "%.15g: only the methods that ship, under calibration exact, "
                               "have reports to forge",
                               match->liars);
    }
    if (match->liars > 0 && match->player == SOTTO_PLAYER_BEST_ARM) {
        return sotto__fault_at(fault, "liars",
                               "%.15g: must be 0, the lab has no liars for best-arm", match->liars);
    }
    if (match->liars > 0 && match->learning.mean_phase > 0) {
        return sotto__fault_at(fault, "liars",
                               "%.15g: must be 0 with a mean phase, the lab has no liars for it",
                               match->liars);
    }
    return SOTTO_OK;
}

/* Checks the clock, and that the run lasts longer than reports are in flight. */
static sotto_status delay_fault(const sotto_match *match, sotto_fault *fault)
{
    const sotto_spec *spec = &match->spec;
    double rate = match->people_per_second, people = (double)match->horizon;
    uint64_t away_s = (uint64_t)spec->reward_window_s + spec->send_spread_s;
    if (!(rate == 0 || (rate >= 1e-6 && rate <= 1e9))) {
        return sotto__fault_at(fault, "people_per_second", "%.15g: allowed 0, or 1e-06 to 1e+09",
                               rate);
    }
    if (match->epoch_seconds_min > (rate > 0 ? SOTTO__YEAR_S : 0)) {
        return sotto__fault_at(fault, "epoch_seconds_min",
                               "%u: allowed 0 to %u, and 0 without a delay",
                               match->epoch_seconds_min, SOTTO__YEAR_S);
    }
    if (rate == 0) return SOTTO_OK;
    if ((double)away_s * rate >= people) {
        return sotto__fault_at(fault, "delay",
                               "%u,%u,%.15g: window and spread last %" PRIu64
                               " s; allowed less than %.6g s, in which the %" PRIu64
                               " people of the horizon come",
                               spec->reward_window_s, spec->send_spread_s, rate, away_s,
                               people / rate, match->horizon);
    }
    if (match->epoch_seconds_min * rate >= people) {
        return sotto__fault_at(fault, "epoch_seconds_min",
                               "%u: allowed less than %.6g s, in which the %" PRIu64
                               " people of the horizon come; otherwise no epoch ends",
                               match->epoch_seconds_min, people / rate, match->horizon);
    }
    return SOTTO_OK;
}

/* Refuses measure rounds for methods without them. The spec checks how many there may be. */
static sotto_status measure_fault(const sotto_match *match, sotto_fault *fault)
{
    const sotto_spec *spec = &match->spec;
    double share = spec->measure * 0x1p-32;
    if (spec->measure == 0 || match->custom != NULL) return SOTTO_OK;
    if (match->player == SOTTO_PLAYER_BEST_ARM) {
        return sotto__fault_at(fault, "measure",
                               "%.6g: every round of best-arm reports its reward already", share);
    }
    if (!sotto__match_is_private(match) || sotto__method_of(spec)->lattice) {
        return sotto__fault_at(fault, "measure",
                               "%.6g: method %s %s; sotto, sotto-ols and ldp-sgd have "
                               "measure rounds",
                               share, sotto__match_method(match),
                               sotto__match_is_private(match)
                                   ? "adds lattice noise, and its rounds cannot be measured"
                                   : "sends no reports");
    }
    if (match->calibration != SOTTO_CALIBRATION_EXACT) {
        return sotto__fault_at(fault, "measure",
                               "%.6g: calibration %s has no measure rounds; exact has them", share,
                               sotto_calibration_name(match->calibration));
    }
    if (match->worth != NULL) {
        return sotto__fault_at(fault, "measure",
                               "%.6g: not with worths, because measure rounds measure the mean "
                               "reward, which worths do not maximise",
                               share);
    }
    if (match->liars > 0) {
        return sotto__fault_at(
            fault, "measure", "%.6g: not with liars, because these forge only learn rounds", share);
    }
    return SOTTO_OK;
}

static sotto_status worth_fault(const sotto_match *match, sotto_fault *fault)
{
    bool shipped = !sotto__match_is_private(match) || match->calibration == SOTTO_CALIBRATION_EXACT;
    if (match->worth == NULL) return SOTTO_OK;
    if (match->custom == NULL && match->player == SOTTO_PLAYER_BEST_ARM) {
        return sotto__fault_at(fault, "worth",
                               ": best-arm learns mean rewards, not what arms are worth");
    }
    if (!shipped) {
        return sotto__fault_at(fault, "worth",
                               ": calibration %s decides only by the mean; exact has worths",
                               sotto_calibration_name(match->calibration));
    }
    for (uint32_t a = 0; a < match->spec.arms; a++) {
        if (match->worth[a] >= 0 && match->worth[a] <= 1e6) continue;
        return sotto__fault_at(fault, "worth", "%.15g of arm %u: allowed 0 to 1000000",
                               match->worth[a], a);
    }
    return SOTTO_OK;
}

/* Epoch numbers have 32 bits. If all reports are L epochs late, epoch L is the first with
 * reports at its end. */
static sotto_status epochs_fault(const sotto_match *match, sotto_fault *fault)
{
    uint64_t epoch = match->learning.epoch, lag = match->spec.epoch_lag_max;
    uint64_t first = epoch == 0 ? 1 : epoch; /* the rule and growth begin with 1 */
    bool epochs =
        sotto__match_is_private(match) && match->calibration != SOTTO_CALIBRATION_PUBLISHED;
    if (!epochs) return SOTTO_OK;
    bool late = lag > 0 && match->people_per_second == 0;
    if (late && first >= match->horizon / (lag + 1) && (lag + 1) * first >= match->horizon) {
        return sotto__fault_at(fault, "epoch_lag_max",
                               "%" PRIu64 ": the first epoch has %" PRIu64
                               " report%s, which would be learnt from after %" PRIu64
                               " people; allowed less than the horizon, %" PRIu64,
                               lag, first, first == 1 ? "" : "s", (lag + 1) * first,
                               match->horizon);
    }
    if (epoch == 0 || match->horizon / epoch < UINT32_MAX) return SOTTO_OK;
    return sotto__fault_at(fault, "horizon",
                           "%" PRIu64 ": at most 2^32 epochs of %" PRIu64 " reports; "
                           "epoch auto has room",
                           match->horizon, epoch);
}

/* The constants of the terms stay empty: no fault depends on them, and they
 * take long to compute. */
static sotto_status terms_fault(const sotto_match *match, sotto_fault *fault)
{
    const sotto_terms terms = {.spec = spec_in_use(match)};
    sotto_status status = sotto_spec_fault(&terms.spec, fault);
    if (status != SOTTO_OK || match->custom != NULL)
        return status; /* custom methods do not use these settings */
    return sotto_learning_fault(&terms, &match->learning, fault);
}

sotto_status sotto__match_terms_fault(const sotto_match *match, sotto_fault *fault)
{
    sotto_status status = SOTTO_OK;
    if (match->custom != NULL) {
        status = sotto__custom_player_fault(match->custom, fault);
    } else if (sotto_player_name(match->player) == NULL) {
        return sotto__fault_at(fault, "player", "%u: not known", (unsigned)match->player);
    }
    if (status == SOTTO_OK) status = player_fault(match, fault);
    if (status == SOTTO_OK) status = calibration_fault(match, fault);
    if (status == SOTTO_OK) status = sotto__correction_fault(match, fault);
    if (status == SOTTO_OK) status = measure_fault(match, fault);
    if (status == SOTTO_OK) status = terms_fault(match, fault);
    if (status == SOTTO_OK) status = epochs_fault(match, fault);
    if (status == SOTTO_OK) status = reports_fault(match, fault);
    if (status == SOTTO_OK) status = delay_fault(match, fault);
    if (status == SOTTO_OK) status = worth_fault(match, fault);
    return status;
}

sotto_status sotto_match_fault(const sotto_match *match, sotto_fault *fault)
{
    if (match == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto_status status = sotto__match_terms_fault(match, fault);
    if (status == SOTTO_OK) status = sotto__environment_fault(match, fault);
    if (status == SOTTO_OK) status = means_fault(match, fault);
    return status;
}
