/* The form of answers. */
#include "asked.h"
#include "service/api/inner.h"
#include "test.h"

#include <jansson.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const answer_style plain = {{{NULL, NULL}, {NULL, NULL}}};
static const answer_style styled = {{{"A", "1"}, {"B", "2"}}};

TEST(a_refusal_is_json_and_says_when_to_come_back)
{
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
    assert_strings(got.type, "application/json", asked_header(&got, "Retry-After"), "1");
    assert_strings(asked_header(&got, "A"), "1", asked_header(&got, "B"), "2");
    refusal_set(&why, 401, "who", NULL, NULL, NULL);
    answer_refusal(&answers, &why, &answer);
    got = asked_of(&answer);
    assert_string_equal(asked_header(&got, "WWW-Authenticate"), "Bearer realm=\"sottod\"");
    assert_int_equal(got.headers, 3);
    answers_end(&answers);
}

TEST(what_the_service_lacks_has_a_count_of_its_own)
{
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
        assert_ints(answer.status, 503, answer.why, cases[i].why);
    }
    answers_end(&answers);
}

TEST(what_comes_from_a_wrong_page_has_a_count_of_its_own)
{
    static const struct {
        uint32_t status;
        const char *field;
        front_refusal why;
    } cases[] = {{403, "Origin", FRONT_REFUSED_ORIGIN},
                 {400, "Origin", FRONT_REFUSED_ROUTE}, /* the name of a field in a body */
                 {403, "Host", FRONT_REFUSED_ROUTE}};
    api_answers answers;
    answers_init(&answers, &plain);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        front_answer answer;
        sottod_refusal why;
        refusal_set(&why, cases[i].status, "So.", cases[i].field, NULL, NULL);
        answer_refusal(&answers, &why, &answer);
        assert_int_equal(answer.why, cases[i].why);
    }
    answers_end(&answers);
}

TEST(json_that_could_not_be_made_is_a_503)
{
    api_answers answers;
    front_answer answer;
    answers_init(&answers, &plain);
    answer_json(&answers, 200, NULL, &answer);
    assert_int_equal(answer.status, 503);
    answer_text(&answers, 200, "text/plain", NULL, 0, &answer);
    assert_int_equal(answer.status, 503);
    answers_end(&answers);
}

TEST(a_refusal_of_the_front_names_the_part_at_fault)
{
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
    }
    answers_end(&answers);
}

TEST(an_answer_lives_until_the_next)
{
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

/* Refusals as JSON. */

static void assert_body(const sottod_refusal *why, const char *wanted)
{
    char body[ERROR_JSON_BYTES];
    size_t bytes = error_json(why, body);
    assert_int_equal(bytes, strlen(wanted));
    assert_memory_equal(body, wanted, bytes);
}

TEST(what_json_cannot_have_is_escaped_or_replaced)
{
    sottod_refusal why;
    refusal_set(&why, 400, "a \"b\"\\\n\x7f", "caf\xc3\xa9", "cut \xe2\x82", "\xff\xc0\x80");
    assert_body(&why,
                "{\"error\":\"a \\u0022b\\u0022\\u005c\\u000a\\u007f\",\"field\":\"caf\xc3\xa9\","
                "\"value\":\"cut ??\",\"allowed\":\"???\"}");
    /* Surrogates, overlong forms, and numbers above the last letter. */
    refusal_set(&why, 400, "\xed\xa0\x80", "\xe0\x9f\xbf", "\xf4\x90\x80\x80", "\xf0\x8f\xbf\xbf");
    assert_body(&why,
                "{\"error\":\"???\",\"field\":\"???\",\"value\":\"????\",\"allowed\":\"????\"}");
    refusal_set(&why, 400, "\xf0\x9f\x98\x80", NULL, NULL, NULL);
    assert_body(&why, "{\"error\":\"\xf0\x9f\x98\x80\",\"field\":null,\"value\":null,"
                      "\"allowed\":null}");
}

TEST(the_longest_refusal_fits_and_is_json)
{
    sottod_refusal why;
    char body[ERROR_JSON_BYTES], longest[400];
    memset(longest, '\x01', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    refusal_set(&why, 400, longest, longest, longest, longest);
    size_t bytes = error_json(&why, body);
    json_t *read = json_loadb(body, bytes, 0, NULL);
    assert_non_null(read);
    assert_string_equal(json_string_value(json_object_get(read, "error")), why.fault.sentence);
    assert_string_equal(json_string_value(json_object_get(read, "allowed")), why.fault.allowed);
    json_decref(read);
}

/* Tags and encodings that requests name. */

TEST(gzip_is_sent_to_those_who_take_it)
{
    static const char *const not [] = {
        "",          "identity",    "gzi",           "gzipped",
        "x-gzip",    "gzip;q=0",    "gzip; q=0.000", "*;q=0",
        "br, *;q=0", "gzip;q=0, *", "*, gzip;q=0",   "GZIP ; Q=0.0, br",
        ",,,",
    };
    static const char *const takes[] = {
        "gzip",
        "GZip",
        "gzip, deflate, br",
        "br;q=1.0, gzip;q=0.8",
        "gzip;q=0.001",
        "*",
        "identity, *;q=0.5",
        "*;q=0, gzip",
        "deflate,\tgzip",
        "gzip;q=1.000",
        "gzip;q=",
        "gzip ;q=0.05",
    };
    assert_false(negotiate_gzip(NULL));
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
        if (negotiate_gzip(not [i])) fail_msg("%s", not [i]);
    }
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
        if (!negotiate_gzip(takes[i])) fail_msg("%s", takes[i]);
    }
}

TEST(tags_are_found_in_lists)
{
    static const char *const not [] = {"", "5", "\"55\"", "\"5", "W/5", "\"4\", \"6\"", "w/\"5\""};
    static const char *const has[] = {"\"5\"", "W/\"5\"", "*", "\"4\", W/\"5\"", "\"4\",\"5\""};
    assert_false(negotiate_has_tag(NULL, "\"5\""));
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
        if (negotiate_has_tag(not [i], "\"5\"")) fail_msg("%s", not [i]);
    }
    for (size_t i = 0; i < sizeof has / sizeof *has; i++) {
        if (!negotiate_has_tag(has[i], "\"5\"")) fail_msg("%s", has[i]);
    }
}
