/* The reports of a device that wait: each round ends in one, which leaves at its time, with a reward or
 * without, in this process or the next. Ledgers that refuse are test_queue_ledger.c's. */
#include "directory.h"
#include "transport_scene.h"
#include "why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 12u
#define AGE_MAX_MS (14u * 86400u * 1000u)

static transport_scene *s;
static sotto_ledger *ledger;
static sotto_device *device;

FIXTURE(set_up)
{
    s = scene_quick(60, 600);
    assert_ok(sotto_ledger_memory_new(&ledger));
    device = scene_device(s, ledger);
}

FIXTURE(tear_down)
{
    sotto_device_free(device);
    scene_free(s);
    sotto_ledger_free(ledger);
}

static sotto_unsent unsent_of(uint64_t entry)
{
    sotto_unsent unsent;
    assert_ok(sotto_ledger_unsent(ledger, entry - 1, &unsent));
    assert_int_equal(unsent.entry, entry);
    return unsent;
}

/* How many reports the ledger has to send. */
static size_t unsent_count(void)
{
    size_t count = 0;
    sotto_unsent unsent = {.entry = 0};
    for (;;) {
        assert_ok(sotto_ledger_unsent(ledger, unsent.entry, &unsent));
        if (unsent.entry == 0) return count;
        count++;
    }
}

/* Time passes to this moment. */
static void pass_to(uint64_t day_ms)
{
    assert_true(day_ms >= s->day_ms);
    scene_pass(s, day_ms - s->day_ms);
}

/* Another process takes over, after this long. */
static void restart(uint64_t ms)
{
    sotto_device_free(device);
    s->day_ms += ms;
    s->steady_ms += ms;
    s->events = 0;
    device = scene_device(s, ledger);
}

static sotto_device_counts counts(void)
{
    return sotto_device_counts_of(device);
}

/* ---- one report, at its time -------------------------------------------------------------- */

TEST_WITH(each_round_ends_in_one_report_at_its_time_with_a_reward_or_without, set_up, tear_down)
{
    uint64_t round[ROUNDS], send_at_ms[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++) {
        round[i] = scene_decide(device);
        send_at_ms[i] = unsent_of(round[i]).send_at_ms;
        assert_in_range(send_at_ms[i], s->day_ms + 60000, s->day_ms + 660000);
        if (i % 2 == 0) assert_ok(sotto_device_finish(device, round[i], .5));
        scene_pass(s, 1000);
        assert_int_equal(s->posted, 0);
    }
    assert_int_equal(sotto_device_waiting(device), ROUNDS);
    while (sotto_device_waiting(device) > 0) {
        scene_pass(s, sotto_wire_due_ms(s->wire));
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        size_t sent = 0;
        for (size_t k = 0; k < s->events; k++) {
            if (s->event[k].round != round[i] || s->event[k].kind != SOTTO_DEVICE_SENT) continue;
            assert_int_equal(s->event[k].day_ms, send_at_ms[i]);
            sent++;
        }
        assert_int_equal(sent, 1);
    }
    assert_int_equal(s->posted, ROUNDS);
    assert_int_equal(scene_events(s, SOTTO_DEVICE_ACKNOWLEDGED), ROUNDS);
    assert_int_equal(s->events, 2 * ROUNDS);
    const sotto_device_counts c = counts();
    assert_true(c.begun == ROUNDS && c.finished == ROUNDS / 2 && c.sent == ROUNDS &&
                c.sent_default == ROUNDS / 2 && c.acknowledged == ROUNDS && c.dropped == 0 &&
                c.put_off == 0);
    assert_int_equal(unsent_count(), 0);
    scene_pass(s, 3600000);
    assert_int_equal(s->posted, ROUNDS);
}

