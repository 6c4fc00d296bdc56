/* The answers of `sotto plan` in words. */
#include "cli/print/print.h"
#include "inner.h"

#include <sotto/server.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *form_of(const sotto_terms *terms)
{
    if (terms->spec.parameters == SOTTO_PARAMETERS_SHARED) return "";
    return terms->codebook[SOTTO_PHASE_MAIN].groups > 1 ? ", tags" : ", signs";
}

static void print_scene(FILE *file, const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    fprintf(file, "%" PRIu64 " %s, dim %u, %u arms, %s parameters, %s rewards, link %s",
            match->horizon, match->horizon == 1 ? "person" : "people", spec->dim, spec->arms,
            sotto_parameters_name(spec->parameters), sotto_reward_kind_name(spec->reward_kind),
            sotto_link_name(spec->link));
    if (match->environment.law == SOTTO_LAW_GAUSSIAN) {
        fprintf(file, ", noise %g", match->environment.noise);
    }
    fprintf(file, "\n\n");
}

static void print_answer(FILE *file, const sotto_plan_answer *answer)
{
    const sotto_plan_point *end = &answer->end;
    fprintf(file,
            "Epsilon %g costs a regret of about %.4g: %.3g per person, %.3g %% of the best reward. "
            "Random arms would lose %.3g %%. The same method without privacy would lose %.4g",
            answer->plan.match.spec.epsilon, end->regret, end->regret_per_person,
            100 * answer->share, 100 * answer->chance_share, end->open_regret);
    if (end->cost > 1) {
        fprintf(file, ": privacy costs %.3g times that.\n\n", end->cost);
    } else {
        fprintf(file, ", which is not less, so no cost of privacy shows here.\n\n");
    }
}

static void print_all_answers(FILE *file, const sotto_plan_answers *answers)
{
    fprintf(file, "Regret is about");
    for (uint32_t i = 0; i < answers->count; i++) {
        const sotto_plan_answer *answer = &answers->of[i];
        const char *before = i == 0 ? "" : i + 1 < answers->count ? "," : " and";
        fprintf(file, "%s %.3g %%%s at epsilon %g", before, 100 * answer->share,
                i == 0 ? " of the best reward" : "", answer->plan.match.spec.epsilon);
    }
    fprintf(file, ". Random arms would lose %.3g %%.\n\n", 100 * answers->of[0].chance_share);
}

/* Good if an epsilon reaches the target; bad if no epsilon loses less than random arms. */
static verdict_tone tone_of(const sotto_plan_answers *answers)
{
    verdict_tone tone = VERDICT_BAD;
    for (uint32_t i = 0; i < answers->count; i++) {
        const sotto_plan_answer *answer = &answers->of[i];
        if (answer->end.regret_per_person <= answer->target) return VERDICT_GOOD;
        if (answer->share < answer->chance_share) tone = VERDICT_OPEN;
    }
    return tone;
}

/* Shows a ratio below 1 as "<= 1": privacy does not reduce regret, so the ratio is within the error
 * of the prediction. */
static print_value cost_value(double cost)
{
    return cost >= 1 ? print_real(cost) : print_text("<= 1");
}

static void print_points(FILE *file, const sotto_plan_answer *answer)
{
    enum { COLUMNS = 7 };
    static const print_column column[COLUMNS] = {
        {NULL, "people", 13, 0, 0},     {NULL, "regret", 9, 4, 0},
        {NULL, "per person", 10, 3, 0}, {NULL, "next person", 11, 3, 0},
        {NULL, "no privacy", 10, 4, 0}, {NULL, "cost", 8, 3, 0},
        {NULL, "epoch", 10, 0, 0},
    };
    table_head(file, column, COLUMNS);
    for (uint32_t i = 0; i < answer->points_count; i++) {
        const sotto_plan_point *at = &answer->point[i];
        const print_value value[COLUMNS] = {
            print_natural(at->people),         print_real(at->regret),
            print_real(at->regret_per_person), print_real(at->regret_next),
            print_real(at->open_regret),       cost_value(at->cost),
            print_natural(at->epoch_reports),
        };
        table_row(file, column, value, COLUMNS);
    }
    fprintf(file, "\n");
}

