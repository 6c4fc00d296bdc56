/* Several devices of one person at one ledger, of which one sends: each report leaves once, at its time. */
#include "store.h"
#include "transport_scene.h"
#include "why.h"

#include <string.h>

static transport_scene *a, *b; /* a sends, b books; both have the same terms */
static store st;
static sotto_ledger *ledger_a, *ledger_b;
static sotto_device *at_a, *at_b;

FIXTURE(set_up)
{
    memset(&st, 0, sizeof st);
    const sotto_ledger_calls calls = store_calls(&st);
    a = scene_quick(60, 0);
    b = scene_quick(60, 0);
    assert_ok(sotto_ledger_calls_create(&calls));
    assert_ok(sotto_ledger_calls_open(&calls, &ledger_a));
    assert_ok(sotto_ledger_calls_open(&calls, &ledger_b));
    at_a = scene_device(a, ledger_a);
    at_b = scene_device(b, ledger_b);
    sotto_wire_sending(b->wire, false);
}

FIXTURE(tear_down)
{
    sotto_device_free(at_a);
    sotto_device_free(at_b);
    scene_free(a);
    scene_free(b);
    sotto_ledger_free(ledger_a);
    sotto_ledger_free(ledger_b);
}

static void pass(uint64_t ms)
{
    scene_pass(a, ms);
    scene_pass(b, ms);
}

static void assert_waiting(size_t here, size_t there)
{
    assert_ints(sotto_device_waiting(at_a), here, sotto_device_waiting(at_b), there);
}

/* ---- failures ----------------------------------------------------------------------------- */

TEST_WITH(a_ledger_that_does_not_answer_is_asked_again_and_nothing_is_lost, set_up, tear_down)
{
    scene_decide(at_b);
    scene_decide(at_b);
    st.fail_at = st.calls + 1;
    assert_status(sotto_device_adopt(at_a), SOTTO_E_LEDGER);
    assert_says(WHY(sotto_device_fault, at_a), sotto_status_text(SOTTO_E_LEDGER));
    assert_waiting(0, 2);
    assert_ok(sotto_device_adopt(at_a));
    assert_null(WHY(sotto_device_fault, at_a));
    assert_waiting(2, 2);
    pass(60000);
    assert_int_equal(a->posted, 2);
}

TEST_WITH(a_ledger_that_breaks_off_gives_nothing_to_send, set_up, tear_down)
{
    scene_decide(at_b);
    st.fail_at = st.calls + 3; /* within the entries */
    assert_status(sotto_device_adopt(at_a), SOTTO_E_LEDGER);
    assert_status(sotto_device_adopt(at_a), SOTTO_E_LEDGER);
    assert_waiting(0, 1);
    pass(60000);
    assert_int_equal(a->posted, 0);
}

/* ---- one sends ---------------------------------------------------------------------------- */

TEST_WITH(what_a_silent_device_keeps_leaves_once_at_its_time_by_another, set_up, tear_down)
{
    scene_decide(at_b);
    pass(1000);
    scene_decide(at_a);
    scene_decide(at_b);
    assert_ok(sotto_device_adopt(at_a));
    assert_ok(sotto_device_adopt(at_a)); /* again does nothing */
    assert_waiting(3, 2);
    assert_ok(sotto_device_adopt(at_b));
    assert_waiting(3, 3); /* in every process */
    pass(58999);
    assert_int_equal(a->posted + b->posted, 0);
    pass(1);
    assert_int_equal(a->posted, 1);
    pass(1000);
    assert_int_equal(a->posted, 3);
    assert_int_equal(b->posted, 0);
    assert_waiting(0, 3);
    assert_ok(sotto_device_adopt(at_b));
    assert_waiting(0, 0);
    sotto_wire_sending(b->wire, true); /* and nothing is left to send */
    pass(1);
    assert_int_equal(b->posted, 0);
}

