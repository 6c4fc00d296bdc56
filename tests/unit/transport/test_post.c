/* Reports on their way, without devices: which requests are made of them, and what each answer does. */
#include "transport_scene.h"

#include <stdio.h>
#include <string.h>

#define PARCELS 24u
#define HOUR_MS 3600000u
#define NEVER UINT64_MAX

/* A parcel with what its sender was told. Its frame is its number, as often as there is room. */
typedef struct item {
    sotto__parcel parcel; /* first */
    uint8_t number;
    bool refuses; /* to be sealed */
    unsigned sealed, acknowledged, put_off, dropped;
    char why[SOTTO_FAULT_BYTES];
} item;

static transport_scene *s;
static item p[PARCELS];
static bool realloc_fails;

void *__real_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes)
{
    return realloc_fails ? NULL : __real_realloc(old, bytes);
}

static bool seal(sotto__parcel *parcel, uint8_t *frame)
{
    item *one = (item *)parcel;
    if (one->refuses) return false;
    one->sealed++;
    memset(frame, one->number, parcel->site->frame_bytes);
    return true;
}

static void acknowledged(sotto__parcel *parcel)
{
    ((item *)parcel)->acknowledged++;
}

static void put_off(sotto__parcel *parcel, const char *why)
{
    item *one = (item *)parcel;
    one->put_off++;
    snprintf(one->why, sizeof one->why, "%s", why);
}

static void drop(sotto__parcel *parcel, const char *why)
{
    item *one = (item *)parcel;
    one->dropped++;
    snprintf(one->why, sizeof one->why, "%s", why);
}

static const sotto__sender sender = {seal, acknowledged, put_off, drop};

static void open_scene(uint32_t requests_max, uint32_t batch_max)
{
    sotto_wire_options options = sotto_wire_options_default();
    options.requests_max = requests_max;
    options.batch_max = batch_max;
    s = scene_ready(scene_spec(10, 10), options);
    scene_pass(s, 0);
    assert_ok(sotto__wire_add_alarms(s->wire, PARCELS));
    for (uint8_t i = 0; i < PARCELS; i++) {
        p[i] = (item){.number = i};
        sotto__parcel_make(&p[i].parcel, s->site, &sender, NEVER);
    }
}

static int close_scene(void **state)
{
    (void)state;
    if (s == NULL) return 0;
    for (size_t i = 0; i < PARCELS; i++) {
        sotto__parcel_cancel(&p[i].parcel);
    }
    sotto__wire_remove_alarms(s->wire, PARCELS);
    scene_free(s);
    s = NULL;
    return 0;
}

/* Parcels `from` to `to` leave now, in this order: one millisecond late more each. */
static void send(size_t from, size_t to)
{
    for (size_t i = from; i <= to; i++) {
        sotto__parcel_send(&p[i].parcel, s->steady_ms - PARCELS + i);
    }
}

/* The numbers of the parcels of all requests so far: "0 1|2" are two requests. */
static const char *posts(void)
{
    static char text[1000];
    size_t frame_bytes = s->site->frame_bytes;
    int at = 0;
    text[0] = '\0';
    for (size_t n = 0; n < s->posted; n++) {
        const http_request *request = scene_post(s, n);
        assert_int_equal(request->body_bytes % frame_bytes, 0);
        for (size_t i = 0; i < request->body_bytes; i++) {
            const uint8_t *frame = request->body + i - i % frame_bytes;
            assert_int_equal(request->body[i], frame[0]);
            if (i % frame_bytes > 0) continue;
            const char *between = i > 0 ? " " : n > 0 ? "|" : "";
            at += snprintf(text + at, sizeof text - (size_t)at, "%s%u", between, frame[0]);
        }
    }
    return text;
}

/* What the sender of a parcel was told, and how often. */
static void assert_told(size_t i, unsigned acks, unsigned put_offs, unsigned drops)
{
    if (p[i].acknowledged != acks || p[i].put_off != put_offs || p[i].dropped != drops)
        fail_msg("parcel %zu: acknowledged %u, put off %u, dropped %u", i, p[i].acknowledged,
                 p[i].put_off, p[i].dropped);
}

/* ---- refused, late, gone ------------------------------------------------------------------ */

TEST_WITH(what_was_put_off_comes_before_what_comes_later, NULL, close_scene)
{
    open_scene(1, 8);
    s->to_reports = (http_answer){.status = 503};
    send(0, 1);
    scene_pass(s, 0);
    assert_told(1, 0, 1, 0);
    send(2, 2);
    s->to_reports = (http_answer){0};
    scene_pass(s, HOUR_MS);
    assert_string_equal(posts(), "0 1|0 1 2");
    assert_told(2, 1, 0, 0);
}

