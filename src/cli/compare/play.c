/* The worlds of the scoreboard, and the rewards of methods in them. */
#include "core/core.h"
#include "inner.h"
#include "lab/math/math.h"

#include <sotto/lab/floors.h>
#include <sotto/lab/replays.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- worlds ------------------------------------------------------------------------------- */

typedef struct world {
    const char *name, *sentence;
    sotto_environment_kind kind;
    sotto_parameters parameters;
    sotto_link link;
    uint32_t dim, arms;
    double noise; /* 0: the environment's own */
    double liars; /* above 0: only methods whose reports the lab can forge are played */
    double people_per_second;
    uint32_t window_s, spread_s;
    double drift;
} world;

#define SHARED SOTTO_PARAMETERS_SHARED
#define PER_ARM SOTTO_PARAMETERS_PER_ARM

/* clang-format off */
static const world worlds[] = {
    {"two", "2 features, 10 arms", SOTTO_ENVIRONMENT_SPHERE, SHARED, SOTTO_LINK_IDENTITY, 2, 10, .noise = 0},
    {"twenty", "20 features, 20 arms", SOTTO_ENVIRONMENT_SPHERE, SHARED, SOTTO_LINK_IDENTITY, 20, 20, .noise = 0},
    {"noisy", "5 features in a ball, 5 arms, noise 0.3", SOTTO_ENVIRONMENT_BALL, SHARED, SOTTO_LINK_IDENTITY, 5, 5, .noise = 0.3},
    {"uneven", "10 features of uneven size, 10 arms", SOTTO_ENVIRONMENT_ANISOTROPIC, SHARED, SOTTO_LINK_IDENTITY, 10, 10, .noise = 0},
    {"yes-no", "yes/no rewards, 5 features, 10 arms", SOTTO_ENVIRONMENT_SPHERE, SHARED, SOTTO_LINK_LOGIT, 5, 10, .noise = 0},
    {"counts", "counts, 2 features, 10 arms", SOTTO_ENVIRONMENT_SPHERE, SHARED, SOTTO_LINK_LOG, 2, 10, .noise = 0},
    {"arms-five", "a parameter per arm: 5 features, 3 arms", SOTTO_ENVIRONMENT_SPHERE, PER_ARM, SOTTO_LINK_IDENTITY, 5, 3, .noise = 0},
    {"arms-twenty", "a parameter per arm: 20 features, 3 arms", SOTTO_ENVIRONMENT_SPHERE, PER_ARM, SOTTO_LINK_IDENTITY, 20, 3, .noise = 0},
    {"delay", "rewards after 10 minutes, reports spread over 5, a person per second; 5 features, 10 arms", SOTTO_ENVIRONMENT_SPHERE, SHARED,
     SOTTO_LINK_IDENTITY, 5, 10, .people_per_second = 1, .window_s = 600, .spread_s = 300},
    {"drift", "the true parameter turns by one radian in 30,000 people; 5 features, 10 arms", SOTTO_ENVIRONMENT_DRIFT, SHARED,
     SOTTO_LINK_IDENTITY, 5, 10, .drift = 1.0 / 30000},
    {"liars", "1 % of people are dishonest and report what does the most harm; 5 features, 10 arms", SOTTO_ENVIRONMENT_SPHERE, SHARED, SOTTO_LINK_IDENTITY,
     5, 10, .liars = 0.01},
};
/* clang-format on */
#define WORLDS (sizeof worlds / sizeof worlds[0])

static sotto_scene scene_of(const world *w, uint64_t horizon)
{
    return (sotto_scene){
        .dim = w->dim,
        .arms = w->arms,
        .parameters = w->parameters,
        .link = w->link,
        .reward_kind = sotto_link_reward_kind(w->link),
        .environment = w->kind,
        .horizon = horizon,
    };
}

/* ---- methods ------------------------------------------------------------------------------ */

static const sotto_player usual[] = {
    SOTTO_PLAYER_SOTTO,   SOTTO_PLAYER_SOTTO_OLS,   SOTTO_PLAYER_LDP_SGD,
    SOTTO_PLAYER_LDP_OLS, SOTTO_PLAYER_LDP_UCB,     SOTTO_PLAYER_LDP_GLOC,
    SOTTO_PLAYER_MERINO,  SOTTO_PLAYER_SHUFFLE_UCB, SOTTO_PLAYER_JOINT_GLM};