TEST_WITH(what_was_adopted_is_sent_in_the_order_of_its_rounds, set_up, tear_down)
{
    uint64_t first = scene_decide(at_b), second = scene_decide(at_a);
    assert_ok(sotto_device_adopt(at_a));
    assert_ints(at_a->oldest->entry, first, at_a->newest->entry, second);
    pass(60000);
    assert_int_equal(a->posted, 2);
}

TEST_WITH(a_device_that_begins_to_send_is_due_at_once, set_up, tear_down)
{
    scene_decide(at_b);
    pass(60000);
    assert_int_equal(b->posted, 0);
    assert_true(sotto_wire_due_ms(b->wire) > 1000);
    sotto_wire_sending(b->wire, true);
    assert_int_equal(sotto_wire_due_ms(b->wire), 0);
    scene_settle(b);
    assert_int_equal(b->posted, 1);
}

/* A tab is closed while its request is under way: nobody knows whether the server has it. */
TEST_WITH(the_next_sender_sends_the_same_bytes, set_up, tear_down)
{
    scene_decide(at_b);
    assert_ok(sotto_device_adopt(at_a));
    a->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    pass(60000);
    assert_int_equal(a->posted, 1);
    sotto_device_free(at_a);
    at_a = NULL;
    assert_ok(sotto_device_adopt(at_b));
    sotto_wire_sending(b->wire, true);
    scene_settle(b);
    assert_int_equal(b->posted, 1);
    assert_memory_equal(scene_last_post(a)->body, scene_last_post(b)->body, SCENE_FRAME_BYTES);
    assert_int_equal(sotto_device_waiting(at_b), 0);
}

TEST_WITH(what_is_under_way_is_not_forgotten_before_its_answer, set_up, tear_down)
{
    uint64_t round = scene_decide(at_a);
    a->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    pass(60000);
    assert_ok(sotto_ledger_acknowledge(ledger_b, round));
    assert_ok(sotto_device_adopt(at_a));
    assert_int_equal(sotto_device_waiting(at_a), 1);
    http_answer_late(a->http, a->http->requests - 1, (http_answer){.status = 204});
    scene_until(a, sotto_device_waiting(at_a) == 0);
}

/* ---- rewards ------------------------------------------------------------------------------ */

TEST_WITH(a_reward_counts_until_the_send_time_and_then_is_too_late, set_up, tear_down)
{
    uint64_t early = scene_decide(at_b), late = scene_decide(at_b);
    assert_ok(sotto_device_adopt(at_a));
    pass(59999);
    assert_ok(sotto_device_finish(at_b, early, 1));
    pass(1);
    assert_int_equal(a->posted, 2);
    assert_memory_equal(scene_post(a, 0)->body, at_b->frame, SCENE_FRAME_BYTES);
    assert_status(sotto_device_finish(at_b, late, 1), SOTTO_E_ORDER);
    assert_says(WHY(sotto_device_fault, at_b), "too late");
    assert_ok(sotto_device_adopt(at_b));
    assert_int_equal(sotto_device_waiting(at_b), 0);
    assert_null(sotto__device_find(at_b, late)); /* with its secret */
}

TEST_WITH(a_clock_that_goes_back_makes_an_adopted_report_late_and_never_early, set_up, tear_down)
{
    scene_decide(at_b);
    a->day_ms -= 86400000;
    assert_ok(sotto_device_adopt(at_a));
    pass(59999);
    assert_int_equal(a->posted, 0);
    pass(1);
    assert_int_equal(a->posted, 1);
}

TEST_WITH(a_round_that_began_under_another_time_of_day_is_never_early, set_up, tear_down)
{
    b->day_ms -= 86400000;
    scene_decide(at_b);
    pass(1000);
    assert_ok(sotto_device_adopt(at_a));
    pass(58999);
    assert_int_equal(a->posted, 0);
    pass(1);
    assert_int_equal(a->posted, 1);
}
