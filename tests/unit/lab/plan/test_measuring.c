/* The price of measuring, and when it tells something: against slow sums and a search one by one. */
#include "test.h"

#include <sotto/lab/plans.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void shares_that_cannot_be_give_nothing(void **state)
{
    (void)state;
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

static void questions_that_cannot_be_are_named(void **state)
{
    (void)state;
    const sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 1, 1000);
    sotto_plan_question question = sotto_plan_question_default(&plan.match);
    const double shares[] = {0.0009, 0.51, -0.1, NAN}, uplifts[] = {1e-10, 2e6, -1, NAN};
    char text[SOTTO_FAULT_BYTES];
    assert_true(question.measure_share == 0 && question.uplift == 0);
    for (size_t i = 0; i < 4; i++) {
        question.measure_share = shares[i], question.uplift = 0;
        assert_non_null(sotto_plan_question_fault(&question, text));
        assert_non_null(strstr(text, "measure_share = "));
        assert_non_null(strstr(text, "allowed 0, or 0.001 to 0.5"));
        question.measure_share = 0.1, question.uplift = uplifts[i];
        assert_non_null(sotto_plan_question_fault(&question, text));
        assert_non_null(strstr(text, "uplift = "));
    }
}

/* W(n) once more, as docs/methods.md has it. */
static double width(double n, double alpha)
{
    double l = -2 * log(alpha), rho2 = (l + log(1 + l)) / 1e4;
    return sqrt((2 / n + 2 / (n * n * rho2)) * (0.5 * log(n * rho2 + 1) - log(alpha)));
}

/* Person by person: everybody whose round is control loses what the policy is better than chance. */
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

static void the_price_is_that_of_a_sum_over_people(void **state)
{
    (void)state;
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

static void people_are_those_of_a_search_one_by_one(void **state)
{
    (void)state;
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

static void what_takes_too_many_people_is_said(void **state)
{
    (void)state;
    const sotto_plan plan = plan_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 1, 10);
    sotto_plan_measuring m;
    sotto_plan_measure(&plan, 0.001, 1e-9, &m);
    assert_true(m.role_reports == 0 && m.people == 0);
    sotto_plan_measure(&plan, 0.001, 1e-4, &m); /* each role's reports are few enough, people not */
    assert_true(m.role_reports > 0 && m.people == 0);
    assert_true(m.half_width == 2); /* no report: all of the range */
}

static void answers_have_days_and_nothing_that_was_not_asked_for(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_that_cannot_be_give_nothing),
        cmocka_unit_test(questions_that_cannot_be_are_named),
        cmocka_unit_test(the_price_is_that_of_a_sum_over_people),
        cmocka_unit_test(people_are_those_of_a_search_one_by_one),
        cmocka_unit_test(what_takes_too_many_people_is_said),
        cmocka_unit_test(answers_have_days_and_nothing_that_was_not_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
