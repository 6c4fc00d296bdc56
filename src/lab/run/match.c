/* Matches: a method in an environment, with defaults that make sense together, or the reason why it
 * makes none. */
#include "match.h"
#include "core/fault.h"
#include "core/float_environment.h"
#include "core/linalg.h"
#include "core/link.h"
#include "core/method.h"
#include "lab/environment/brought.h"
#include "lab/environment/environment.h"
#include "lab/environment/gaussian.h"
#include "lab/math/dense.h"
#include "lab/player/brought.h"
#include "lab/player/correction.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

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

/* Sotto's own score: the sign is right for symmetric noise around a linear mean alone, and centred
 * is its like for counts whose mean is exponential. */
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
    case SOTTO_PLAYERS: break;
    }
    return SOTTO_SCORE_SELF; /* fits every spec; a baseline reports nothing */
}

/* The reward's noise: what the environment's source says, else 0.1. */
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

/* Wide enough for the means; the lower bound's instance has rewards in [-6, 6]. */
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

/* The population's own bound and parameter. */
static void set_population(sotto_match *match, const sotto_population *population)
{
    match->environment.population = population;
    if (population == NULL || population->theta == NULL) return; /* a fault, told later */
    match->spec.theta_norm_max = population->theta_norm_max;
    match->environment.theta_norm = sotto__norm(population->theta, population->dim);
}

/* The bounds of an environment that people brought. */
static void set_brought(sotto_match *match, const sotto_environment_table *table)
{
    char text[SOTTO_FAULT_BYTES];
    sotto_spec *spec = &match->spec;
    match->environment.kind = SOTTO_ENVIRONMENT_SPHERE; /* does not count */
    match->environment.brought = table;
    match->environment.noise = 0.1;
    if (sotto__brought_fault(table, text) != NULL) return; /* told later */
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
    SOTTO__DEFAULT_FLOATS;
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
    if (!known) return match; /* a fault, told later */
    spec->context_norm_max = sotto__environment_of(scene->environment)->context_norm_max(spec);
    if (scene->brought == NULL && scene->environment == SOTTO_ENVIRONMENT_GAUSSIAN) {
        match.environment.theta_norm =
            sotto__lower_bound_theta_norm(scene->dim, epsilon, scene->horizon);
    }
    bool loan = scene->brought == NULL && scene->environment == SOTTO_ENVIRONMENT_LOAN;
    if (loan) set_population(&match, scene->population);
    if (scene->brought != NULL) {
        set_brought(&match, scene->brought);
    } else {
        widen_range(&match);
    }
    match.split_paper = calibration == SOTTO_CALIBRATION_PAPER && player == SOTTO_PLAYER_LDP_SGD &&
                        scene->parameters == SOTTO_PARAMETERS_PER_ARM;
    return match;
}

/* A baseline has no epsilon, and that of a method that people brought is its own affair: the spec is there
 * for the bounds. */
static sotto_spec spec_in_use(const sotto_match *match)
{
    sotto_spec spec = match->spec;
    if (!sotto__match_is_private(match)) spec.epsilon = 1;
    return spec;
}

/* How many of so many people will send a report to learn from, in the mean. */
static uint64_t learn_reports(const sotto_spec *spec, uint64_t people)
{
    uint64_t measured = (uint64_t)((double)people * spec->measure * 0x1p-32);
    return people > measured ? people - measured : people;
}

sotto_status sotto_match_set_learning(sotto_match *match)
{
    SOTTO__DEFAULT_FLOATS;
    if (match == NULL) return SOTTO_E_ARGUMENT;
    sotto_spec spec = spec_in_use(match);
    sotto_terms terms;
    sotto_status status = sotto_spec_resolve(&spec, &terms);
    if (status != SOTTO_OK) return status;
    match->learning = sotto_learning_default(&terms, learn_reports(&spec, match->horizon));
    if (match->liars > 0) match->learning.mean_phase = 0; /* the lab has no lies for it */
    bool per_arm = spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    if (match->calibration == SOTTO_CALIBRATION_PUBLISHED && per_arm) {
        match->learning.warm_up = AUTHORS_WARM_UP;
    }
    return SOTTO_OK;
}

