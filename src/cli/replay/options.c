/* From options to the replay that they ask for. */
#include "options.h"
#include "cli/option/sweep.h"
#include "cli/option/words.h"
#include "lab/dataset/draft.h"
#include "lab/dataset/fit.h"
#include "lab/dataset/schema_file.h"
#include "lab/run/match.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "sotto replay"
#define EPSILONS_MAX 64u

/* D, the bound on a parameter's length. Labels have longer parameters than simulations: on measured
 * files 1 served clearly worse than 2, and 4 about the same. */
#define THETA_NORM_MAX 2
#define PEOPLE_UNKNOWN SOTTO_HORIZON_MAX /* more than any pipe brings */

const char *replay_format_name(uint32_t value)
{
    static const char *const name[] = {"csv", "libsvm"};
    return value < 2 ? name[value] : NULL;
}

const char *replay_header_name(uint32_t value)
{
    static const char *const name[] = {"guess", "no", "yes"};
    return value < 3 ? name[value] : NULL;
}

const char *replay_separator_name(uint32_t value)
{
    return value == 0 ? "guess" : sotto__separator_name(value - 1);
}

const char *replay_order_name(uint32_t value)
{
    static const char *const name[] = {"shuffled", "file"};
    return value < 2 ? name[value] : NULL;
}

/* ---- what does not go together ------------------------------------------------------------ */

static bool refuse(const char *what, const char *why)
{
    fprintf(stderr, PROGRAM ": %s: %s\n", what, why);
    return false;
}

/* With a schema there is nothing to draft. */
static bool schema_fits(const replay_options *s, const args_option *options)
{
    static const char *const drafts[] = {
        "label",  "action", "reward",    "propensity",       "ignore",
        "format", "header", "separator", "ranges-from-data", "draft"};
    for (size_t i = 0; s->schema != NULL && i < sizeof drafts / sizeof drafts[0]; i++) {
        if (!args_given(options, drafts[i])) continue;
        fprintf(stderr, PROGRAM ": --%s: only without --schema, which says what columns are\n",
                drafts[i]);
        return false;
    }
    if (s->schema != NULL) return true;
    bool csv = s->format == SOTTO__DATASET_CSV;
    if (!csv && args_given(options, "header")) return refuse("--header", "LIBSVM has none");
    if (!csv && args_given(options, "separator"))
        return refuse("--separator", "LIBSVM has its own");
    bool log = s->action != NULL || s->reward != NULL || s->propensity != NULL;
    bool whole = s->action != NULL && s->reward != NULL && s->propensity != NULL;
    if (log && s->label != NULL) return refuse("--label", "a log has an action instead");
    if (log && !whole) return refuse("--action", "a log needs --reward and --propensity too");
    if (!log && s->label == NULL && csv) {
        return refuse("--data", "--schema, --label, or --action with --reward and --propensity "
                                "must say what its columns are");
    }
    if (s->draft || s->ranges_from_data) return true;
    fprintf(stderr,
            PROGRAM ": --data %s: a schema must say which values its columns have: " PROGRAM
                    " --data %s %s %s --draft > my.schema makes one to edit; or "
                    "--ranges-from-data takes them from people's rows, which epsilon does not "
                    "cover\n",
            s->data, s->data, log ? "--action" : "--label",
            log                ? s->action
            : s->label != NULL ? s->label
                               : "label");
    return false;
}

bool replay_options_fit(const replay_options *s, const args_option *options)
{
    if (s->csv && s->json) return refuse("--csv and --json", "rows have one format");
    if (s->draft && s->describe) return refuse("--draft and --describe", "one at a time");
    bool shared = s->parameters == SOTTO_PARAMETERS_SHARED;
    if (s->warm_up > 0 && shared) return refuse("--warmup", "only per-arm parameters warm up");
    return schema_fits(s, options);
}

/* ---- the schema --------------------------------------------------------------------------- */

/* The words of a list, cut apart in `text`, a copy of it. */
static uint32_t cut_list(char *text, const char **word)
{
    uint32_t count = 0;
    while (text != NULL) {
        word[count++] = text;
        text = strchr(text, ',');
        if (text != NULL) *text++ = '\0';
    }
    return count;
}

/* What a draft decided by itself. */
static void tell_notes(const sotto__schema *schema)
{
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        const sotto__column *column = &schema->column[i];
        char shown[SOTTO__SHOWN_BYTES];
        if (column->note == NULL) continue;
        fprintf(stderr, PROGRAM ": column %s: %s%s\n",
                sotto__shown(column->name, strlen(column->name), shown),
                column->kind == SOTTO__COLUMN_IGNORE ? "ignored: " : "", column->note);
    }
}

