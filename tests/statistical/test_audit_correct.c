/* The audit finds no violation in the library's mechanisms, and detects most of their epsilon. */
#include "broken.h"
#include "test.h"

TEST(every_correct_mechanism_passes)
{
    for (uint32_t i = 0; i < correct_count(); i++) {
        const broken *mechanism = correct_at(i);
        sotto_audit_result result;
        assert_ok(broken_audit(mechanism, mechanism->trials, 300 + i, &result));
        for (uint32_t r = 0; r < result.rows_count; r++) {
            if (result.row[r].passed) continue;
            fail_msg("%s, dim %u, epsilon %g: %s: %g, allowed %g, p = %g", mechanism->name,
                     mechanism->dim, mechanism->epsilon, result.row[r].name,
                     result.row[r].statistic, result.row[r].bound, result.row[r].p_value);
        }
        assert_int_equal(result.verdict, SOTTO_AUDIT_NO_VIOLATION);
        /* If the noise is larger than needed and not normal, only layer 3 detects anything. */
        bool larger = strstr(mechanism->name, "10 sigma") != NULL;
        assert_true(result.epsilon_lower > (larger ? 0.1 : 0.5) * mechanism->epsilon);
        assert_true(result.epsilon_lower <= mechanism->epsilon);
    }
}

/* With the right event, 1e6 trials reveal nearly all of epsilon. */
TEST(a_million_trials_show_nearly_all_of_a_pure_epsilon)
{
    const struct {
        sotto_mechanism_kind kind;
        double epsilon;
    } pure[] = {{SOTTO_MECHANISM_L2BALL, 1}, {SOTTO_MECHANISM_L2BALL, 2}};
    for (uint32_t i = 0; i < 2; i++) {
        const broken mechanism = {
            .name = "l2ball", .kind = pure[i].kind, .dim = 2, .epsilon = pure[i].epsilon};
        sotto_audit_result result;
        assert_ok(broken_audit(&mechanism, 2500000, 200 + i, &result)); /* 1e6 fresh per side */
        assert_int_equal(result.verdict, SOTTO_AUDIT_NO_VIOLATION);
        assert_true(result.epsilon_lower > mechanism.epsilon - 0.015);
    }
}
