/* From options to the comparison that they ask for. */
#include "request.h"
#include "choices.h"
#include "cli/option/sweep.h"
#include "cli/option/words.h"
#include "idle.h"
#include "lab/loan/file.h"

#include <inttypes.h>
#include <stdlib.h>

#define GIVEN(member) OPTION_GIVEN(line, simulate_options, member)

/* ---- a match ------------------------------------------------------------------------------ */

/* What was given, for the methods that have a use for it. */
static void take_given(const command_line *line, const simulate_options *s, sotto_match *match)
{
    const sotto_match own = *match;
    uint32_t player = 1u << match->player;
    command_line_copy_given(line, offsetof(simulate_options, match), sizeof *match, match);
    if ((player & SIMULATE_LATTICE) == 0) {
        match->spec.noise_law = own.spec.noise_law;
        match->exact_noise = own.exact_noise;
    }
    if ((player & SIMULATE_PRIVATE) == 0) {
        match->liars = own.liars;
        match->grind = own.grind;
    }
    if (GIVEN(reward_range)) {
        match->spec.reward_lo = match->spec.reward_default = s->reward_range[0];
        match->spec.reward_hi = s->reward_range[1];
        /* A reward that never came counts as 0 where 0 is a reward. */
        if (s->reward_range[0] <= 0 && s->reward_range[1] >= 0) match->spec.reward_default = 0;
    }
}

static void set_spec(const simulate_options *s, const simulate_choices *c, sotto_match *match)
{
    sotto_spec *spec = &match->spec;
    uint32_t player = 1u << match->player;
    match->corrections = c->corrections;
    spec->window_reports = c->window;
    if (s->score != NULL && (player & SIMULATE_PLAYER(SOTTO)) != 0) {
        spec->score = c->score;
        if (c->score == SOTTO_SCORE_HUBER) spec->huber_tau = c->huber_tau;
    }
    if (s->split != NULL && (player & SIMULATE_PLAYER(LDP_SGD)) != 0) {
        spec->split = c->split;
        match->split_paper = c->split_paper;
    }
    if (spec->noise_law == SOTTO_NOISE_LAPLACE) spec->delta = 0;
    if ((player & SIMULATE_PRIVATE) != 0) match->growth = c->growth;
    bool weak = s->weak_delta || match->calibration != SOTTO_CALIBRATION_EXACT;
    spec->allow_weak_delta = weak && spec->delta > 1e-6; /* else it is another spec for nothing */
    if (c->epoch > spec->epoch_reports_max) spec->epoch_reports_max = c->epoch;
}

static sotto_status set_learning(const command_line *line, const simulate_options *s,
                                 const simulate_choices *c, sotto_match *match)
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
    command_line_copy_given(line, offsetof(simulate_options, match.learning), sizeof *learning,
                            learning);
    if (GIVEN(match.learning.step) && !GIVEN(match.learning.eta0)) {
        learning->eta0 = learning->step == SOTTO_STEP_SQRT ? 0.03 : 5;
    }
    return SOTTO_OK;
}

static bool set_match(const command_line *line, const simulate_options *s,
                      const simulate_choices *c, sotto_match *match)
{
    char text[SOTTO_FAULT_BYTES];
    take_given(line, s, match);
    set_spec(s, c, match);
    sotto_status status = set_learning(line, s, c, match);
    const char *fault = sotto_match_fault(match, text);
    if (fault == NULL && status == SOTTO_OK) return true;
    if (fault == NULL) fault = sotto_status_text(status);
    if (s->constants) return option_say(line, "%s", fault);
    return option_say(line, "--method %s: %s", sotto_player_name(match->player),
                      word_dashes(fault, text));
}

/* ---- the scene ---------------------------------------------------------------------------- */