static void print_chosen(FILE *file, const sotto_plan_answer *answer)
{
    const sotto_terms *terms = &answer->plan.terms;
    const sotto_spec *spec = &terms->spec;
    const sotto_codebook *main = &terms->codebook[SOTTO_PHASE_MAIN];
    bool clocked = answer->plan.match.people_per_second > 0;
    fprintf(file,
            "Chosen: score %s, %s estimator, w = %g; M = %u codewords, k = %u, B = %.4g%s; "
            "reports of %zu bytes; epochs by the rule (--epoch auto)%s, %" PRIu64 " at the end",
            sotto_score_name(spec->score), answer->averaged ? "averaged" : "tracked",
            terms->along_weight, main->size, main->top, main->scale, form_of(terms),
            answer->report_bytes, clocked ? " and the clock" : ": 1 report at first",
            answer->end.epoch_reports);
    if (spec->parameters == SOTTO_PARAMETERS_PER_ARM) {
        fprintf(file, "; a warm-up of %" PRIu64 " reports with random arms", answer->warm_up);
    }
    fprintf(file, ".\n");
}

static void print_budget(FILE *file, const sotto_plan_answers *answers)
{
    const sotto_plan *plan = &answers->of[0].plan;
    uint64_t reports = plan->reports_per_person;
    fprintf(file, "Budget: a report spends epsilon %g; ", plan->match.spec.epsilon);
    if (reports == 0) {
        fprintf(file, "a device's default policy allows %g and would refuse it.\n",
                answers->epsilon_per_report_max);
    } else {
        fprintf(file, "a device's default policy allows %" PRIu64 " such reports in a lifetime.\n",
                reports);
    }
}

static void print_half(FILE *file, const sotto_plan_half *half)
{
    if (!half->there) return;
    fprintf(file, "Half of epsilon: at %g regret is %.4g, %.3g times as much",
            half->answer.plan.match.spec.epsilon, half->answer.end.regret, half->regret_ratio);
    if (!isnan(half->people_ratio)) {
        fprintf(file, ", and the target takes %.3g times the people", half->people_ratio);
    }
    fprintf(file, ".\n");
}

/* "1234 people, 13 days at 100 per day." */
static void print_people(FILE *file, uint64_t people, uint64_t days, uint64_t per_day)
{
    if (people == 0) {
        fprintf(file, "more than %g people.\n", (double)SOTTO_HORIZON_MAX);
        return;
    }
    fprintf(file, "%" PRIu64 " %s", people, people == 1 ? "person" : "people");
    if (per_day > 0) {
        fprintf(file, ", %" PRIu64 " day%s at %" PRIu64 " per day", days, days == 1 ? "" : "s",
                per_day);
    }
    fprintf(file, ".\n");
}

static void print_measuring(FILE *file, const sotto_plan_question *question,
                            const sotto_plan_answer *answer)
{
    const sotto_plan_measuring *m = &answer->measuring;
    if (m->share == 0) return;
    fprintf(
        file,
        "Measuring: a share of %g of the rounds costs %.3g of reward per person, %.4g in all; "
        "with it regret is %.4g. The policy is worth %.3g more than random arms on average, known "
        "to +-%.3g at the end (%g %% interval, valid at any time). To show that an uplift of "
        "%.3g is not 0 takes ",
        m->share, m->price_per_person, m->price, m->regret, m->predicted_uplift, m->half_width,
        100 * (1 - SOTTO_PLAN_MEASURE_ALPHA), m->uplift);
    print_people(file, m->people, m->days, question->per_day);
    fprintf(file, "A policy that is %.3g worse than random arms shows harm after ", m->uplift);
    print_people(file, m->harm_people, m->harm_days, question->per_day);
    fprintf(file, "One that is %.3g worse than the best arm shows below-best-arm after ",
            m->uplift);
    print_people(file, m->below_people, m->below_days, question->per_day);
}

