/* Ledgers that refuse, break or were used by others: nothing is sent without a seal, nothing is lost,
 * nothing leaves before its time. */
#include "directory.h"
#include "store.h"
#include "transport_scene.h"
#include "why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static transport_scene *s;
static directory f;
static store st;
static sotto_ledger *ledger;
static sotto_device *device;

static void open_device(uint32_t queue_max)
{
    sotto_device_options options = scene_device_options(s, ledger);
    options.queue_max = queue_max;
    options.age_max_s = 3600;
    assert_ok(sotto_device_new(s->site, &options, &device));
}

FIXTURE(set_up)
{
    s = scene_quick(60, 0);
    f = directory_new();
    assert_ok(sotto_ledger_file_create(f.file));
    ledger = ledger_at(f.file);
    open_device(256);
}

FIXTURE(tear_down)
{
    sotto_device_free(device);
    scene_free(s);
    sotto_ledger_free(ledger);
    directory_free(&f);
}

/* The ledger is not where it was, or is there again. */
static void take_away(void)
{
    assert_int_equal(rename(f.file, f.other), 0);
}

static void put_back(void)
{
    assert_int_equal(rename(f.other, f.file), 0);
}

static sotto_unsent first_unsent(void)
{
    sotto_unsent unsent;
    assert_ok(sotto_ledger_unsent(ledger, 0, &unsent));
    return unsent;
}

static sotto_device_counts counts(void)
{
    return sotto_device_counts_of(device);
}

/* All that is on the wire so far is one report. */
static void assert_same_bytes(void)
{
    for (size_t i = 0; i < s->posted; i++) {
        assert_int_equal(scene_post(s, i)->body_bytes, SCENE_FRAME_BYTES);
        assert_memory_equal(scene_post(s, i)->body, scene_post(s, 0)->body, SCENE_FRAME_BYTES);
    }
}

/* ---- refused for a while ------------------------------------------------------------------ */

TEST_WITH(without_a_seal_nothing_is_sent_and_it_is_tried_later, set_up, tear_down)
{
    uint64_t round = scene_decide(device), wait_ms = 1000;
    take_away();
    scene_pass(s, 60000);
    for (unsigned i = 1; i <= 5; i++, wait_ms *= 2) {
        assert_int_equal(s->posted, 0);
        assert_ints(counts().put_off, i, counts().sent, 0);
        assert_int_equal(sotto_device_waiting(device), 1);
        assert_int_equal(sotto_wire_due_ms(s->wire), wait_ms);
        const scene_event *event = scene_last_event(s, SOTTO_DEVICE_PUT_OFF);
        assert_true(event->round == round && !event->has_frame);
        assert_says(event->why, sotto_status_text(SOTTO_E_LEDGER));
        assert_says(WHY(sotto_device_fault, device), sotto_status_text(SOTTO_E_LEDGER));
        if (i < 5) scene_pass(s, wait_ms);
    }
    wait_ms /= 2;
    put_back();
    assert_ok(sotto_device_finish(device, round, .9)); /* not sealed: the reward is in time */
    scene_pass(s, wait_ms);
    assert_int_equal(s->posted, 1);
    assert_memory_equal(scene_last_post(s)->body, device->frame, SCENE_FRAME_BYTES);
    assert_int_equal(counts().acknowledged, 1);
    assert_null(WHY(sotto_device_fault, device));
    scene_decide(device);
    take_away();
    scene_pass(s, 60000);
    assert_int_equal(sotto_wire_due_ms(s->wire), 1000); /* the waits begin anew */
    put_back();
}