static int draft_schema(const replay_options *s, sotto__schema *out)
{
    char fault[SOTTO__DATASET_FAULT_BYTES];
    int code = EXIT_FAILED;
    char *text = s->ignored != NULL ? strdup(s->ignored) : NULL;
    const char **word = calloc(text != NULL ? strlen(text) + 1 : 1, sizeof *word);
    if (word == NULL || (text == NULL && s->ignored != NULL)) {
        fprintf(stderr, PROGRAM ": %s\n", sotto_status_text(SOTTO_E_MEMORY));
        goto cleanup;
    }
    sotto__draft draft = {
        .format = (sotto__dataset_format)s->format,
        .separator = s->separator == 0 ? '\0' : SOTTO__SEPARATORS[s->separator - 1],
        .header = (sotto__header)s->header,
        .label = s->label,
        .action = s->action,
        .reward = s->reward,
        .propensity = s->propensity,
        .ignored_count = cut_list(text, word),
        .ignored = word,
        .once = s->draft,
    };
    const char *wrong = sotto__schema_draft(&draft, s->data, out, fault);
    if (wrong == NULL) {
        tell_notes(out);
        code = EXIT_OK;
    } else {
        fprintf(stderr, PROGRAM ": %s\n", wrong);
    }
cleanup:
    free(word);
    free(text);
    return code;
}

int replay_schema(const replay_options *s, sotto__schema *out)
{
    char fault[SOTTO__DATASET_FAULT_BYTES];
    *out = (sotto__schema){0};
    if (s->schema == NULL) return draft_schema(s, out);
    const char *wrong = sotto__schema_read(s->schema, out, fault);
    if (wrong == NULL) return EXIT_OK;
    fprintf(stderr, PROGRAM ": %s\n", wrong);
    return EXIT_FAILED;
}

/* ---- a match ------------------------------------------------------------------------------ */

/* What all matches of a data set have in common. */
typedef struct field {
    uint32_t dim, arms;
    uint64_t horizon; /* reports that a method will get; 0: nobody knows */
} field;

static field field_of(const sotto__schema *schema, uint64_t horizon)
{
    return (field){
        .dim = sotto__schema_dim(schema),
        .arms = sotto__schema_arms(schema),
        .horizon = horizon,
    };
}

/* A label earns 0 or 1. */
static void set_reward_range(const sotto__schema *schema, sotto__replay_rules *rules)
{
    rules->reward_lo = 0;
    rules->reward_hi = 1;
    for (uint32_t i = 0; i < schema->columns_count; i++) {
        const sotto__column *column = &schema->column[i];
        if (column->kind != SOTTO__COLUMN_REWARD) continue;
        rules->reward_lo = column->lo;
        rules->reward_hi = column->hi;
    }
}

/* Rewards are mostly 0 or 1 here, and the sign of a residual knows medians only: sotto reports the
 * score of the mean. */
static sotto_match match_of(const replay_options *s, const field *f, sotto_player player,
                            double epsilon)
{
    bool shared = s->parameters == SOTTO_PARAMETERS_SHARED;
    const sotto_scene scene = {
        .dim = shared ? f->dim * f->arms : f->dim,
        .arms = f->arms,
        .parameters = (sotto_parameters)s->parameters,
        .link = (sotto_link)s->link,
        .reward_kind = sotto_scene_reward_kind((sotto_link)s->link),
        .environment = SOTTO_ENVIRONMENT_SPHERE, /* contexts of length 1 at most */
        .horizon = f->horizon,
    };
    sotto_match match =
        sotto_match_default(player, SOTTO_CALIBRATION_EXACT, &scene, epsilon, s->delta);
    sotto_spec *spec = &match.spec;
    spec->theta_norm_max = THETA_NORM_MAX;
    spec->reward_lo = 0; /* a replay scales rewards */
    spec->reward_hi = 1;
    if (player == SOTTO_PLAYER_SOTTO) spec->score = SOTTO_SCORE_SELF;
    spec->allow_weak_delta = s->weak_delta && spec->delta > 1e-6;
    return match;
}

static bool set_match(const replay_options *s, const args_option *options, sotto_match *match)
{
    char text[SOTTO_FAULT_BYTES];
    sotto_status status = sotto_match_learning(match);
    match->learning.epoch = 0; /* by the rule, as a server does */
    if (args_given(options, "warmup")) match->learning.warm_up = s->warm_up;
    const char *fault = sotto__match_terms_fault(match, text);
    if (fault == NULL && status == SOTTO_OK) return true;
    if (fault == NULL) fault = sotto_status_text(status);
    fprintf(stderr, PROGRAM ": --method %s: %s\n", sotto_player_name((uint32_t)match->player),
            word_dashes(fault, text));
    return false;
}

/* ---- the plan ----------------------------------------------------------------------------- */

typedef struct choices {
    uint32_t players_count, epsilons_count;
    sotto_player player[SOTTO_PLAYERS + 1];
    double epsilon[EPSILONS_MAX];
} choices;