static uint8_t bad_number;
static http_answer bad_answer;

static http_answer refuse_bad(void *state, const http_request *request)
{
    (void)state;
    for (size_t i = 0; i < request->body_bytes; i += SCENE_FRAME_BYTES) {
        if (request->body[i] == bad_number) return bad_answer;
    }
    return (http_answer){.status = 204};
}

TEST_WITH(a_refused_batch_is_parted_and_the_one_that_is_refused_alone_is_dropped, NULL, close_scene)
{
    const char *const posted[] = {"0 1 2 3|0|1|2|3|4 5", "0 1|2 3|2|3|4 5"};
    for (uint32_t batch_max = 4, row = 0; row < 4;
         batch_max = 2, row++) { /* two are a batch, too */
        bool drops = row < 3;
        open_scene(1, batch_max);
        bad_number = row == 2 ? 3 : 2; /* the first of two, the second, one of an epoch to come */
        bad_answer = (http_answer){.status = 400, .body_bytes = 18};
        bad_answer.body = drops ? "{\"field\": \"nonce\"}" : "{\"field\": \"epoch\"}";
        s->reports_script = refuse_bad;
        send(0, 5);
        scene_settle(s);
        assert_string_equal(posts(), posted[row > 0]);
        for (size_t i = 0; i < 6; i++) {
            bool bad = i == bad_number;
            assert_told(i, !bad, bad && !drops, bad && drops);
        }
        if (drops) assert_says(p[bad_number].why, "the server refuses it (400)");
        close_scene(state);
    }
}

static http_answer refuse_more_than_two(void *state, const http_request *request)
{
    (void)state;
    const uint32_t status = request->body_bytes > 2 * (size_t)SCENE_FRAME_BYTES ? 413 : 204;
    return (http_answer){.status = (int)status};
}

TEST_WITH(a_batch_that_is_too_long_is_halved_and_so_are_those_that_follow, NULL, close_scene)
{
    open_scene(1, 8);
    s->reports_script = refuse_more_than_two;
    send(0, 7);
    scene_settle(s);
    assert_string_equal(posts(), "0 1 2 3 4 5 6 7|0 1 2 3|0 1|2 3|4 5|6 7");
    for (size_t i = 0; i < 8; i++) {
        assert_told(i, 1, 0, 0);
    }
}

static http_answer refuse_batches(void *state, const http_request *request)
{
    (void)state;
    if (request->body_bytes > SCENE_FRAME_BYTES) return (http_answer){.status = 400};
    return (http_answer){.act = HTTP_IS_SILENT};
}

TEST_WITH(one_that_waits_to_be_tried_alone_shows_no_bytes_of_a_request, NULL, close_scene)
{
    open_scene(1, 3);
    s->reports_script = refuse_batches;
    send(0, 2);
    scene_settle(s);
    assert_string_equal(posts(), "0 1 2|0");
    assert_true(p[0].parcel.frame != NULL && p[1].parcel.frame == NULL && p[1].parcel.ready);
}

TEST_WITH(one_of_an_epoch_to_come_waits_an_hour_alone_and_the_others_go_on, NULL, close_scene)
{
    static const char body[] = "{\"error\":\"later\",\"field\":\"epoch\"}";
    open_scene(1, 3);
    bad_number = 1;
    bad_answer = (http_answer){.status = 400, .body = body, .body_bytes = sizeof body - 1};
    s->reports_script = refuse_bad;
    send(0, 2);
    scene_settle(s);
    assert_string_equal(posts(), "0 1 2|0|1|2");
    assert_told(0, 1, 0, 0);
    assert_told(1, 0, 1, 0);
    assert_told(2, 1, 0, 0);
    assert_says(p[1].why, "epoch has not begun");
    send(3, 5);
    scene_settle(s);
    assert_string_equal(posts(), "0 1 2|0|1|2|3 4 5"); /* at once, and together */
    assert_int_equal(sotto_wire_due_ms(s->wire), HOUR_MS);
    scene_pass(s, HOUR_MS - 1);
    assert_int_equal(s->posted, 5);
    scene_pass(s, 1);
    assert_string_equal(posts(), "0 1 2|0|1|2|3 4 5|1");
    assert_told(1, 0, 2, 0);
    assert_int_equal(sotto_wire_due_ms(s->wire), HOUR_MS); /* it does not double */
    s->reports_script = NULL;
    s->steady_ms += HOUR_MS;
    send(6, 7); /* just before it */
    scene_settle(s);
    assert_string_equal(posts(), "0 1 2|0|1|2|3 4 5|1|6 7|1");
    assert_told(1, 1, 2, 0);
    assert_told(6, 1, 0, 0);
}