/* What shuffling adds at each epsilon, with the conditions. */
static void print_shuffle(FILE *file, const sotto_plan_question *question,
                          const sotto_plan_answers *answers)
{
    if (question->shuffle_reports == 0) return;
    fprintf(file, "Shuffled: from %" PRIu64 " shuffled reports a server learns about one person",
            question->shuffle_reports);
    for (uint32_t i = 0; i < answers->count; i++) {
        const sotto_plan_answer *answer = &answers->of[i];
        fprintf(file, "%s epsilon %.4g", i == 0 ? "" : ",", answer->shuffle_epsilon);
        if (answers->count > 1) fprintf(file, " (of %g)", answer->plan.match.spec.epsilon);
    }
    fprintf(file, " at delta %g.\n", SOTTO_PLAN_SHUFFLE_DELTA);
    fprintf(file, "%s\n%s", sotto_shuffle_text(&answers->of[0].plan.terms),
            answers->count > 1 ? "\n" : "");
}

/* Prints the floors that exist, and says of each whether it is a bound, a heuristic or an
 * estimate. */
static void print_floor(FILE *file, const sotto_plan_answer *answer)
{
    const sotto_floor *floor = &answer->floor;
    if (isnan(floor->local)) return;
    bool start = !isnan(floor->start), proved = !isnan(floor->proved);
    if (!start && !proved) {
        fprintf(file, "Floor: only a local estimate, not a bound: %.4g.\n", floor->local);
        return;
    }
    fprintf(file, "Floor: expected regret is ");
    if (start) {
        fprintf(file,
                "%.3g times the estimated minimum (%.4g) for any method that starts from nothing%s",
                answer->floor_times, floor->start, proved ? ", and " : "");
    }
    if (proved) {
        fprintf(file, "at most %.3g times the proved minimum (%.4g)",
                answer->end.regret / floor->proved, floor->proved);
    }
    fprintf(file, ". A local estimate, not a bound, is %.4g.\n", floor->local);
}

static void print_delay(FILE *file, const sotto_plan_answers *answers)
{
    const sotto_match *match = &answers->of[0].plan.match;
    uint32_t window_s = match->spec.reward_window_s;
    if (match->people_per_second == 0) return;
    fprintf(file, "Delay: it adds");
    for (uint32_t i = 0; i < answers->count; i++) {
        fprintf(file, "%s %.4g", i == 0 ? "" : ",", answers->of[i].delay_regret);
    }
    fprintf(file, " to the regret: at %g people per second, with reports %u",
            match->people_per_second, window_s);
    if (match->spec.send_spread_s > 0)
        fprintf(file, " to %u", window_s + match->spec.send_spread_s);
    fprintf(file,
            " s after decisions, a model lacks the reports of the last %" PRIu64 " people or so.\n",
            answers->of[0].delay_people);
}

/* The results of one arm for everybody, at each epsilon. */
static void print_best_arm(FILE *file, const sotto_plan_answers *answers)
{
    fprintf(
        file,
        "Without context: best-arm gives nearly everybody the best arm if its mean reward leads "
        "by");
    for (uint32_t i = 0; i < answers->count; i++) {
        const sotto_plan_answer *answer = &answers->of[i];
        fprintf(file, "%s%.3g (epsilon %g)", i == 0 ? " " : ", ", answer->best_arm_lead,
                answer->plan.match.spec.epsilon);
    }
    fprintf(file, ".\n");
}

static void print_one(FILE *file, const sotto_plan_question *question,
                      const sotto_plan_answers *answers)
{
    const sotto_plan_answer *answer = &answers->of[0];
    print_answer(file, answer);
    print_scene(file, &question->match);
    print_points(file, answer);
    plan_print_chart(file, answers);
    print_chosen(file, answer);
    print_budget(file, answers);
    print_half(file, &answers->half[0]);
    print_floor(file, answer);
    print_delay(file, answers);
    fprintf(
        file,
        "Target: a mean regret of at most %.3g per person (%.3g %% of the best reward), also with "
        "more people, takes ",
        answer->target, 100 * answer->target_share);
    print_people(file, answer->target_people, answer->target_days, question->per_day);
    fprintf(file, "Near: a reward within %g %% of that without privacy takes ",
            question->within_percent);
    print_people(file, answer->within_people, answer->within_days, question->per_day);
    print_best_arm(file, answers);
    print_measuring(file, question, answer);
    print_shuffle(file, question, answers);
}

