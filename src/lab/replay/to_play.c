/* From the request of a replay to the matches that it plays. */
#include "core/core.h"
#include "lab/dataset/dataset.h"
#include "lab/run/run.h"
#include "replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* D, the bound on a parameter's length. Labels have longer parameters than simulations: on measured
 * files 1 served clearly worse than 2, and 4 about the same. */
#define THETA_NORM_MAX 2
#define PEOPLE_UNKNOWN SOTTO_HORIZON_MAX /* more than any pipe brings */

/* ---- the request -------------------------------------------------------------------------- */

sotto_replay_request sotto_replay_request_default(void)
{
    static const sotto_player player[] = {SOTTO_PLAYER_SOTTO};
    static const double epsilon[] = {1};
    return (sotto_replay_request){
        .player = player,
        .players_count = 1,
        .epsilon = epsilon,
        .epsilons_count = 1,
        .parameters = SOTTO_PARAMETERS_PER_ARM,
        .link = SOTTO_LINK_IDENTITY,
        .delta = 1e-6,
        .seeds_count = 10,
        .passes = 1,
        .threads = 1,
        .shuffle = true,
        .people_max = SOTTO_REPLAY_UNSAID,
        .warm_up = SOTTO_REPLAY_UNSAID,
        .clip = 0.01,
    };
}

static sotto__request_lists lists_of(const sotto_replay_request *request)
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

static const sotto_player_table *custom_of(const sotto_replay_request *request, uint32_t i)
{
    return request->custom == NULL ? NULL : request->custom[i];
}

static sotto_status numbers_fault(const sotto_replay_request *request, sotto_fault *fault)
{
    bool said = request->people_max != SOTTO_REPLAY_UNSAID;
    const sotto__request_count counts[] = {
        {"players_count", request->players_count, 1, SOTTO_REPLAY_PLAYERS_MAX},
        {"epsilons_count", request->epsilons_count, 1, SOTTO_REPLAY_EPSILONS_MAX},
        {"seeds_count", request->seeds_count, 1, UINT32_MAX},
        {"passes", request->passes, 1, UINT32_MAX},
        {"threads", request->threads, 1, SOTTO_THREADS_MAX},
        {"at_count", request->at_count, 0, SOTTO_POINTS_MAX - 1},
        {"people_max", said ? request->people_max : PEOPLE_UNKNOWN, 1, PEOPLE_UNKNOWN},
    };
    sotto_status status =
        sotto__request_counts_fault(counts, sizeof counts / sizeof counts[0], fault);
    if (status != SOTTO_OK || (request->clip >= 1e-6 && request->clip <= 1)) return status;
    return sotto__fault_at(fault, "clip", "%.15g: allowed 1e-06 to 1", request->clip);
}

sotto_status sotto_replay_request_fault(const sotto_replay_request *request, bool log,
                                        sotto_fault *fault)
{
    bool missing = request == NULL;
    if (!missing) missing = request->player == NULL || request->epsilon == NULL;
    if (missing) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    const sotto__request_lists lists = lists_of(request);
    sotto_status status = numbers_fault(request, fault);
    if (status == SOTTO_OK) status = sotto__request_lists_fault(&lists, fault);
    if (status != SOTTO_OK) return status;
    if (request->passes > 1 && log) {
        return sotto__fault_at(fault, "passes",
                               "%u: a log is played once, because otherwise a method would be "
                               "valued by events that it has learnt from",
                               request->passes);
    }
    for (uint32_t i = 0; i < request->players_count; i++) {
        if (custom_of(request, i) != NULL || request->player[i] != SOTTO_PLAYER_ORACLE) continue;
        return sotto__fault_at(fault, "method", "oracle: a file does not have the true parameters");
    }
    return SOTTO_OK;
}

uint64_t sotto__replay_people(const sotto_replay_request *request, const sotto__yardstick *survey)
{
    bool said = request->people_max != SOTTO_REPLAY_UNSAID;
    uint64_t most = said ? request->people_max : PEOPLE_UNKNOWN;
    if (survey == NULL) return most;
    bool fewer = survey->rows < most / request->passes;
    return fewer ? survey->rows * request->passes : most;
}

