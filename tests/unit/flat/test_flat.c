/* The device as an app on a phone has it: through flat entry points, with the app's entropy, clocks, store and requests. */
#include "directory.h"
#include "phone.h"
#include "scarce.h"
#include "test.h"

#include <sotto/core.h>
#include <sotto/flat.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS 4u
#define NONE                                                                                       \
    {                                                                                              \
        NAN, NAN, NAN, NAN, NAN, NAN, NAN                                                          \
    }

static sotto_terms terms;
static uint8_t terms_bytes[SOTTO_TERMS_BYTES], model_bytes[4096];
static char url[200];
static sotto_person *person;
static sotto_part *part;

static void make_experiment(void)
{
    sotto_model *model;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = spec.arms = 2;
    spec.reward_window_s = 60;
    spec.send_spread_s = 0;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    sotto_terms_encode(&terms, terms_bytes);
    assert_ok(sotto_model_new(&terms, &model));
    assert_ok(sotto_model_encode(&terms, model, model_bytes, sizeof model_bytes));
    sotto_model_free(model);
    int at = snprintf(url, sizeof url, "https://phone.example/v1/experiments/");
    for (size_t i = 0; i < SOTTO_SPEC_ID_BYTES; i++) {
        at += snprintf(url + at, sizeof url - (size_t)at, "%02x", terms.id[i]);
    }
}

static void open_person(void)
{
    const double limit[SOTTO_FLAT_LIMITS] = NONE;
    person = sotto_person_new(limit);
    assert_non_null(person);
}

FIXTURE(set_up)
{
    phone_reset(7);
    make_experiment();
    open_person();
    part = NULL;
}

FIXTURE(tear_down)
{
    sotto_part_free(part);
    sotto_person_free(person);
    phone_reset(0);
}