/* What was not given follows from what was. */
static void set_scene(const command_line *line, simulate_options *s)
{
    sotto_scene *scene = &s->scene;
    bool published = s->calibration == SOTTO_CALIBRATION_PUBLISHED;
    if (!GIVEN(scene.environment)) {
        scene->environment = published ? SOTTO_ENVIRONMENT_PUBLISHED : SOTTO_ENVIRONMENT_SPHERE;
    }
    if (scene->environment == SOTTO_ENVIRONMENT_LOAN) {
        if (!GIVEN(scene.dim)) scene->dim = SOTTO__LOAN_DIM;
        if (!GIVEN(scene.arms)) scene->arms = SOTTO__LOAN_ARMS;
        if (!GIVEN(scene.link)) scene->link = SOTTO_LINK_LOGIT;
    }
    if (!GIVEN(scene.reward_kind)) scene->reward_kind = sotto_scene_reward_kind(scene->link);
    if (s->constants && !GIVEN(scene.horizon)) scene->horizon = 1;
    if (s->constants && !GIVEN(methods)) s->methods = "random"; /* any method does */
    if (!GIVEN(threads)) s->threads = sweep_cores();
}

static bool is_whole(const command_line *line, const simulate_options *s)
{
    if (!s->constants && !(OPTION_NEED(line, simulate_options, methods) &&
                           OPTION_NEED(line, simulate_options, scene.horizon))) {
        return false;
    }
    if (s->scene.environment == SOTTO_ENVIRONMENT_LOAN) return true;
    return OPTION_NEED(line, simulate_options, scene.dim) &&
           OPTION_NEED(line, simulate_options, scene.arms);
}

/* The customers of environment loan: synthetic ones. */
static bool open_loan(const command_line *line, simulate_options *s, simulate_request *out)
{
    char fault[SOTTO_FAULT_BYTES];
    const char *wrong = sotto__loan_open(NULL, &out->loan, fault);
    if (wrong != NULL) return option_say(line, "--environment loan: %s", wrong);
    s->scene.population = &out->loan->population;
    if (s->quiet) return true;
    option_say(line,
               "SYNTHETIC customers: %" PRIu64 " rows of the stand-in, not the data of the "
               "auto-loan study",
               out->loan->rows);
    return true;
}

/* ---- the comparison ----------------------------------------------------------------------- */

static bool fill_matches(const command_line *line, simulate_options *s, const simulate_choices *c,
                         simulate_request *out)
{
    sotto__comparison *comparison = &out->comparison;
    if (!s->quiet) simulate_tell_idle_world(line, &s->scene);
    if (s->scene.environment == SOTTO_ENVIRONMENT_LOAN && !open_loan(line, s, out)) return false;
    for (uint32_t i = 0; i < comparison->sweep.matches_count; i++) {
        comparison->epsilon[i] = c->epsilon[i % c->epsilons_count];
        comparison->match[i] = sotto_match_default(c->player[i / c->epsilons_count], s->calibration,
                                                   &s->scene, comparison->epsilon[i], s->delta);
        if (s->revenue && out->loan != NULL) {
            comparison->match[i].worth = s->scene.population->worth;
        }
        if (!set_match(line, s, c, &comparison->match[i])) return false;
    }
    return true;
}

int simulate_request_of(const command_line *line, simulate_options *s, simulate_request *out)
{
    int code = EXIT_USAGE;
    simulate_choices c;
    *out = (simulate_request){0};
    if (!is_whole(line, s)) return EXIT_USAGE;
    set_scene(line, s);
    if (!simulate_choices_of(line, s, &c)) return EXIT_USAGE;
    if (!s->quiet && !s->constants) simulate_tell_idle(line, s, &c);
    uint32_t matches = c.players_count * c.epsilons_count;
    sotto_status status = sotto__comparison_new(matches, &out->comparison);
    if (status != SOTTO_OK) {
        option_say(line, "%s", sotto_status_text(status));
        return EXIT_FAILED;
    }
    sotto_sweep *sweep = &out->comparison.sweep;
    sweep->matches_count = matches;
    sweep->first_seed = s->first_seed;
    sweep->seeds_count = s->seeds;
    sweep->threads = s->threads;
    if (sweep_points("sotto simulate", s->checkpoints, s->scene.horizon, out->comparison.at,
                     &sweep->at_count) &&
        fill_matches(line, s, &c, out)) {
        code = EXIT_OK;
    }
    if (code != EXIT_OK) simulate_request_free(out);
    return code;
}

void simulate_request_free(simulate_request *request)
{
    sotto__comparison_free(&request->comparison);
    sotto__loan_free(request->loan);
    request->loan = NULL;
}
