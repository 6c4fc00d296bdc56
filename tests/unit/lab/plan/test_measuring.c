/* The price of measuring, and when it shows something: compared with slow sums and a step-by-step
 * search. */
#include "checked.h"
#include "lab/plan/inner.h"
#include "scenes.h"
#include "test.h"

#include <sotto/lab/plans.h>

static sotto_plan plan_of(sotto_parameters parameters, sotto_link link, double epsilon,
                          uint64_t horizon)
{
    sotto_scene scene = {
        .dim = 5,
        .arms = 4,
        .parameters = parameters,
        .link = link,
        .reward_kind = sotto_link_reward_kind(link),
        .environment = SOTTO_ENVIRONMENT_SPHERE,
        .horizon = horizon,
    };
    sotto_plan plan;
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, epsilon, 0);
    assert_ok(sotto_match_set_learning(&match));
    match.learning.epoch = 0;
    assert_ok(sotto_plan_make(&match, &plan));
    return plan;
}

TEST(shares_that_cannot_be_give_nothing)
{
    const sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 1, 1000);
    const double bad[] = {0, 0.0009, 0.51, -1, NAN, INFINITY};
    sotto_plan_measuring m;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sotto_plan_measure(&plan, bad[i], 0, &m);
        assert_true(m.share == 0 && m.price == 0 && m.people == 0 && m.uplift == 0);
    }
    m.price = 7;
    sotto_plan_measure(NULL, 0.1, 0, &m);
    sotto_plan_measure(&plan, 0.1, 0, NULL);
    assert_true(m.price == 7);
}

TEST(questions_that_cannot_be_are_named)
{
    const sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 1, 1000);
    sotto_plan_question question = sotto_plan_question_default(&plan.match);
    const double shares[] = {0.0009, 0.51, -0.1, NAN}, uplifts[] = {1e-10, 2e6, -1, NAN};
    sotto_fault fault;
    assert_true(question.measure_share == 0 && question.uplift == 0);
    for (size_t i = 0; i < 4; i++) {
        question.measure_share = shares[i], question.uplift = 0;
        assert_status(sotto_plan_question_fault(&question, &fault), SOTTO_E_FAULT);
        assert_non_null(strstr(fault.sentence, "measure_share = "));
        assert_non_null(strstr(fault.sentence, "allowed 0, or 0.001 to 0.5"));
        question.measure_share = 0.1, question.uplift = uplifts[i];
        assert_status(sotto_plan_question_fault(&question, &fault), SOTTO_E_FAULT);
        assert_non_null(strstr(fault.sentence, "uplift = "));
    }
}

/* W(n) once more, as docs/methods.md has it. */
static double width(double n, double alpha)
{
    double l = -2 * log(alpha), rho2 = (l + log(1 + l)) / 1e4;
    return sqrt((2 / n + 2 / (n * n * rho2)) * (0.5 * log(n * rho2 + 1) - log(alpha)));
}

/* Person by person: everyone whose round is control loses the policy's advantage over chance. */
static double slow_price(const sotto_plan *plan, double share)
{
    uint64_t taught = (uint64_t)((double)plan->match.horizon * (1 - share));
    sotto_plan_point *point = calloc(taught, sizeof *point);
    double most = plan->best_reward - plan->chance_reward, sum = 0;
    assert_non_null(point);
    for (uint64_t i = 0; i < taught; i++) {
        point[i].people = i + 1;
    }
    sotto_plan_predict(plan, point, (uint32_t)taught);
    double before = most; /* of the first person */
    for (uint64_t i = 0; i < taught; i++) {
        sum += share / 2 * (most - before) / (1 - share);
        before = point[i].regret_next;
    }
    free(point);
    return sum;
}