TEST_WITH(an_experiment_that_is_gone_drops_its_reports, NULL, close_scene)
{
    const int status[] = {404, 410};
    for (int i = 0; i < 2; i++) {
        open_scene(1, 4);
        s->to_reports = (http_answer){.status = status[i]};
        send(0, 5);
        scene_settle(s);
        assert_int_equal(s->posted, 2);
        for (size_t k = 0; k < 6; k++) {
            assert_told(k, 0, 0, 1);
        }
        assert_says(p[0].why, i == 0 ? "(404)" : "(410)");
        close_scene(NULL);
    }
}

TEST_WITH(a_pause_is_waited_for_a_minute_and_then_twice_as_long, NULL, close_scene)
{
    open_scene(4, 2);
    s->to_reports = (http_answer){.status = 409, .headers = "Retry-After: 5000\r\n"};
    send(0, 1);
    scene_settle(s);
    uint64_t wait_ms = 60000;
    for (unsigned i = 1; i <= 4; i++, wait_ms *= 2) {
        assert_told(0, 0, i, 0);
        assert_int_equal(s->posted, i);
        assert_int_equal(sotto_wire_due_ms(s->wire), wait_ms);
        scene_pass(s, wait_ms - 1);
        assert_int_equal(s->posted, i);
        scene_pass(s, 1);
    }
    assert_string_equal(posts(), "0 1|0 1|0 1|0 1|0 1");
    assert_says(p[1].why, "paused");
}

/* Nothing but 204 acknowledges. */
TEST_WITH(any_other_answer_and_none_put_reports_off, NULL, close_scene)
{
    const http_answer other[] = {
        {.status = 200},
        {.status = 202},
        {.status = 206},
        {.status = 307, .headers = "Location: /elsewhere\r\n"},
        {.status = 401},
        {.status = 413},
        {.status = 429},
        {.status = 500},
        {.status = 503},
        {.act = HTTP_CLOSES},
        {.act = HTTP_SAYS, .body = "204 No Content\r\n\r\n", .body_bytes = 18},
        {.act = HTTP_NEVER_ENDS_ITS_BODY},
        {.act = HTTP_NEVER_ENDS_ITS_HEAD},
    };
    open_scene(4, 1);
    send(0, 0);
    uint64_t wait_ms = 1000;
    for (unsigned i = 0; i < sizeof other / sizeof other[0]; i++, wait_ms *= 2) {
        s->to_reports = other[i];
        scene_settle(s);
        assert_told(0, 0, i + 1, 0);
        assert_int_equal(sotto_wire_due_ms(s->wire), wait_ms);
        assert_says(p[0].why, "report: ");
        s->day_ms += wait_ms, s->steady_ms += wait_ms;
    }
    s->to_reports = (http_answer){0};
    scene_settle(s);
    assert_told(0, 1, 13, 0);
}

TEST_WITH(retry_after_is_the_least_wait_and_a_good_answer_ends_the_doubling, NULL, close_scene)
{
    open_scene(4, 1);
    s->to_reports = (http_answer){.status = 503, .headers = "Retry-After: 7\r\n"};
    send(0, 0);
    scene_settle(s);
    assert_int_equal(sotto_wire_due_ms(s->wire), 7000);
    scene_pass(s, 7000);
    assert_int_equal(sotto_wire_due_ms(s->wire), 14000);
    s->to_reports = (http_answer){0};
    scene_pass(s, 14000);
    assert_told(0, 1, 2, 0);
    s->to_reports = (http_answer){.status = 503};
    send(1, 1);
    scene_settle(s);
    assert_int_equal(sotto_wire_due_ms(s->wire), 1000);
}

/* ---- how many, and in which order --------------------------------------------------------- */

TEST_WITH(batches_are_full_and_in_order, NULL, close_scene)
{
    const uint64_t at[] = {9, 3, 5, 1, 7, 2, 8, 4, 6}; /* by time, whatever was set first */
    open_scene(1, 4);
    for (size_t i = 0; i < 9; i++) {
        sotto__parcel_send(&p[i].parcel, s->steady_ms + at[i]);
    }
    scene_pass(s, 0);
    assert_int_equal(s->posted, 0);
    scene_pass(s, 9);
    assert_string_equal(posts(), "3 5 1 7|2 8 4 6|0");
    for (size_t i = 0; i < 9; i++) {
        assert_told(i, 1, 0, 0);
        assert_int_equal(p[i].sealed, 1);
    }
    assert_told(9, 0, 0, 0);
}