/* Each call on a locked ledger waits for seconds: a turn makes one try, not one for each report. */
/* If no report left, its absence would tell that a reward came. */
TEST_WITH(a_reward_that_cannot_be_kept_leaves_the_default_report_at_its_time, set_up, tear_down)
{
    for (int again = 0; again < 2; again++) { /* and no second reward counts */
        uint64_t round = scene_decide(device), begun_ms = s->day_ms;
        take_away();
        assert_status(sotto_device_finish(device, round, .9), SOTTO_E_LEDGER);
        put_back();
        if (again == 1) {
            assert_status(sotto_device_finish(device, round, .9), SOTTO_E_ORDER);
            assert_says(WHY(sotto_device_fault, device), "no such round to finish");
        }
        const sotto_unsent held = first_unsent();
        assert_true(held.entry == round && held.held);
        scene_pass(s, 59999);
        assert_int_equal(s->posted, again);
        scene_pass(s, 1);
        assert_ints(s->posted, again + 1, s->day_ms - begun_ms, 60000);
        assert_true(counts().sent_default == 1u + (unsigned)again && counts().finished == 0);
        assert_ints(counts().acknowledged, again + 1, counts().put_off, 0);
        assert_int_equal(sotto_device_waiting(device), 0);
    }
}

TEST_WITH(a_ledger_that_does_not_answer_is_asked_about_one_report_and_the_others_wait, set_up,
          tear_down)
{
    uint64_t wait_ms = 1000;
    for (int i = 0; i < 5; i++) {
        scene_decide(device);
    }
    take_away();
    scene_pass(s, 60000);
    for (unsigned i = 1; i <= 3; i++, wait_ms *= 2) {
        assert_int_equal(counts().put_off, 5 * i);
        assert_int_equal(device->ledger_backoff.wait_ms, wait_ms); /* one failure, one wait */
        assert_int_equal(sotto_wire_due_ms(s->wire), wait_ms);
        assert_says(WHY(sotto_device_fault, device), sotto_status_text(SOTTO_E_LEDGER));
        if (i < 3) scene_pass(s, wait_ms);
    }
    put_back();
    scene_pass(s, wait_ms / 2);
    assert_int_equal(s->posted, 5);
    assert_int_equal(counts().acknowledged, 5);
}

TEST_WITH(what_cannot_be_marked_as_acknowledged_is_sent_again_as_it_was, set_up, tear_down)
{
    scene_decide(device);
    s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    scene_pass(s, 60000);
    take_away();
    http_answer_late(s->http, s->http->requests - 1, (http_answer){.status = 204});
    scene_until(s, counts().put_off == 1);
    s->to_reports = (http_answer){0};
    put_back();
    assert_int_equal(counts().acknowledged, 0);
    assert_int_equal(sotto_device_waiting(device), 1);
    scene_pass(s, 1000);
    assert_int_equal(s->posted, 2);
    assert_same_bytes();
    assert_ints(counts().acknowledged, 1, counts().sent, 1);
    assert_int_equal(sotto_device_waiting(device), 0);
    assert_int_equal(first_unsent().entry, 0);
}

TEST_WITH(what_cannot_be_marked_as_dropped_is_dropped_later, set_up, tear_down)
{
    scene_decide(device);
    s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    scene_pass(s, 60000);
    take_away();
    http_answer_late(s->http, s->http->requests - 1, (http_answer){.status = 410});
    scene_until(s, counts().put_off == 1);
    s->to_reports = (http_answer){.status = 410};
    put_back();
    assert_int_equal(counts().dropped, 0);
    scene_pass(s, 1000);
    assert_same_bytes();
    assert_int_equal(counts().dropped, 1);
    assert_int_equal(sotto_device_waiting(device), 0);
    assert_int_equal(sotto_ledger_dropped(ledger), 1);
}

TEST_WITH(what_is_too_old_while_the_ledger_is_away_is_dropped_later_and_not_sent, set_up, tear_down)
{
    scene_decide(device);
    s->to_reports = (http_answer){.status = 503, .headers = "Retry-After: 86400\r\n"};
    scene_pass(s, 60000);
    take_away();
    scene_pass(s, 3600000);
    assert_int_equal(counts().dropped, 0);
    assert_int_equal(sotto_device_waiting(device), 1);
    s->to_reports = (http_answer){0};
    put_back();
    scene_pass(s, 1000);
    assert_int_equal(counts().dropped, 1);
    assert_int_equal(s->posted, 1);
    assert_int_equal(sotto_ledger_dropped(ledger), 1);
}