TEST(the_price_is_that_of_a_sum_over_people)
{
    const double shares[] = {0.001, 0.05, 0.5};
    for (uint32_t at = 0; at < 6; at++) {
        sotto_link link = at % 2 == 0 ? SOTTO_LINK_IDENTITY : SOTTO_LINK_LOGIT;
        const sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, link, at < 3 ? 1 : 4, 20000);
        double share = shares[at % 3], people = 20000;
        sotto_plan_measuring m;
        sotto_plan_measure(&plan, share, 0, &m);
        double slow = slow_price(&plan, share);
        assert_near(m.price / slow, 1, 0.01); /* strides of up to one part in a hundred */
        assert_near(m.price_per_person * people, m.price, 1e-9 * m.price);
        assert_near(m.price_per_person, share / 2 * m.predicted_uplift, 1e-12);
        double most = plan.best_reward - plan.chance_reward;
        assert_near(m.regret, people * (most - m.predicted_uplift) + m.price, 1e-9 * m.regret);
    }
}

static void assert_people(const sotto_plan *plan, double share, double uplift, double warm_up)
{
    const sotto_spec *spec = &plan->terms.spec;
    sotto_plan_measuring m;
    double scale = (exp(spec->epsilon) + 1) / (exp(spec->epsilon) - 1), n = 1;
    sotto_plan_measure(plan, share, uplift, &m);
    /* Two means, each known to (hi - lo) B W/2 at alpha/2. */
    while ((spec->reward_hi - spec->reward_lo) * scale * width(n, 0.025) > m.uplift) {
        n++;
    }
    assert_near((double)m.role_reports, n, 1 + 1e-5 * n); /* w_top is an integer */
    assert_near((double)m.people, warm_up / (1 - share / 2) + 2 * n / share,
                2 + (1 + 1e-5 * n) * 2 / share);
    sotto_plan at_end = *plan;
    at_end.match.horizon = m.people;
    if (m.people == 0 || warm_up > 0) return;
    sotto_plan_measure(&at_end, share, uplift, &m);
    assert_near(m.half_width, uplift, 0.01 * uplift);
}

TEST(people_are_those_of_a_search_one_by_one)
{
    const double epsilons[] = {0.5, 1, 4};
    for (int i = 0; i < 3; i++) {
        sotto_plan plan =
            plan_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, epsilons[i], 100000);
        assert_people(&plan, 0.1, 0.3, 0);
        assert_people(&plan, 0.01, 0.05, 0);
        plan = plan_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, epsilons[i], 100000);
        assert_people(&plan, 0.5, 0.1, 0);
        plan = plan_of(SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, epsilons[i], 100000);
        double warm_up = (double)sotto_learning_default(&plan.terms, 100000).warm_up;
        assert_true(warm_up > 0);
        assert_people(&plan, 0.1, 0.3, warm_up);
    }
}

/* One by one, with the widths that alarm and notice have. */
TEST(harm_and_below_best_arm_take_as_many_people_as_their_intervals)
{
    const double epsilons[] = {1, 2}, uplifts[] = {0.1, 0.3};
    for (int i = 0; i < 4; i++) {
        double epsilon = epsilons[i / 2], uplift = uplifts[i % 2], n = 1, role = 1;
        const sotto_plan plan =
            plan_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, epsilon, 100000); /* 0 to 1 */
        double scale = (exp(epsilon) + 1) / (exp(epsilon) - 1);
        sotto_plan_measuring m;
        sotto_plan_measure(&plan, 0.1, uplift, &m);
        while (scale * width(n, 0.0005) > uplift) {
            n++;
        }
        assert_near((double)m.harm_people, n / 0.1, 30 + 1e-5 * n);
        while (scale * (width(role, 0.01) + width(floor(role / 4), 0.01)) / 2 > uplift) {
            role += 4; /* four arms, so alpha 0.05/5 */
        }
        assert_near((double)m.below_people, role * 2 / 0.1, 120 + 1e-3 * role);
        assert_true(m.harm_people < m.below_people);
    }
    /* What docs/methods.md and the table of played medians there have. */
    const sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 2, 100000);
    sotto_plan_measuring m;
    sotto_plan_measure(&plan, 0.1, 0.1, &m);
    assert_near((double)m.harm_people / 35000, 1, 0.05);
}

/* A clock says how many people come per day, too. */
TEST(rates_that_contradict_each_other_are_refused)
{
    const sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 1, 1000000);
    sotto_plan_question question = sotto_plan_question_default(&plan.match);
    sotto_fault fault;
    sotto_match_set_clock(&question.match, 60, 0, 10);
    question.per_day = 860000;
    assert_ok(sotto_plan_question_fault(&question, &fault));
    question.per_day = 1000;
    assert_status(sotto_plan_question_fault(&question, &fault), SOTTO_E_FAULT);
    assert_non_null(
        strstr(fault.sentence, "per_day = 1000: the delay has 10 people per second, allowed"));
}

