/* The answers of `sotto plan` in words. */
#include "cli/print/table.h"
#include "print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *form_of(const sotto_terms *terms)
{
    if (terms->spec.parameters == SOTTO_PARAMETERS_SHARED) return "";
    return terms->codebook[SOTTO_PHASE_MAIN].groups > 1 ? ", tags" : ", signs";
}

static void print_scene(const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    printf("%" PRIu64 " %s, dim %u, %u arms, %s parameters,\n%s rewards, link %s", match->horizon,
           match->horizon == 1 ? "person" : "people", spec->dim, spec->arms,
           sotto_parameters_name(spec->parameters), sotto_reward_kind_name(spec->reward_kind),
           sotto_link_name(spec->link));
    if (match->environment.law == SOTTO_LAW_GAUSSIAN) {
        printf(", noise %g", match->environment.noise);
    }
    printf("\n\n");
}

static void print_answer(const sotto_plan_answer *answer)
{
    const sotto_plan_point *end = &answer->end;
    printf("Epsilon %g costs a regret of about %.4g: %.3g per person, %.3g %% of the best "
           "reward.\nArms at random would lose %.3g %%. The same method without privacy would lose "
           "%.4g:\n",
           answer->plan.match.spec.epsilon, end->regret, end->regret_per_person,
           100 * answer->share, 100 * answer->chance_share, end->open_regret);
    if (end->cost > 1) {
        printf("privacy costs %.3g times that.\n\n", end->cost);
    } else {
        printf("not less, so that no cost of privacy shows here.\n\n");
    }
}

/* Below 1 the prediction is not fine enough to tell; privacy does not help. */
static print_value cost_value(double cost)
{
    return cost >= 1 ? print_real(cost) : print_text("<= 1");
}

static void print_points(const sotto_plan_answer *answer)
{
    enum { COLUMNS = 7 };
    static const print_column column[COLUMNS] = {
        {NULL, "people", 14, 0, 0},          {NULL, "regret", 12, 4, 0},
        {NULL, "per person", 10, 3, 0},      {NULL, "next person", 12, 3, 0},
        {NULL, "without privacy", 16, 4, 0}, {NULL, "cost", 8, 3, 0},
        {NULL, "epoch", 12, 0, 0},
    };
    table_head(stdout, column, COLUMNS);
    for (uint32_t i = 0; i < answer->points_count; i++) {
        const sotto_plan_point *at = &answer->point[i];
        const print_value value[COLUMNS] = {
            print_natural(at->people),         print_real(at->regret),
            print_real(at->regret_per_person), print_real(at->regret_next),
            print_real(at->open_regret),       cost_value(at->cost),
            print_natural(at->epoch_reports),
        };
        table_row(stdout, column, value, COLUMNS);
    }
    printf("\n");
}

static void print_chosen(const sotto_plan_answer *answer)
{
    const sotto_terms *terms = &answer->plan.terms;
    const sotto_spec *spec = &terms->spec;
    const sotto_codebook *main = &terms->codebook[SOTTO_PHASE_MAIN];
    printf("Chosen: score %s, %s estimator, w = %g; M = %u codewords, k = %u, B = %.4g%s;\n"
           "reports of %zu bytes; epochs by the rule (--epoch auto): 1 report at first, %" PRIu64
           " at the end",
           sotto_score_name(spec->score), answer->averaged ? "averaged" : "tracked",
           terms->along_weight, main->size, main->top, main->scale, form_of(terms),
           answer->report_bytes, answer->end.epoch_reports);
    if (spec->parameters == SOTTO_PARAMETERS_PER_ARM) {
        printf(";\na warm-up of %" PRIu64 " reports with random arms", answer->warm_up);
    }
    printf(".\n");
}

static void print_budget(const sotto_plan_answers *answers)
{
    const sotto_plan *plan = &answers->of[0].plan;
    uint64_t reports = plan->reports_per_person;
    printf("Budget: a report spends epsilon %g; ", plan->match.spec.epsilon);
    if (reports == 0) {
        printf("a device's default policy allows %g and would refuse it.\n",
               answers->epsilon_per_report_max);
    } else {
        printf("a device's default policy allows %" PRIu64 " such reports in a life.\n", reports);
    }
}