static print_value people_value(uint64_t people)
{
    return people == 0 ? print_text("> 1e12") : print_natural(people);
}

static void print_rows(FILE *file, const sotto_plan_answers *answers)
{
    enum { COLUMNS = 9 };
    static const print_column column[COLUMNS] = {
        {NULL, "epsilon", 8, 6, 0}, {NULL, "regret", 10, 4, 0}, {NULL, "per person", 10, 3, 0},
        {NULL, "of best", 8, 0, 0}, {NULL, "cost", 8, 3, 0},    {NULL, "if halved", 9, 0, 0},
        {NULL, "target", 13, 0, 0}, {NULL, "near", 13, 0, 0},   {NULL, "reports", 8, 0, 0},
    };
    char share[32], halved[32];
    table_head(file, column, COLUMNS);
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
        table_row(file, column, value, COLUMNS);
    }
}

static void print_days(FILE *file, const sotto_plan_answers *answers, uint64_t per_day)
{
    if (per_day == 0) return;
    for (uint32_t i = 0; i < answers->count; i++) {
        const sotto_plan_answer *answer = &answers->of[i];
        fprintf(file, "Epsilon %g: the target takes ", answer->plan.match.spec.epsilon);
        print_people(file, answer->target_people, answer->target_days, per_day);
    }
    fprintf(file, "\n");
}

static void print_floor_rows(FILE *file, const sotto_plan_answers *answers)
{
    enum { COLUMNS = 5 };
    static const print_column column[COLUMNS] = {
        {NULL, "epsilon", 8, 6, 0}, {NULL, "times", 8, 3, 0},  {NULL, "start", 10, 4, 0},
        {NULL, "proved", 10, 4, 0}, {NULL, "local", 10, 4, 0},
    };
    if (isnan(answers->of[0].floor.local)) return;
    fprintf(file, "Floors, what epsilon costs any method:\n\n");
    table_head(file, column, COLUMNS);
    for (uint32_t i = 0; i < answers->count; i++) {
        const sotto_plan_answer *answer = &answers->of[i];
        const print_value value[COLUMNS] = {
            print_real(answer->plan.match.spec.epsilon),
            print_real(answer->floor_times),
            print_real(answer->floor.start),
            print_real(answer->floor.proved),
            print_real(answer->floor.local),
        };
        table_row(file, column, value, COLUMNS);
    }
    fprintf(
        file,
        "\ntimes: regret over start; start: the estimated minimum for any method that starts from "
        "nothing; proved: no method loses less on average; local: a local estimate, not a "
        "bound.\n\n");
}

static void print_measuring_rows(FILE *file, const sotto_plan_answers *answers)
{
    enum { COLUMNS = 9 };
    static const print_column column[COLUMNS] = {
        {NULL, "epsilon", 8, 6, 0}, {NULL, "price", 10, 4, 0},   {NULL, "per person", 10, 3, 0},
        {NULL, "regret", 10, 4, 0}, {NULL, "known to", 9, 3, 0}, {NULL, "uplift", 8, 3, 0},
        {NULL, "people", 11, 0, 0}, {NULL, "harm", 11, 0, 0},    {NULL, "below best", 11, 0, 0},
    };
    double share = answers->of[0].measuring.share;
    if (share == 0) return;
    fprintf(file, "Measuring, a share of %g of the rounds:\n\n", share);
    table_head(file, column, COLUMNS);
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
            people_value(m->harm_people),
            people_value(m->below_people),
        };
        table_row(file, column, value, COLUMNS);
    }
    fprintf(
        file,
        "\nprice: reward lost to random arms; regret: with it, and with fewer reports to learn "
        "from; known to: half "
        "of the interval of the uplift at the end (%g %%, valid at any time); people: until this "
        "uplift is known not to be 0; harm: until a policy as much worse than random arms shows "
        "harm; below best: until one as much worse than the best arm shows below-best-arm.\n\n",
        100 * (1 - SOTTO_PLAN_MEASURE_ALPHA));
}