TEST(what_takes_too_many_people_is_said)
{
    const sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 1, 10);
    sotto_plan_measuring m;
    sotto_plan_measure(&plan, 0.001, 1e-9, &m);
    assert_true(m.role_reports == 0 && m.people == 0);
    sotto_plan_measure(&plan, 0.001, 1e-4, &m); /* each role's reports are few enough, people not */
    assert_true(m.role_reports > 0 && m.people == 0);
    assert_true(m.half_width == 2); /* no report: all of the range */
}

TEST(answers_have_days_and_nothing_that_was_not_asked_for)
{
    const sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 1, 100000);
    sotto_plan_question question = sotto_plan_question_default(&plan.match);
    static sotto_plan_answers answers;
    sotto_plan_measuring m;
    assert_ok(sotto_plan_question_answer(&question, &answers));
    assert_true(answers.of[0].measuring.share == 0 && answers.of[0].measuring.people == 0);
    question.measure_share = 0.1, question.uplift = 0.2, question.per_day = 1000;
    assert_ok(sotto_plan_question_answer(&question, &answers));
    sotto_plan_measure(&plan, 0.1, 0.2, &m);
    assert_true(answers.of[0].measuring.people == m.people && m.people > 0);
    assert_int_equal(answers.of[0].measuring.days, (m.people + 999) / 1000);
    assert_true(answers.half[0].answer.measuring.people > 3 * m.people);
}

/* The smallest number of people for a target: it is reached with this number and all larger ones,
 * but not with one fewer. */

static sotto_plan plan_of_people(sotto_parameters parameters, sotto_link link, bool chances,
                                 uint32_t dim, uint32_t arms, double epsilon)
{
    sotto_match match = sphere_match(parameters, link, dim, arms, epsilon, 1000);
    if (chances) { /* 0/1 rewards under the identity link */
        match.spec.reward_kind = SOTTO_REWARD_BINARY, match.spec.score = SOTTO_SCORE_SELF;
        match.spec.reward_lo = 0, match.environment.law = SOTTO_LAW_BERNOULLI;
        match.spec.theta_norm_max = match.environment.theta_norm = 0.5;
    }
    sotto_plan plan;
    assert_ok(sotto_match_set_learning(&match));
    match.learning.epoch = 0;
    assert_ok(sotto_plan_make(&match, &plan));
    return plan;
}

/* An experiment of so many people, planned for them. */
static double mean_of(const sotto_plan *plan, uint64_t people)
{
    sotto__course c = sotto__course_begin(plan, people, true);
    sotto__course_advance(&c, people);
    return c.regret / (double)people;
}

static double most_of(const sotto_plan *plan)
{
    return plan->best_reward - plan->chance_reward;
}

/* Each of the next people, then ever fewer of them. */
static void assert_from_there_on(const sotto_plan *plan, double target, uint64_t people,
                                 uint64_t each, double factor)
{
    for (uint64_t more = 0; more < each; more++) {
        if (mean_of(plan, people + more) <= target) continue;
        fail_msg("%g is reached by %llu people, not by %llu", target, (unsigned long long)people,
                 (unsigned long long)(people + more));
    }
    for (double more = factor * (double)people; more < 1e12; more *= factor) {
        if (mean_of(plan, (uint64_t)more) <= target) continue;
        fail_msg("%g is reached by %llu people, not by %.0f", target, (unsigned long long)people,
                 more);
    }
}

static void assert_answer(const sotto_plan *plan, double target, uint64_t each, double factor)
{
    uint64_t people = sotto_plan_people(plan, target);
    if (people == 0) {
        assert_true(mean_of(plan, SOTTO_HORIZON_MAX) > target);
        return;
    }
    if (people > 1) assert_true(mean_of(plan, people - 1) > target);
    assert_from_there_on(plan, target, people, each, factor);
}

/* ---- one piece ---------------------------------------------------------------------------- */