/* Whether a method has an epsilon: a custom one if it claims privacy. A rival also has one,
 * whatever it protects. */
static bool has_epsilon(sotto_player player, const sotto_player_table *custom)
{
    if (custom != NULL) return custom->claims_privacy;
    return sotto_player_is_private(player) || sotto_player_is_rival(player);
}

double sotto__replay_epsilon(const sotto_match *match)
{
    return has_epsilon(match->player, match->custom) ? match->spec.epsilon : INFINITY;
}

/* ---- a match ------------------------------------------------------------------------------ */

/* What all matches of a data set have in common. */
static sotto_scene scene_of(const sotto_replay_request *request, const sotto_schema *schema,
                            uint64_t horizon)
{
    uint32_t dim = sotto_schema_dim(schema), arms = sotto_schema_arms(schema);
    bool shared = request->parameters == SOTTO_PARAMETERS_SHARED;
    uint32_t arm_dim = sotto__schema_arm_dim(schema);
    uint32_t shared_dim = arm_dim > 0 ? dim * arm_dim + 1 : dim * arms;
    return (sotto_scene){
        .dim = shared ? shared_dim : dim,
        .arms = arms,
        .parameters = request->parameters,
        .link = request->link,
        .reward_kind = sotto_link_reward_kind(request->link),
        .environment = SOTTO_ENVIRONMENT_SPHERE, /* contexts of length 1 at most */
        .horizon = horizon,
    };
}

/* Rewards are mostly 0 or 1 here, and the sign of a residual only reflects the median, so sotto
 * reports the score of the mean. */
static sotto_match match_of(const sotto_replay_request *request, const sotto_scene *scene,
                            sotto_player player, double epsilon)
{
    sotto_match match =
        sotto_match_default(player, SOTTO_CALIBRATION_EXACT, scene, epsilon, request->delta);
    sotto_spec *spec = &match.spec;
    spec->theta_norm_max = THETA_NORM_MAX;
    spec->reward_lo = 0; /* a replay scales rewards */
    spec->reward_hi = 1;
    if (player == SOTTO_PLAYER_SOTTO) spec->score = SOTTO_SCORE_SELF;
    spec->allow_weak_delta = request->allow_weak_delta && spec->delta > 1e-6;
    return match;
}

static sotto_status set_learning(const sotto_replay_request *request, sotto_match *match,
                                 sotto_fault *fault)
{
    sotto_status status = sotto_match_set_learning(match);
    match->learning.epoch = 0;                              /* by the rule, as a server does */
    bool warms_up = match->player != SOTTO_PLAYER_BEST_ARM; /* best-arm has no warm-up */
    if (warms_up && request->warm_up != SOTTO_REPLAY_UNSAID) {
        match->learning.warm_up = request->warm_up;
    }
    sotto_status found = sotto__match_terms_fault(match, fault);
    if (found != SOTTO_OK || status == SOTTO_OK) return found;
    return sotto__fault_status(fault, status);
}

/* ---- all of them -------------------------------------------------------------------------- */

/* Two methods without privacy are always played. The one that explores shows how much can be won.
 * The other is greedy, as private methods are: what it does not win either is not lost to privacy,
 * because greedy least squares may stay with arms that were good at the beginning. */
sotto_player sotto__replay_explorer(sotto_link link)
{
    return link == SOTTO_LINK_IDENTITY ? SOTTO_PLAYER_LINUCB : SOTTO_PLAYER_GLM_UCB;
}

sotto_player sotto__replay_greedy(sotto_link link)
{
    return link == SOTTO_LINK_IDENTITY ? SOTTO_PLAYER_OLS : SOTTO_PLAYER_GLM;
}

bool sotto__replay_is_one_arm(sotto_player player)
{
    return player == SOTTO_PLAYER_BEST_ARM;
}

static bool is_asked(const sotto_replay_request *request, sotto_player player)
{
    for (uint32_t i = 0; i < request->players_count; i++) {
        if (custom_of(request, i) == NULL && request->player[i] == player) return true;
    }
    return false;
}

