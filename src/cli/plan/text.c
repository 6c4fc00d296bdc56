/* The answers of `sotto plan` in words. */
#include "core/method.h"
#include "print.h"

#include <sotto/client.h>

#include <inttypes.h>
#include <stdio.h>

static const char *form_of(const sotto_resolved *resolved)
{
    if (resolved->spec.parameters == SOTTO_PARAMETERS_SHARED) return "";
    return resolved->codebook[SOTTO_PHASE_MAIN].groups > 1 ? ", tags" : ", signs";
}

static double per_cent_of_best(const plan_answer *answer, double regret_a_person)
{
    return 100 * regret_a_person / answer->plan.best_reward;
}

static void print_scene(const plan_answers *answers)
{
    const sotto_match *match = &answers->of[0].plan.match;
    const sotto_spec *spec = &match->spec;
    printf("%" PRIu64 " %s, dim %u, %u arms, %s parameters,\n%s rewards, link %s", answers->horizon,
           answers->horizon == 1 ? "person" : "people", spec->dim, spec->arms,
           sotto_parameters_name((uint32_t)spec->parameters),
           sotto_reward_kind_name((uint32_t)spec->reward_kind),
           sotto_link_name((uint32_t)spec->link));
    if (match->environment.law == SOTTO_LAW_GAUSSIAN) {
        printf(", noise %g", match->environment.noise);
    }
    printf("\n\n");
}

static void print_answer(const plan_answers *answers, const plan_answer *answer)
{
    const sotto_plan *plan = &answer->plan;
    const sotto_plan_point *last = plan_last(answer);
    double mean = last->regret / (double)answers->horizon;
    printf("Epsilon %g costs a regret of about %.4g: %.3g a person, %.3g %% of the best possible "
           "reward.\nArms at random would lose %.3g %%. The same method without privacy would lose "
           "%.4g:\nprivacy costs %.3g times that.\n\n",
           plan->match.spec.epsilon, last->regret, mean, per_cent_of_best(answer, mean),
           per_cent_of_best(answer, plan->best_reward - plan->chance_reward), last->open_regret,
           last->regret / last->open_regret);
}

static void print_points(const plan_answer *answer)
{
    printf("%14s %12s %10s %12s %16s %8s %12s\n", "people", "regret", "a person", "next person",
           "without privacy", "cost", "epoch");
    for (uint32_t i = 0; i < answer->points_count; i++) {
        const sotto_plan_point *at = &answer->point[i];
        printf("%14" PRIu64 " %12.4g %10.3g %12.3g %16.4g %8.3g %12" PRIu64 "\n", at->people,
               at->regret, at->regret / (double)at->people, at->regret_next, at->open_regret,
               at->regret / at->open_regret, at->epoch_reports);
    }
    printf("\n");
}

static void print_chosen(const plan_answer *answer)
{
    const sotto_resolved *resolved = &answer->plan.resolved;
    const sotto_spec *spec = &resolved->spec;
    const sotto_codebook *main = &resolved->codebook[SOTTO_PHASE_MAIN];
    printf("Chosen: score %s, %s estimator, w = %g; M = %u codewords, k = %u, B = %.4g%s;\n"
           "reports of %zu bytes; epochs by the rule (--epoch auto): 1 report at first, %" PRIu64
           " at the end",
           sotto_score_name((uint32_t)spec->score),
           sotto__method_averages(spec) ? "averaged" : "tracked", resolved->along_weight,
           main->size, main->top, main->scale, form_of(resolved), sotto_report_bytes(resolved),
           plan_last(answer)->epoch_reports);
    if (spec->parameters == SOTTO_PARAMETERS_PER_ARM) {
        sotto_learning learning = sotto_learning_default(resolved, answer->plan.match.horizon);
        printf(";\na warm-up of %" PRIu64 " reports with random arms", learning.warm_up);
    }
    printf(".\n");
}

static void print_budget(const plan_answer *answer)
{
    const sotto_policy policy = sotto_policy_default();
    double epsilon = answer->plan.match.spec.epsilon;
    uint64_t reports = answer->plan.reports_per_person;
    printf("Budget: a report spends epsilon %g; ", epsilon);
    if (reports == 0) {
        printf("a device's default policy allows %g and would refuse it.\n",
               policy.epsilon_per_report_max);
    } else {
        printf("a device's default policy lets a person send %" PRIu64 " in a life.\n", reports);
    }
}

static void print_half(const plan_answer *answer, const plan_answer *half)
{
    if (half->points_count == 0) return;
    double regret = plan_last(half)->regret;
    printf("Half of epsilon: %g costs %.4g, %.3g times as much", half->plan.match.spec.epsilon,
           regret, regret / plan_last(answer)->regret);
    if (answer->target_people > 0 && half->target_people > 0) {
        printf("; the target takes %.3g times the people",
               (double)half->target_people / (double)answer->target_people);
    }
    printf(".\n");
}