TEST(with_one_parameter_the_fewest_is_the_answer)
{
    for (uint32_t i = 0; i < 4; i++) {
        sotto_plan plan = plan_of_people(SOTTO_PARAMETERS_SHARED, (sotto_link)i, false, 5, 5, 1);
        for (double part = 0.9; part > 1e-6; part /= 7) {
            double target = part * most_of(&plan);
            uint64_t few = 0, enough = SOTTO_HORIZON_MAX;
            while (enough - few > 1) {
                uint64_t middle = few + (enough - few) / 2;
                *(mean_of(&plan, middle) <= target ? &enough : &few) = middle;
            }
            assert_int_equal(sotto_plan_people(&plan, target), enough);
        }
    }
}

TEST(extremes_have_their_answers)
{
    for (uint32_t i = 0; i < 2; i++) {
        sotto_plan plan = plan_of_people((sotto_parameters)i, SOTTO_LINK_IDENTITY, false, 5, 5, 1);
        assert_ints(sotto_plan_people(&plan, 10), 1, sotto_plan_people(&plan, 1e6), 1);
        assert_ints(sotto_plan_people(&plan, 1e-12), 0, sotto_plan_people(&plan, NAN), 0);
        assert_int_equal(sotto_plan_people(&plan, -1), 0);
    }
}

/* ---- teeth -------------------------------------------------------------------------------- */

/* 14 people have two random arms, 15 three. */
TEST(a_number_that_does_by_chance_is_not_the_answer)
{
    sotto_plan plan = plan_of_people(SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, false, 1, 2, 5);
    double target = 0.18 * most_of(&plan);
    assert_true(mean_of(&plan, 14) <= target && mean_of(&plan, 15) > target);
    assert_true(sotto_plan_people(&plan, target) > 15);
    assert_answer(&plan, target, 100, 1.3);
}

/* As many people as there are when a mean phase begins pay for it. */
TEST(a_phase_that_begins_is_not_overlooked)
{
    sotto_plan plan = plan_of_people(SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_LOGIT, false, 1, 2, 0.5);
    uint64_t first = 1;
    while (sotto_learning_mean_phase(&plan.terms, first) == 0) {
        first++;
    }
    double before = mean_of(&plan, first - 1), after = mean_of(&plan, first);
    assert_true(after > 1.01 * before);
    double target = before + 0.1 * (after - before);
    assert_true(sotto_plan_people(&plan, target) > first);
    assert_answer(&plan, target, 20, 10);
}

static const double parts[] = {0.97, 0.5,    0.201, 0.15,
                               0.05, 0.0202, 0.004}; /* of what a random arm loses */

TEST(many_settings_hold_from_there_on)
{
    const uint32_t dims[] = {2, 3, 8}, arms[] = {2, 5, 20};
    const double epsilons[] = {0.3, 1, 5};
    const sotto_link links[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT, SOTTO_LINK_LOG,
                                SOTTO_LINK_IDENTITY};
    for (uint32_t i = 0; i < 3 * 3 * 4; i += LOADS_ARE_CHECKED ? 7 : 2) {
        uint32_t kind = i / 9;
        sotto_plan plan = plan_of_people(SOTTO_PARAMETERS_PER_ARM, links[kind], kind == 3,
                                         dims[i % 3], arms[i / 3 % 3], epsilons[(i + i / 3) % 3]);
        for (uint32_t part = i / 2 % 3; part < 7; part += 3) {
            assert_answer(&plan, parts[part] * most_of(&plan), 20, 3);
        }
    }
}

TEST(so_they_do_on_a_line)
{
    const sotto_link links[] = {SOTTO_LINK_LOGIT, SOTTO_LINK_LOG, SOTTO_LINK_IDENTITY};
    for (uint32_t i = LOADS_ARE_CHECKED ? 2 : 0; i < 3; i++) {
        sotto_plan plan = plan_of_people(SOTTO_PARAMETERS_PER_ARM, links[i], i == 2, 1, 2 + i, 5);
        for (uint32_t part = i; part < 7; part += 4) {
            assert_answer(&plan, parts[part] * most_of(&plan), 10, 30);
        }
    }
}
