/* The names of environments and reward laws are those that one types, and no others. */
#include "test.h"

#include <sotto/lab/environments.h>

#define KINDS 8

static void kinds_and_laws_have_names(void **state)
{
    (void)state;
    const char *const kinds[] = {"sphere", "ball",  "gaussian",  "anisotropic",
                                 "margin", "drift", "published", "loan"};
    const char *const laws[] = {"gaussian", "none", "bernoulli", "poisson"};
    sotto_environment_kind found;
    for (uint32_t i = 0; i < KINDS; i++) {
        assert_string_equal(sotto_environment_kind_name(i), kinds[i]);
        assert_true(sotto_environment_kind_from_name(kinds[i], &found));
        assert_int_equal(found, i);
    }
    assert_false(sotto_environment_kind_from_name("spheres", &found));
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(sotto_reward_law_name(i), laws[i]);
    }
    assert_null(sotto_environment_kind_name(KINDS));
    assert_null(sotto_reward_law_name(4));
    assert_null(sotto_environment_kind_name(UINT32_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_and_laws_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