static void print_half(const sotto_plan_half *half)
{
    if (!half->there) return;
    printf("Half of epsilon: %g costs %.4g, %.3g times as much",
           half->answer.plan.match.spec.epsilon, half->answer.end.regret, half->regret_ratio);
    if (!isnan(half->people_ratio)) {
        printf("; the target takes %.3g times the people", half->people_ratio);
    }
    printf(".\n");
}

/* "1234 people, 13 days at 100 a day." */
static void print_people(uint64_t people, uint64_t days, uint64_t per_day)
{
    if (people == 0) {
        printf("more than %g people.\n", (double)SOTTO_HORIZON_MAX);
        return;
    }
    printf("%" PRIu64 " %s", people, people == 1 ? "person" : "people");
    if (per_day > 0) {
        printf(", %" PRIu64 " day%s at %" PRIu64 " a day", days, days == 1 ? "" : "s", per_day);
    }
    printf(".\n");
}

static void print_measuring(const sotto_plan_question *question, const sotto_plan_answer *answer)
{
    const sotto_plan_measuring *m = &answer->measuring;
    if (m->share == 0) return;
    printf("Measuring: a share of %g of the rounds costs %.3g of reward per person, %.4g in all; "
           "with it\nregret is %.4g. The policy is worth %.3g more than random arms in the mean, "
           "known to\n+-%.3g (%g %%, whenever one looks) at the end. To tell an uplift of %.3g "
           "from 0 takes\n",
           m->share, m->price_per_person, m->price, m->regret, m->predicted_uplift, m->half_width,
           100 * (1 - SOTTO_PLAN_MEASURE_ALPHA), m->uplift);
    print_people(m->people, m->days, question->per_day);
}

/* Only what exists. A bound, a heuristic and an estimate are named as what they are. */
static void print_floor(const sotto_plan_answer *answer)
{
    const sotto_floor *floor = &answer->floor;
    if (isnan(floor->local)) return;
    printf("Floor: ");
    const char *most = "of the best that epsilon allows:\nat most";
    if (!isnan(floor->start)) {
        printf("of the best that epsilon allows: %.3g times, by a heuristic: a method that starts "
               "from\nnothing loses about %.4g. ",
               answer->floor_times, floor->start);
        most = "At most";
    }
    if (!isnan(floor->proved)) {
        printf("%s %.3g times: no method loses less than %.4g in the mean\n(proved). ", most,
               answer->end.regret / floor->proved, floor->proved);
    }
    printf("A local estimate, no bound: %.4g.\n", floor->local);
}

/* One arm for all, at each epsilon. */
static void print_best_arm(const sotto_plan_answers *answers)
{
    printf("Without context: best-arm gives nearly everybody the best arm if its mean reward leads "
           "by");
    for (uint32_t i = 0; i < answers->count; i++) {
        const sotto_plan_answer *answer = &answers->of[i];
        printf("%s%.3g (epsilon %g)", i == 0 ? "\n" : ", ", answer->best_arm_lead,
               answer->plan.match.spec.epsilon);
    }
    printf(".\n");
}

static void print_one(const sotto_plan_question *question, const sotto_plan_answers *answers)
{
    const sotto_plan_answer *answer = &answers->of[0];
    print_answer(answer);
    print_points(answer);
    plan_print_chart(answers);
    print_chosen(answer);
    print_budget(answers);
    print_half(&answers->half[0]);
    print_floor(answer);
    printf("Target: a regret of %.3g per person (%.3g %% of the best), and no more with more "
           "people, takes\n",
           answer->target, 100 * answer->target_share);
    print_people(answer->target_people, answer->target_days, question->per_day);
    printf("Near: a reward within %g %% of that without privacy takes ", question->within_percent);
    print_people(answer->within_people, answer->within_days, question->per_day);
    print_best_arm(answers);
    print_measuring(question, answer);
}

