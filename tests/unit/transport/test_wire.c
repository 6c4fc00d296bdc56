/* The connections of a process: options, turns that wait and do not, several sites, no memory. */
#include "transport_scene.h"
#include "why.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Memory that is gone after so many calls, also that of libcurl's handles. */
static uint32_t calls_left = UINT32_MAX;

static bool is_gone(void)
{
    if (calls_left == 0) return true;
    calls_left -= calls_left < UINT32_MAX;
    return false;
}

struct curl_slist;
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
char *__real_strdup(const char *text);
void *__real_curl_easy_init(void);
void *__real_curl_multi_init(void);
struct curl_slist *__real_curl_slist_append(struct curl_slist *list, const char *text);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
char *__wrap_strdup(const char *text);
void *__wrap_curl_easy_init(void);
void *__wrap_curl_multi_init(void);
struct curl_slist *__wrap_curl_slist_append(struct curl_slist *list, const char *text);

void *__wrap_malloc(size_t bytes)
{
    return is_gone() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return is_gone() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return is_gone() ? NULL : __real_realloc(old, bytes);
}

char *__wrap_strdup(const char *text)
{
    return is_gone() ? NULL : __real_strdup(text);
}

void *__wrap_curl_easy_init(void)
{
    return is_gone() ? NULL : __real_curl_easy_init();
}

void *__wrap_curl_multi_init(void)
{
    return is_gone() ? NULL : __real_curl_multi_init();
}

struct curl_slist *__wrap_curl_slist_append(struct curl_slist *list, const char *text)
{
    return is_gone() ? NULL : __real_curl_slist_append(list, text);
}

/* Real milliseconds that a turn took. */
static uint64_t turn_ms(sotto_wire *wire, uint32_t timeout_ms)
{
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_ok(sotto_wire_turn(wire, timeout_ms));
    clock_gettime(CLOCK_MONOTONIC, &after);
    return (uint64_t)((after.tv_sec - before.tv_sec) * 1000 +
                      (after.tv_nsec - before.tv_nsec) / 1000000);
}

/* ---- bad input ---------------------------------------------------------------------------- */

TEST(options_that_cannot_be_used_make_no_wire)
{
    sotto_wire_options wrong[5];
    for (int i = 0; i < 5; i++) {
        wrong[i] = sotto_wire_options_default();
    }
    wrong[0].timeout_ms = 0;
    wrong[1].requests_max = 0;
    wrong[2].batch_max = 0;
    wrong[3].proxy = "ftp://x";
    wrong[4].ca_file = "";
    for (int i = 0; i < 5; i++) {
        sotto_wire *wire = (void *)&wire;
        assert_status(sotto_wire_new(&wrong[i], &wire), SOTTO_E_FAULT);
        assert_null(wire);
    }
}

TEST(without_memory_there_is_no_wire)
{
    sotto_wire_options options = sotto_wire_options_default();
    options.proxy = "http://proxy:3128";
    options.ca_file = "/nowhere.pem";
    sotto_status status = SOTTO_E_MEMORY;
    uint32_t call = 0;
    for (; status == SOTTO_E_MEMORY; call++) {
        OWN(sotto_wire) wire = (void *)&wire;
        calls_left = call;
        status = sotto_wire_new(&options, &wire);
        calls_left = UINT32_MAX;
        assert_true((wire == NULL) == (status != SOTTO_OK));
    }
    assert_ok(status);
    assert_true(call > 10);
}

TEST(without_memory_there_is_no_site_and_no_device)
{
    OWN(transport_scene) s = scene_new(scene_spec(1, 1), sotto_wire_options_default());
    OWN(sotto_device) device = NULL;
    sotto_status status = SOTTO_E_MEMORY;
    sotto_ledger *ledger = made_ledger();
    for (uint32_t call = 0; status == SOTTO_E_MEMORY; call++) {
        calls_left = call;
        status = sotto_site_new(s->wire, &s->options, &s->site);
        calls_left = UINT32_MAX;
        assert_true((s->site == NULL) == (status != SOTTO_OK));
        assert_int_equal(s->wire->alarms_wanted, status == SOTTO_OK ? 2 : 0);
    }
    assert_ok(status);
    scene_settle(s);
    sotto_device_options options = scene_device_options(s, ledger);
    status = SOTTO_E_MEMORY;
    for (uint32_t call = 0; status == SOTTO_E_MEMORY; call++) {
        calls_left = call;
        status = sotto_device_new(s->site, &options, &device);
        calls_left = UINT32_MAX;
        assert_true((device == NULL) == (status != SOTTO_OK));
    }
    assert_ok(status);
}

