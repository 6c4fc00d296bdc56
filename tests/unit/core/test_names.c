/* Every kind has a name of its own, in the order of the wire format, and no other number has one.
 */
#include "test.h"

#include <string.h>

typedef const char *name_function(uint32_t value);

#define TEXT(name, text) text,
#define KIND(function, map)                                                                        \
    {                                                                                              \
        function, (const char *const[]){map(TEXT)},                                                \
            sizeof((const char *const[]){map(TEXT)}) / sizeof(const char *)                        \
    }

static const struct {
    name_function *name;
    const char *const *wanted;
    uint32_t count;
} kinds[] = {
    KIND(sotto_parameters_name, SOTTO_PARAMETERS_MAP), KIND(sotto_link_name, SOTTO_LINK_MAP),
    KIND(sotto_reward_kind_name, SOTTO_REWARD_MAP),    KIND(sotto_method_name, SOTTO_METHOD_MAP),
    KIND(sotto_score_name, SOTTO_SCORE_MAP),           KIND(sotto_split_name, SOTTO_SPLIT_MAP),
    KIND(sotto_noise_law_name, SOTTO_NOISE_MAP),       KIND(sotto_phase_name, SOTTO_PHASE_MAP),
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static void a_number_past_the_list_has_no_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        assert_null(kinds[i].name(kinds[i].count));
        assert_null(kinds[i].name(255));
        assert_null(kinds[i].name(1u << 31));
        assert_null(kinds[i].name(UINT32_MAX));
    }
}

static void every_kind_is_named_by_the_list_that_numbers_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        for (uint32_t v = 0; v < kinds[i].count; v++) {
            assert_string_equal(kinds[i].name(v), kinds[i].wanted[v]);
        }
    }
}

/* The numbers and names stand in frames and in scripts: changing one changes the protocol. */
static void numbers_of_the_wire_format_keep_their_names(void **state)
{
    (void)state;
    assert_string_equal(sotto_parameters_name(0), "shared");
    assert_string_equal(sotto_parameters_name(1), "per-arm");
    assert_string_equal(sotto_link_name(0), "identity");
    assert_string_equal(sotto_link_name(1), "logit");
    assert_string_equal(sotto_link_name(2), "probit");
    assert_string_equal(sotto_link_name(3), "log");
    assert_string_equal(sotto_reward_kind_name(0), "continuous");
    assert_string_equal(sotto_reward_kind_name(1), "binary");
    assert_string_equal(sotto_reward_kind_name(2), "count");
    assert_string_equal(sotto_method_name(0), "sotto");
    assert_string_equal(sotto_method_name(1), "sotto-ols");
    assert_string_equal(sotto_method_name(2), "ldp-sgd");
    assert_string_equal(sotto_method_name(3), "ldp-ols");
    assert_string_equal(sotto_method_name(4), "ldp-ucb");
    assert_string_equal(sotto_method_name(5), "ldp-gloc");
    assert_string_equal(sotto_score_name(0), "sign");
    assert_string_equal(sotto_score_name(1), "self");
    assert_string_equal(sotto_score_name(2), "huber");
    assert_string_equal(sotto_score_name(3), "gradient");
    assert_string_equal(sotto_score_name(4), "moments");
    assert_string_equal(sotto_score_name(5), "gloc-pair");
    assert_string_equal(sotto_score_name(6), "centred");
    assert_string_equal(sotto_split_name(0), "joint");
    assert_string_equal(sotto_split_name(1), "per-arm");
    assert_string_equal(sotto_noise_law_name(0), "gaussian");
    assert_string_equal(sotto_noise_law_name(1), "laplace");
    assert_string_equal(sotto_phase_name(0), "warm-up");
    assert_string_equal(sotto_phase_name(1), "main");
    assert_string_equal(sotto_phase_name(2), "mean");
    assert_int_equal(SOTTO_PHASES, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_past_the_list_has_no_name),
        cmocka_unit_test(every_kind_is_named_by_the_list_that_numbers_it),
        cmocka_unit_test(numbers_of_the_wire_format_keep_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
