/* The answers of `sotto plan` as JSON. */
#include "cli/print/print.h"
#include "inner.h"

#include <sotto/server.h>

#include <math.h>

/* Writes a whole number, or null for 0, which means that there is no answer. */
static void natural(json_writer *j, const char *key, uint64_t value)
{
    if (value > 0) {
        json_natural(j, key, value);
    } else {
        json_null(j, key);
    }
}

static void print_point(json_writer *j, const sotto_plan_point *at)
{
    json_open(j, NULL, '{');
    json_natural(j, "people", at->people);
    json_real(j, "regret", at->regret);
    json_real(j, "regret_per_person", at->regret_per_person);
    json_real(j, "regret_next_person", at->regret_next);
    json_real(j, "regret_without_privacy", at->open_regret);
    json_real(j, "regret_next_person_without_privacy", at->open_regret_next);
    json_natural(j, "epoch_reports", at->epoch_reports);
    json_close(j);
}

static void print_codebook(json_writer *j, const char *key, const sotto_codebook *codebook)
{
    json_open(j, key, '{');
    json_natural(j, "size", codebook->size);
    json_natural(j, "groups", codebook->groups);
    json_natural(j, "top", codebook->top);
    json_real(j, "scale", codebook->scale);
    json_close(j);
}

static void print_chosen(json_writer *j, const sotto_plan_answer *answer)
{
    const sotto_terms *terms = &answer->plan.terms;
    const sotto_codebook *codebook = terms->codebook;
    json_open(j, "chosen", '{');
    json_text(j, "score", sotto_score_name(terms->spec.score));
    json_text(j, "estimator", answer->averaged ? "averaged" : "tracked");
    json_real(j, "along_weight", terms->along_weight);
    json_natural(j, "report_bytes", answer->report_bytes);
    json_natural(j, "warm_up_reports", answer->warm_up);
    print_codebook(j, "codebook", &codebook[SOTTO_PHASE_MAIN]);
    if (terms->spec.parameters == SOTTO_PARAMETERS_PER_ARM) {
        print_codebook(j, "warm_up_codebook", &codebook[SOTTO_PHASE_WARM_UP]);
    }
    json_close(j);
}

static void print_budget(json_writer *j, const sotto_plan_answers *answers,
                         const sotto_plan_answer *answer)
{
    json_open(j, "budget", '{');
    json_real(j, "epsilon_per_report", answer->plan.match.spec.epsilon);
    json_real(j, "epsilon_per_report_max", answers->epsilon_per_report_max);
    json_real(j, "epsilon_lifetime", answers->epsilon_lifetime);
    json_natural(j, "reports_per_person", answer->plan.reports_per_person);
    json_close(j);
}

/* The cost of one epsilon. Half of the epsilon is printed with the same keys. */
static void print_cost(json_writer *j, const sotto_plan_answer *answer, bool days)
{
    json_real(j, "epsilon", answer->plan.match.spec.epsilon);
    json_real(j, "regret", answer->end.regret);
    json_real(j, "regret_per_person", answer->end.regret_per_person);
    json_real(j, "share_of_best_reward", answer->share);
    json_real(j, "regret_without_privacy", answer->end.open_regret);
    json_real(j, "cost", answer->end.cost);
    json_real(j, "target", answer->target);
    natural(j, "target_people", answer->target_people);
    natural(j, "within_people", answer->within_people);
    if (answer->plan.match.people_per_second > 0) {
        json_natural(j, "delay_people", answer->delay_people);
        json_real(j, "delay_regret", answer->delay_regret);
    }
    if (!days) return;
    natural(j, "target_days", answer->target_days);
    natural(j, "within_days", answer->within_days);
}

static void print_half(json_writer *j, const sotto_plan_half *half, bool days)
{
    if (!half->there) {
        json_null(j, "half");
        return;
    }
    json_open(j, "half", '{');
    print_cost(j, &half->answer, days);
    json_real(j, "ratio", half->regret_ratio);
    json_close(j);
}