#define USUAL (sizeof usual / sizeof usual[0])

static const char *promise_of(sotto_player player, const sotto_player_table *custom)
{
    if (custom != NULL) return custom->claims_privacy ? "claimed" : "none";
    bool lattice = player == SOTTO_PLAYER_LDP_OLS || player == SOTTO_PLAYER_LDP_UCB ||
                   player == SOTTO_PLAYER_LDP_GLOC;
    if (lattice) return "local, delta";
    if (sotto_player_is_private(player) || player == SOTTO_PLAYER_MERINO) return "local";
    if (player == SOTTO_PLAYER_SHUFFLE_UCB) return "shuffle";
    return player == SOTTO_PLAYER_JOINT_GLM ? "joint" : "none";
}

static sotto_player explorer_of(sotto_link link)
{
    return link == SOTTO_LINK_IDENTITY ? SOTTO_PLAYER_LINUCB : SOTTO_PLAYER_GLM_UCB;
}

/* The methods to play: those of the settings except best-arm, and the explorer if it is not among
 * them. */
static void set_candidates(const board_settings *settings, sotto_link link, method_list *out)
{
    uint32_t count = settings->methods == NULL ? USUAL : settings->methods->count;
    bool explores = false;
    *out = (method_list){0};
    for (uint32_t i = 0; i < count; i++) {
        sotto_player player = settings->methods == NULL ? usual[i] : settings->methods->player[i];
        const sotto_player_table *custom =
            settings->methods == NULL ? NULL : settings->methods->custom[i];
        if (custom == NULL && player == SOTTO_PLAYER_BEST_ARM) continue;
        explores |= custom == NULL && player == explorer_of(link);
        out->custom[out->count] = custom;
        out->player[out->count++] = player;
    }
    if (!explores && out->count < METHODS_MAX) out->player[out->count++] = explorer_of(link);
}

/* ---- a synthetic world -------------------------------------------------------------------- */

typedef struct playing {
    const board_settings *settings;
    const world *world;
    board *to;
    board_world *out;
} playing;

static sotto_comparison_request request_of(const playing *p, const method_list *list,
                                           const uint64_t *horizon)
{
    const world *w = p->world;
    sotto_scene scene = scene_of(w, *horizon);
    sotto_comparison_request request = sotto_comparison_request_default(&scene);
    request.player = list->player;
    request.custom = list->custom;
    request.players_count = list->count;
    request.epsilon = &p->settings->epsilon;
    request.delta = p->settings->delta;
    request.seeds = p->settings->seeds;
    request.threads = p->settings->threads;
    request.at = horizon;
    request.at_count = 1;
    if (w->noise > 0) SOTTO_COMPARISON_CHANGE(&request, environment.noise, w->noise);
    if (w->drift > 0) SOTTO_COMPARISON_CHANGE(&request, environment.drift, w->drift);
    if (w->liars > 0) SOTTO_COMPARISON_CHANGE(&request, liars, w->liars);
    if (w->people_per_second > 0) {
        request.epoch = 0;
        request.wanted.spec.reward_window_s = w->window_s;
        request.wanted.spec.send_spread_s = w->spread_s;
        SOTTO_COMPARISON_CHANGE(&request, people_per_second, w->people_per_second);
    }
    return request;
}

static const char *name_of(const method_list *list, uint32_t i)
{
    return list->custom[i] != NULL ? list->custom[i]->name : sotto_player_name(list->player[i]);
}

/* Skips a method in this world; the page shows the reason. */
static void leave_out(const playing *p, const char *method, const char *why)
{
    const char *text = sotto__pool_print(&p->to->pool, "Left out: %s: %s.", method, why);
    if (text != NULL) p->out->left_out[p->out->left_out_count++] = text;
}

/* True, after leaving the method out, if it cannot be played in this world. */
static bool cannot_play(const playing *p, const method_list *one)
{
    sotto_fault fault;
    sotto_comparison_request request = request_of(p, one, &p->settings->horizon);
    bool forged = one->custom[0] == NULL && !sotto_player_is_rival(one->player[0]) &&
                  one->player[0] != SOTTO_PLAYER_BEST_ARM;
    if (p->world->liars > 0 && !forged) {
        leave_out(p, name_of(one, 0), "dishonest clients cannot be simulated for this method");
        return true;
    }
    if (sotto_comparison_request_fault(&request, &fault) == SOTTO_OK) return false;
    leave_out(p, name_of(one, 0), fault.allowed);
    return true;
}