/* ---- faults ------------------------------------------------------------------------------- */

/* The methods whose statistic or estimator knows one link only. */
static const char *player_fault(const sotto_match *match, char *text)
{
    const sotto_spec *spec = &match->spec;
    const char *name = sotto__match_method(match);
    bool linear = match->player == SOTTO_PLAYER_OLS || match->player == SOTTO_PLAYER_LINUCB;
    if (match->brought != NULL) return NULL; /* whether it takes a link, its own `make` says */
    bool private = sotto__match_is_private(match);
    if (private && spec->method != (sotto_method)match->player) {
        return sotto__fault(text, "method = %u: must be that of player %s", (unsigned)spec->method,
                            name);
    }
    if (private && sotto__method_of(spec)->identity_only) linear = true;
    if (linear && spec->link != SOTTO_LINK_IDENTITY) {
        return sotto__fault(text,
                            "link = %s: method %s needs the identity link; %s takes every link",
                            sotto_link_name(spec->link), name, private ? "sotto" : "glm-ucb");
    }
    if (private && sotto__method_of(spec)->shared_only &&
        spec->parameters != SOTTO_PARAMETERS_SHARED) {
        return sotto__fault(text,
                            "parameters = per-arm: method %s has shared parameters only; sotto "
                            "and ldp-ols have both",
                            name);
    }
    return NULL;
}

/* What the authors' code does not have. */
static const char *published_fault(const sotto_match *match, char *text)
{
    const sotto_spec *spec = &match->spec;
    if (!(match->delta > 0 && match->delta <= 0.5)) {
        return sotto__fault(text, "delta = %.15g: calibration published needs one above 0, to 0.5",
                            match->delta);
    }
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    if (spec->link == SOTTO_LINK_PROBIT || (!shared && spec->link != SOTTO_LINK_IDENTITY)) {
        return sotto__fault(text,
                            "link = %s: the authors have identity, and for shared parameters "
                            "logit and log; exact has every link",
                            sotto_link_name(spec->link));
    }
    bool blocks = match->player == SOTTO_PLAYER_LDP_UCB && !shared; /* one matrix over all arms */
    if (blocks && (uint64_t)spec->dim * spec->arms > SOTTO__DENSE_MAX) {
        return sotto__fault(text,
                            "arms = %u: the authors' ldp-ucb has dim x arms at most %u; exact "
                            "has more",
                            spec->arms, SOTTO__DENSE_MAX);
    }
    return NULL;
}

/* What the paper and the authors' code do not have. */
static const char *calibration_fault(const sotto_match *match, char *text)
{
    const sotto_spec *spec = &match->spec;
    sotto_calibration calibration = match->calibration;
    const char *name = sotto__match_method(match);
    const char *how = sotto_calibration_name(calibration);
    if (how == NULL) {
        return sotto__fault(text, "calibration = %u: not known", (unsigned)calibration);
    }
    if (match->split_paper &&
        (match->player != SOTTO_PLAYER_LDP_SGD || spec->parameters != SOTTO_PARAMETERS_PER_ARM)) {
        return sotto__fault(text, "split = paper: only ldp-sgd with per-arm parameters splits");
    }
    if (match->split_paper && calibration != SOTTO_CALIBRATION_PAPER) {
        return sotto__fault(text,
                            "split = paper: only under calibration paper; joint needs no split "
                            "of epsilon");
    }
    if (calibration == SOTTO_CALIBRATION_EXACT || !sotto__match_is_private(match)) {
        return NULL;
    }
    if (match->player == SOTTO_PLAYER_SOTTO || match->player == SOTTO_PLAYER_SOTTO_OLS ||
        match->player == SOTTO_PLAYER_BEST_ARM) {
        return sotto__fault(text, "calibration = %s: method %s is not in the paper; exact has it",
                            how, name);
    }
    if (spec->noise_law != SOTTO_NOISE_GAUSSIAN) {
        return sotto__fault(text, "noise_law = laplace: calibration %s is gaussian; exact has both",
                            how);
    }
    if (spec->epoch_lag_max > 0 || match->learning.epoch != 1 || spec->window_reports > 0 ||
        match->growth > 0) {
        return sotto__fault(text,
                            "epoch, lag, window: calibration %s publishes after every report; "
                            "exact has epochs",
                            how);
    }
    if (match->split_paper && spec->epsilon < 0.02) {
        return sotto__fault(text, "epsilon = %.15g: split paper halves it, so at least 0.02",
                            spec->epsilon);
    }
    return calibration == SOTTO_CALIBRATION_PAPER ? NULL : published_fault(match, text);
}