static print_value people_value(uint64_t people)
{
    return people == 0 ? print_text("> 1e12") : print_natural(people);
}

static void print_rows(const sotto_plan_answers *answers)
{
    enum { COLUMNS = 9 };
    static const print_column column[COLUMNS] = {
        {NULL, "epsilon", 8, 6, 0}, {NULL, "regret", 10, 4, 0}, {NULL, "per person", 10, 3, 0},
        {NULL, "of best", 8, 0, 0}, {NULL, "cost", 8, 3, 0},    {NULL, "if halved", 9, 0, 0},
        {NULL, "target", 13, 0, 0}, {NULL, "near", 13, 0, 0},   {NULL, "reports", 8, 0, 0},
    };
    char share[32], halved[32];
    table_head(stdout, column, COLUMNS);
    for (uint32_t i = 0; i < answers->count; i++) {
        const sotto_plan_answer *answer = &answers->of[i];
        const sotto_plan_half *half = &answers->half[i];
        snprintf(share, sizeof share, "%.3g%%", 100 * answer->share);
        snprintf(halved, sizeof halved, "%.3gx", half->regret_ratio);
        const print_value value[COLUMNS] = {
            print_real(answer->plan.match.spec.epsilon),
            print_real(answer->end.regret),
            print_real(answer->end.regret_per_person),
            print_text(share),
            cost_value(answer->end.cost),
            half->there ? print_text(halved) : print_none(),
            people_value(answer->target_people),
            people_value(answer->within_people),
            print_natural(answer->plan.reports_per_person),
        };
        table_row(stdout, column, value, COLUMNS);
    }
}

static void print_days(const sotto_plan_answers *answers, uint64_t per_day)
{
    if (per_day == 0) return;
    for (uint32_t i = 0; i < answers->count; i++) {
        const sotto_plan_answer *answer = &answers->of[i];
        printf("Epsilon %g: the target takes ", answer->plan.match.spec.epsilon);
        print_people(answer->target_people, answer->target_days, per_day);
    }
    printf("\n");
}

static void print_floor_rows(const sotto_plan_answers *answers)
{
    enum { COLUMNS = 5 };
    static const print_column column[COLUMNS] = {
        {NULL, "epsilon", 8, 6, 0}, {NULL, "times", 8, 3, 0},  {NULL, "start", 10, 4, 0},
        {NULL, "proved", 10, 4, 0}, {NULL, "local", 10, 4, 0},
    };
    if (isnan(answers->of[0].floor.local)) return;
    printf("Floors, what epsilon costs any method:\n\n");
    table_head(stdout, column, COLUMNS);
    for (uint32_t i = 0; i < answers->count; i++) {
        const sotto_plan_answer *answer = &answers->of[i];
        const print_value value[COLUMNS] = {
            print_real(answer->plan.match.spec.epsilon),
            print_real(answer->floor_times),
            print_real(answer->floor.start),
            print_real(answer->floor.proved),
            print_real(answer->floor.local),
        };
        table_row(stdout, column, value, COLUMNS);
    }
    printf("\ntimes: of the best that epsilon allows, regret over start; start: what a method that "
           "starts from\nnothing can reach (heuristic); proved: no method loses less in the mean; "
           "local: a local estimate,\nno bound.\n\n");
}

