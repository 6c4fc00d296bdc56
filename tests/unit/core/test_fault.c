/* Sentences are formatted, and cut where the caller's room ends. */
#include "core/fault.h"
#include "test.h"

#include <string.h>

static void long_sentences_are_cut_and_ended(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES + 1], longer[2 * SOTTO_FAULT_BYTES];
    text[SOTTO_FAULT_BYTES] = 'x';
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_ptr_equal(sotto__fault(text, "%s", longer), text);
    assert_int_equal(strlen(text), SOTTO_FAULT_BYTES - 1);
    assert_int_equal(text[SOTTO_FAULT_BYTES], 'x');
}

static void no_sentence_is_cut_within_a_character(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES], longer[2 * SOTTO_FAULT_BYTES];
    for (size_t before = SOTTO_FAULT_BYTES - 4; before < SOTTO_FAULT_BYTES - 1; before++) {
        memset(longer, 'a', sizeof longer);
        memcpy(longer + before, "\xF0\x9F\x8D\xB0", 4);
        longer[sizeof longer - 1] = '\0';
        assert_int_equal(strlen(sotto__fault(text, "%s", longer)), before);
    }
}

static void names_and_numbers_are_filled_in(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    assert_string_equal(sotto__fault(text, "%s = %u: allowed %g", "dim", 7u, 0.5),
                        "dim = 7: allowed 0.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_sentences_are_cut_and_ended),
        cmocka_unit_test(no_sentence_is_cut_within_a_character),
        cmocka_unit_test(names_and_numbers_are_filled_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