/* The candidates that can be played in this world. */
static void set_playable(const playing *p, const method_list *from, method_list *out)
{
    *out = (method_list){0};
    for (uint32_t i = 0; i < from->count; i++) {
        method_list one = {.count = 1, .player = {from->player[i]}, .custom = {from->custom[i]}};
        if (cannot_play(p, &one)) continue;
        out->player[out->count] = one.player[0];
        out->custom[out->count++] = one.custom[0];
    }
}

static board_line *next_line(const playing *p, const char *method, sotto_player player,
                             const sotto_player_table *custom)
{
    board_line *line = &p->out->line[p->out->lines_count++];
    const char *promise = promise_of(player, custom);
    bool private = strcmp(promise, "none") != 0;
    *line = (board_line){
        .method = method,
        .promise = promise,
        .epsilon = private ? p->settings->epsilon : INFINITY,
        .reward = sotto__pool_take(&p->to->pool, p->settings->seeds * sizeof(double)),
        .over_floor = {NAN, NAN},
    };
    return line->reward == NULL ? NULL : line;
}

typedef struct hearing {
    const playing *playing;
    progress_bar bar;
    uint64_t run[METHODS_MAX];
    const char *fault[METHODS_MAX]; /* NULL for matches that did not fail */
} hearing;

static bool hear(void *state, uint64_t done)
{
    progress_show(&((hearing *)state)->bar, done);
    return true;
}

/* Keeps the fault of the lowest failed run of each match, so that the page does not depend on which
 * thread reports first. */
static bool hear_failure(void *state, uint64_t run, const char *fault)
{
    hearing *h = state;
    uint64_t match = run / h->playing->settings->seeds;
    if (h->fault[match] != NULL && run > h->run[match]) return true;
    h->run[match] = run;
    h->fault[match] = sotto__pool_print(&h->playing->to->pool, "%s", fault);
    return true;
}

static sotto_status play_list(const playing *p, const method_list *list, uint64_t epoch)
{
    sotto_comparison *comparison;
    sotto_comparison_request request = request_of(p, list, &p->settings->horizon);
    if (epoch == 0) request.epoch = 0;
    sotto_status status = sotto_comparison_new(&request, &comparison);
    if (status != SOTTO_OK) return status;
    uint64_t rounds = (uint64_t)list->count * request.seeds * p->settings->horizon;
    hearing h = {.playing = p, .bar = progress_begin(p->world->name, rounds, p->settings->quiet)};
    const sotto_sweep_listener listener = {.progress = hear, .failed = hear_failure, .state = &h};
    status = sotto_comparison_play(comparison, &listener);
    progress_end(&h.bar);
    for (uint32_t m = 0; m < list->count && status == SOTTO_OK; m++) {
        if (h.fault[m] != NULL) leave_out(p, name_of(list, m), h.fault[m]);
        if (h.fault[m] != NULL) continue;
        board_line *line = next_line(p, name_of(list, m), list->player[m], list->custom[m]);
        if (line == NULL) status = SOTTO_E_MEMORY;
        for (uint32_t i = 0; i < request.seeds && status == SOTTO_OK; i++) {
            sotto_comparison_row row = {.regret = NAN};
            (void)sotto_comparison_row_at(comparison, (uint64_t)m * request.seeds + i, &row);
            line->reward[i] = -row.regret / (double)p->settings->horizon;
        }
    }
    sotto_comparison_free(comparison);
    return status;
}

/* ---- what came of it ---------------------------------------------------------------------- */

static board_mean mean_of(const double *x, uint32_t count)
{
    return (board_mean){sotto__mean_of(x, count), 2 * sotto__standard_error(x, count)};
}

static const board_line *line_named(const board_world *of, const char *name)
{
    for (uint32_t i = 0; i < of->lines_count; i++) {
        if (strcmp(of->line[i].method, name) == 0) return &of->line[i];
    }
    return NULL;
}

/* The mean lead of `line` over `other`. Both played the same people, so rewards are compared seed
 * by seed. */