/* Only where it was asked for. */
static void print_measuring(json_writer *j, const sotto_plan_measuring *m, bool days)
{
    if (m->share == 0) return;
    json_open(j, "measuring", '{');
    json_real(j, "share", m->share);
    json_real(j, "price_per_person", m->price_per_person);
    json_real(j, "price", m->price);
    json_real(j, "regret", m->regret);
    json_real(j, "predicted_uplift", m->predicted_uplift);
    json_real(j, "half_width", m->half_width);
    json_real(j, "alpha", SOTTO_PLAN_MEASURE_ALPHA);
    json_real(j, "uplift", m->uplift);
    natural(j, "role_reports", m->role_reports);
    natural(j, "people", m->people);
    natural(j, "harm_people", m->harm_people);
    natural(j, "below_best_arm_people", m->below_people);
    if (days) natural(j, "days", m->days);
    if (days) natural(j, "harm_days", m->harm_days);
    if (days) natural(j, "below_best_arm_days", m->below_days);
    json_close(j);
}

/* Only where it was asked for. */
static void print_shuffle(json_writer *j, const sotto_plan_answer *answer, uint64_t reports)
{
    if (reports == 0) return;
    json_open(j, "shuffle", '{');
    json_natural(j, "reports", reports);
    json_real(j, "delta", SOTTO_PLAN_SHUFFLE_DELTA);
    json_real(j, "epsilon", answer->shuffle_epsilon);
    json_text(j, "conditions", sotto_shuffle_text(&answer->plan.terms));
    json_close(j);
}

/* NaN is written as null. */
static void print_floor(json_writer *j, const sotto_plan_answer *answer)
{
    json_open(j, "floor", '{');
    json_real(j, "proved", answer->floor.proved);
    json_real(j, "local_estimate", answer->floor.local);
    json_real(j, "start_heuristic", answer->floor.start);
    json_real(j, "times", answer->floor_times);
    json_close(j);
}

static void print_one(json_writer *j, const sotto_plan_question *question,
                      const sotto_plan_answers *answers, uint32_t i)
{
    const bool days = question->per_day > 0;
    const sotto_plan_answer *answer = &answers->of[i];
    json_open(j, NULL, '{');
    print_cost(j, answer, days);
    json_real(j, "best_arm_lead", answer->best_arm_lead);
    json_flag(j, "checked", answer->checked);
    print_half(j, &answers->half[i], days);
    print_chosen(j, answer);
    print_budget(j, answers, answer);
    print_floor(j, answer);
    print_measuring(j, &answer->measuring, days);
    print_shuffle(j, answer, question->shuffle_reports);
    json_open(j, "points", '[');
    for (uint32_t at = 0; at < answer->points_count; at++) {
        print_point(j, &answer->point[at]);
    }
    json_close(j);
    json_close(j);
}

static void print_experiment(json_writer *j, const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    bool noisy = match->environment.law == SOTTO_LAW_GAUSSIAN;
    json_text(j, "method", sotto_player_name(match->player));
    json_natural(j, "dim", spec->dim);
    json_natural(j, "arms", spec->arms);
    json_text(j, "parameters", sotto_parameters_name(spec->parameters));
    json_text(j, "link", sotto_link_name(spec->link));
    json_text(j, "reward_kind", sotto_reward_kind_name(spec->reward_kind));
    json_real(j, "reward_lo", spec->reward_lo);
    json_real(j, "reward_hi", spec->reward_hi);
    json_real(j, "noise", noisy ? match->environment.noise : NAN);
    json_real(j, "theta_norm_max", spec->theta_norm_max);
    json_natural(j, "horizon", match->horizon);
    if (match->people_per_second == 0) return;
    json_open(j, "delay", '{');
    json_natural(j, "reward_window_s", spec->reward_window_s);
    json_natural(j, "send_spread_s", spec->send_spread_s);
    json_real(j, "people_per_second", match->people_per_second);
    json_natural(j, "epoch_seconds_min", match->epoch_seconds_min);
    json_natural(j, "epoch_lag_max", spec->epoch_lag_max);
    json_close(j);
}

void plan_print_json(const sotto_plan_question *question, const sotto_plan_answers *answers)
{
    const sotto_plan *plan = &answers->of[0].plan;
    json_writer j = json_begin(stdout);
    json_open(&j, NULL, '{');
    print_experiment(&j, &plan->match);
    natural(&j, "per_day", question->per_day);
    json_real(&j, "within_percent", question->within_percent);
    json_real(&j, "best_reward", plan->best_reward);
    json_real(&j, "chance_reward", plan->chance_reward);
    json_open(&j, "plans", '[');
    for (uint32_t i = 0; i < answers->count; i++) {
        print_one(&j, question, answers, i);
    }
    json_close(&j);
    json_text(&j, "version", sotto_version());
    json_close(&j);
    json_end(&j);
}
