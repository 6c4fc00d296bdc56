/* From options to predictions. */
#include "options.h"
#include "cli/option/words.h"

#include <stdio.h>

#define PROGRAM "sotto plan"
#define EPSILON_MIN 0.01
#define TARGET_SHARE 0.05 /* of the best reward, where no target is given */

#define TAKE(name, target, value)                                                                  \
    if (args_given(options, name)) (target) = (value)

static sotto_match match_of(const plan_options *s, const args_option *options, double epsilon)
{
    sotto_scene scene = {
        .dim = s->dim,
        .arms = s->arms,
        .parameters = (sotto_parameters)s->parameters,
        .link = (sotto_link)s->link,
        .reward_kind = sotto_scene_reward_kind((sotto_link)s->link),
        .environment = SOTTO_ENVIRONMENT_SPHERE,
        .horizon = s->horizon,
    };
    TAKE("reward-kind", scene.reward_kind, (sotto_reward_kind)s->reward_kind);
    sotto_match match = sotto_match_default((sotto_player)s->method, SOTTO_CALIBRATION_EXACT,
                                            &scene, epsilon, 1e-6);
    sotto_spec *spec = &match.spec;
    TAKE("noise", match.environment.noise, s->noise);
    TAKE("theta-norm-max", spec->theta_norm_max, s->theta_norm_max);
    TAKE("theta-norm-max", match.environment.theta_norm, s->theta_norm_max);
    if (args_given(options, "reward-range")) {
        spec->reward_lo = spec->reward_default = s->reward_range[0];
        spec->reward_hi = s->reward_range[1];
        /* A reward that never came counts as 0 where 0 is a reward. */
        if (spec->reward_lo <= 0 && spec->reward_hi >= 0) spec->reward_default = 0;
    }
    return match;
}

/* 10, 100, ... below the horizon, and the horizon. */
static void set_points(plan_answer *answer, uint64_t horizon)
{
    answer->points_count = 0;
    for (uint64_t people = 10; people < horizon; people *= 10) {
        answer->point[answer->points_count++].people = people;
    }
    answer->point[answer->points_count++].people = horizon;
}

static int answer_one(const plan_options *s, const args_option *options, double epsilon,
                      plan_answer *out)
{
    char text[SOTTO_FAULT_BYTES];
    sotto_match match = match_of(s, options, epsilon);
    sotto_status status = sotto_match_learning(&match);
    match.learning.epoch = 0;
    if (status == SOTTO_OK || status == SOTTO_E_FAULT) {
        const char *fault = sotto_plan_fault(&match, text);
        if (fault != NULL) {
            fprintf(stderr, PROGRAM ": %s\n", word_dashes(fault, text));
            return EXIT_USAGE;
        }
        status = sotto_plan_of(&match, &out->plan);
    }
    if (status != SOTTO_OK) {
        fprintf(stderr, PROGRAM ": %s\n", sotto_status_text(status));
        return EXIT_FAILED;
    }
    set_points(out, s->horizon);
    sotto_plan_run(&out->plan, out->point, out->points_count);
    out->target = TARGET_SHARE * out->plan.best_reward;
    TAKE("target", out->target, s->target);
    out->target_people = sotto_plan_people(&out->plan, out->target);
    out->within_people = sotto_plan_within(&out->plan, s->within / 100);
    return EXIT_OK;
}

int plan_answer_all(const plan_options *s, const args_option *options, plan_answers *out)
{
    double epsilon[PLAN_EPSILONS_MAX];
    *out = (plan_answers){.horizon = s->horizon, .per_day = s->per_day, .within = s->within};
    if (!word_epsilons(PROGRAM, s->epsilons, 8, PLAN_EPSILONS_MAX, epsilon, &out->count)) {
        return EXIT_USAGE;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        int code = answer_one(s, options, epsilon[i], &out->of[i]);
        if (code == EXIT_OK && epsilon[i] / 2 >= EPSILON_MIN) {
            code = answer_one(s, options, epsilon[i] / 2, &out->half[i]);
        }
        if (code != EXIT_OK) return code;
    }
    bool noisy = out->of[0].plan.match.environment.law == SOTTO_LAW_GAUSSIAN;
    if (args_given(options, "noise") && !noisy && !s->quiet) {
        fprintf(stderr, PROGRAM ": --noise changes nothing here: it is for continuous rewards\n");
    }
    return EXIT_OK;
}