TEST_WITH(no_more_requests_than_allowed_are_under_way, NULL, close_scene)
{
    open_scene(3, 2);
    s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    send(0, 9);
    scene_settle(s);
    assert_ints(s->http->silent, 3, s->posted, 3);
    assert_int_equal(p[6].sealed, 0); /* it can still be replaced */
    size_t first = s->http->requests - 3;
    http_answer_late(s->http, first + 1, (http_answer){.status = 204});
    scene_until(s, s->posted == 4);
    scene_settle(s);
    assert_ints(s->http->silent, 3, s->posted, 4);
    unsigned acknowledged_count = 0;
    for (size_t i = 0; i < 10; i++) {
        acknowledged_count += p[i].acknowledged;
    }
    assert_int_equal(acknowledged_count, 2);
}

TEST_WITH(requests_that_fail_together_are_one_failure, NULL, close_scene)
{
    open_scene(8, 1);
    s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    send(0, 7);
    scene_settle(s);
    assert_int_equal(s->http->silent, 8);
    size_t first = s->http->requests - 8;
    for (size_t i = 0; i < 8; i++) {
        http_answer_late(s->http, first + i, (http_answer){.status = 503});
        scene_settle(s);
        scene_pass(s, i == 3 ? 5 : 0); /* not all in the same millisecond */
    }
    assert_int_equal(sotto_wire_due_ms(s->wire), 995);
    for (size_t i = 0; i < 8; i++) {
        assert_told(i, 0, 1, 0);
    }
}

TEST_WITH(after_a_failure_one_request_finds_out_whether_the_server_is_back, NULL, close_scene)
{
    open_scene(4, 1);
    s->to_reports = (http_answer){.status = 503};
    send(0, 7);
    scene_settle(s);
    assert_int_equal(s->posted, 4);
    s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    scene_pass(s, 1000);
    assert_ints(s->http->silent, 1, s->posted, 5);
    send(8, 8);
    scene_pass(s, 20000);
    assert_int_equal(s->posted, 5);
    http_answer_late(s->http, s->http->requests - 1, (http_answer){.status = 204});
    scene_until(s, s->posted == 9);
    assert_int_equal(s->http->silent, 4);
}

TEST_WITH(what_was_put_off_goes_first_and_in_its_order, NULL, close_scene)
{
    open_scene(1, 3);
    s->to_reports = (http_answer){.status = 503};
    send(0, 4);
    scene_settle(s);
    assert_string_equal(posts(), "0 1 2");
    send(5, 5);
    scene_settle(s);
    s->to_reports = (http_answer){0};
    scene_pass(s, 1000);
    assert_string_equal(posts(), "0 1 2|0 1 2|3 4 5");
}

TEST_WITH(one_that_is_not_sealed_leaves_its_place_to_others, NULL, close_scene)
{
    open_scene(1, 3);
    p[0].refuses = p[2].refuses = true;
    send(0, 5);
    scene_settle(s);
    assert_string_equal(posts(), "1 3 4|5");
    assert_told(0, 0, 0, 0); /* its sender knows already */
    p[6].refuses = true;
    send(6, 6);
    scene_settle(s);
    assert_int_equal(s->posted, 2); /* no request without a report */
    send(7, 7);
    scene_settle(s);
    assert_string_equal(posts(), "1 3 4|5|7");
}

/* A server takes 1 MiB. */
TEST_WITH(a_batch_has_no_more_bytes_than_a_server_takes, NULL, close_scene)
{
    open_scene(1, 8);
    s->site->frame_bytes = 300000;
    send(0, 4);
    scene_settle(s);
    assert_string_equal(posts(), "0 1 2|3 4");
    s->site->frame_bytes = 1048577; /* one at least */
    send(5, 6);
    scene_settle(s);
    assert_int_equal(s->posted, 4);
    assert_told(6, 1, 0, 0);
}

/* ---- given up, cancelled, no memory ------------------------------------------------------- */

TEST_WITH(one_that_is_too_old_is_dropped_at_its_time_while_the_server_is_away, NULL, close_scene)
{
    open_scene(1, 1);
    s->to_reports = (http_answer){.status = 503};
    p[0].parcel.drop_at_ms = s->steady_ms + 5000;
    p[1].parcel.drop_at_ms = s->steady_ms + 6000;
    send(0, 2);
    scene_settle(s);
    scene_pass(s, 1000);
    scene_pass(s, 2000);
    assert_told(0, 0, 3, 0);
    assert_int_equal(sotto_wire_due_ms(s->wire), 2000); /* and not 4000 */
    scene_pass(s, 1999);
    assert_told(0, 0, 3, 0);
    scene_pass(s, 1);
    assert_told(0, 0, 3, 1);
    assert_says(p[0].why, "dropped, because");
    assert_told(1, 0, 0, 0);
    assert_int_equal(s->posted, 3);
    scene_pass(s, 1000);
    assert_told(1, 0, 0, 1);
    assert_int_equal(p[1].sealed, 0);
    s->to_reports = (http_answer){0};
    scene_pass(s, 1000);
    assert_string_equal(posts(), "0|0|0|2");
}

