/* What each answer to reports means: the table of docs/protocol.md, section 13. */
#include "test.h"
#include "transport/answer.h"

#include <string.h>

static char text[SOTTO_FAULT_BYTES];

static sotto__verdict judge(long status, const char *body)
{
    const sotto__answer answer = {.status = status,
                                  .body = (const uint8_t *)body,
                                  .body_bytes = body == NULL ? 0 : strlen(body),
                                  .why = "Connection refused"};
    text[0] = '\0';
    return sotto__answer_judge(&answer, text);
}

static void test_no_answer_says_why(void **state)
{
    (void)state;
    assert_int_equal(judge(0, NULL), SOTTO__AGAIN);
    assert_string_equal(text, "report: no answer: Connection refused");
}

static void test_only_204_takes_reports(void **state)
{
    (void)state;
    assert_int_equal(judge(204, NULL), SOTTO__TAKEN);
    for (long status = 100; status < 600; status++) {
        if (status != 204) assert_int_not_equal(judge(status, "<html>"), SOTTO__TAKEN);
    }
}

static void test_an_answer_that_is_too_long_takes_nothing_and_keeps_its_status(void **state)
{
    (void)state;
    static const struct {
        long status;
        sotto__verdict verdict;
        const char *word;
    } row[] = {{200, SOTTO__AGAIN, "(200) is longer"},
               {204, SOTTO__AGAIN, "(204) is longer"},
               {404, SOTTO__LOST, "404"},
               {500, SOTTO__AGAIN, "500"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const sotto__answer answer = {.status = row[i].status, .too_long = true};
        assert_int_equal(sotto__answer_judge(&answer, text), row[i].verdict);
        assert_non_null(strstr(text, row[i].word));
    }
}

static void test_every_status_of_the_protocol(void **state)
{
    (void)state;
    static const struct {
        long status;
        sotto__verdict verdict;
        const char *word;
    } row[] = {
        {200, SOTTO__AGAIN, "200"},      {302, SOTTO__AGAIN, "redirect"},
        {307, SOTTO__AGAIN, "redirect"}, {400, SOTTO__REFUSED, "refuses"},
        {404, SOTTO__LOST, "no such"},   {405, SOTTO__AGAIN, "405"},
        {409, SOTTO__PAUSED, "paused"},  {410, SOTTO__LOST, "ended"},
        {413, SOTTO__AGAIN, "413"},      {503, SOTTO__AGAIN, "cannot take requests now"},
        {500, SOTTO__AGAIN, "500"},      {429, SOTTO__AGAIN, "429"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_int_equal(judge(row[i].status, NULL), row[i].verdict);
        assert_non_null(strstr(text, row[i].word));
    }
}

static void test_an_answer_that_nothing_changed_is_no_redirect(void **state)
{
    (void)state;
    assert_int_equal(judge(304, NULL), SOTTO__AGAIN);
    assert_null(strstr(text, "redirect"));
    assert_non_null(strstr(text, "304"));
}

static void test_an_epoch_to_come_is_told_from_other_faults(void **state)
{
    (void)state;
    static const char *const epoch[] = {
        "{\"error\": \"e\", \"field\": \"epoch\", \"value\": \"7\"}",
        "{\"field\":\"epoch\"}",
        "{\"field\"  :  \"epoch\"}",
    };
    static const char *const other[] = {
        "",
        "{",
        "\"field\"",
        "{\"field\": ",
        "{\"field\": \"epoch",
        "{\"field\": \"epochs\"}",
        "{\"field\": \"body\", \"value\": \"epoch\"}",
        "{\"field\": null}",
        "{\"field\": epoch}",
    };
    for (size_t i = 0; i < sizeof epoch / sizeof epoch[0]; i++) {
        assert_int_equal(judge(400, epoch[i]), SOTTO__NOT_YET);
    }
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        assert_int_equal(judge(400, other[i]), SOTTO__REFUSED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_answer_says_why),
        cmocka_unit_test(test_only_204_takes_reports),
        cmocka_unit_test(test_an_answer_that_is_too_long_takes_nothing_and_keeps_its_status),
        cmocka_unit_test(test_every_status_of_the_protocol),
        cmocka_unit_test(test_an_answer_that_nothing_changed_is_no_redirect),
        cmocka_unit_test(test_an_epoch_to_come_is_told_from_other_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