/* Memory that is gone for a moment must not end a person's part for good. */
TEST(without_memory_for_a_model_terms_are_asked_for_again)
{
    for (uint32_t call = 0; call < 6; call++) {
        OWN(transport_scene) s = scene_new(scene_spec(1, 1), sotto_wire_options_default());
        scene_add_site(s);
        for (int turn = 0; turn < 100 && WHY(sotto_site_fault, s->site) == NULL; turn++) {
            calls_left = call;
            assert_ok(sotto_wire_turn(s->wire, 0));
            calls_left = UINT32_MAX;
            http_run(s->http);
        }
        assert_int_not_equal(sotto_site_state_of(s->site), SOTTO_SITE_REFUSED);
        scene_pass(s, 1000);
        assert_int_equal(sotto_site_state_of(s->site), SOTTO_SITE_READY);
    }
}

/* Either an arm and a report that leaves from this device, or neither. */
TEST(without_memory_to_send_a_report_none_is_kept)
{
    OWN(transport_scene) s = scene_quick(60, 0);
    sotto_ledger *ledger = made_ledger();
    sotto_device *device = scene_device(s, ledger);
    sotto_status status = SOTTO_E_MEMORY;
    uint64_t round;
    uint32_t arm, call = 0;
    for (; status == SOTTO_E_MEMORY; call++) {
        sotto_unsent unsent;
        assert_ok(sotto_device_begin(device, &round));
        calls_left = call;
        status = sotto_device_decide(device, round, scene_context, SCENE_CELLS, &arm);
        calls_left = UINT32_MAX;
        assert_ok(sotto_ledger_unsent(ledger, round - 1, &unsent));
        assert_int_equal(unsent.entry, status == SOTTO_OK ? round : 0);
        assert_int_equal(sotto_device_waiting(device), status == SOTTO_OK);
        scene_pass(s, 60000);
        assert_int_equal(s->posted, status == SOTTO_OK);
    }
    assert_ok(status);
    assert_true(call > 1);
    sotto_device_free(device);
    assert_int_equal(s->wire->alarms_wanted, 2);
}

/* What is adopted is adopted once, and the rest is not lost. */
TEST(without_memory_reports_of_another_device_are_adopted_later)
{
    OWN(transport_scene) s = scene_quick(60, 0);
    OWN(transport_scene) other = scene_quick(60, 0);
    sotto_ledger *ledger = made_ledger();
    OWN(sotto_device) device = scene_device(s, ledger);
    OWN(sotto_device) silent = scene_device(other, ledger);
    sotto_wire_sending(other->wire, false);
    scene_decide(silent);
    scene_decide(silent);
    size_t alarms = s->wire->alarms_wanted;
    sotto_status status = SOTTO_E_MEMORY;
    uint32_t call = 0;
    for (; status == SOTTO_E_MEMORY; call++) {
        calls_left = call;
        status = sotto_device_adopt(device);
        calls_left = UINT32_MAX;
        assert_int_equal(s->wire->alarms_wanted, alarms + sotto_device_waiting(device));
        if (status == SOTTO_E_MEMORY) assert_says(WHY(sotto_device_fault, device), "memory");
    }
    assert_ok(status);
    assert_true(call > 2);
    scene_pass(s, 60000);
    assert_int_equal(s->posted, 2);
}

/* ---- turns -------------------------------------------------------------------------------- */

TEST(a_turn_with_nothing_to_do_waits_for_its_timeout)
{
    OWN(sotto_wire) wire = NULL;
    const sotto_wire_options options = sotto_wire_options_default();
    assert_ok(sotto_wire_new(&options, &wire));
    assert_int_equal(sotto_wire_due_ms(wire), UINT32_MAX);
    assert_true(turn_ms(wire, 60) >= 55);
    assert_true(turn_ms(wire, 0) < 30000);
}

/* An app may sleep between turns: no answer is taken in its sleep. */
TEST(while_a_request_is_under_way_the_next_turn_is_soon)
{
    OWN(transport_scene) s = scene_new(scene_spec(1, 1), sotto_wire_options_default());
    s->to_terms = (http_answer){.act = HTTP_IS_SILENT};
    scene_add_site(s);
    assert_int_equal(sotto_wire_due_ms(s->wire), 0);
    scene_until(s, s->http->silent == 1);
    assert_in_range(sotto_wire_due_ms(s->wire), 1, 10);
    http_answer_late(s->http, 0, (http_answer){.status = 503});
    scene_until(s, WHY(sotto_site_fault, s->site) != NULL);
    assert_int_equal(sotto_wire_due_ms(s->wire), 1000);
}

