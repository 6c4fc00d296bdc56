/* The score of one arm for all: the reward on the scale -1 to 1, and nothing else. */
#include "client/score_rows.h"
#include "test.h"

static void the_range_becomes_minus_one_to_one(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_COUNT); /* 0 to 10 */
    const double reward[] = {0, 10, 5, 2.5}, wanted[] = {-1, 1, 0, -0.5};
    for (int i = 0; i < 4; i++) {
        const sotto__scored scored = {.spec = &spec, .reward = reward[i]};
        double v[1];
        sotto__score_reward(&scored, v);
        assert_true(v[0] == wanted[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_range_becomes_minus_one_to_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