/* Adds one method, at every epsilon if it has one. `custom` is NULL for a built-in method. */
static sotto_status add_method(const sotto_replay_request *request, const sotto_scene *scene,
                               sotto_player player, const sotto_player_table *custom,
                               sotto__replay_matches *out, sotto_fault *fault)
{
    uint32_t count = has_epsilon(player, custom) ? request->epsilons_count : 1;
    for (uint32_t i = 0; i < count; i++) {
        sotto_match *match = &out->match[out->settings.matches_count++];
        *match = match_of(request, scene, player, request->epsilon[i]);
        match->custom = custom;
        if (!has_epsilon(player, custom) && custom != NULL) match->spec.epsilon = INFINITY;
        if (set_learning(request, match, fault) == SOTTO_OK) continue;
        return sotto__fault_within(fault, "%s: ", sotto__match_method(match));
    }
    return SOTTO_OK;
}

static bool any_has_epsilon(const sotto_replay_request *request)
{
    for (uint32_t i = 0; i < request->players_count; i++) {
        if (has_epsilon(request->player[i], custom_of(request, i))) return true;
    }
    return false;
}

/* Adds best-arm, the yardstick without context, at each epsilon at which it can be played. Others
 * have none, such as those above 8, which lattice methods accept. */
static void add_best_arm(const sotto_replay_request *request, const sotto_scene *scene,
                         sotto__replay_matches *out)
{
    if (is_asked(request, SOTTO_PLAYER_BEST_ARM) || !any_has_epsilon(request)) return;
    for (uint32_t i = 0; i < request->epsilons_count; i++) {
        sotto_match *match = &out->match[out->settings.matches_count];
        *match = match_of(request, scene, SOTTO_PLAYER_BEST_ARM, request->epsilon[i]);
        if (set_learning(request, match, NULL) == SOTTO_OK) out->settings.matches_count++;
    }
}

static sotto_status fill(const sotto_replay_request *request, const sotto_scene *scene,
                         sotto__replay_matches *out, sotto_fault *fault)
{
    const sotto_player open[] = {sotto__replay_greedy(request->link),
                                 sotto__replay_explorer(request->link)};
    uint32_t matches_max = (request->players_count + 1) * request->epsilons_count + 2;
    out->match = calloc(matches_max, sizeof *out->match);
    if (out->match == NULL) return SOTTO_E_MEMORY;
    out->settings.match = out->match;
    sotto_status status = SOTTO_OK;
    for (uint32_t i = 0; i < request->players_count && status == SOTTO_OK; i++) {
        const sotto_player_table *custom = custom_of(request, i);
        sotto_player player = custom != NULL ? SOTTO_PLAYER_RANDOM : request->player[i];
        status = add_method(request, scene, player, custom, out, fault);
    }
    if (status == SOTTO_OK) add_best_arm(request, scene, out);
    for (uint32_t i = 0; i < 2 && status == SOTTO_OK; i++) {
        if (is_asked(request, open[i])) continue;
        status = add_method(request, scene, open[i], NULL, out, fault);
    }
    return status;
}

/* ---- the rules ---------------------------------------------------------------------------- */

/* A label earns 0 or 1, or what its table says. */
static void set_reward_range(const sotto_schema *schema, sotto__replay_rules *rules)
{
    bool table = schema->rewards != NULL;
    rules->reward_lo = table ? schema->rewards_lo : 0;
    rules->reward_hi = table ? schema->rewards_hi : 1;
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        const sotto__column *column = &schema->column[i];
        if (column->kind != SOTTO__COLUMN_REWARD) continue;
        rules->reward_lo = column->lo;
        rules->reward_hi = column->hi;
    }
}

/* How many reports a method gets: for a log, the expected number of events on which it agrees. */
static uint64_t reports_of(const sotto_schema *schema, const sotto__yardstick *survey,
                           uint64_t people)
{
    if (!sotto_schema_is_log(schema)) return people;
    double matched = survey != NULL
                         ? (double)sotto__yardstick_matches(survey) / (double)survey->rows
                         : 1.0 / sotto_schema_arms(schema);
    return (uint64_t)fmax(1, matched * (double)people);
}

