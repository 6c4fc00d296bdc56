/* The answers of `sotto plan` as JSON. */
#include "core/method.h"
#include "print.h"

#include <sotto/client.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* JSON has no infinity. */
static void real(const char *key, double value)
{
    if (isfinite(value)) {
        printf(", \"%s\": %.17g", key, value);
    } else {
        printf(", \"%s\": null", key);
    }
}

/* 0 stands for no answer. */
static void natural(const char *key, uint64_t value)
{
    if (value > 0) {
        printf(", \"%s\": %" PRIu64, key, value);
    } else {
        printf(", \"%s\": null", key);
    }
}

static void print_point(const sotto_plan_point *at, const char *before)
{
    printf("%s{\"people\": %" PRIu64, before, at->people);
    real("regret", at->regret);
    real("regret_per_person", at->regret / (double)at->people);
    real("regret_next_person", at->regret_next);
    real("regret_without_privacy", at->open_regret);
    real("regret_next_person_without_privacy", at->open_regret_next);
    printf(", \"epoch_reports\": %" PRIu64 "}", at->epoch_reports);
}

static void print_codebook(const char *key, const sotto_codebook *codebook)
{
    printf(", \"%s\": {\"size\": %u, \"groups\": %u, \"top\": %u", key, codebook->size,
           codebook->groups, codebook->top);
    real("scale", codebook->scale);
    printf("}");
}

static void print_chosen(const plan_answer *answer)
{
    const sotto_resolved *resolved = &answer->plan.resolved;
    const sotto_spec *spec = &resolved->spec;
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    printf(", \"chosen\": {\"score\": \"%s\", \"estimator\": \"%s\"",
           sotto_score_name((uint32_t)spec->score),
           sotto__method_averages(spec) ? "averaged" : "tracked");
    real("along_weight", resolved->along_weight);
    printf(", \"report_bytes\": %zu, \"warm_up_reports\": %" PRIu64, sotto_report_bytes(resolved),
           sotto_learning_default(resolved, answer->plan.match.horizon).warm_up);
    print_codebook("codebook", &resolved->codebook[SOTTO_PHASE_MAIN]);
    if (per_arm) print_codebook("warm_up_codebook", &resolved->codebook[SOTTO_PHASE_WARM_UP]);
    printf("}");
}

static void print_budget(const plan_answer *answer)
{
    const sotto_policy policy = sotto_policy_default();
    printf(", \"budget\": {\"epsilon_per_report\": %.17g", answer->plan.match.spec.epsilon);
    real("epsilon_per_report_max", policy.epsilon_per_report_max);
    real("epsilon_lifetime", policy.epsilon_lifetime);
    printf(", \"reports_per_person\": %" PRIu64 "}", answer->plan.reports_per_person);
}

/* What one epsilon costs, without the braces around it: half of an epsilon has the same keys. */
static void print_cost(const plan_answers *answers, const plan_answer *answer)
{
    const sotto_plan_point *last = plan_last(answer);
    double mean = last->regret / (double)answers->horizon;
    printf("\"epsilon\": %.17g", answer->plan.match.spec.epsilon);
    real("regret", last->regret);
    real("regret_per_person", mean);
    real("share_of_best_reward", mean / answer->plan.best_reward);
    real("regret_without_privacy", last->open_regret);
    real("cost", last->regret / last->open_regret);
    real("target", answer->target);
    natural("target_people", answer->target_people);
    natural("within_people", answer->within_people);
    if (answers->per_day == 0) return;
    natural("target_days", plan_days(answers, answer->target_people));
    natural("within_days", plan_days(answers, answer->within_people));
}

static void print_one(const plan_answers *answers, uint32_t i)
{
    const plan_answer *answer = &answers->of[i], *half = &answers->half[i];
    printf("%s{", i == 0 ? "" : ", ");
    print_cost(answers, answer);
    if (half->points_count == 0) {
        printf(", \"half\": null");
    } else {
        printf(", \"half\": {");
        print_cost(answers, half);
        real("ratio", plan_last(half)->regret / plan_last(answer)->regret);
        printf("}");
    }
    print_chosen(answer);
    print_budget(answer);
    printf(", \"points\": [");
    for (uint32_t at = 0; at < answer->points_count; at++) {
        print_point(&answer->point[at], at == 0 ? "" : ", ");
    }
    printf("]}");
}

void plan_json_print(const plan_answers *answers)
{
    const sotto_plan *plan = &answers->of[0].plan;
    const sotto_spec *spec = &plan->match.spec;
    printf("{\"method\": \"sotto\", \"dim\": %u, \"arms\": %u, \"parameters\": \"%s\"", spec->dim,
           spec->arms, sotto_parameters_name((uint32_t)spec->parameters));
    printf(", \"link\": \"%s\", \"reward_kind\": \"%s\"", sotto_link_name((uint32_t)spec->link),
           sotto_reward_kind_name((uint32_t)spec->reward_kind));
    real("reward_lo", spec->reward_lo);
    real("reward_hi", spec->reward_hi);
    bool noisy = plan->match.environment.law == SOTTO_LAW_GAUSSIAN;
    real("noise", noisy ? plan->match.environment.noise : NAN);
    real("theta_norm_max", spec->theta_norm_max);
    printf(", \"horizon\": %" PRIu64, answers->horizon);
    natural("per_day", answers->per_day);
    real("within_percent", answers->within);
    real("best_reward", plan->best_reward);
    real("chance_reward", plan->chance_reward);
    printf(", \"plans\": [");
    for (uint32_t i = 0; i < answers->count; i++) {
        print_one(answers, i);
    }
    printf("], \"version\": \"%s\"}\n", sotto_version());
}