TEST(a_turn_does_not_wait_beyond_what_is_due)
{
    OWN(transport_scene) s = scene_quick(1, 1);
    sotto__alarm_set(&s->wire->alarms, &s->site->get_alarm, s->steady_ms + 30);
    assert_int_equal(sotto_wire_due_ms(s->wire), 30);
    assert_in_range(turn_ms(s->wire, 60000), 25, 30000);
}

TEST(a_turn_ends_when_an_answer_comes)
{
    OWN(transport_scene) s = scene_new(scene_spec(1, 1), sotto_wire_options_default());
    s->to_terms = (http_answer){.act = HTTP_IS_SILENT};
    scene_add_site(s);
    scene_settle(s);
    http_answer_late(s->http, 0, (http_answer){.status = 404});
    assert_true(turn_ms(s->wire, 60000) < 30000);
    assert_int_equal(sotto_site_state_of(s->site), SOTTO_SITE_GONE);
}

TEST(due_ms_is_never_rounded_to_nothing)
{
    OWN(transport_scene) s = scene_new(scene_spec(1, 1), sotto_wire_options_default());
    scene_add_site(s);
    assert_int_equal(sotto_wire_due_ms(s->wire), 0);
    const uint64_t wait_ms[] = {1, UINT32_MAX - 1, UINT32_MAX, UINT64_C(1) << 40};
    for (int i = 0; i < 4; i++) {
        sotto__alarm_set(&s->wire->alarms, &s->site->get_alarm, s->steady_ms + wait_ms[i]);
        assert_int_equal(sotto_wire_due_ms(s->wire), i == 0 ? 1 : UINT32_MAX - 1);
    }
    s->steady_ms += UINT64_C(1) << 41;
    assert_int_equal(sotto_wire_due_ms(s->wire), 0);
}

/* Whoever sleeps for due_ms between turns that do not wait must not oversleep. */
TEST(after_a_turn_that_does_not_wait_due_ms_knows_of_all_that_waits)
{
    OWN(transport_scene) s = scene_quick(1, 0);
    sotto_ledger *ledger = made_ledger();
    OWN(sotto_device) device = scene_device(s, ledger);
    scene_url(http_port_of_nobody(), s->terms.id, s->url);
    assert_null(WHY(sotto__url_fault, "relay", s->url, &s->site->relay));
    scene_decide(device);
    s->steady_ms += 1000;
    for (int i = 0; sotto_device_counts_of(device).put_off == 0; i++) {
        assert_true(i < 10000000);
        assert_ok(sotto_wire_turn(s->wire, 0));
    }
    assert_int_equal(sotto_wire_due_ms(s->wire), 1000);
}

/* ---- several sites ------------------------------------------------------------------------ */

/* Two experiments at two servers, one wire, one ledger: each report goes where it belongs, and a server
 * that is away does not stop the other. */
TEST(two_sites_on_a_wire_do_not_disturb_each_other)
{
    OWN(transport_scene) a = scene_quick(60, 60);
    OWN(transport_scene) b = scene_new(scene_spec(60, 61), sotto_wire_options_default());
    sotto_ledger *ledger = made_ledger();
    assert_ok(sotto_site_new(a->wire, &b->options, &b->site));
    scene_until(a, (http_run(b->http), sotto_site_state_of(b->site) == SOTTO_SITE_READY));
    sotto_device_options options = scene_device_options(a, ledger);
    sotto_device *device[2];
    assert_ok(sotto_device_new(a->site, &options, &device[0]));
    assert_ok(sotto_device_new(b->site, &options, &device[1]));
    for (int i = 0; i < 6; i++) {
        scene_decide(device[i % 2]);
    }
    a->to_reports = (http_answer){.act = HTTP_IS_SILENT}; /* one answers with silence */
    a->day_ms += 121000, a->steady_ms += 121000;
    scene_until(a, (http_run(b->http), sotto_device_waiting(device[1]) == 0));
    assert_int_equal(b->posted, 3);
    scene_until(a, a->http->silent == 3);
    assert_int_equal(sotto_device_waiting(device[0]), 3);
    for (size_t i = 0; i < 3; i++) {
        sotto_report *report = made_report(&b->terms);
        assert_ok(
            sotto_report_decode(&b->terms, scene_post(b, i)->body, SCENE_FRAME_BYTES, report));
    }
    sotto_device_free(device[1]);
    sotto_site_free(b->site); /* the other goes on */
    b->site = NULL;
    a->to_reports = (http_answer){0};
    for (size_t i = 1; i <= 3; i++) {
        http_answer_late(a->http, a->http->requests - i, (http_answer){.status = 204});
    }
    scene_until(a, sotto_device_waiting(device[0]) == 0);
    assert_int_equal(b->posted, 3);
    sotto_device_free(device[0]);
}