static void print_several(FILE *file, const sotto_plan_question *question,
                          const sotto_plan_answers *answers)
{
    print_all_answers(file, answers);
    print_scene(file, &question->match);
    print_rows(file, answers);
    fprintf(file,
            "\n"
            "cost: regret over that without privacy, %.4g; target: number of people from which the "
            "mean regret is at most %.3g; near: people until a reward is within %g %% of that "
            "without privacy; reports: in a person's lifetime, by a device's default policy.\n"
            "\n",
            answers->of[0].end.open_regret, answers->of[0].target, question->within_percent);
    print_days(file, answers, question->per_day);
    print_delay(file, answers);
    print_best_arm(file, answers);
    fprintf(file, "\n");
    print_floor_rows(file, answers);
    print_measuring_rows(file, answers);
    print_shuffle(file, question, answers);
    plan_print_chart(file, answers);
}

/* The settings that tests/measure/plan.py played, of those with this kind of rewards and
 * parameters. */
static const char *played(const sotto_spec *spec)
{
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    if (spec->reward_kind == SOTTO_REWARD_BINARY && spec->link == SOTTO_LINK_IDENTITY) {
        return shared ? "dim 5 to 20, 3 to 20 arms, epsilon 0.5 to 5, with 20000 people, 0/1 "
                        "rewards with "
                        "link identity, a shared parameter of length 1"
                      : "dim 5 to 50, 2 to 20 arms, epsilon 0.5 to 5, with 100000 people, 0/1 "
                        "rewards with "
                        "link identity, per-arm parameters of length 0.5";
    }
    return "dim 5 to 50, 2 to 20 arms, epsilon 0.5 to 5, with 100000 people, noise 0.1, rewards "
           "in their "
           "default range, a parameter of length 1, links identity, logit and log (per-arm: "
           "identity)";
}

/* For dim 1: simulated regret divided by the prediction, from sotto simulate (docs/plan.md). */
static const char *times_on_a_line(const sotto_spec *spec)
{
    bool chances = spec->reward_kind == SOTTO_REWARD_BINARY && spec->link == SOTTO_LINK_IDENTITY;
    return chances ? "0.7 to 3.6" : "0.6 to 2.2";
}

static void print_caveat(FILE *file, const sotto_plan_answers *answers)
{
    const sotto_spec *spec = &answers->of[0].plan.match.spec;
    fprintf(file,
            "\nThis is a prediction, for contexts spread evenly over a sphere and a parameter of "
            "length %g.\nSimulation was within a factor 2 of it for %s.\n",
            spec->theta_norm_max, played(spec));
    for (uint32_t i = 0; i < answers->count; i++) {
        if (answers->of[i].checked) continue;
        fprintf(file,
                "This setting, with epsilon %g, is outside that range: trust only the order of "
                "magnitude.\n",
                answers->of[i].plan.match.spec.epsilon);
    }
    if (spec->dim > 1) return;
    fprintf(file,
            "With dim 1, simulated regret was %s times that on average (2 to 20 arms, epsilon 0.5 "
            "to 5,\n"
            "10000 people, a parameter of length 1).\n",
            times_on_a_line(spec));
}

void plan_print_text(const sotto_plan_question *question, const sotto_plan_answers *answers)
{
    print_page p;
    page_begin(&p, stdout);
    p.tone = tone_of(answers);
    if (answers->count == 1) {
        print_one(p.file, question, answers);
    } else {
        print_several(p.file, question, answers);
    }
    print_caveat(p.file, answers);
    page_end(&p, stdout);
}