static board_mean ahead_of(const board_line *line, const board_line *other, uint32_t seeds)
{
    double apart[BOARD_SEEDS_MAX];
    if (other == NULL || other == line) return (board_mean){NAN, NAN};
    for (uint32_t i = 0; i < seeds; i++) {
        apart[i] = line->reward[i] - other->reward[i];
    }
    return mean_of(apart, seeds);
}

static void set_means(const playing *p)
{
    const board_world *out = p->out;
    uint32_t seeds = p->settings->seeds;
    const board_line *best = line_named(out, "best-arm"), *other = line_named(out, out->explorer);
    double scale = out->hash == NULL ? -(double)out->people : 1;
    for (uint32_t i = 0; i < out->lines_count; i++) {
        board_line *line = &out->line[i];
        board_mean reward = mean_of(line->reward, seeds);
        bool pure = strcmp(line->promise, "local") == 0;
        line->regret = (board_mean){scale * reward.value, fabs(scale) * reward.wide};
        line->best = ahead_of(line, best, seeds);
        line->other = ahead_of(line, other, seeds);
        line->share = NAN;
        if (best != NULL && other != NULL && line != best) {
            double lead = ahead_of(other, best, seeds).value;
            if (lead > 0) line->share = line->best.value / lead;
        }
        if (!pure || isnan(out->floor)) continue;
        line->over_floor =
            (board_mean){line->regret.value / out->floor, line->regret.wide / out->floor};
    }
}

static void set_floor(const playing *p)
{
    const world *w = p->world;
    sotto_floor floor;
    p->out->floor = NAN;
    if (w->liars > 0 || w->drift > 0 || w->people_per_second > 0) return;
    sotto_scene scene = scene_of(w, p->settings->horizon);
    sotto_match match = sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene,
                                            p->settings->epsilon, 0);
    if (w->noise > 0) match.environment.noise = w->noise;
    if (sotto_match_set_learning(&match) != SOTTO_OK) return;
    if (sotto_floor_of(&match, &floor) != SOTTO_OK) return;
    const struct {
        double value;
        const char *kind;
    } kinds[] = {
        {floor.proved, "proved"}, {floor.local, "local estimate"}, {floor.start, "heuristic"}};
    for (uint32_t i = 0; i < 3 && isnan(p->out->floor); i++) {
        p->out->floor = kinds[i].value;
        if (!isnan(kinds[i].value)) p->out->floor_kind = kinds[i].kind;
    }
}

static sotto_status play_world(const playing *p)
{
    method_list candidates, list;
    *p->out = (board_world){
        .name = p->world->name,
        .sentence = p->world->sentence,
        .explorer = sotto_player_name(explorer_of(p->world->link)),
        .caution = p->world->liars > 0
                       ? "Methods without privacy, such as linucb, meet only honest people here. "
                         "best-arm is left out, so no shares of the gain are shown."
                       : NULL,
        .floor = NAN,
        .people = p->settings->horizon,
        .line = sotto__pool_take(&p->to->pool, (METHODS_MAX + 1) * sizeof(board_line)),
        .left_out = sotto__pool_take(&p->to->pool, (METHODS_MAX + 1) * sizeof(char *)),
    };
    if (p->out->line == NULL || p->out->left_out == NULL) return SOTTO_E_MEMORY;
    set_candidates(p->settings, p->world->link, &candidates);
    set_playable(p, &candidates, &list);
    sotto_status status = play_list(p, &list, 1);
    const method_list one_arm = {.count = 1, .player = {SOTTO_PLAYER_BEST_ARM}};
    set_playable(p, &one_arm, &list);
    if (status == SOTTO_OK && list.count > 0) status = play_list(p, &list, 0);
    set_floor(p);
    if (status == SOTTO_OK) set_means(p);
    return status;
}

/* ---- a file ------------------------------------------------------------------------------- */

/* The digest of a file in hexadecimal; NULL if the file cannot be read. */
static const char *hash_of(const char *path, sotto__pool *pool)
{
    uint8_t digest[SOTTO__DIGEST_BYTES], block[4096];
    char text[2 * SOTTO__DIGEST_BYTES + 1];
    sotto__digest sum;
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    sotto__digest_begin(&sum);
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;) {
        sotto__digest_add(&sum, block, got);
    }
    bool good = ferror(file) == 0;
    fclose(file);
    sotto__digest_end(&sum, digest);
    for (uint32_t i = 0; i < SOTTO__DIGEST_BYTES; i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
    return good ? sotto__pool_print(pool, "%s", text) : NULL;
}