/* The status is called so, and the sentence has these words. */
static void assert_refused_as(int32_t status, const char *code, const char *words)
{
    assert_string_equal(sotto_flat_code(status), code);
    const char *said = sotto_person_sentence(person);
    if (strstr(said, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", said, words);
}

static void answer(int32_t status, const uint8_t *body, size_t bytes)
{
    phone_request request = phone_take();
    sotto_flat_answer(request.handle, status, body, (uint32_t)bytes, 0, NULL);
    phone_request_free(&request);
    assert_int_equal(sotto_part_turn(part), SOTTO_OK);
}

static void join(void)
{
    part = sotto_part_new(person, url, NULL, "0123456789abcdef", 0);
    assert_non_null(part);
    assert_int_equal(sotto_part_turn(part), SOTTO_OK);
    answer(200, terms_bytes, sizeof terms_bytes);
    answer(200, model_bytes, sotto_model_bytes(&terms));
    assert_int_equal(sotto_part_state(part), 1);
}

static void take_part_with(uint32_t rounds_max)
{
    assert_int_equal(sotto_person_open(person, 1), SOTTO_OK);
    join();
    assert_int_equal(sotto_part_enter(part, rounds_max), SOTTO_OK);
    assert_int_equal(sotto_part_send(part, 1), SOTTO_OK);
}

static void take_part(void)
{
    take_part_with(0);
}

static double decide(void)
{
    double round, context[NUMBERS] = {1, 0, 0, .5};
    uint32_t arm = 99;
    assert_int_equal(sotto_part_decide(part, context, NUMBERS, &round, &arm), SOTTO_OK);
    assert_true(arm < 2);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        assert_true(context[i] == 0); /* wiped */
    }
    return round;
}

static void pass(double ms)
{
    the_phone.day_ms += ms;
    the_phone.steady_ms += ms;
    assert_int_equal(sotto_part_turn(part), SOTTO_OK);
}

static double rounds_spent(void)
{
    double spent[SOTTO_FLAT_SPENT];
    sotto_person_spent(person, spent);
    return spent[0];
}

/* ---- bad input ---------------------------------------------------------------------------- */

TEST_WITH(limits_that_cannot_be_meant_open_nothing, set_up, tear_down)
{
    static const double wrong[][SOTTO_FLAT_LIMITS] = {{-1, NAN, NAN, NAN, NAN, NAN, NAN},
                                                      {NAN, NAN, 2, NAN, NAN, NAN, NAN},
                                                      {NAN, NAN, NAN, NAN, -1, NAN, NAN},
                                                      {NAN, NAN, NAN, NAN, NAN, 1e20, NAN}};
    static const char *const field[] = {"epsilon_per_report_max", "delta_max", "dim_max",
                                        "arms_max"};
    assert_null(sotto_person_new(NULL));
    for (size_t i = 0; i < 4; i++) {
        sotto_person_free(person);
        person = sotto_person_new(wrong[i]);
        assert_refused_as(sotto_person_open(person, 1), "E_FAULT", field[i]);
    }
    assert_false(the_phone.has_anchor);
}

TEST_WITH(without_entropy_no_ledger_is_made_and_no_round_begins, set_up, tear_down)
{
    double round, context[NUMBERS] = {1};
    uint32_t arm;
    the_phone.tape = 0;
    assert_refused_as(sotto_person_open(person, 1), "E_ENTROPY", "no randomness");
    the_phone.tape = 7;
    take_part();
    the_phone.tape = 0;
    assert_refused_as(sotto_part_decide(part, context, NUMBERS, &round, &arm), "E_ENTROPY",
                      "no randomness");
    assert_true(rounds_spent() == 0);
}

TEST_WITH(a_store_that_fails_or_is_empty_opens_nothing_and_books_nothing, set_up, tear_down)
{
    double round, context[NUMBERS] = {1};
    uint32_t arm;
    assert_refused_as(sotto_person_open(person, 0), "E_LEDGER", "there is no ledger");
    the_phone.store_fails = true;
    assert_refused_as(sotto_person_open(person, 1), "E_LEDGER", "load failed");
    the_phone.store_fails = false;
    take_part();
    the_phone.store_fails = true;
    assert_refused_as(sotto_part_decide(part, context, NUMBERS, &round, &arm), "E_LEDGER",
                      "failed");
    assert_int_equal(the_phone.entries, 0);
}

TEST_WITH(urls_keys_and_relays_that_cannot_be_used_make_no_part, set_up, tear_down)
{
    assert_null(sotto_part_new(person, "http://phone.example/v1/experiments/0", NULL, NULL, 0));
    assert_refused_as(SOTTO_E_FAULT, "E_FAULT", "url: ");
    assert_null(sotto_part_new(person, NULL, NULL, NULL, 0));
    assert_refused_as(SOTTO_E_FAULT, "E_FAULT", "url: missing");
    assert_null(sotto_part_new(person, url, "https://x", NULL, 0));
    assert_refused_as(SOTTO_E_FAULT, "E_FAULT", "relay: ");
    assert_null(sotto_part_new(person, url, NULL, "short", 0));
    assert_refused_as(SOTTO_E_FAULT, "E_FAULT", "report_key");
    assert_null(sotto_part_new(person, url, NULL, NULL, 1));
    assert_refused_as(SOTTO_E_FAULT, "E_FAULT", "refresh_ms = 1");
}

TEST_WITH(nothing_is_entered_decided_or_shown_before_there_are_terms, set_up, tear_down)
{
    double out[SOTTO_FLAT_CARD], context[NUMBERS] = {1};
    uint32_t arm;
    assert_int_equal(sotto_person_open(person, 1), SOTTO_OK);
    part = sotto_part_new(person, url, NULL, NULL, 0);
    assert_int_equal(sotto_part_terms(part, out), 0);
    assert_refused_as(sotto_part_card(part, out), "E_ORDER", "no terms");
    assert_refused_as(sotto_part_enter(part, 0), "E_ORDER", "no terms");
    assert_refused_as(sotto_part_decide(part, context, NUMBERS, out, &arm), "E_ORDER",
                      "not take part");
    assert_refused_as(sotto_part_reward(part, 1, 1), "E_ORDER", "not take part");
    assert_true(sotto_part_epoch(part) == -1);
    assert_int_equal(sotto_part_waiting(part), 0);
    assert_int_equal(sotto_part_adopt(part), SOTTO_OK); /* there is nothing */
}

/* A second ledger or device would leak, and a second device would send every report again. */
TEST_WITH(a_person_who_takes_part_cannot_open_or_enter_again, set_up, tear_down)
{
    take_part();
    decide();
    assert_refused_as(sotto_person_open(person, 1), "E_ORDER", "ledger is open");
    assert_refused_as(sotto_person_open_file(person, "/nowhere/ledger", 1), "E_ORDER",
                      "ledger is open");
    assert_refused_as(sotto_part_enter(part, 0), "E_ORDER", "takes part already");
    assert_int_equal(sotto_part_waiting(part), 1);
    pass(60000);
    assert_int_equal(the_phone.requests, 1);
    answer(204, NULL, 0);
    assert_int_equal(the_phone.requests, 0);
    assert_true(rounds_spent() == 1);
}

TEST_WITH(limits_that_the_terms_exceed_are_named, set_up, tear_down)
{
    const double limit[SOTTO_FLAT_LIMITS] = {.5, NAN, NAN, NAN, NAN, NAN, NAN};
    sotto_person_free(person);
    person = sotto_person_new(limit);
    assert_int_equal(sotto_person_open(person, 1), SOTTO_OK);
    join();
    assert_refused_as(sotto_part_enter(part, 0), "E_POLICY", "epsilon");
    assert_refused_as(sotto_part_enter(part, 100000), "E_FAULT", "rounds_max = 100000");
}

TEST_WITH(contexts_and_rewards_that_cannot_be_meant_cost_nothing, set_up, tear_down)
{
    double round, context[NUMBERS + 1] = {1, 0, NAN, 0, 0};
    uint32_t arm;
    take_part();
    assert_refused_as(sotto_part_decide(part, context, 3, &round, &arm), "E_LENGTH",
                      "context has 3 numbers: allowed 4");
    context[0] = 1, context[2] = INFINITY;
    assert_refused_as(sotto_part_decide(part, context, NUMBERS, &round, &arm), "E_FAULT",
                      "context[2] is not a finite number");
    assert_true(context[0] == 0); /* wiped all the same */
    assert_true(rounds_spent() == 0);
    round = decide();
    assert_refused_as(sotto_part_reward(part, round, NAN), "E_FAULT",
                      "reward is not a finite number");
    assert_refused_as(sotto_part_reward(part, -1, 1), "E_ORDER", "no such round");
    assert_refused_as(sotto_part_reward(part, 1e30, 1), "E_ORDER", "no such round");
    assert_int_equal(sotto_part_reward(part, round, 1), SOTTO_OK);
    assert_refused_as(sotto_part_reward(part, round, 1), "E_ORDER", "no such round");
}

TEST_WITH(a_spent_budget_is_said, set_up, tear_down)
{
    double round, context[NUMBERS] = {1};
    uint32_t arm;
    take_part();
    int32_t status = SOTTO_OK;
    for (int i = 0; i < 100 && status == SOTTO_OK; i++) {
        pass(61000);
        while (the_phone.requests > 0)
            answer(204, NULL, 0);
        status = sotto_part_decide(part, context, NUMBERS, &round, &arm);
    }
    assert_refused_as(status, "E_BUDGET", "epsilon");
    assert_string_equal(sotto_flat_code(-1), "E_UNKNOWN");
    assert_string_equal(sotto_flat_code(9999), "E_UNKNOWN");
}

/* ---- without memory ------------------------------------------------------------------------ */

/* The call failed for want of memory, and its sentence is no older one. */
static void assert_no_memory(int32_t status)
{
    assert_refused_as(status, "E_MEMORY", sotto_status_text(SOTTO_E_MEMORY));
    assert_null(sotto_part_new(person, NULL, NULL, NULL, 0));
    assert_refused_as(SOTTO_E_FAULT, "E_FAULT", "url: missing");
}

TEST_WITH(without_memory_there_is_no_person_and_no_part, set_up, tear_down)
{
    const double limit[SOTTO_FLAT_LIMITS] = NONE;
    calls_left = 0;
    sotto_person *nobody = sotto_person_new(limit);
    calls_left = UINT32_MAX;
    assert_null(nobody);
    uint32_t call = 0;
    for (; part == NULL; call++) {
        calls_left = call;
        part = sotto_part_new(person, url, NULL, NULL, 0);
        calls_left = UINT32_MAX;
        if (part == NULL) assert_no_memory(SOTTO_E_MEMORY);
    }
    assert_true(call > 4); /* the part, its wire, the wire's posts, its site */
    assert_int_equal(sotto_part_turn(part), SOTTO_OK);
    assert_int_equal(the_phone.requests, 1);
}

TEST_WITH(who_cannot_enter_without_memory_can_enter_later, set_up, tear_down)
{
    double round, context[NUMBERS] = {1};
    uint32_t arm, call = 0;
    int32_t status = SOTTO_E_MEMORY;
    assert_int_equal(sotto_person_open(person, 1), SOTTO_OK);
    join();
    for (; status == SOTTO_E_MEMORY; call++) {
        calls_left = call;
        status = sotto_part_enter(part, 0);
        calls_left = UINT32_MAX;
        if (status == SOTTO_OK) break;
        assert_no_memory(status);
        assert_refused_as(sotto_part_decide(part, context, NUMBERS, &round, &arm), "E_ORDER",
                          "not take part");
    }
    assert_int_equal(status, SOTTO_OK);
    assert_true(call > 1);
    decide();
}

/* The other one is a process of the same app: it has the same store. */
TEST_WITH(without_memory_reports_of_others_are_not_adopted_and_sending_does_not_begin, set_up,
          tear_down)
{
    take_part();
    assert_int_equal(sotto_part_send(part, 0), SOTTO_OK);
    sotto_person *self = person;
    sotto_part *ours = part;
    open_person();
    take_part();
    decide();
    sotto_part_free(part);
    sotto_person_free(person);
    part = ours;
    person = self;
    calls_left = 0;
    int32_t adopted = sotto_part_adopt(part), sends = sotto_part_send(part, 1);
    calls_left = UINT32_MAX;
    assert_int_equal(adopted, SOTTO_E_MEMORY);
    assert_no_memory(sends);
    assert_int_equal(sotto_part_waiting(part), 0);
    assert_int_equal(sotto_part_adopt(part), SOTTO_OK);
    assert_int_equal(sotto_part_waiting(part), 1);
    pass(60000);
    assert_int_equal(the_phone.requests, 0);
    assert_int_equal(sotto_part_send(part, 1), SOTTO_OK);
    pass(0);
    assert_int_equal(the_phone.requests, 1);
}

/* ---- a phone's life ------------------------------------------------------------------------ */

TEST_WITH(requests_are_handed_over_whole, set_up, tear_down)
{
    part = sotto_part_new(person, url, NULL, "0123456789abcdef", 0);
    the_phone.refuses = true;
    assert_int_equal(sotto_part_turn(part), SOTTO_OK);
    assert_string_equal(sotto_part_sentence(part), sotto_status_text(SOTTO_E_MEMORY));
    the_phone.refuses = false;
    pass(2000);
    phone_request *request = &the_phone.request[0];
    assert_non_null(strstr(request->url, "/terms"));
    assert_null(request->body);
    assert_true(request->epoch == -1);
    assert_int_equal(request->answer_bytes_max, SOTTO_TERMS_BYTES + 1);
    assert_int_equal(request->timeout_ms, 30000);
    phone_request first = phone_take();
    sotto_flat_answer(first.handle, 0, NULL, 0, 0, "the phone is in a tunnel");
    assert_non_null(strstr(sotto_part_sentence(part), "tunnel"));
    pass(10000);
    sotto_part_free(part);
    part = NULL;
    assert_int_equal(the_phone.stopped, 1);
}

TEST_WITH(each_decided_round_leaves_one_report_at_its_time, set_up, tear_down)
{
    double count[SOTTO_FLAT_COUNTS], card[SOTTO_FLAT_CARD], fact[SOTTO_FLAT_TERMS];
    take_part();
    assert_int_equal(sotto_part_terms(part, fact), 1);
    assert_true(fact[0] == 2 && fact[2] == NUMBERS && fact[5] == 60);
    assert_int_equal(sotto_part_card(part, card), SOTTO_OK);
    assert_true(card[7] == 0 && card[12] == 0 && card[15] > 0);
    decide();
    assert_int_equal(sotto_part_reward(part, decide(), 1), SOTTO_OK);
    assert_true(sotto_part_due_ms(part) <= 60000);
    pass(59999);
    assert_int_equal(the_phone.requests, 0);
    assert_int_equal(sotto_part_waiting(part), 2);
    pass(1);
    assert_int_equal(the_phone.requests, 2);
    assert_int_equal(the_phone.request[0].body_bytes, the_phone.request[1].body_bytes);
    assert_string_equal(the_phone.request[0].report_key, "0123456789abcdef");
    answer(204, NULL, 0);
    answer(204, NULL, 0);
    assert_int_equal(sotto_part_waiting(part), 0);
    sotto_part_counts(part, count);
    assert_true(count[0] == 2 && count[1] == 1 && count[2] == 2 && count[3] == 1 && count[4] == 2);
    pass(60000);
    assert_true(the_phone.request[0].epoch == 0); /* asks for a newer model by the epoch it has */
}

static void assert_trouble(const char *words)
{
    const char *said = sotto_part_trouble(part);
    if (said == NULL || strstr(said, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", said == NULL ? "" : said, words);
}

TEST_WITH(why_reports_do_not_leave_is_said_until_one_arrives, set_up, tear_down)
{
    take_part();
    assert_null(sotto_part_trouble(part));
    double first = decide();
    decide();
    assert_null(sotto_part_trouble(part)); /* they wait for their time */
    pass(60000);
    answer(403, NULL, 0);
    assert_trouble("403");
    assert_int_equal(sotto_part_adopt(part), SOTTO_OK); /* other calls do not change it */
    assert_refused_as(sotto_part_reward(part, first, 1), "E_ORDER", "too late");
    assert_trouble("403");
    answer(503, NULL, 0);
    assert_trouble("503");
    for (int i = 0; i < 3 && the_phone.requests == 0; i++)
        pass(2000);
    answer(204, NULL, 0);
    assert_null(sotto_part_trouble(part));
    answer(400, NULL, 0); /* refused for good, and dropped */
    assert_int_equal(sotto_part_waiting(part), 0);
    assert_trouble("400");
    decide();
    pass(60000);
    while (the_phone.request[0].body == NULL)
        answer(304, NULL, 0); /* it asks for a newer model */
    answer(204, NULL, 0);
    assert_null(sotto_part_trouble(part));
}

/* The budget bounds how many there are, not the queue: a tab that does not send must not drop what another
 * one has under way. */
TEST_WITH(hundreds_of_reports_wait_and_none_is_dropped, set_up, tear_down)
{
    enum { MANY = 600 };
    const double limit[SOTTO_FLAT_LIMITS] = {NAN, 1e6, NAN, NAN, NAN, NAN, NAN};
    double spent[SOTTO_FLAT_SPENT];
    sotto_person_free(person);
    person = sotto_person_new(limit);
    take_part_with(1024);
    for (uint32_t i = 0; i < MANY; i++) {
        if (i == MANY / 2) assert_int_equal(sotto_part_send(part, 0), SOTTO_OK);
        decide();
    }
    sotto_person_spent(person, spent);
    assert_true(spent[0] == MANY && spent[4] == 0);
    assert_int_equal(sotto_part_waiting(part), MANY);
}

TEST_WITH(a_part_that_no_longer_sends_keeps_its_reports, set_up, tear_down)
{
    take_part();
    decide();
    assert_int_equal(sotto_part_send(part, 0), SOTTO_OK);
    pass(60000);
    assert_int_equal(the_phone.requests, 0);
    assert_int_equal(sotto_part_waiting(part), 1);
    assert_int_equal(sotto_part_send(part, 1), SOTTO_OK);
    pass(0);
    assert_int_equal(the_phone.requests, 1);
}

/* The system ends apps without a word. */
TEST_WITH(an_app_that_is_ended_goes_on_from_its_file, set_up, tear_down)
{
    HELD(directory) f = directory_new();
    assert_refused_as(sotto_person_open_file(person, f.file, 0), "E_LEDGER", "");
    assert_int_equal(sotto_person_open_file(person, f.file, 1), SOTTO_OK);
    join();
    assert_int_equal(sotto_part_enter(part, 0), SOTTO_OK);
    decide();
    sotto_part_free(part);
    sotto_person_free(person);
    the_phone.steady_ms = 1; /* it was switched off, too */
    the_phone.day_ms += 30000;
    open_person();
    assert_int_equal(sotto_person_open_file(person, f.file, 1), SOTTO_OK);
    join();
    assert_int_equal(sotto_part_enter(part, 0), SOTTO_OK);
    pass(30000);
    assert_int_equal(the_phone.requests, 0); /* another process may be the one that sends */
    assert_int_equal(sotto_part_send(part, 1), SOTTO_OK);
    pass(0);
    assert_int_equal(the_phone.requests, 1);
    answer(204, NULL, 0);
    assert_int_equal(sotto_part_waiting(part), 0);
    assert_true(rounds_spent() == 1);
    sotto_part_free(part);
    sotto_person_free(person);
    const double wrong[SOTTO_FLAT_LIMITS] = {-1, NAN, NAN, NAN, NAN, NAN, NAN};
    part = NULL;
    person = sotto_person_new(wrong);
    assert_refused_as(sotto_person_open_file(person, f.file, 1), "E_FAULT",
                      "epsilon_per_report_max");
}
