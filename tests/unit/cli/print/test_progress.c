/* The bar: nothing where there is no terminal, and what it says where there is one. */
#include "capture.h"
#include "cli/print/progress.h"
#include "test.h"

#include <string.h>
#include <unistd.h>

static void nothing_is_drawn_without_a_terminal(void **state)
{
    (void)state;
    char text[CAPTURE_BYTES];
    capture c = capture_begin(stderr);
    progress_bar bar = progress_begin("reports", 10, false);
    bool on = bar.on;
    bar.start.tv_sec -= 100;
    progress_show(&bar, 5);
    progress_end(&bar);
    assert_string_equal(capture_end(&c, text), "");
    assert_false(on);
}

/* What is drawn when so much is done after so many seconds: the test turns the bar on itself. */
static const char *drawn(progress_bar bar, uint64_t done, time_t after_s, char text[CAPTURE_BYTES])
{
    capture c = capture_begin(stderr);
    bar.on = true;
    bar.start.tv_sec -= after_s;
    progress_show(&bar, done);
    return capture_end(&c, text);
}

static void assert_drawn(progress_bar bar, uint64_t done, time_t after_s, const char *words)
{
    char text[CAPTURE_BYTES];
    if (strstr(drawn(bar, done, after_s, text), words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", text, words);
    }
}

static void a_total_of_nothing_and_too_much_done_fill_the_bar(void **state)
{
    (void)state;
    assert_drawn(progress_begin("reports", 0, false), 0, 10, "[##############################]");
    assert_drawn(progress_begin("reports", 5, false), 9, 10, "[##############################]");
    assert_drawn(progress_begin("reports", 5, false), 9, 10, " 0 s left");
}

static void the_bar_tells_how_far_how_fast_and_how_long_yet(void **state)
{
    (void)state;
    progress_bar bar = progress_begin("reports", 1000, false);
    assert_drawn(bar, 500, 50, "[###############               ] 500 reports, 10/s, 50 s left");
    bar.total = 4000;
    assert_drawn(bar, 2000, 1200, " 20 min left");
    bar.total = 2000000000;
    assert_drawn(bar, 1234567890, 86400, "1.23e9 reports, 14289/s, 14.9 h left");
    bar.total = 100;
    assert_drawn(bar, 10, 86400, "9 days left");
}

static void the_bar_can_tell_the_share_alone(void **state)
{
    (void)state;
    progress_bar bar = progress_begin("figure 1", 200, false);
    bar.share = true;
    assert_drawn(bar, 50, 10, "]  25 %, 30 s left: figure 1");
    assert_drawn(bar, 500, 10, "] 100 %, 0 s left: figure 1");
}

static void the_bar_is_not_drawn_more_than_ten_times_a_second(void **state)
{
    (void)state;
    char text[CAPTURE_BYTES];
    progress_bar bar = progress_begin("reports", 10, false);
    bar.on = true;
    capture c = capture_begin(stderr);
    bar.start.tv_sec -= 1;
    progress_show(&bar, 5);
    bar.shown_s += 1000; /* so the next is too early, whatever the machine does meanwhile */
    progress_show(&bar, 6);
    progress_end(&bar);
    capture_end(&c, text);
    assert_non_null(strstr(text, "5 reports"));
    assert_null(strstr(text, "6 reports"));
    assert_string_equal(text + strlen(text) - 4, "\r\033[K"); /* the end wipes it out */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_drawn_without_a_terminal),
        cmocka_unit_test(a_total_of_nothing_and_too_much_done_fill_the_bar),
        cmocka_unit_test(the_bar_tells_how_far_how_fast_and_how_long_yet),
        cmocka_unit_test(the_bar_can_tell_the_share_alone),
        cmocka_unit_test(the_bar_is_not_drawn_more_than_ten_times_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