/* Why a method of ours cannot be played on a file, or NULL. */
static const char *no_file_of(sotto_player player)
{
    if (player == SOTTO_PLAYER_SOTTO_OLS || player == SOTTO_PLAYER_JOINT_GLM) {
        return "it has shared parameters only, and a file is played with a parameter per arm";
    }
    if (player == SOTTO_PLAYER_ORACLE) return "the true parameter of a file is unknown";
    return NULL;
}

/* The methods of ours to play on a file; plug-ins are played by replay_plugins(). */
static void set_players(const playing *p, sotto_player *out, uint32_t *count)
{
    method_list candidates;
    set_candidates(p->settings, SOTTO_LINK_IDENTITY, &candidates);
    *count = 0;
    for (uint32_t i = 0; i < candidates.count; i++) {
        sotto_player player = candidates.player[i];
        if (candidates.custom[i] != NULL) continue;
        const char *why = no_file_of(player);
        if (why != NULL) leave_out(p, name_of(&candidates, i), why);
        if (why != NULL) continue;
        if (player == SOTTO_PLAYER_LINUCB || player == SOTTO_PLAYER_OLS) continue; /* always on */
        out[(*count)++] = player;
    }
    if (*count == 0) out[(*count)++] = SOTTO_PLAYER_SOTTO;
}

static bool hear_rounds(void *state, uint64_t done)
{
    progress_show(state, done);
    return true;
}

/* Takes the last checkpoint of every run of `custom`, or of all methods if `custom` is NULL. */
static sotto_status take_rows(const playing *p, const sotto_replay *replay,
                              const sotto_player_table *custom)
{
    sotto_replay_row row, next;
    uint64_t rows = sotto_replay_rows(replay);
    for (uint64_t r = 0; r < rows; r++) {
        if (!sotto_replay_row_at(replay, r, &row)) continue;
        bool last = !sotto_replay_row_at(replay, r + 1, &next) || next.seed != row.seed ||
                    strcmp(next.method, row.method) != 0;
        if (!last || row.seed > p->settings->seeds) continue;
        if (custom != NULL && strcmp(row.method, custom->name) != 0) continue;
        board_line *line = (board_line *)line_named(p->out, row.method);
        if (line == NULL) {
            sotto_player player = SOTTO_PLAYER_RANDOM;
            if (custom == NULL && !sotto_player_from_name(row.method, &player)) continue;
            const char *name = custom != NULL ? custom->name : sotto_player_name(player);
            line = next_line(p, name, player, custom);
        }
        if (line == NULL) return SOTTO_E_MEMORY;
        line->reward[row.seed - 1] = row.reward / (double)row.t;
        p->out->people = row.t;
    }
    return SOTTO_OK;
}

static sotto_replay_request replay_of(const playing *p, const sotto_player *player, uint32_t count)
{
    sotto_replay_request request = sotto_replay_request_default();
    request.player = player;
    request.players_count = count;
    request.epsilon = &p->settings->epsilon;
    request.epsilons_count = 1;
    request.delta = p->settings->delta;
    request.seeds_count = p->settings->seeds;
    request.threads = p->settings->threads;
    request.people_max = p->settings->horizon;
    return request;
}

static sotto_status replay_methods(const playing *p, const sotto_replay_request *request,
                                   const sotto_schema *schema, const char *path,
                                   const sotto_player_table *custom, sotto_fault *fault)
{
    sotto_replay *replay;
    progress_bar bar = progress_begin("rounds of a file", 0, p->settings->quiet);
    const sotto_replay_listener listener = {hear_rounds, &bar};
    sotto_status status = sotto_replay_run(request, schema, path, &listener, &replay, fault);
    progress_end(&bar);
    if (status != SOTTO_OK) return status;
    status = take_rows(p, replay, custom);
    sotto_replay_free(replay);
    return status == SOTTO_OK ? status : sotto__fault_status(fault, status);
}