TEST_WITH(one_that_is_too_old_when_its_time_comes_is_not_sent, NULL, close_scene)
{
    open_scene(1, 4);
    p[1].parcel.drop_at_ms = 0;
    send(0, 2);
    scene_settle(s);
    assert_string_equal(posts(), "0 2");
    assert_told(1, 0, 0, 1);
    assert_int_equal(p[1].sealed, 0);
}

TEST_WITH(a_cancelled_parcel_hears_nothing, NULL, close_scene)
{
    open_scene(1, 3);
    s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    send(0, 2);
    scene_settle(s);
    sotto__parcel_send(&p[3].parcel, s->steady_ms);        /* will be ready */
    sotto__parcel_send(&p[4].parcel, s->steady_ms);        /* likewise, and stays */
    sotto__parcel_send(&p[5].parcel, s->steady_ms + 1000); /* waits */
    scene_settle(s);
    assert_true(p[3].parcel.ready && p[1].parcel.post != NULL);
    sotto__parcel_cancel(&p[1].parcel); /* under way */
    sotto__parcel_cancel(&p[3].parcel);
    sotto__parcel_cancel(&p[5].parcel);
    sotto__parcel_cancel(&p[6].parcel);             /* in no state at all */
    memset(&p[1].parcel, 0xff, sizeof p[1].parcel); /* nobody may touch it */
    s->to_reports = (http_answer){0};
    http_answer_late(s->http, s->http->requests - 1, (http_answer){.status = 204});
    scene_pass(s, 10000);
    assert_string_equal(posts(), "0 1 2|4");
    for (size_t i = 0; i < 6; i++) {
        assert_told(i, i % 2 == 0, 0, 0);
    }
    sotto__parcel_make(&p[1].parcel, s->site, &sender, NEVER);
}

TEST_WITH(a_cancelled_one_is_passed_over_whatever_the_answer_is, NULL, close_scene)
{
    const int status[] = {204, 400, 404, 409, 503};
    for (size_t i = 0; i < 5; i++) {
        open_scene(1, 2);
        s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
        send(0, 1);
        scene_settle(s);
        sotto__parcel_cancel(&p[0].parcel);
        http_answer_late(s->http, s->http->requests - 1, (http_answer){.status = status[i]});
        scene_settle(s);
        assert_told(0, 0, 0, 0);
        assert_told(1, status[i] == 204, status[i] >= 409, status[i] == 404);
        close_scene(NULL);
    }
}

TEST_WITH(a_site_that_is_freed_ends_its_requests, NULL, close_scene)
{
    open_scene(2, 2);
    s->to_reports = (http_answer){.act = HTTP_IS_SILENT};
    send(0, 5);
    scene_settle(s);
    for (size_t i = 0; i < PARCELS; i++) {
        sotto__parcel_cancel(&p[i].parcel);
    }
    sotto_site_free(s->site);
    s->site = NULL;
    scene_until(s, http_open(s->http) == 0);
    s->to_reports = (http_answer){0};
    scene_add_site(s);
    scene_settle(s);
    for (uint8_t i = 0; i < PARCELS; i++) {
        sotto__parcel_make(&p[i].parcel, s->site, &sender, NEVER);
    }
    send(6, 9);
    scene_settle(s); /* both handles are free again */
    assert_told(0, 0, 0, 0);
    assert_told(9, 1, 0, 0);
}

TEST_WITH(without_memory_reports_wait, NULL, close_scene)
{
    open_scene(1, 2);
    send(0, 2);
    realloc_fails = true;
    sotto_status status = sotto_wire_turn(s->wire, 0);
    realloc_fails = false;
    assert_ok(status);
    assert_int_equal(p[0].sealed, 0); /* before there is room nothing is sealed */
    assert_int_equal(sotto_wire_due_ms(s->wire), 1000);
    scene_pass(s, 999);
    assert_int_equal(s->posted, 0);
    realloc_fails = true;
    s->steady_ms++;
    status = sotto_wire_turn(s->wire, 0);
    realloc_fails = false;
    assert_ok(status);
    scene_pass(s, 2000);
    assert_string_equal(posts(), "0 1|2");
}