/* The oldest of too many cannot be dropped now: it still leaves at its time, and not earlier. */
TEST_WITH(one_too_many_that_cannot_be_dropped_does_not_leave_early, set_up, tear_down)
{
    sotto_ledger *memory;
    memset(&st, 0, sizeof st);
    sotto_ledger_calls calls = store_calls(&st);
    assert_ok(sotto_ledger_calls_create(&calls));
    assert_ok(sotto_ledger_calls_open(&calls, &memory));
    sotto_device_free(device);
    sotto_ledger *file = ledger;
    ledger = memory;
    open_device(1);
    uint64_t first = scene_decide(device), begun_ms = s->day_ms, second;
    uint32_t arm;
    scene_pass(s, 10000);
    assert_ok(sotto_device_begin(device, &second));
    st.fail_at = st.calls + 3; /* decide loads and appends; then drop loads */
    assert_ok(sotto_device_decide(device, second, scene_context, SCENE_CELLS, &arm));
    assert_true(st.calls > st.fail_at);
    assert_ints(counts().dropped, 0, counts().put_off, 1);
    assert_int_equal(sotto_device_waiting(device), 2);
    assert_ok(sotto_device_finish(device, first, .5));
    scene_pass(s, begun_ms + 59999 - s->day_ms);
    assert_int_equal(s->posted, 0);
    scene_pass(s, 1);
    assert_int_equal(s->posted, 1);
    assert_int_equal(scene_last_event(s, SOTTO_DEVICE_SENT)->round, first);
    sotto_device_free(device);
    sotto_ledger_free(ledger);
    ledger = file;
    open_device(256);
}

/* A frame in an event is that of its round, also after others used the same request. */
TEST_WITH(events_show_frames_of_their_own_round_or_none, set_up, tear_down)
{
    sotto_wire_options options = sotto_wire_options_default();
    options.requests_max = 1; /* one room for frames */
    sotto_ledger *memory, *file = ledger;
    memset(&st, 0, sizeof st);
    sotto_ledger_calls calls = store_calls(&st);
    assert_ok(sotto_ledger_calls_create(&calls));
    assert_ok(sotto_ledger_calls_open(&calls, &memory));
    sotto_device_free(device);
    scene_free(s);
    s = scene_ready(scene_spec(60, 0), options);
    ledger = memory;
    open_device(256);
    uint64_t first = scene_decide(device);
    s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    scene_pass(s, 500);
    uint64_t second = scene_decide(device);
    scene_pass(s, 59500);
    st.fail_at = st.calls + 1; /* once */
    http_answer_late(s->http, s->http->requests - 1, (http_answer){.status = 204});
    scene_until(s, counts().put_off == 1);
    scene_pass(s, 500); /* the second leaves */
    http_answer_late(s->http, s->http->requests - 1, (http_answer){.status = 204});
    scene_until(s, counts().acknowledged == 1);
    st.fail_at = st.calls + 1;
    scene_pass(s, 500); /* the first is tried again */
    const scene_event *last = scene_last_event(s, SOTTO_DEVICE_PUT_OFF);
    assert_true(last == &s->event[s->events - 1] && last->round == first);
    for (size_t i = 0; i < s->events; i++) {
        const scene_event *event = &s->event[i];
        const http_request *post = scene_post(s, event->round == second);
        if (event->has_frame) assert_memory_equal(event->frame, post->body, SCENE_FRAME_BYTES);
    }
    sotto_device_free(device);
    sotto_ledger_free(ledger);
    ledger = file;
    open_device(256);
}

/* ---- broken for good ---------------------------------------------------------------------- */

/* One report through a store of which call `call`, counted from the moment at which the report leaves,
 * fails; then a new process with the store as it is. */