/* Plays each plug-in in a replay of its own, so that one that fails can be left out. */
static sotto_status replay_plugins(const playing *p, const sotto_schema *schema, const char *path,
                                   sotto_fault *fault)
{
    const method_list *methods = p->settings->methods;
    const sotto_player ignored = SOTTO_PLAYER_RANDOM;
    for (uint32_t i = 0; methods != NULL && i < methods->count; i++) {
        const sotto_player_table *custom = methods->custom[i];
        if (custom == NULL) continue;
        sotto_replay_request request = replay_of(p, &ignored, 1);
        request.custom = &custom;
        sotto_status status = replay_methods(p, &request, schema, path, custom, fault);
        if (status == SOTTO_E_MEMORY) return status;
        if (status != SOTTO_OK) leave_out(p, custom->name, fault->sentence);
    }
    return SOTTO_OK;
}

static sotto_status replay_file(const playing *p, const sotto_schema *schema, const char *path,
                                sotto_fault *fault)
{
    sotto_player player[METHODS_MAX];
    uint32_t count;
    if (sotto_schema_is_log(schema)) {
        return sotto__refuse(fault, "%.300s: a log of arms and rewards; use sotto replay for it",
                             path);
    }
    set_players(p, player, &count);
    sotto_replay_request request = replay_of(p, player, count);
    sotto_status status = replay_methods(p, &request, schema, path, NULL, fault);
    if (status == SOTTO_OK) status = replay_plugins(p, schema, path, fault);
    if (status == SOTTO_OK) set_means(p);
    return status;
}

static sotto_status play_file(const playing *p, const char *word, sotto_fault *fault)
{
    sotto__pool *pool = &p->to->pool;
    sotto_schema *schema;
    const char *colon = strrchr(word, ':');
    if (colon == NULL || colon == word || colon[1] == '\0') {
        return sotto__refuse(fault, "%.300s: the schema is missing; give DATA:SCHEMA", word);
    }
    const char *path = sotto__pool_print(pool, "%.*s", (int)(colon - word), word);
    if (path == NULL) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    const char *base = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
    const char *data_hash = hash_of(path, pool);
    const char *schema_hash = data_hash == NULL ? NULL : hash_of(colon + 1, pool);
    if (data_hash == NULL || schema_hash == NULL) {
        const char *bad = data_hash == NULL ? path : colon + 1;
        return sotto__refuse(fault, "%.300s: cannot be read: %s", bad, strerror(errno));
    }
    *p->out = (board_world){
        .name = base,
        .sentence = sotto__pool_print(pool, "people from the file %s", base),
        .explorer = sotto_player_name(SOTTO_PLAYER_LINUCB),
        .hash = sotto__pool_print(pool, "SHA-256 of the data %s, of its schema %s", data_hash,
                                  schema_hash),
        .floor = NAN,
        .line = sotto__pool_take(pool, (METHODS_MAX + 4) * sizeof(board_line)),
        .left_out = sotto__pool_take(pool, (METHODS_MAX + 1) * sizeof(char *)),
    };
    if (p->out->line == NULL || p->out->left_out == NULL) {
        return sotto__fault_status(fault, SOTTO_E_MEMORY);
    }
    sotto_status status = sotto_schema_read(colon + 1, &schema, fault);
    if (status != SOTTO_OK) return status;
    status = replay_file(p, schema, path, fault);
    sotto_schema_free(schema);
    return status;
}

/* ---- all of them -------------------------------------------------------------------------- */

sotto_status board_play(const board_settings *settings, char **file, uint32_t files_count,
                        board *out, sotto_fault *fault)
{
    sotto_status status = SOTTO_OK;
    *out = (board){0};
    out->world = sotto__pool_take(&out->pool, (WORLDS + files_count) * sizeof *out->world);
    if (out->world == NULL) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    /* Files first, so that a bad file is reported before the long runs begin. */
    for (uint32_t i = 0; i < files_count && status == SOTTO_OK; i++) {
        playing p = {settings, NULL, out, &out->world[WORLDS + i]};
        status = play_file(&p, file[i], fault);
    }
    for (uint32_t i = 0; i < WORLDS && status == SOTTO_OK; i++) {
        playing p = {settings, &worlds[i], out, &out->world[i]};
        status = play_world(&p);
        if (status != SOTTO_OK) sotto__fault_status(fault, status);
    }
    out->worlds_count = status == SOTTO_OK ? (uint32_t)WORLDS + files_count : 0;
    return status;
}

void board_free(board *of)
{
    sotto__pool_free(&of->pool);
    *of = (board){0};
}