/* The methods asked for, and one without privacy: what privacy costs is the distance to it. It
 * explores, for greedy least squares stays with arms that were good in the beginning. */
static bool choose(const replay_options *s, choices *c)
{
    bool linear = s->link == SOTTO_LINK_IDENTITY;
    sotto_player open = linear ? SOTTO_PLAYER_LINUCB : SOTTO_PLAYER_GLM_UCB;
    if (!sweep_methods(PROGRAM, s->methods, c->player, &c->players_count)) return false;
    if (!word_epsilons(PROGRAM, s->epsilons, 50, EPSILONS_MAX, c->epsilon, &c->epsilons_count)) {
        return false;
    }
    for (uint32_t i = 0; i < c->players_count; i++) {
        if (c->player[i] == SOTTO_PLAYER_ORACLE) {
            return refuse("--method = oracle", "a file does not tell the true parameters");
        }
        if (c->player[i] == open) return true;
    }
    c->player[c->players_count++] = open;
    return true;
}

/* A method without privacy has no epsilon: it is played once. */
static bool fill_matches(const replay_options *s, const args_option *options, const field *f,
                         const choices *c, replay_plan *plan)
{
    uint32_t *count = &plan->settings.matches_count;
    for (uint32_t i = 0; i < c->players_count * c->epsilons_count; i++) {
        sotto_player player = c->player[i / c->epsilons_count];
        bool private = sotto_player_is_private(player);
        if (!private && i % c->epsilons_count != 0) continue;
        double epsilon = c->epsilon[i % c->epsilons_count];
        plan->epsilon[*count] = private ? epsilon : INFINITY;
        plan->match[*count] = match_of(s, f, player, epsilon);
        if (!set_match(s, options, &plan->match[*count])) return false;
        (*count)++;
    }
    return true;
}

/* People who will be played, as far as one can know. */
static uint64_t people_of(const replay_options *s, const args_option *options,
                          const sotto__yardstick *survey)
{
    uint64_t most = args_given(options, "horizon") ? s->horizon : PEOPLE_UNKNOWN;
    if (survey == NULL) return most;
    bool fewer = survey->rows < most / s->passes;
    return fewer ? survey->rows * s->passes : most;
}

int replay_plan_of(const replay_options *s, const args_option *options, const sotto__schema *schema,
                   const sotto__yardstick *survey, replay_plan *out)
{
    choices c = {0};
    *out = (replay_plan){0};
    if (!choose(s, &c)) return EXIT_USAGE;
    uint32_t matches = c.players_count * c.epsilons_count;
    out->match = calloc(matches, sizeof *out->match);
    out->epsilon = calloc(matches, sizeof *out->epsilon);
    out->at = calloc(SOTTO_POINTS_MAX, sizeof *out->at);
    if (out->match == NULL || out->epsilon == NULL || out->at == NULL) {
        fprintf(stderr, PROGRAM ": %s\n", sotto_status_text(SOTTO_E_MEMORY));
        replay_plan_free(out);
        return EXIT_FAILED;
    }
    uint64_t people = people_of(s, options, survey);
    uint64_t once = survey != NULL && survey->rows < people ? survey->rows : people;
    bool log = sotto__schema_is_log(schema);
    out->told = survey != NULL || args_given(options, "horizon");
    out->looked = survey != NULL;
    double matched = log && survey != NULL
                         ? (double)sotto__yardstick_matches(survey) / (double)survey->rows
                         : 1.0 / sotto__schema_arms(schema);
    uint64_t horizon = log ? (uint64_t)fmax(1, matched * (double)people) : people;
    field f = field_of(schema, out->told ? horizon : 0);
    out->settings = (sotto__replay_settings){
        .match = out->match,
        .seeds_count = s->seeds,
        .rules = {.log = log,
                  .shuffle = s->order == REPLAY_SHUFFLED,
                  .clip = s->clip,
                  .propensity_floor = survey != NULL ? sotto__yardstick_floor(survey) : s->clip,
                  .at = out->at,
                  .people_max = people,
                  .tail_from = out->told ? once - (once + 9) / 10 : 0,
                  .tail_until = once},
        .passes = s->passes,
        .threads = args_given(options, "threads") ? s->threads : sweep_cores(),
    };
    set_reward_range(schema, &out->settings.rules);
    bool good =
        sweep_points(PROGRAM, s->checkpoints, people, out->at, &out->settings.rules.at_count);
    if (good) good = fill_matches(s, options, &f, &c, out);
    if (good) return EXIT_OK;
    replay_plan_free(out);
    return EXIT_USAGE;
}

void replay_plan_free(replay_plan *plan)
{
    free(plan->match);
    free(plan->epsilon);
    free(plan->at);
    *plan = (replay_plan){0};
}
