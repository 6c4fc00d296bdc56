/* From options to the sweep that they ask for. */
#include "options.h"
#include "cli/option/sweep.h"
#include "cli/option/words.h"
#include "lab/run/true_privacy.h"
#include "loan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "sotto simulate"
#define EPSILONS_MAX 64u

/* What needs more than the option table to be understood. */
typedef struct choices {
    uint32_t players_count, epsilons_count;
    sotto_player player[SOTTO_PLAYERS];
    double epsilon[EPSILONS_MAX];
    sotto_score score;
    double huber_tau;
    sotto_split split;
    bool split_paper;
    uint32_t corrections;
    uint64_t epoch;  /* 0: auto */
    double growth;   /* 0: not */
    uint64_t window; /* 0: none */
} choices;

static bool refuse(const char *name, const char *value, const char *allowed)
{
    return word_refuse(PROGRAM, name, value, allowed);
}

static bool take_epsilons(const char *list, choices *c)
{
    return word_epsilons(PROGRAM, list, 50, EPSILONS_MAX, c->epsilon, &c->epsilons_count);
}

static const char *score_word(uint32_t value)
{
    static const char *const name[] = {"sign", "self", "huber:TAU"};
    return value < 3 ? name[value] : NULL;
}

static const char *split_word(uint32_t value)
{
    static const char *const name[] = {"joint", "per-arm", "paper"};
    return value < 3 ? name[value] : NULL;
}

static bool take_score(const char *text, choices *c)
{
    uint32_t which;
    if (strncmp(text, "huber", 5) == 0) {
        c->score = SOTTO_SCORE_HUBER;
        return (text[5] == ':' && word_real(text + 6, 1e-6, 1e6, &c->huber_tau)) ||
               refuse("score", text, "sign, self, huber:TAU with TAU 1e-06 to 1000000");
    }
    if (!args_name(PROGRAM, "--score", text, score_word, &which)) return false;
    c->score = which == 0 ? SOTTO_SCORE_SIGN : SOTTO_SCORE_SELF;
    return true;
}

static bool take_split(const char *text, choices *c)
{
    uint32_t which;
    if (!args_name(PROGRAM, "--split", text, split_word, &which)) return false;
    c->split_paper = which == 2;
    c->split = which == 1 ? SOTTO_SPLIT_PER_ARM : SOTTO_SPLIT_JOINT;
    return true;
}

static bool take_corrections(const char *list, choices *c)
{
    char word[WORD_BYTES];
    uint32_t which;
    while (word_next(&list, word)) {
        if (!args_name(PROGRAM, "--correct", word, sotto_correction_name, &which)) return false;
        if (c->corrections >> which & 1) return refuse("correct", word, "each correction once");
        c->corrections |= 1u << which;
    }
    return true;
}

static bool take_epoch(const char *text, choices *c)
{
    c->epoch = 0;
    if (strcmp(text, "auto") == 0) return true;
    if (strncmp(text, "growth:", 7) == 0 && word_real(text + 7, 0, 1, &c->growth) &&
        c->growth > 0) {
        c->epoch = 1;
        return true;
    }
    if (word_whole(text, &c->epoch) && c->epoch >= 1 && c->epoch <= SOTTO_REPORTS_MAX) return true;
    return refuse("epoch", text,
                  "auto, whole numbers 1 to 2147483648, or growth:G with G above 0, to 1");
}

static bool take_window(const char *text, choices *c)
{
    if (strcmp(text, "none") == 0) return true;
    if (word_whole(text, &c->window) && c->window <= SOTTO_REPORTS_MAX) return true;
    return refuse("window", text, "none, or whole numbers 1 to 2147483648");
}

/* An option that only some methods have applies to those of them that are compared. */
#define PLAYER(name) (1u << SOTTO_PLAYER_##name)
#define LATTICE_PLAYERS (PLAYER(LDP_OLS) | PLAYER(LDP_UCB) | PLAYER(LDP_GLOC))
#define CODEBOOK_PLAYERS (PLAYER(SOTTO) | PLAYER(SOTTO_OLS) | PLAYER(LDP_SGD))
#define PRIVATE_PLAYERS (CODEBOOK_PLAYERS | LATTICE_PLAYERS)

