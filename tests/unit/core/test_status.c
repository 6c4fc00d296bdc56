/* Every status has a sentence of its own, and anything else is called unknown. */
#include "test.h"

#include <string.h>

static void unknown_status_is_said_to_be_unknown(void **state)
{
    (void)state;
    assert_string_equal(sotto_status_text((sotto_status)9999), "an unknown status");
    assert_string_equal(sotto_status_text((sotto_status)-1), "an unknown status");
}

static void sentences_are_all_there_and_all_different(void **state)
{
    (void)state;
#define ROW(name, sentence) SOTTO_##name,
    static const sotto_status all[] = {SOTTO_STATUS_MAP(ROW)};
    const size_t count = sizeof all / sizeof all[0];
    assert_int_equal(all[0], SOTTO_OK);
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(sotto_status_text(all[i])) > 3);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(sotto_status_text(all[i]), sotto_status_text(all[j]));
        }
    }
}

static void version_is_the_header_s(void **state)
{
    (void)state;
    assert_string_equal(sotto_version(), SOTTO_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_status_is_said_to_be_unknown),
        cmocka_unit_test(sentences_are_all_there_and_all_different),
        cmocka_unit_test(version_is_the_header_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