static void play_with_failure(uint64_t call, store_failure failure, int status)
{
    sotto_ledger *broken;
    memset(&st, 0, sizeof st);
    sotto_ledger_calls calls = store_calls(&st);
    assert_ok(sotto_ledger_calls_create(&calls));
    assert_ok(sotto_ledger_calls_open(&calls, &broken));
    ledger = broken;
    open_device(256);
    scene_decide(device);
    st.failure = failure;
    st.fail_at = st.calls + call;
    s->to_reports = (http_answer){.status = status};
    scene_pass(s, 60000);
    for (int i = 0; i < 4; i++) {
        size_t sent_before = s->posted;
        scene_pass(s, 10000);
        if (call == 2) assert_int_equal(s->posted, sent_before); /* no seal: silence */
    }
    st.fail_at = 0;
    sotto_device_free(device);
    sotto_ledger_free(broken);
    assert_ok(sotto_ledger_calls_open(&calls, &ledger));
    open_device(256);
    scene_pass(s, 10000);
    scene_pass(s, 86400000);
    assert_same_bytes();
    assert_int_equal(first_unsent().entry, 0);
    assert_int_equal(sotto_device_waiting(device), 0);
    assert_true(s->posted >= 1 || failure == STORE_DONE_FAILS);
    assert_int_equal(sotto_ledger_dropped(ledger), status == 410);
    sotto_device_free(device);
    sotto_ledger_free(ledger);
}

TEST_WITH(a_ledger_that_breaks_loses_nothing_and_releases_nothing_twice, set_up, tear_down)
{
    const store_failure failures[] = {STORE_FAILS, STORE_DONE_FAILS};
    const int status[] = {204, 410};
    sotto_device_free(device);
    sotto_ledger *file = ledger;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            for (uint64_t call = 1; call <= 6; call++) {
                scene_free(s);
                s = scene_quick(60, 0);
                play_with_failure(call, failures[i], status[k]);
            }
        }
    }
    ledger = file;
    open_device(256);
}

/* ---- others on the ledger ----------------------------------------------------------------- */

/* Another process seals and acknowledges the report, or gives it up. */
static void use_elsewhere(uint64_t round, bool gives_up)
{
    uint8_t frame[SCENE_FRAME_BYTES];
    OWN(sotto_ledger) other = ledger_at(f.file);
    if (gives_up) {
        assert_ok(sotto_ledger_drop(other, round));
    } else {
        assert_ok(sotto_ledger_seal(other, round, frame, sizeof frame));
        assert_ok(sotto_ledger_acknowledge(other, round));
    }
}

TEST_WITH(what_another_process_sent_or_gave_up_before_is_forgotten, set_up, tear_down)
{
    for (int gives_up = 0; gives_up < 2; gives_up++) {
        uint64_t round = scene_decide(device);
        use_elsewhere(round, gives_up == 1);
        scene_pass(s, 60000);
        assert_int_equal(s->posted, 0);
        assert_int_equal(sotto_device_waiting(device), 0);
        assert_ints(counts().sent, 0, counts().put_off, 0);
        assert_status(sotto_device_finish(device, round, .5), SOTTO_E_ORDER);
        scene_pass(s, 3600000);
        assert_int_equal(s->posted, 0);
    }
}

TEST_WITH(what_another_process_acknowledged_meanwhile_is_forgotten, set_up, tear_down)
{
    const int status[] = {204, 410};
    for (int i = 0; i < 2; i++) {
        uint64_t round = scene_decide(device);
        s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
        scene_pass(s, 60000);
        use_elsewhere(round, false);
        http_answer_late(s->http, s->http->requests - 1, (http_answer){.status = status[i]});
        scene_until(s, sotto_device_waiting(device) == 0);
        s->to_reports = (http_answer){0};
        scene_pass(s, 3600000);
        assert_int_equal(s->posted, i + 1);
        assert_int_equal(counts().put_off, 0);
    }
}