static void print_measuring_rows(const sotto_plan_answers *answers)
{
    enum { COLUMNS = 7 };
    static const print_column column[COLUMNS] = {
        {NULL, "epsilon", 8, 6, 0}, {NULL, "price", 10, 4, 0},   {NULL, "per person", 10, 3, 0},
        {NULL, "regret", 10, 4, 0}, {NULL, "known to", 9, 3, 0}, {NULL, "uplift", 8, 3, 0},
        {NULL, "people", 13, 0, 0},
    };
    double share = answers->of[0].measuring.share;
    if (share == 0) return;
    printf("Measuring, a share of %g of the rounds:\n\n", share);
    table_head(stdout, column, COLUMNS);
    for (uint32_t i = 0; i < answers->count; i++) {
        const sotto_plan_measuring *m = &answers->of[i].measuring;
        const print_value value[COLUMNS] = {
            print_real(answers->of[i].plan.match.spec.epsilon),
            print_real(m->price),
            print_real(m->price_per_person),
            print_real(m->regret),
            print_real(m->half_width),
            print_real(m->uplift),
            people_value(m->people),
        };
        table_row(stdout, column, value, COLUMNS);
    }
    printf("\nprice: reward lost to random arms; regret: with it, and with fewer reports to learn "
           "from; known to:\nhalf of the interval of the uplift at the end (%g %%, whenever one "
           "looks); people: until this\nuplift is told from 0.\n\n",
           100 * (1 - SOTTO_PLAN_MEASURE_ALPHA));
}

static void print_several(const sotto_plan_question *question, const sotto_plan_answers *answers)
{
    print_rows(answers);
    printf("\ncost: regret over that without privacy, %.4g; target: from so many people on the "
           "mean regret is "
           "at\nmost %.3g; near: people until a reward is within %g %% of that without privacy; "
           "reports: in a\n"
           "person's lifetime, by a device's default policy.\n\n",
           answers->of[0].end.open_regret, answers->of[0].target, question->within_percent);
    print_days(answers, question->per_day);
    print_best_arm(answers);
    printf("\n");
    print_floor_rows(answers);
    print_measuring_rows(answers);
    plan_print_chart(answers);
}

/* What tests/measure/plan.py played of such rewards and parameters. */
static const char *played(const sotto_spec *spec)
{
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    if (spec->reward_kind == SOTTO_REWARD_BINARY && spec->link == SOTTO_LINK_IDENTITY) {
        return shared ? "dim 5 to 20, 3 to 20 arms, epsilon 0.5 to 5, with\n20000 people, 0/1 "
                        "rewards with "
                        "link identity, a shared parameter of length 1"
                      : "dim 5 to 50, 2 to 20 arms, epsilon 0.5 to 5, with\n100000 people, 0/1 "
                        "rewards with "
                        "link identity, per-arm parameters of length 0.5";
    }
    return "dim 5 to 50, 2 to 20 arms, epsilon 0.5 to 5, with\n100000 people, noise 0.1, rewards "
           "in their "
           "default range, a parameter of length 1, links\nidentity, logit and log (per-arm: "
           "identity)";
}

/* Of dim 1, played by sotto simulate: docs/methods.md, section 13. */
static const char *times_on_a_line(const sotto_spec *spec)
{
    bool chances = spec->reward_kind == SOTTO_REWARD_BINARY && spec->link == SOTTO_LINK_IDENTITY;
    return chances ? "0.7 to 3.6" : "0.6 to 2.2";
}

static void print_caveat(const sotto_plan_answers *answers)
{
    const sotto_spec *spec = &answers->of[0].plan.match.spec;
    printf("\nThis is a prediction, for contexts spread evenly over a sphere and a parameter of "
           "length %g.\nSimulation was within a factor 2 of it for %s.\n",
           spec->theta_norm_max, played(spec));
    for (uint32_t i = 0; i < answers->count; i++) {
        if (answers->of[i].checked) continue;
        printf(
            "With epsilon %g this setting is outside of that: trust only the order of magnitude.\n",
            answers->of[i].plan.match.spec.epsilon);
    }
    if (spec->dim > 1) return;
    printf("With dim 1 simulation lost %s times that in the mean (2 to 20 arms, epsilon 0.5 to "
           "5,\n10000 people, a "
           "parameter of length 1).\n",
           times_on_a_line(spec));
}

void plan_print_text(const sotto_plan_question *question, const sotto_plan_answers *answers)
{
    print_scene(&question->match);
    if (answers->count == 1) {
        print_one(question, answers);
    } else {
        print_several(question, answers);
    }
    print_caveat(answers);
}
