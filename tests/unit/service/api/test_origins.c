/* Which web pages may send reports, and which may read answers. */
#include "house.h"
#include "server/server.h"
#include "service/api/inner.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static char text[ACCESS_ORIGINS_BYTES];
static sottod_refusal why;
static house made;
static sottod_experiment *experiment;

FIXTURE(start)
{
    house_open(&made);
    experiment = house_experiment(&made, 1);
}

FIXTURE(end)
{
    house_close(&made);
}

static void let(const char *origins)
{
    const experiment_access access = {.origins = origins};
    assert_true(experiment_set_access(made.experiments, experiment, &access, &why));
}

static bool read_body(const char *body)
{
    memset(&why, 0, sizeof why);
    return origins_read_body(body, strlen(body), text, &why);
}

TEST(bad_lists_are_refused)
{
    static const struct {
        const char *body, *field;
    } bad[] = {
        {"{}", "origins"},
        {"{\"origins\":null}", "origins"},
        {"{\"origins\":\"*\"}", "origins"},
        {"{\"origins\":{}}", "origins"},
        {"{\"origins\":[],\"more\":1}", "more"},
        {"{\"origins\":[1]}", "origins[0]"},
        {"{\"origins\":[\"\"]}", "origins[0]"},
        {"{\"origins\":[\"null\"]}", "origins[0]"},
        {"{\"origins\":[\"shop.example\"]}", "origins[0]"},
        {"{\"origins\":[\"https://a\",\"https://b/page\"]}", "origins[1]"},
        {"{\"origins\":[\"https://a\",\"*\"]}", "origins[1]"},
        {"{\"origins\":[\"*\",\"https://a\"]}", "origins[0]"},
        {"{\"origins\":[\"https://a\",\"https://b\",\"https://a\"]}", "origins[2]"},
        {"{\"origins\":[\"https://a https://b\"]}", "origins[0]"},
        {"{\"origins\":[\"https://a\\nkey\"]}", "origins[0]"},
        {"{\"origins\":[\"https://a\\u0000\"]}", "origins"}, /* no zero byte anywhere */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (read_body(bad[i].body)) fail_msg("%s", bad[i].body);
        assert_int_equal(why.status, 400);
        assert_string_equal(why.fault.field, bad[i].field);
    }
    char many[1000] = "{\"origins\":[\"https://a\"";
    for (uint32_t i = 0; i < 32; i++) {
        sprintf(many + strlen(many), ",\"https://a%u\"", i);
    }
    strcat(many, "]}");
    assert_false(read_body(many));
    assert_string_equal(why.fault.field, "origins");
}

TEST(lists_are_read_and_shown)
{
    assert_true(read_body("{\"origins\":[\"https://a.example\",\"http://localhost:8080\"]}"));
    assert_string_equal(text, "https://a.example http://localhost:8080");
    json_t *list = origins_json(text);
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(json_string_value(json_array_get(list, 1)), "http://localhost:8080");
    json_decref(list);
    assert_true(read_body("{\"origins\":[\"*\"]}"));
    assert_string_equal(text, "*");
    assert_true(read_body("{\"origins\":[]}"));
    assert_string_equal(text, "");
    list = origins_json(text);
    assert_int_equal(json_array_size(list), 0);
    json_decref(list);
    assert_true(origins_read(NULL, text, &why));
    assert_string_equal(text, "");
}

TEST_WITH(a_page_that_is_not_listed_sends_no_report, start, end)
{
    static const char *const other[] = {
        "https://b.example", "null", "", "*", "https://a.example/", "https://a.example:8443",
        "http://a.example"};
    assert_false(origins_admit(experiment, "https://a.example", &why));
    assert_int_equal(why.status, 403);
    assert_string_equal(why.fault.field, "Origin");
    assert_true(origins_admit(experiment, NULL, &why));
    let("https://a.example");
    assert_true(origins_admit(experiment, "https://a.example", &why));
    assert_true(origins_admit(experiment, NULL, &why));
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        assert_false(origins_admit(experiment, other[i], &why));
    }
    let("*");
    assert_true(origins_admit(experiment, "null", &why));
    assert_true(origins_admit(experiment, "https://b.example", &why));
}

static const char *value_of(const answer_style *style, const char *name)
{
    for (size_t i = 0; i < sizeof style->header / sizeof style->header[0]; i++) {
        const front_header *header = &style->header[i];
        if (header->name != NULL && strcmp(header->name, name) == 0) return header->value;
    }
    return "";
}

#define ALLOW "Access-Control-Allow-Origin"

TEST_WITH(answers_about_reports_are_for_listed_pages_alone, start, end)
{
    static const char reports[] = "/v1/experiments/00/reports", *const page = "https://a.example";
    answer_style room;
    assert_ptr_equal(origins_style(reports, experiment, page, &room), origins_none());
    let("https://a.example");
    assert_ptr_equal(origins_style(reports, experiment, NULL, &room), origins_none());
    assert_ptr_equal(origins_style(reports, NULL, page, &room), origins_none());
    assert_ptr_equal(origins_style(reports, experiment, "null", &room), origins_none());
    const answer_style *style = origins_style(reports, experiment, page, &room);
    assert_strings(value_of(style, ALLOW), page, value_of(style, "Vary"), "Origin");
    assert_string_equal(value_of(style, "Access-Control-Expose-Headers"),
                        "ETag, Retry-After, Sotto-Reports");
    assert_string_equal(value_of(origins_none(), ALLOW), "");
}

TEST(other_answers_are_for_any_page)
{
    static const char *const paths[] = {"/healthz", "/v1/experiments/00/model", "/reports/", "/x"};
    answer_style room;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const answer_style *style = origins_style(paths[i], NULL, "null", &room);
        assert_ptr_equal(style, origins_any());
        assert_string_equal(value_of(style, ALLOW), "*");
        assert_string_equal(value_of(style, "Access-Control-Expose-Headers"),
                            "ETag, Retry-After, Sotto-Reports");
    }
}

TEST(what_waited_is_for_its_own_page)
{
    front_answer answer = {.status = 204};
    assert_false(origins_dress(NULL, &answer));
    assert_int_equal(answer.headers, 0);
    assert_true(origins_dress("https://a.example", &answer));
    assert_int_equal(answer.headers, 3);
    assert_string_equal(answer.header[0].value, "https://a.example");
}
