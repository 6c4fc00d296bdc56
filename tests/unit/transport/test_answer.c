/* What each answer to reports means: the table of docs/protocol.md, section 13. */
#include "client/client.h"
#include "test.h"
#include "transport/inner.h"
#include "transport/transport.h"

#include <string.h>

static sotto_fault fault;

static sotto__answer_verdict judge(long status, const char *body)
{
    const sotto_answer answer = {.status = status,
                                 .body = (const uint8_t *)body,
                                 .body_bytes = body == NULL ? 0 : strlen(body),
                                 .why = "Connection refused"};
    fault.sentence[0] = '\0';
    return sotto__answer_judge(&answer, &fault);
}

TEST(no_answer_says_why)
{
    assert_int_equal(judge(0, NULL), SOTTO__AGAIN);
    assert_string_equal(fault.sentence, "report: no answer: Connection refused");
}

TEST(only_204_takes_reports)
{
    assert_int_equal(judge(204, NULL), SOTTO__TAKEN);
    for (long status = 100; status < 600; status++) {
        if (status != 204) assert_int_not_equal(judge(status, "<html>"), SOTTO__TAKEN);
    }
}

TEST(an_answer_that_is_too_long_takes_nothing_and_keeps_its_status)
{
    static const struct {
        long status;
        sotto__answer_verdict verdict;
        const char *word;
    } row[] = {{200, SOTTO__AGAIN, "(200) is too long"},
               {204, SOTTO__AGAIN, "(204) is too long"},
               {404, SOTTO__LOST, "404"},
               {500, SOTTO__AGAIN, "500"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const sotto_answer answer = {.status = row[i].status, .too_long = true};
        assert_int_equal(sotto__answer_judge(&answer, &fault), row[i].verdict);
        assert_non_null(strstr(fault.sentence, row[i].word));
    }
}

TEST(every_status_of_the_protocol)
{
    static const struct {
        long status;
        sotto__answer_verdict verdict;
        const char *word;
    } row[] = {
        {200, SOTTO__AGAIN, "200"},      {302, SOTTO__AGAIN, "redirect"},
        {307, SOTTO__AGAIN, "redirect"}, {400, SOTTO__REFUSED, "refuses"},
        {404, SOTTO__LOST, "no such"},   {405, SOTTO__AGAIN, "405"},
        {409, SOTTO__PAUSED, "paused"},  {410, SOTTO__LOST, "ended"},
        {413, SOTTO__TOO_LONG, "413"},   {503, SOTTO__AGAIN, "cannot accept requests now"},
        {500, SOTTO__AGAIN, "500"},      {429, SOTTO__AGAIN, "429"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_int_equal(judge(row[i].status, NULL), row[i].verdict);
        assert_non_null(strstr(fault.sentence, row[i].word));
    }
}

TEST(an_answer_that_nothing_changed_is_no_redirect)
{
    assert_int_equal(judge(304, NULL), SOTTO__AGAIN);
    assert_null(strstr(fault.sentence, "redirect"));
    assert_non_null(strstr(fault.sentence, "304"));
}

TEST(an_epoch_to_come_is_told_from_other_faults)
{
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

/* Rounds are found by the ledger's number while they have a place, and a refusal says what the ledger said. */

TEST(no_number_finds_no_round)
{
    sotto__device_round round[2] = {{0}};
    const sotto_device device = {.round = round, .options.rounds_max = 2};
    assert_null(sotto__device_find(&device, 0)); /* the number of places that are free */
    assert_null(sotto__device_find(&device, 7));
}

TEST(a_round_is_found_until_it_is_forgotten)
{
    sotto__device_report report = {0};
    sotto__device_round round[3] = {
        {.entry = 4}, {.entry = 9, .decided = true, .finished = true, .report = &report}};
    const sotto_device device = {.round = round, .options.rounds_max = 3};
    assert_ptr_equal(sotto__device_find(&device, 9), &round[1]);
    assert_ptr_equal(sotto__device_find(&device, 4), &round[0]);
    sotto__device_forget(&round[1]);
    assert_null(sotto__device_find(&device, 9));
    assert_false(round[1].decided || round[1].finished);
    assert_null(round[1].report);
}

TEST(a_refusal_has_the_words_of_the_ledger_if_it_has_any)
{
    sotto_ledger ledger = {0};
    sotto_device device = {.options.ledger = &ledger};
    assert_status(sotto__device_refuse(&device, SOTTO_E_ENTROPY), SOTTO_E_ENTROPY);
    assert_string_equal(device.fault.sentence, sotto_status_text(SOTTO_E_ENTROPY));
    sotto__ledger_refuse(&ledger, "it was rolled back");
    assert_status(sotto__device_refuse(&device, SOTTO_E_LEDGER), SOTTO_E_LEDGER);
    assert_non_null(strstr(device.fault.sentence, sotto_status_text(SOTTO_E_LEDGER)));
    assert_non_null(strstr(device.fault.sentence, "it was rolled back"));
}
