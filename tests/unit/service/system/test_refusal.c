/* Why a request was refused. */
#include "service/system/refusal.h"
#include "test.h"

#include <string.h>

static void no_text_is_an_empty_text(void **state)
{
    (void)state;
    sottod_refusal why;
    memset(&why, 'x', sizeof why);
    refusal_set(&why, 404, "there is no such experiment", NULL, NULL, NULL);
    assert_int_equal(why.status, 404);
    assert_string_equal(why.error, "there is no such experiment");
    assert_string_equal(why.field, "");
    assert_string_equal(why.value, "");
    assert_string_equal(why.allowed, "");
    assert_int_equal(why.lacks, LACK_NOTHING);
}

static void a_lack_of_ours_is_a_503(void **state)
{
    (void)state;
    sottod_refusal why;
    memset(&why, 'x', sizeof why);
    refusal_set_lack(&why, LACK_JOURNAL, "the disk is full");
    assert_int_equal(why.status, 503);
    assert_int_equal(why.lacks, LACK_JOURNAL);
    assert_string_equal(why.error, "the disk is full");
    assert_string_equal(why.field, "");
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    sottod_refusal why;
    char text[1000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    refusal_set(&why, 400, text, text, text, text);
    assert_int_equal(strlen(why.error), sizeof why.error - 1);
    assert_int_equal(strlen(why.field), sizeof why.field - 1);
    assert_int_equal(strlen(why.value), sizeof why.value - 1);
    assert_int_equal(strlen(why.allowed), sizeof why.allowed - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_text_is_an_empty_text),
        cmocka_unit_test(a_lack_of_ours_is_a_503),
        cmocka_unit_test(long_texts_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