/* Says which options change nothing. Under calibration published --step picks a scheme of all. */
static void tell_idle_options(const simulate_options *s, const args_option *options,
                              const choices *c)
{
    static const struct {
        const char *name;
        uint32_t players;
    } special[] = {
        {"score", PLAYER(SOTTO)},
        {"split", PLAYER(LDP_SGD)},
        {"step", PLAYER(LDP_SGD) | PLAYER(SGD)},
        {"eta0", PLAYER(LDP_SGD) | PLAYER(SGD)},
        {"noise-law", LATTICE_PLAYERS},
        {"exact-noise", LATTICE_PLAYERS},
        {"shift-scale", LATTICE_PLAYERS | PLAYER(SOTTO_OLS)},
        {"elimination", PLAYER(LDP_SGD) | PLAYER(LDP_OLS)},
        {"unknown-horizon", PRIVATE_PLAYERS},
        {"window", PRIVATE_PLAYERS},
        {"lag", PRIVATE_PLAYERS},
        {"epoch", PRIVATE_PLAYERS},
        {"liars", PRIVATE_PLAYERS},
        {"grind", CODEBOOK_PLAYERS},
    };
    uint32_t compared = 0;
    for (uint32_t i = 0; i < c->players_count; i++) {
        compared |= 1u << c->player[i];
    }
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        uint32_t players = special[i].players;
        bool scheme =
            s->calibration == SOTTO_CALIBRATION_PUBLISHED && strcmp(special[i].name, "step") == 0;
        if (!args_given(options, special[i].name) || (players & compared) != 0 || scheme) continue;
        fprintf(stderr, PROGRAM ": --%s changes nothing here: it is for", special[i].name);
        for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
            if (players >> p & 1) fprintf(stderr, " %s", sotto_player_name(p));
        }
        fprintf(stderr, "\n");
    }
    if (args_given(options, "grind") && s->liars == 0) {
        fprintf(stderr, PROGRAM ": --grind changes nothing here: it is for --liars\n");
    }
}

static bool choose(const simulate_options *s, const args_option *options, choices *c)
{
    *c = (choices){.epoch = 1};
    if (!sweep_methods(PROGRAM, s->methods, c->player, &c->players_count)) return false;
    if (!take_epsilons(s->epsilons, c)) return false;
    if (s->score != NULL && !take_score(s->score, c)) return false;
    if (s->split != NULL && !take_split(s->split, c)) return false;
    if (c->split_paper && s->parameters == SOTTO_PARAMETERS_SHARED) {
        fprintf(stderr, PROGRAM ": --split paper: only with --parameters per-arm and --calibration "
                                "paper; shared parameters need no split\n");
        return false;
    }
    if (s->correct != NULL && !take_corrections(s->correct, c)) return false;
    if (s->epoch != NULL && !take_epoch(s->epoch, c)) return false;
    if (s->window != NULL && !take_window(s->window, c)) return false;
    if (s->csv && s->json) {
        fprintf(stderr, PROGRAM ": --csv and --json: rows have one format\n");
        return false;
    }
    if (s->warm_up > 0 && s->parameters == SOTTO_PARAMETERS_SHARED) {
        fprintf(stderr, PROGRAM ": --warmup: only per-arm parameters warm up\n");
        return false;
    }
    if (!s->quiet && !s->constants) tell_idle_options(s, options, c);
    return true;
}

/* ---- a match ------------------------------------------------------------------------------ */

static sotto_scene scene_of(const simulate_options *s, const args_option *options)
{
    sotto_scene scene = {
        .dim = s->dim,
        .arms = s->arms,
        .parameters = (sotto_parameters)s->parameters,
        .link = (sotto_link)s->link,
        .reward_kind = sotto_scene_reward_kind((sotto_link)s->link),
        .environment = s->calibration == SOTTO_CALIBRATION_PUBLISHED ? SOTTO_ENVIRONMENT_PUBLISHED
                                                                     : SOTTO_ENVIRONMENT_SPHERE,
        .horizon = s->horizon,
    };
    if (args_given(options, "reward-kind")) scene.reward_kind = (sotto_reward_kind)s->reward_kind;
    if (args_given(options, "environment")) {
        scene.environment = (sotto_environment_kind)s->environment;
    }
    return scene;
}

#define TAKE(name, target, value)                                                                  \
    if (args_given(options, name)) (target) = (value)