/* Rewards are clipped, so their range must hold the means. The authors do not clip. */
static const char *means_fault(const sotto_match *match, char *text)
{
    const sotto_spec *spec = &match->spec;
    double reach = spec->context_norm_max * match->environment.theta_norm;
    double lo = sotto__link_mean(spec->link, -reach), hi = sotto__link_mean(spec->link, reach);
    double slack = 1e-9 * (1 + fabs(hi - lo));
    if (match->calibration == SOTTO_CALIBRATION_PUBLISHED) return NULL;
    if (match->environment.brought != NULL) return NULL; /* each of its means is checked */
    if (spec->reward_kind == SOTTO_REWARD_BINARY && spec->link == SOTTO_LINK_IDENTITY)
        lo = 0, hi = 1;
    if (lo >= spec->reward_lo - slack && hi <= spec->reward_hi + slack) return NULL;
    const char *nearest = spec->reward_kind == SOTTO_REWARD_BINARY
                              ? "link logit fits binary rewards"
                              : "give a wider reward range";
    return sotto__fault(text,
                        "reward_lo, reward_hi = %.15g, %.15g: link %s has means from %.3g to "
                        "%.3g; %s",
                        spec->reward_lo, spec->reward_hi, sotto_link_name(spec->link), lo, hi,
                        nearest);
}

/* What is done to the reports of those who send some. */
static const char *reports_fault(const sotto_match *match, char *text)
{
    if (!(match->growth >= 0 && match->growth <= 1)) {
        return sotto__fault(text, "growth = %.15g: allowed 0 to 1", match->growth);
    }
    if (!(match->liars >= 0 && match->liars <= 0.5)) {
        return sotto__fault(text, "liars = %.15g: allowed 0 to 0.5", match->liars);
    }
    if (match->grind < 1 || match->grind > SOTTO_GRIND_MAX) {
        return sotto__fault(text, "grind = %u: allowed 1 to %u", match->grind, SOTTO_GRIND_MAX);
    }
    bool sends = sotto__match_is_private(match);
    if (match->liars > 0 && match->environment.brought != NULL) {
        return sotto__fault(text, "liars = %.15g: only environments of the lab's own have liars",
                            match->liars);
    }
    if (match->growth > 0 && !sends) {
        return sotto__fault(text, "growth = %.15g: method %s has no epochs", match->growth,
                            sotto__match_method(match));
    }
    if (match->liars > 0 && !(sends && match->calibration == SOTTO_CALIBRATION_EXACT)) {
        return sotto__fault(text,
                            "liars = %.15g: only the methods that ship, under calibration exact, "
                            "have reports to forge",
                            match->liars);
    }
    if (match->liars > 0 && match->player == SOTTO_PLAYER_BEST_ARM) {
        return sotto__fault(text, "liars = %.15g: must be 0, the lab has no lies for best-arm",
                            match->liars);
    }
    if (match->liars > 0 && match->learning.mean_phase > 0) {
        return sotto__fault(
            text, "liars = %.15g: must be 0 with a mean phase, the lab has no lies for it",
            match->liars);
    }
    return NULL;
}

