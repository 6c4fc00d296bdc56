/* Streams that are lent give the lab's own numbers, and a person's do not move the next one's. */
#include "lab/plugin/lent.h"
#include "test.h"

static void the_stream_of_a_purpose_is_the_lab_s_own(void **state)
{
    (void)state;
    sotto__ziggurat ziggurat;
    sotto__seeded own;
    sotto__lent lent;
    sotto__ziggurat_begin(&ziggurat);
    sotto__stream_begin(&own, 7, SOTTO__PURPOSE_PRIVACY);
    sotto__lent_begin(&lent, 7, SOTTO__PURPOSE_PRIVACY, &ziggurat);
    for (int i = 0; i < 1000; i++) {
        assert_true(sotto_stream_bits(&lent.stream) == sotto__seeded_next(&own));
        assert_near(sotto_stream_uniform(&lent.stream), sotto__uniform(sotto__seeded_next(&own)),
                    0);
        assert_near(sotto_stream_normal(&lent.stream), sotto__normal(&ziggurat, &own), 0);
    }
}

static void the_same_person_has_the_same_numbers_and_another_has_others(void **state)
{
    (void)state;
    sotto__ziggurat ziggurat;
    sotto__lent lent;
    sotto__ziggurat_begin(&ziggurat);
    sotto__lent_person(&lent, 11, &ziggurat);
    uint64_t first = sotto_stream_bits(&lent.stream);
    (void)sotto_stream_normal(&lent.stream);
    sotto__lent_person(&lent, 12, &ziggurat);
    assert_true(sotto_stream_bits(&lent.stream) != first);
    sotto__lent_person(&lent, 11, &ziggurat);
    assert_true(sotto_stream_bits(&lent.stream) == first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stream_of_a_purpose_is_the_lab_s_own),
        cmocka_unit_test(the_same_person_has_the_same_numbers_and_another_has_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