static void set_spec(const simulate_options *s, const args_option *options, const choices *c,
                     sotto_match *match)
{
    sotto_spec *spec = &match->spec;
    uint32_t player = 1u << match->player;
    match->corrections = c->corrections;
    if (args_given(options, "reward-range")) {
        spec->reward_lo = spec->reward_default = s->reward_range[0];
        spec->reward_hi = s->reward_range[1];
        /* A reward that never came counts as 0 where 0 is a reward. */
        if (spec->reward_lo <= 0 && spec->reward_hi >= 0) spec->reward_default = 0;
    }
    TAKE("context-norm-max", spec->context_norm_max, s->context_norm_max);
    TAKE("theta-norm-max", spec->theta_norm_max, s->theta_norm_max);
    TAKE("lag", spec->epoch_lag_max, s->lag);
    spec->window_reports = c->window;
    if (s->score != NULL && (player & PLAYER(SOTTO)) != 0) {
        spec->score = c->score;
        if (c->score == SOTTO_SCORE_HUBER) spec->huber_tau = c->huber_tau;
    }
    if (s->split != NULL && (player & PLAYER(LDP_SGD)) != 0) {
        spec->split = c->split;
        match->split_paper = c->split_paper;
    }
    if (args_given(options, "noise-law") && (player & LATTICE_PLAYERS) != 0) {
        spec->noise_law = (sotto_noise_law)s->noise_law;
        if (spec->noise_law == SOTTO_NOISE_LAPLACE) spec->delta = 0;
    }
    match->exact_noise = s->exact_noise && (player & LATTICE_PLAYERS) != 0;
    if ((player & PRIVATE_PLAYERS) != 0) {
        match->growth = c->growth;
        match->liars = s->liars;
        TAKE("grind", match->grind, s->grind);
    }
    bool weak = s->weak_delta || match->calibration != SOTTO_CALIBRATION_EXACT;
    spec->allow_weak_delta = weak && spec->delta > 1e-6; /* else it is another spec for nothing */
    if (c->epoch > spec->epoch_reports_max) spec->epoch_reports_max = c->epoch;
}

static void set_environment(const simulate_options *s, const args_option *options,
                            sotto_environment *environment)
{
    TAKE("noise", environment->noise, s->noise);
    TAKE("theta-norm", environment->theta_norm, s->theta_norm);
    TAKE("margin", environment->margin, s->margin);
    TAKE("drift", environment->drift, s->drift);
}

static sotto_status set_learning(const simulate_options *s, const args_option *options,
                                 const choices *c, sotto_match *match)
{
    sotto_learning *learning = &match->learning;
    sotto_status status = sotto_match_learning(match);
    if (status != SOTTO_OK) return status;
    bool told = match->calibration == SOTTO_CALIBRATION_PUBLISHED ||
                !sotto_player_is_private(match->player);
    if (s->unknown_horizon && !told) {
        sotto_resolved resolved;
        status = sotto_spec_resolve(&match->spec, &resolved);
        if (status != SOTTO_OK) return status;
        *learning = sotto_learning_default(&resolved, 0);
    }
    learning->epoch = c->epoch;
    TAKE("warmup", learning->warm_up, s->warm_up);
    TAKE("alpha", learning->alpha, s->alpha);
    TAKE("shift-scale", learning->shift_scale, s->shift_scale);
    TAKE("elimination", learning->elimination_scale, s->elimination);
    if (args_given(options, "step")) {
        learning->step = (sotto_step)s->step;
        learning->eta0 = learning->step == SOTTO_STEP_SQRT ? 0.03 : 5;
    }
    TAKE("eta0", learning->eta0, s->eta0);
    return SOTTO_OK;
}

static bool set_match(const simulate_options *s, const args_option *options, const choices *c,
                      sotto_match *match)
{
    char text[SOTTO_FAULT_BYTES];
    set_spec(s, options, c, match);
    set_environment(s, options, &match->environment);
    sotto_status status = set_learning(s, options, c, match);
    const char *fault = sotto_match_fault(match, text);
    if (fault == NULL && status == SOTTO_OK) return true;
    if (fault == NULL) fault = sotto_status_text(status);
    if (s->constants) {
        fprintf(stderr, PROGRAM ": %s\n", fault);
    } else {
        fprintf(stderr, PROGRAM ": --method %s: %s\n", sotto_player_name((uint32_t)match->player),
                word_dashes(fault, text));
    }
    return false;
}

/* ---- the plan ----------------------------------------------------------------------------- */

void simulate_plan_free(simulate_plan *plan)
{
    free(plan->match);
    free(plan->epsilon);
    free(plan->at);
    simulate_loan_close(plan);
    *plan = (simulate_plan){0};
}