/* Who has measure rounds; how many there may be is for the spec to say. */
static const char *measure_fault(const sotto_match *match, char *text)
{
    const sotto_spec *spec = &match->spec;
    double share = spec->measure * 0x1p-32;
    if (spec->measure == 0 || match->brought != NULL) return NULL;
    if (match->player == SOTTO_PLAYER_BEST_ARM) {
        return sotto__fault(
            text, "measure = %.6g: every round of best-arm reports its reward already", share);
    }
    if (!sotto__match_is_private(match) || sotto__method_of(spec)->lattice) {
        return sotto__fault(text,
                            "measure = %.6g: method %s %s; sotto, sotto-ols and ldp-sgd have "
                            "measure rounds",
                            share, sotto__match_method(match),
                            sotto__match_is_private(match)
                                ? "adds lattice noise, and its rounds cannot be measured"
                                : "sends no reports");
    }
    if (match->calibration != SOTTO_CALIBRATION_EXACT) {
        return sotto__fault(text,
                            "measure = %.6g: calibration %s has no measure rounds; exact has them",
                            share, sotto_calibration_name(match->calibration));
    }
    if (match->worth != NULL) {
        return sotto__fault(
            text,
            "measure = %.6g: not with worths: what is measured is the mean reward, and "
            "that is not what they maximise",
            share);
    }
    if (match->liars > 0) {
        return sotto__fault(text, "measure = %.6g: not with liars; they forge learn rounds only",
                            share);
    }
    return NULL;
}

static const char *worth_fault(const sotto_match *match, char *text)
{
    bool shipped = !sotto__match_is_private(match) || match->calibration == SOTTO_CALIBRATION_EXACT;
    if (match->worth == NULL) return NULL;
    if (match->brought == NULL && match->player == SOTTO_PLAYER_BEST_ARM) {
        return sotto__fault(text, "worth: best-arm learns mean rewards, not what arms are worth");
    }
    if (!shipped) {
        return sotto__fault(text,
                            "worth: calibration %s decides by the mean alone; exact has worths",
                            sotto_calibration_name(match->calibration));
    }
    for (uint32_t a = 0; a < match->spec.arms; a++) {
        if (match->worth[a] >= 0 && match->worth[a] <= 1e6) continue;
        return sotto__fault(text, "worth of arm %u = %.15g: allowed 0 to 1000000", a,
                            match->worth[a]);
    }
    return NULL;
}

/* Epochs are numbered by 32 bits. */
static const char *epochs_fault(const sotto_match *match, char *text)
{
    uint64_t epoch = match->learning.epoch;
    bool epochs =
        sotto__match_is_private(match) && match->calibration != SOTTO_CALIBRATION_PUBLISHED;
    if (!epochs || epoch == 0 || match->horizon / epoch < UINT32_MAX) return NULL;
    return sotto__fault(text,
                        "horizon = %" PRIu64 ": at most 2^32 epochs of %" PRIu64 " reports; "
                        "epoch auto has room",
                        match->horizon, epoch);
}

/* Terms without constants: no fault asks for these, and they take long to compute. */
static const char *terms_fault(const sotto_match *match, char *text)
{
    const sotto_terms terms = {.spec = spec_in_use(match)};
    const char *fault = sotto_spec_fault(&terms.spec, text);
    if (fault != NULL) return fault;
    if (match->brought != NULL) return NULL; /* it does not learn by these */
    return sotto_learning_fault(&terms, &match->learning, text);
}

const char *sotto__match_terms_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES])
{
    if (match->brought != NULL) {
        const char *wrong = sotto__brought_player_fault(match->brought, text);
        if (wrong != NULL) return wrong;
    } else if (sotto_player_name(match->player) == NULL) {
        return sotto__fault(text, "player = %u: not known", (unsigned)match->player);
    }
    const char *fault = player_fault(match, text);
    if (fault == NULL) fault = calibration_fault(match, text);
    if (fault == NULL) fault = sotto__correction_fault(match, text);
    if (fault == NULL) fault = measure_fault(match, text);
    if (fault == NULL) fault = terms_fault(match, text);
    if (fault == NULL) fault = epochs_fault(match, text);
    if (fault == NULL) fault = reports_fault(match, text);
    if (fault == NULL) fault = worth_fault(match, text);
    return fault;
}

const char *sotto_match_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    if (match == NULL || text == NULL) return sotto_status_text(SOTTO_E_ARGUMENT);
    const char *fault = sotto__match_terms_fault(match, text);
    if (fault == NULL) fault = sotto__environment_fault(match, text);
    if (fault == NULL) fault = means_fault(match, text);
    return fault;
}