/* The frame on the wire is the one of the ledger, and of the reward if there was one. */
TEST_WITH(the_report_that_leaves_is_that_of_the_reward_if_one_came, set_up, tear_down)
{
    uint8_t of_reward[SCENE_FRAME_BYTES], of_ledger[SCENE_FRAME_BYTES];
    s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    for (int has_reward = 0; has_reward < 2; has_reward++) {
        uint64_t round = scene_decide(device);
        uint64_t send_at_ms = unsent_of(round).send_at_ms;
        if (has_reward) assert_ok(sotto_device_finish(device, round, .9));
        memcpy(of_reward, device->frame, sizeof of_reward);
        assert_int_equal(unsent_of(round).held, !has_reward);
        pass_to(send_at_ms - 1);
        assert_int_equal(s->posted, has_reward);
        assert_false(unsent_of(round).sealed);
        pass_to(send_at_ms);
        const http_request *post = scene_last_post(s);
        assert_int_equal(post->body_bytes, SCENE_FRAME_BYTES);
        assert_true(unsent_of(round).sealed);
        assert_ok(sotto_ledger_seal(ledger, round, of_ledger, sizeof of_ledger));
        assert_memory_equal(post->body, of_ledger, sizeof of_ledger);
        if (has_reward) assert_memory_equal(post->body, of_reward, sizeof of_reward);
        assert_memory_equal(scene_last_event(s, SOTTO_DEVICE_SENT)->frame, of_ledger,
                            sizeof of_ledger);
        http_answer_late(s->http, s->http->requests - 1, (http_answer){.status = 204});
        scene_until(s, sotto_device_waiting(device) == 0);
    }
    assert_int_equal(counts().sent_default, 1);
}

TEST_WITH(a_reward_that_comes_after_the_report_left_is_refused, set_up, tear_down)
{
    uint8_t first[SCENE_FRAME_BYTES];
    s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    uint64_t round = scene_decide(device);
    pass_to(unsent_of(round).send_at_ms);
    memcpy(first, scene_last_post(s)->body, sizeof first);
    assert_status(sotto_device_finish(device, round, .5), SOTTO_E_ORDER); /* under way */
    assert_says(WHY(sotto_device_fault, device), "too late");
    http_answer_late(s->http, s->http->requests - 1, (http_answer){.status = 503});
    scene_until(s, counts().put_off == 1);
    assert_status(sotto_device_finish(device, round, .5), SOTTO_E_ORDER); /* put off */
    s->to_reports = (http_answer){0};
    scene_pass(s, 1000);
    assert_int_equal(counts().acknowledged, 1);
    assert_status(sotto_device_finish(device, round, .5), SOTTO_E_ORDER); /* and acknowledged */
    assert_memory_equal(scene_last_post(s)->body, first, sizeof first);
    assert_ints(counts().finished, 0, counts().sent_default, 1);
}

TEST_WITH(what_is_sent_again_is_the_same_bytes, set_up, tear_down)
{
    const http_answer failures[] = {
        {.status = 503}, {.act = HTTP_CLOSES}, {.status = 409}, {.status = 500}, {.status = 302}};
    uint64_t round = scene_decide(device), at_ms = unsent_of(round).send_at_ms;
    assert_ok(sotto_device_finish(device, round, .5));
    for (size_t i = 0; i < 5; i++) {
        s->to_reports = failures[i];
        if (i == 3) restart(0);
        pass_to(at_ms > s->day_ms ? at_ms : s->day_ms);
        at_ms = s->day_ms + sotto_wire_due_ms(s->wire);
        assert_int_equal(sotto_device_waiting(device), 1);
        assert_non_null(WHY(sotto_device_fault, device));
    }
    s->to_reports = (http_answer){0};
    pass_to(at_ms);
    assert_int_equal(sotto_device_waiting(device), 0);
    assert_null(WHY(sotto_device_fault, device));
    assert_true(s->posted >= 6);
    for (size_t i = 0; i < s->posted; i++) {
        const http_request *post = scene_post(s, i);
        assert_int_equal(post->body_bytes, SCENE_FRAME_BYTES);
        assert_memory_equal(post->body, scene_post(s, 0)->body, SCENE_FRAME_BYTES);
    }
}