/* The same for options of a world that is another one. */
static void tell_idle_world(const args_option *options, const sotto_scene *scene)
{
    if (args_given(options, "margin") && scene->environment != SOTTO_ENVIRONMENT_MARGIN) {
        fprintf(stderr, PROGRAM ": --margin changes nothing here: it is for environment margin\n");
    }
    if (args_given(options, "drift") && scene->environment != SOTTO_ENVIRONMENT_DRIFT) {
        fprintf(stderr, PROGRAM ": --drift changes nothing here: it is for environment drift\n");
    }
    if (args_given(options, "revenue") && scene->environment != SOTTO_ENVIRONMENT_LOAN) {
        fprintf(stderr, PROGRAM ": --revenue changes nothing here: it is for environment loan\n");
    }
    if (args_given(options, "noise") && scene->reward_kind != SOTTO_REWARD_CONTINUOUS) {
        fprintf(stderr, PROGRAM ": --noise changes nothing here: it is for continuous rewards\n");
    }
}

static bool fill_matches(const simulate_options *s, const args_option *options, const choices *c,
                         simulate_plan *plan)
{
    sotto_scene scene = scene_of(s, options);
    if (!s->quiet) tell_idle_world(options, &scene);
    if (scene.environment == SOTTO_ENVIRONMENT_LOAN && !simulate_loan_open(s->quiet, plan)) {
        return false;
    }
    scene.population = plan->population;
    for (uint32_t i = 0; i < plan->sweep.matches_count; i++) {
        plan->epsilon[i] = c->epsilon[i % c->epsilons_count];
        plan->match[i] =
            sotto_match_default(c->player[i / c->epsilons_count], (sotto_calibration)s->calibration,
                                &scene, plan->epsilon[i], s->delta);
        if (s->revenue && plan->population != NULL) {
            plan->match[i].worth = plan->population->worth;
        }
        if (!set_match(s, options, c, &plan->match[i])) return false;
    }
    return true;
}

int simulate_plan_of(const simulate_options *s, const args_option *options, simulate_plan *out)
{
    int code = EXIT_FAILED;
    choices c;
    *out = (simulate_plan){0};
    if (!choose(s, options, &c)) return EXIT_USAGE;
    uint32_t matches = c.players_count * c.epsilons_count;
    out->match = calloc(matches, sizeof *out->match);
    out->epsilon = calloc(matches, sizeof *out->epsilon);
    out->at = calloc(SOTTO_POINTS_MAX, sizeof *out->at);
    if (out->match == NULL || out->epsilon == NULL || out->at == NULL) {
        fprintf(stderr, PROGRAM ": %s\n", sotto_status_text(SOTTO_E_MEMORY));
        goto cleanup;
    }
    out->sweep = (sotto_sweep){
        .match = out->match,
        .matches_count = matches,
        .first_seed = s->first_seed,
        .seeds_count = s->seeds,
        .at = out->at,
        .threads = args_given(options, "threads") ? s->threads : sweep_cores(),
    };
    code = EXIT_USAGE;
    if (!sweep_points(PROGRAM, s->checkpoints, s->horizon, out->at, &out->sweep.at_count)) {
        goto cleanup;
    }
    if (!fill_matches(s, options, &c, out)) goto cleanup;
    return EXIT_OK;
cleanup:
    simulate_plan_free(out);
    return code;
}

void simulate_plan_warn(const simulate_plan *plan)
{
    if (plan->match[0].calibration == SOTTO_CALIBRATION_PUBLISHED) {
        fprintf(stderr, PROGRAM ": lab only: reproduces the authors' code, which is not private as "
                                "claimed\n");
    }
    if (plan->match[0].calibration != SOTTO_CALIBRATION_PAPER) return;
    fprintf(stderr, PROGRAM ": lab only: the constants printed in the paper\n");
    for (uint32_t i = 0; i < plan->sweep.matches_count; i++) {
        const sotto_match *match = &plan->match[i];
        const sotto_spec *spec = &match->spec;
        if (!sotto_player_is_private(match->player) || spec->delta == 0) continue;
        double whitened = sotto__paper_whitened(match);
        fprintf(stderr,
                PROGRAM ": %s claims epsilon %g, delta %g: with the paper's noise that is epsilon "
                        "%.4g at this delta, or delta %.3g at this epsilon\n",
                sotto_player_name((uint32_t)match->player), spec->epsilon, spec->delta,
                sotto_gaussian_epsilon(spec->delta, whitened),
                sotto_gaussian_delta(spec->epsilon, whitened));
    }
}
