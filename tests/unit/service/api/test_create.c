/* The body that creates an experiment. */
#include "service/api/inner.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sottod_refusal why;
static create_request made;

static bool has_entropy = true;
static bool draws_zero;

bool __real_entropy_draw(void *out, size_t bytes);
bool __wrap_entropy_draw(void *out, size_t bytes);
bool __wrap_entropy_draw(void *out, size_t bytes)
{
    memset(out, 0, bytes);
    return has_entropy && (draws_zero || __real_entropy_draw(out, bytes));
}

#define SPEC "{'spec':{'reward_kind':'binary'}" /* and the rest of a body */

/* Single quotes become those of JSON. */
static bool read_body(const char *text)
{
    static char body[1 << 16];
    snprintf(body, sizeof body, "%s", text);
    for (char *at = body; (at = strchr(at, '\'')) != NULL;) {
        *at = '"';
    }
    memset(&why, 0, sizeof why);
    return create_read(body, strlen(body), &made, &why);
}

static void assert_why(const char *field, const char *value, const char *allowed)
{
    assert_int_equal(why.status, 400);
    assert_strings(why.fault.field, field, why.fault.value, value, why.fault.allowed, allowed);
}

static void refuse_body(const char *text, const char *field, const char *value, const char *allowed)
{
    assert_false(read_body(text));
    assert_why(field, value, allowed);
}

TEST(a_body_without_a_spec_is_refused)
{
    refuse_body("{}", "spec", "", "an object");
    refuse_body(SPEC ",'epochs':{}}", "epochs", "{}",
                "spec, learning, labels, report_key, quarantine, origins");
    refuse_body("{'spec':{'reward_kind':'binary','epsilon':9}}", "spec.epsilon", "9", "0.01 to 8");
    refuse_body(SPEC ",'learning':null}", "learning", "null", "an object");
}

TEST(a_series_is_drawn_unless_it_is_named)
{
    has_entropy = false;
    assert_false(read_body(SPEC "}"));
    assert_int_equal(why.status, 503);
    assert_true(read_body("{'spec':{'reward_kind':'binary','series':0}}"));
    assert_int_equal(made.request.spec.series, 0);
    assert_true(read_body("{'spec':{'reward_kind':'binary','series':7}}"));
    assert_int_equal(made.request.spec.series, 7);
    has_entropy = draws_zero = true;
    assert_true(read_body(SPEC "}"));
    assert_int_equal(made.request.spec.series, 1); /* 0 is never drawn */
    draws_zero = false;
    uint32_t all = 0, each = UINT32_MAX,
             other = 0; /* a bit that never changes would not be random */
    for (int i = 0; i < 64; i++) {
        assert_true(read_body(SPEC "}"));
        all |= made.request.spec.series;
        each &= made.request.spec.series;
        other += made.request.spec.series == made.terms.spec.series;
    }
    assert_ints(all, UINT32_MAX, each, 0, other, 64);
}

/* The refusal does not repeat the value. */
TEST(a_key_has_16_to_128_visible_characters)
{
    static const char *const bad[] = {"1",
                                      "null",
                                      "\"\"",
                                      "\"0123456789abcde\"",
                                      "\"0123456789abc def\"",
                                      "\"0123456789abcde\\u00e4\""};
    char text[200];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, SPEC ",'report_key':%s}", bad[i]);
        refuse_body(text, "report_key", "",
                    "a text of 16 to 128 visible ASCII characters, without blanks");
    }
    assert_true(read_body(SPEC "}"));
    assert_int_equal(made.request.access.keys, 0);
    assert_string_equal(made.request.access.origins, "");
    assert_true(read_body(SPEC ",'report_key':'0123456789abcdef'}"));
    assert_ints(made.request.access.keys, 1, made.request.access.key[0][0], 0x9f);
}

TEST(origins_are_those_of_web_pages)
{
    assert_false(read_body(SPEC ",'origins':['null']}"));
    assert_string_equal(why.fault.field, "origins[0]");
    assert_true(read_body(SPEC ",'origins':['https://a','https://b']}"));
    assert_string_equal(made.request.access.origins, "https://a https://b");
}

TEST(labels_are_short_texts)
{
    char text[40000], label[400];
    refuse_body(SPEC ",'labels':'a'}", "labels", "\"a\"", "an object whose values are texts");
    refuse_body(SPEC ",'labels':{'a':1}}", "labels.a", "1", "a text of at most 256 bytes");
    refuse_body(SPEC ",'labels':{'':''}}", "labels.\"\"", "\"\"", "names of 1 to 64 bytes");
    memset(label, 'x', 257);
    label[257] = '\0';
    snprintf(text, sizeof text, SPEC ",'labels':{'a':'%s'}}", label);
    assert_false(read_body(text));
    assert_string_equal(why.fault.field, "labels.a");
    label[65] = '\0';
    snprintf(text, sizeof text, SPEC ",'labels':{'%s':''}}", label);
    assert_false(read_body(text));
    assert_string_equal(why.fault.allowed, "names of 1 to 64 bytes");
}

TEST(too_many_labels_are_refused)
{
    char text[40000];
    size_t at = (size_t)snprintf(text, sizeof text, SPEC ",'labels':{");
    for (int i = 0; i < 33; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s\"a%d\":\"b\"", i > 0 ? "," : "", i);
    }
    snprintf(text + at, sizeof text - at, "}}");
    refuse_body(text, "labels", "33 labels", "at most 32 labels");
}

TEST(labels_that_grow_too_long_when_written_are_refused)
{
    char text[60000];
    size_t at = (size_t)snprintf(text, sizeof text, SPEC ",'labels':{");
    for (int i = 0; i < 32; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s\"a%d\":\"", i > 0 ? "," : "", i);
        for (int k = 0; k < 120; k++) {
            at += (size_t)snprintf(text + at, sizeof text - at, "\\u0001");
        }
        at += (size_t)snprintf(text + at, sizeof text - at, "\"");
    }
    snprintf(text + at, sizeof text - at, "}}");
    refuse_body(text, "labels", "", "at most 16384 bytes of JSON");
}

TEST(a_whole_body_is_read)
{
    assert_true(read_body("{'spec':{'reward_kind':'binary','dim':4},\n"
                          " 'learning':{'epoch_seconds_min':5,'horizon':1000},\n"
                          " 'labels':{'name':'caf\xc3\xa9','team':'a\\'b'}}"));
    assert_ints(made.request.spec.dim, 4, made.request.epoch_seconds_min, 5);
    assert_int_equal(made.request.learning.horizon, 1000);
    assert_ptr_equal(made.request.labels, made.labels);
    assert_string_equal(made.labels, "{\"name\":\"caf\xc3\xa9\",\"team\":\"a\\\"b\"}");
    assert_ok(sotto_terms_check(&made.terms));
    assert_int_equal(made.terms.spec.dim, 4);
    assert_true(read_body(SPEC "}"));
    assert_string_equal(made.labels, "{}");
}