/* ---- too many, too old -------------------------------------------------------------------- */

/* A device with a queue of 3, and 3 rounds that wait. */
static void fill_queue(uint64_t round[3])
{
    sotto_device_options options = scene_device_options(s, ledger);
    options.queue_max = 3;
    sotto_device_free(device);
    assert_ok(sotto_device_new(s->site, &options, &device));
    for (int i = 0; i < 3; i++) {
        round[i] = scene_decide(device);
    }
}

TEST_WITH(one_too_many_drops_the_oldest, set_up, tear_down)
{
    uint64_t round[3];
    fill_queue(round);
    assert_ok(sotto_device_finish(device, round[0], .5));
    assert_int_equal(scene_events(s, SOTTO_DEVICE_DROPPED), 0);
    for (unsigned i = 0; i < 2; i++) {
        scene_decide(device);
        assert_int_equal(sotto_device_waiting(device), 3);
        assert_int_equal(counts().dropped, i + 1);
        assert_int_equal(sotto_ledger_dropped(ledger), i + 1);
        const scene_event *event = scene_last_event(s, SOTTO_DEVICE_DROPPED);
        assert_int_equal(event->round, round[i]);
        assert_false(event->has_frame);
        assert_says(event->why, "too many");
    }
    assert_status(sotto_device_finish(device, round[1], .5), SOTTO_E_ORDER);
    assert_int_equal(unsent_count(), 3);
    scene_pass(s, 660000);
    assert_int_equal(s->posted, 3);
    assert_int_equal(counts().acknowledged, 3);
}

/* What is under way may be with the server already. */
TEST_WITH(one_that_is_under_way_is_not_dropped_for_another, set_up, tear_down)
{
    uint64_t round[3];
    s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    fill_queue(round);
    scene_pass(s, 660000); /* all three */
    assert_int_equal(s->http->silent, 3);
    scene_decide(device);
    assert_int_equal(counts().dropped, 0);
    assert_int_equal(sotto_device_waiting(device), 4);
    uint64_t last = scene_decide(device);
    assert_int_equal(counts().dropped, 1); /* the fourth, which was not */
    assert_int_equal(sotto_device_waiting(device), 4);
    assert_int_equal(unsent_of(last).entry, last);
}

TEST_WITH(a_report_that_cannot_be_sent_is_dropped_when_it_is_too_old, set_up, tear_down)
{
    uint64_t round = scene_decide(device), send_at_ms = unsent_of(round).send_at_ms;
    s->to_reports = (http_answer){.status = 503};
    while (s->day_ms < send_at_ms + AGE_MAX_MS) {
        assert_int_equal(counts().dropped, 0);
        scene_pass(s, sotto_wire_due_ms(s->wire));
    }
    assert_int_equal(s->day_ms, send_at_ms + AGE_MAX_MS); /* to the millisecond */
    assert_ints(counts().dropped, 1, counts().sent, 1);
    assert_int_equal(sotto_device_waiting(device), 0);
    assert_int_equal(unsent_count(), 0);
    assert_int_equal(sotto_ledger_dropped(ledger), 1);
    const scene_event *event = scene_last_event(s, SOTTO_DEVICE_DROPPED);
    assert_int_equal(event->round, round);
    assert_says(event->why, "dropped, because");
    assert_says(WHY(sotto_device_fault, device), "dropped, because");
    size_t posted = s->posted;
    s->to_reports = (http_answer){0};
    scene_pass(s, AGE_MAX_MS);
    assert_int_equal(s->posted, posted);
}

/* ---- the next process --------------------------------------------------------------------- */