/* The last people are a tenth of the first pass or, if their number is unknown, all of them. */
static sotto__replay_rules rules_of(const sotto_replay_request *request, const sotto_schema *schema,
                                    const sotto__yardstick *survey, bool known)
{
    uint64_t people = sotto__replay_people(request, survey);
    uint64_t once = survey != NULL && survey->rows < people ? survey->rows : people;
    sotto__replay_rules rules = {
        .log = sotto_schema_is_log(schema),
        .shuffle = request->shuffle,
        .clip = request->clip,
        .propensity_floor = survey != NULL ? sotto__yardstick_floor(survey) : request->clip,
        .at = request->at,
        .at_count = request->at_count,
        .people_max = people,
        .tail_from = known ? once - (once + 9) / 10 : 0,
        .tail_until = once,
    };
    set_reward_range(schema, &rules);
    return rules;
}

static sotto_replay_known known_of(const sotto_replay_request *request,
                                   const sotto__yardstick *survey)
{
    if (survey != NULL) return SOTTO_KNOWN_ROWS;
    return request->people_max != SOTTO_REPLAY_UNSAID ? SOTTO_KNOWN_LIMIT : SOTTO_KNOWN_NOTHING;
}

/* A copy of a table of the schema, if there is one. False: no memory. */
static bool copy(const double *from, size_t count, double **out)
{
    if (from == NULL) return true;
    *out = malloc(count * sizeof **out);
    if (*out != NULL) memcpy(*out, from, count * sizeof **out);
    return *out != NULL;
}

/* Copies the tables, because a replay may outlive its schema. */
static sotto_status copy_tables(const sotto_schema *schema, sotto__replay_matches *out)
{
    sotto__replay_rules *rules = &out->settings.rules;
    size_t arms = sotto_schema_arms(schema);
    uint32_t arm_dim = sotto__schema_arm_dim(schema);
    bool good = copy(schema->rewards, arms * arms, &out->rewards) &&
                copy(schema->arm_feature, arms * arm_dim, &out->arm_feature);
    rules->rewards = out->rewards;
    rules->arm_feature = out->arm_feature;
    rules->arm_dim = arm_dim;
    return good ? SOTTO_OK : SOTTO_E_MEMORY;
}

/* Checks the product of two sizes, which may be too large even if each is allowed. */
static sotto_status check_product(const sotto_replay_request *request, const sotto_schema *schema,
                                  const sotto_scene *scene, sotto_fault *fault)
{
    bool shared = request->parameters == SOTTO_PARAMETERS_SHARED;
    uint32_t arm_dim = sotto__schema_arm_dim(schema);
    if (!shared || arm_dim == 0 || scene->dim <= SOTTO_DIM_MAX) return SOTTO_OK;
    const sotto__request_lists lists = lists_of(request);
    sotto__fault_at(fault, "dim",
                    "%u: %u numbers of a person times %u of an arm, and 1: allowed up to %u with "
                    "shared `parameters`",
                    scene->dim, sotto_schema_dim(schema), arm_dim, SOTTO_DIM_MAX);
    return sotto__fault_within(fault, "%s: ", sotto__request_method(&lists, 0));
}

sotto_status sotto__replay_matches_of(const sotto_replay_request *request,
                                      const sotto_schema *schema, const sotto__yardstick *survey,
                                      sotto__replay_matches *out, sotto_fault *fault)
{
    sotto_replay_known known = known_of(request, survey);
    bool people_known = known != SOTTO_KNOWN_NOTHING;
    *out = (sotto__replay_matches){
        .settings = {.seeds_count = request->seeds_count,
                     .rules = rules_of(request, schema, survey, people_known),
                     .passes = request->passes,
                     .threads = request->threads,
                     .known = known},
    };
    uint64_t reports = reports_of(schema, survey, out->settings.rules.people_max);
    const sotto_scene scene = scene_of(request, schema, people_known ? reports : 0);
    sotto_status status = check_product(request, schema, &scene, fault);
    if (status == SOTTO_OK) status = copy_tables(schema, out);
    if (status == SOTTO_OK) status = fill(request, &scene, out, fault);
    if (status != SOTTO_OK) sotto__replay_matches_free(out);
    return status;
}

void sotto__replay_matches_free(sotto__replay_matches *matches)
{
    free(matches->match);
    free(matches->rewards);
    free(matches->arm_feature);
    *matches = (sotto__replay_matches){0};
}
