/* How answers look. */
#include "asked.h"
#include "service/api/answer.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const answer_style plain = {{{NULL, NULL}, {NULL, NULL}}};
static const answer_style styled = {{{"A", "1"}, {"B", "2"}}};

static void a_refusal_is_json_and_says_when_to_come_back(void **state)
{
    (void)state;
    api_answers answers;
    front_answer answer;
    sottod_refusal why;
    answers_init(&answers, &styled);
    refusal_set(&why, 503, "full", NULL, NULL, NULL);
    answer_refusal(&answers, &why, &answer);
    asked got = asked_of(&answer);
    assert_int_equal(got.status, 503);
    assert_string_equal(got.body,
                        "{\"error\":\"full\",\"field\":null,\"value\":null,\"allowed\":null}");
    assert_string_equal(got.type, "application/json");
    assert_string_equal(asked_header(&got, "Retry-After"), "1");
    assert_string_equal(asked_header(&got, "A"), "1");
    assert_string_equal(asked_header(&got, "B"), "2");
    asked_free(&got);
    refusal_set(&why, 401, "who", NULL, NULL, NULL);
    answer_refusal(&answers, &why, &answer);
    got = asked_of(&answer);
    assert_string_equal(asked_header(&got, "WWW-Authenticate"), "Bearer realm=\"sottod\"");
    assert_int_equal(got.headers, 3);
    asked_free(&got);
    answers_end(&answers);
}

static void what_the_service_lacks_has_a_count_of_its_own(void **state)
{
    (void)state;
    static const struct {
        refusal_lack lacks;
        front_refusal why;
    } cases[] = {{LACK_JOURNAL, FRONT_REFUSED_JOURNAL},
                 {LACK_NONCES, FRONT_REFUSED_NONCES},
                 {LACK_MEMORY, FRONT_REFUSED_MEMORY},
                 {LACK_NOTHING, FRONT_REFUSED_ROUTE}};
    api_answers answers;
    answers_init(&answers, &plain);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        front_answer answer;
        sottod_refusal why;
        refusal_set_lack(&why, cases[i].lacks, "full");
        answer_refusal(&answers, &why, &answer);
        assert_int_equal(answer.status, 503);
        assert_int_equal(answer.why, cases[i].why);
    }
    answers_end(&answers);
}

static void json_that_could_not_be_made_is_a_503(void **state)
{
    (void)state;
    api_answers answers;
    front_answer answer;
    answers_init(&answers, &plain);
    answer_json(&answers, 200, NULL, &answer);
    assert_int_equal(answer.status, 503);
    answer_text(&answers, 200, "text/plain", NULL, 0, &answer);
    assert_int_equal(answer.status, 503);
    answers_end(&answers);
}

static void a_refusal_of_the_front_names_the_part_at_fault(void **state)
{
    (void)state;
    static const struct {
        uint32_t status;
        const char *field, *allowed;
    } cases[] = {{411, "Content-Length", ""},
                 {413, "body", "at most 7 bytes"},
                 {414, "path", ""},
                 {431, "head", ""},
                 {400, "", ""}};
    api_answers answers;
    front_answer answer;
    char text[257];
    answers_init(&answers, &plain);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        answer_front_refusal(&answers, cases[i].status, "So.", cases[i].allowed, &answer);
        asked got = asked_of(&answer);
        assert_int_equal(got.status, cases[i].status);
        assert_string_equal(asked_text(&got, "error", text), "So.");
        assert_string_equal(asked_text(&got, "field", text), cases[i].field);
        assert_string_equal(asked_text(&got, "allowed", text), cases[i].allowed);
        asked_free(&got);
    }
    answers_end(&answers);
}

static void an_answer_lives_until_the_next(void **state)
{
    (void)state;
    api_answers answers;
    front_answer answer;
    answers_init(&answers, &plain);
    answer_json(&answers, 200, json_pack("{si}", "a", 1), &answer);
    assert_int_equal(answer.body_bytes, 7);
    assert_memory_equal(answer.body, "{\"a\":1}", 7);
    answer_json(&answers, 201, json_pack("{si}", "b", 2), &answer);
    assert_int_equal(answer.status, 201);
    assert_memory_equal(answer.body, "{\"b\":2}", 7);
    answer_empty(&answers, 204, &answer);
    assert_null(answer.body);
    assert_null(answer.type);
    assert_int_equal(answer.headers, 0);
    answers_end(&answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refusal_is_json_and_says_when_to_come_back),
        cmocka_unit_test(what_the_service_lacks_has_a_count_of_its_own),
        cmocka_unit_test(json_that_could_not_be_made_is_a_503),
        cmocka_unit_test(a_refusal_of_the_front_names_the_part_at_fault),
        cmocka_unit_test(an_answer_lives_until_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
