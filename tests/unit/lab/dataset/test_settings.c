/* The settings of a schema: what is set is what one gets, and the first word is the usual one. */
#include "lab/dataset/settings.h"
#include "test.h"

#include <string.h>

static void every_word_of_every_setting_can_be_set(void **state)
{
    (void)state;
    sotto_schema schema = {.separator = ',', .header = true, .unit = true}; /* as they are read */
    for (uint32_t i = 0; i < SOTTO__SETTINGS; i++) {
        assert_int_equal(sotto__setting_get(&schema, (sotto__setting)i), 0);
    }
    for (uint32_t i = 0; i < SOTTO__SETTINGS; i++) {
        sotto__setting which = (sotto__setting)i;
        assert_non_null(sotto__setting_name(which));
        uint32_t choice = 0;
        for (; sotto__setting_choice(which, choice) != NULL; choice++) {
            sotto__setting_set(&schema, which, choice);
            assert_int_equal(sotto__setting_get(&schema, which), choice);
        }
        assert_true(choice >= 2);
    }
}

static void words_stand_for_what_they_say(void **state)
{
    (void)state;
    assert_string_equal(sotto__setting_choice(SOTTO__SETTING_FORMAT, SOTTO_DATASET_VW), "vw");
    assert_string_equal(sotto__setting_choice(SOTTO__SETTING_FORMAT, SOTTO_DATASET_VW_ADF),
                        "vw-adf");
    assert_string_equal(sotto__separator_name(0), "comma");
    assert_string_equal(sotto__separator_name(4), "blank");
    assert_null(sotto__separator_name(5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_of_every_setting_can_be_set),
        cmocka_unit_test(words_stand_for_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
