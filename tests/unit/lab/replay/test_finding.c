/* What privacy leaves to learn, from leads by hand. */
#include "lab/replay/finding.h"
#include "test.h"

#include <math.h>

static void nothing_judged_is_nothing_found(void **state)
{
    (void)state;
    const sotto__lead lead[] = {{1, {NAN, NAN}}, {INFINITY, {NAN, NAN}}};
    sotto_replay_findings findings;
    assert_int_equal(sotto__finding_of(lead, 2, NULL), SOTTO_FINDING_NOTHING);
    assert_ok(sotto__findings_of(lead, 0, &findings));
    assert_int_equal(findings.epsilons_count, 0);
    assert_int_equal(findings.all, SOTTO_FINDING_NOTHING);
    sotto__findings_free(&findings);
    assert_null(findings.epsilon);
    sotto__findings_free(&findings);
}

/* A lead that cannot reach 0.02 is none; one that can is open, unless it is above 0 for certain. */
static void one_method_that_is_ahead_is_enough(void **state)
{
    (void)state;
    const sotto__lead none = {1, {-0.1, 0.0199}}, open = {1, {-0.1, 0.02}},
                      ahead = {1, {0.001, 0.01}};
    const sotto__lead first[] = {ahead, open, none}, last[] = {none, open, ahead};
    const sotto__lead some[] = {none, open, none}, exact[] = {{1, {0, 0.01}}};
    assert_int_equal(sotto__finding_of(&none, 1, NULL), SOTTO_FINDING_NOTHING);
    assert_int_equal(sotto__finding_of(&open, 1, NULL), SOTTO_FINDING_UNKNOWN);
    assert_int_equal(sotto__finding_of(&ahead, 1, NULL), SOTTO_FINDING_BEATEN);
    assert_int_equal(sotto__finding_of(first, 3, NULL), SOTTO_FINDING_BEATEN);
    assert_int_equal(sotto__finding_of(last, 3, NULL), SOTTO_FINDING_BEATEN);
    assert_int_equal(sotto__finding_of(some, 3, NULL), SOTTO_FINDING_UNKNOWN);
    assert_int_equal(sotto__finding_of(exact, 1, NULL), SOTTO_FINDING_NOTHING);
}

static void each_epsilon_is_found_once(void **state)
{
    (void)state;
    const sotto__lead lead[] = {
        {4, {-0.1, -0.05}}, {0.5, {-0.2, -0.1}}, {8, {-0.1, 0.1}},
        {4, {0.1, 0.2}},    {0.5, {-0.1, 0.01}}, {INFINITY, {-0.1, 0.3}},
    };
    sotto_replay_findings findings;
    assert_ok(sotto__findings_of(lead, 6, &findings));
    assert_int_equal(findings.all, SOTTO_FINDING_BEATEN);
    assert_int_equal(findings.open, SOTTO_FINDING_UNKNOWN);
    assert_int_equal(findings.epsilons_count, 3);
    assert_true(findings.epsilon[0] == 4 && findings.epsilon[1] == 0.5 && findings.epsilon[2] == 8);
    assert_int_equal(findings.finding[0], SOTTO_FINDING_BEATEN);
    assert_int_equal(findings.finding[1], SOTTO_FINDING_NOTHING);
    assert_int_equal(findings.finding[2], SOTTO_FINDING_UNKNOWN);
    sotto__findings_free(&findings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_judged_is_nothing_found),
        cmocka_unit_test(one_method_that_is_ahead_is_enough),
        cmocka_unit_test(each_epsilon_is_found_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
