/* Fills options that were not given from those that were. */
#include "cli/option/option.h"
#include "inner.h"
#include "lab/loan/loan.h"
#include "threads/threads.h"

#include <stdlib.h>

#define GIVEN(member) OPTION_GIVEN(line, simulate_options, member)
#define NEED(member) OPTION_NEED(line, simulate_options, member)

static bool is_whole(const command_line *line, const simulate_options *s)
{
    if (!s->constants && !(NEED(methods) && NEED(request.scene.horizon))) return false;
    if (s->request.scene.environment == SOTTO_ENVIRONMENT_LOAN) return true;
    const sotto_environment_table *custom = s->request.scene.custom;
    bool has_dim = custom != NULL && custom->dim != 0;
    bool has_arms = custom != NULL && custom->arms != 0;
    return (has_dim || NEED(request.scene.dim)) && (has_arms || NEED(request.scene.arms));
}

static void set_scene(const command_line *line, const simulate_options *s, sotto_scene *scene)
{
    bool published = s->request.calibration == SOTTO_CALIBRATION_PUBLISHED;
    if (!GIVEN(request.scene.environment)) {
        scene->environment = published ? SOTTO_ENVIRONMENT_PUBLISHED : SOTTO_ENVIRONMENT_SPHERE;
    }
    if (scene->environment == SOTTO_ENVIRONMENT_LOAN) {
        if (!GIVEN(request.scene.dim)) scene->dim = SOTTO__LOAN_DIM;
        if (!GIVEN(request.scene.arms)) scene->arms = SOTTO__LOAN_ARMS;
        if (!GIVEN(request.scene.link)) scene->link = SOTTO_LINK_LOGIT;
    }
    if (scene->custom != NULL) {
        if (!GIVEN(request.scene.dim)) scene->dim = scene->custom->dim;
        if (!GIVEN(request.scene.arms)) scene->arms = scene->custom->arms;
    }
    if (!GIVEN(request.scene.reward_kind)) {
        scene->reward_kind = sotto_link_reward_kind(scene->link);
    }
    if (s->constants && !GIVEN(request.scene.horizon)) scene->horizon = 1;
}

/* Refuses a link or a kind of reward that a custom environment cannot have. It comes before the
 * check of the spec, so that the sentence names the option. */
static bool custom_rewards_fit(const command_line *line, const simulate_options *s)
{
    const sotto_scene *scene = &s->request.scene;
    const sotto_environment_table *custom = scene->custom;
    if (custom == NULL || GIVEN(request.wanted.spec.reward_lo)) return true;
    bool binary = scene->reward_kind == SOTTO_REWARD_BINARY;
    bool count = scene->reward_kind == SOTTO_REWARD_COUNT;
    bool unit = custom->reward_lo == 0 && custom->reward_hi == 1;
    if ((!binary || unit) && (!count || custom->reward_lo >= 0)) return true;
    bool kind = GIVEN(request.scene.reward_kind);
    return option_say(
        line,
        "--%s %s: rewards are then %s, and those of environment %s are %.10g to "
        "%.10g; use --reward-kind continuous, or --reward-range",
        kind ? "reward-kind" : "link",
        kind ? sotto_reward_kind_name(scene->reward_kind) : sotto_link_name(scene->link),
        binary ? "0 or 1" : "counts from 0 on", custom->name, custom->reward_lo, custom->reward_hi);
}

/* Sets the lists of the request, and records which fields of a match were given. */
static void set_lists(const command_line *line, simulate_options *s)
{
    sotto_comparison_request *request = &s->request;
    option_span span[SOTTO_COMPARISON_CHANGES_MAX];
    if (s->constants && !GIVEN(methods)) { /* any method will do */
        s->methods = (method_list){.count = 1, .player = {SOTTO_PLAYER_RANDOM}};
    }
    request->player = s->methods.player;
    request->custom = s->methods.custom;
    request->players_count = s->methods.count;
    request->best_arm = true;
    request->epsilon = s->epsilons.epsilon;
    request->epsilons_count = s->epsilons.count;
    request->at = s->points.at;
    request->at_count = s->points.count;
    request->changes_count =
        command_line_given(line, offsetof(simulate_options, request.wanted), sizeof(sotto_match),
                           span, SOTTO_COMPARISON_CHANGES_MAX);
    for (uint32_t i = 0; i < request->changes_count; i++) {
        request->change[i] = (sotto_comparison_change){span[i].field, span[i].bytes};
    }
}

/* False, with a sentence, if options exclude each other. */
static bool fit_together(const command_line *line, const simulate_options *s)
{
    const sotto_match *wanted = &s->request.wanted;
    bool shared = s->request.scene.parameters == SOTTO_PARAMETERS_SHARED;
    if (wanted->split_paper && shared) {
        return option_say(line, "--split paper: only with --parameters per-arm and --calibration "
                                "paper; shared parameters need no split");
    }
    if (s->constants && s->request.scene.custom != NULL) {
        return option_say(line, "--constants: only for the lab's own environments");
    }
    if (s->csv && s->json) return option_say(line, "--csv and --json: rows have one format");
    if (s->measured && wanted->spec.measure == 0) {
        return option_say(line, "--measured: only with --measure SHARE, 0.001 to 0.5");
    }
    if (s->measured && s->summary) {
        return option_say(
            line, "--summary and --measured: give only one; the table of --summary has both");
    }
    if (s->measured && s->resume != NULL) {
        return option_say(
            line, "--measured cannot be used with --resume, because its FILE stores only rows");
    }
    if (s->shard.count > 0 && (s->summary || s->measured || s->constants)) {
        return option_say(line, "--%s: not with --shard, which plays only a part of the runs",
                          s->summary    ? "summary"
                          : s->measured ? "measured"
                                        : "constants");
    }
    if (GIVEN(request.wanted.epoch_seconds_min) && !GIVEN(request.wanted.people_per_second)) {
        return option_say(line, "--epoch-seconds-min: only with --delay WINDOW,SPREAD,RATE");
    }
    if (wanted->learning.warm_up > 0 && shared) {
        return option_say(line, "--warmup: only per-arm parameters warm up");
    }
    return true;
}

void simulate_options_free(simulate_options *s)
{
    method_list_free(&s->methods);
    free(s->environment);
}

bool simulate_options_complete(const command_line *line, simulate_options *s)
{
    sotto_fault fault;
    if (!is_whole(line, s) || !fit_together(line, s)) return false;
    set_scene(line, s, &s->request.scene);
    if (!custom_rewards_fit(line, s)) return false;
    if (point_list_end(&s->points, s->request.scene.horizon, &fault) != SOTTO_OK) {
        return option_say(line, "--checkpoints = %s", fault.sentence);
    }
    set_lists(line, s);
    if (!GIVEN(request.threads)) s->request.threads = cores_count(SOTTO_THREADS_MAX);
    return true;
}