TEST_WITH(after_a_restart_a_report_leaves_at_its_time, set_up, tear_down)
{
    for (int has_reward = 0; has_reward < 2; has_reward++) {
        uint64_t round = scene_decide(device), send_at_ms = unsent_of(round).send_at_ms;
        if (has_reward) assert_ok(sotto_device_finish(device, round, .5));
        size_t posted = s->posted;
        restart(30000);
        assert_int_equal(sotto_device_waiting(device), 1);
        assert_status(sotto_device_finish(device, round, .5), SOTTO_E_ORDER);
        pass_to(send_at_ms - 1);
        assert_int_equal(s->posted, posted);
        pass_to(send_at_ms);
        assert_int_equal(s->posted, posted + 1);
        assert_int_equal(scene_last_event(s, SOTTO_DEVICE_ACKNOWLEDGED)->round, round);
        assert_int_equal(counts().sent_default, !has_reward);
        assert_int_equal(unsent_count(), 0);
    }
}

TEST_WITH(after_a_restart_a_report_whose_time_is_over_leaves_at_once, set_up, tear_down)
{
    uint64_t round = scene_decide(device);
    restart(86400000);
    assert_int_equal(s->posted, 0); /* but not from within sotto_device_new */
    assert_int_equal(sotto_wire_due_ms(s->wire), 0);
    scene_settle(s);
    assert_int_equal(scene_last_event(s, SOTTO_DEVICE_ACKNOWLEDGED)->round, round);
}

/* It waits as long as its round said, and no longer. */
TEST_WITH(after_a_restart_with_a_clock_that_went_back_a_report_does_not_wait_for_ever, set_up,
          tear_down)
{
    uint64_t round = scene_decide(device);
    uint64_t wait_ms = unsent_of(round).send_at_ms - s->day_ms;
    sotto_device_free(device);
    s->day_ms = 1000; /* 1970 */
    device = scene_device(s, ledger);
    assert_int_equal(sotto_wire_due_ms(s->wire), wait_ms);
    scene_pass(s, wait_ms - 1);
    assert_int_equal(s->posted, 0);
    scene_pass(s, 1);
    assert_int_equal(s->posted, 1);
}

/* While it runs, only the steady clock counts. */
TEST_WITH(a_clock_that_is_set_changes_nothing_while_a_device_runs, set_up, tear_down)
{
    uint64_t round = scene_decide(device);
    uint64_t wait_ms = unsent_of(round).send_at_ms - s->day_ms;
    s->day_ms += 30 * 86400000ull;
    scene_pass(s, wait_ms / 2);
    s->day_ms = 5;
    scene_pass(s, wait_ms - wait_ms / 2 - 1);
    assert_int_equal(s->posted, 0);
    scene_pass(s, 1);
    assert_int_equal(s->posted, 1);
}

TEST_WITH(after_a_restart_a_report_that_is_too_old_is_dropped, set_up, tear_down)
{
    uint64_t round = scene_decide(device), send_at_ms = unsent_of(round).send_at_ms;
    restart(send_at_ms - s->day_ms + AGE_MAX_MS + 1);
    scene_settle(s);
    assert_int_equal(s->posted, 0);
    assert_ints(counts().dropped, 1, counts().sent, 0);
    assert_int_equal(scene_last_event(s, SOTTO_DEVICE_DROPPED)->round, round);
    assert_int_equal(sotto_ledger_dropped(ledger), 1);
    assert_int_equal(unsent_count(), 0);
}

/* Its age counts from its time, not from the start of the process. */
TEST_WITH(restarts_do_not_make_a_report_younger, set_up, tear_down)
{
    uint64_t round = scene_decide(device), send_at_ms = unsent_of(round).send_at_ms;
    s->to_reports = (http_answer){.status = 503};
    restart(send_at_ms - s->day_ms + AGE_MAX_MS - 5000);
    pass_to(send_at_ms + AGE_MAX_MS - 1);
    assert_true(s->posted > 0);
    assert_int_equal(counts().dropped, 0);
    pass_to(send_at_ms + AGE_MAX_MS);
    assert_int_equal(counts().dropped, 1);
    assert_int_equal(scene_last_event(s, SOTTO_DEVICE_DROPPED)->round, round);
}