/* "1234 people, 13 days at 100 a day." */
static void print_people(const plan_answers *answers, uint64_t people)
{
    if (people == 0) {
        printf("more than %g people.\n", (double)SOTTO_HORIZON_MAX);
        return;
    }
    printf("%" PRIu64 " %s", people, people == 1 ? "person" : "people");
    if (answers->per_day > 0) {
        uint64_t days = plan_days(answers, people);
        printf(", %" PRIu64 " day%s at %" PRIu64 " a day", days, days == 1 ? "" : "s",
               answers->per_day);
    }
    printf(".\n");
}

static void print_one(const plan_answers *answers)
{
    const plan_answer *answer = &answers->of[0];
    print_answer(answers, answer);
    print_points(answer);
    plan_chart_print(answers);
    print_chosen(answer);
    print_budget(answer);
    print_half(answer, &answers->half[0]);
    printf("Target: a regret of %.3g a person (%.3g %% of the best) takes ", answer->target,
           per_cent_of_best(answer, answer->target));
    print_people(answers, answer->target_people);
    printf("Near: a reward within %g %% of that without privacy takes ", answers->within);
    print_people(answers, answer->within_people);
}

static void print_cell_people(uint64_t people)
{
    if (people == 0) {
        printf(" %13s", "> 1e12");
    } else {
        printf(" %13" PRIu64, people);
    }
}

static void print_days(const plan_answers *answers)
{
    for (uint32_t i = 0; i < answers->count && answers->per_day > 0; i++) {
        const plan_answer *answer = &answers->of[i];
        printf("Epsilon %g: the target takes ", answer->plan.match.spec.epsilon);
        print_people(answers, answer->target_people);
    }
    if (answers->per_day > 0) printf("\n");
}

static void print_several(const plan_answers *answers)
{
    printf("%8s %10s %10s %8s %8s %9s %13s %13s %8s\n", "epsilon", "regret", "a person", "of best",
           "cost", "if halved", "target", "near", "reports");
    for (uint32_t i = 0; i < answers->count; i++) {
        const plan_answer *answer = &answers->of[i], *half = &answers->half[i];
        const sotto_plan_point *last = plan_last(answer);
        double mean = last->regret / (double)answers->horizon;
        printf("%8g %10.4g %10.3g %7.3g%% %8.3g", answer->plan.match.spec.epsilon, last->regret,
               mean, per_cent_of_best(answer, mean), last->regret / last->open_regret);
        if (half->points_count == 0) {
            printf(" %9s", "-");
        } else {
            printf(" %8.3gx", plan_last(half)->regret / last->regret);
        }
        print_cell_people(answer->target_people);
        print_cell_people(answer->within_people);
        printf(" %8" PRIu64 "\n", answer->plan.reports_per_person);
    }
    printf(
        "\ncost: regret over that without privacy, %.4g; target: people until the mean regret is "
        "%.3g;\nnear: people until a reward is within %g %% of that without privacy; reports: of a "
        "person's\nlife by a device's default policy.\n\n",
        plan_last(&answers->of[0])->open_regret, answers->of[0].target, answers->within);
    print_days(answers);
    plan_chart_print(answers);
}

/* Of the grid that tests/measure/plan.py plays. */
static bool was_checked(const plan_answer *answer)
{
    const sotto_spec *spec = &answer->plan.match.spec;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    bool link = spec->link == SOTTO_LINK_IDENTITY || (shared && spec->link == SOTTO_LINK_LOGIT);
    return link && spec->dim >= 5 && spec->dim <= 50 && spec->arms <= 20 && spec->epsilon >= 0.5 &&
           spec->epsilon <= 5;
}

static void print_caveat(const plan_answers *answers)
{
    printf(
        "\nThis is a prediction, for contexts spread evenly over a sphere and a parameter of "
        "length "
        "%g.\nSimulation was within a factor 2 of it for dim 5 to 50, 2 to 20 arms, epsilon 0.5 "
        "to 5, with\n100000 people, noise 0.1, a parameter of length 1, links identity and logit "
        "(per-arm: identity).\n",
        answers->of[0].plan.match.spec.theta_norm_max);
    for (uint32_t i = 0; i < answers->count; i++) {
        if (was_checked(&answers->of[i])) continue;
        printf("Epsilon %g is outside of that here: take the order of size.\n",
               answers->of[i].plan.match.spec.epsilon);
    }
}

void plan_text_print(const plan_answers *answers)
{
    print_scene(answers);
    if (answers->count == 1) {
        print_one(answers);
    } else {
        print_several(answers);
    }
    print_caveat(answers);
}