TEST_WITH(after_a_restart_with_a_smaller_queue_the_oldest_are_dropped, set_up, tear_down)
{
    sotto_device_options options = scene_device_options(s, ledger);
    for (int i = 0; i < 5; i++) {
        scene_decide(device);
    }
    sotto_device_free(device);
    options.queue_max = 2;
    assert_ok(sotto_device_new(s->site, &options, &device));
    assert_int_equal(sotto_device_waiting(device), 2);
    assert_int_equal(counts().dropped, 3);
    scene_pass(s, 660000);
    assert_int_equal(s->posted, 2);
    assert_int_equal(sotto_ledger_dropped(ledger), 3);
}

/* ---- others on the same ledger ------------------------------------------------------------ */

TEST_WITH(reports_of_another_experiment_are_left_alone, set_up, tear_down)
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = scene_spec(1, 1);
    sotto_terms other;
    uint32_t arm;
    uint64_t send_at_ms;
    assert_ok(sotto_spec_resolve(&spec, &other));
    sotto_client *client = made_client(&policy, ledger);
    sotto_round *round = made_round(client, &other);
    sotto_model *model = made_model(&other);
    assert_ok(sotto_round_begin(round, model));
    assert_ok(sotto_round_hold_at(round, s->day_ms, &send_at_ms));
    assert_ok(sotto_round_decide(round, scene_context, SCENE_CELLS, &arm));
    scene_decide(device);
    restart(0);
    assert_int_equal(sotto_device_waiting(device), 1);
    scene_pass(s, 660000);
    scene_pass(s, 30 * 86400000ull);
    assert_int_equal(s->posted, 1);
    assert_int_equal(unsent_count(), 1);
    assert_false(unsent_of(sotto_round_entry(round)).sealed);
}

/* Two processes: the second knows what the first began. Each sends the same bytes; the ledger takes one
 * acknowledgement; nobody sends once it has one. */
TEST_WITH(two_devices_on_one_file_release_one_report, set_up, tear_down)
{
    HELD(directory) f = directory_new();
    assert_ok(sotto_ledger_file_create(f.file));
    OWN(sotto_ledger) one = ledger_at(f.file);
    OWN(sotto_ledger) two = ledger_at(f.file);
    OWN(sotto_device) first = scene_device(s, one);
    uint64_t round[2] = {scene_decide(first), scene_decide(first)};
    OWN(sotto_device) second = scene_device(s, two);
    assert_int_equal(sotto_device_waiting(second), 2);
    assert_ok(sotto_device_finish(first, round[0], .9)); /* the second must not send the other */
    scene_pass(s, 660000);
    assert_ints(sotto_device_waiting(first), 0, sotto_device_waiting(second), 0);
    assert_in_range(s->posted, 2, 4);
    assert_int_equal(sotto_device_counts_of(first).acknowledged +
                         sotto_device_counts_of(second).acknowledged,
                     2);
    for (int i = 0; i < 2; i++) {
        const scene_event *sent = NULL;
        for (size_t k = 0; k < s->events; k++) {
            const scene_event *event = &s->event[k];
            if (event->round != round[i] || event->kind != SOTTO_DEVICE_SENT) continue;
            if (sent != NULL) assert_memory_equal(event->frame, sent->frame, SCENE_FRAME_BYTES);
            sent = event;
        }
        assert_non_null(sent);
        if (i == 0) assert_memory_equal(sent->frame, first->frame, SCENE_FRAME_BYTES);
    }
    size_t posted = s->posted;
    scene_pass(s, 86400000);
    assert_int_equal(s->posted, posted);
    assert_int_equal(sotto_ledger_reports(one), 2);
}
