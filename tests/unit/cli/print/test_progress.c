/* Progress: nothing where nobody asked, a line per minute in a file, a bar on a terminal. */
#include "capture.h"
#include "cli/print/print.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* The clock of the tests. */
static double now_s;

static double clock_of_the_test(void)
{
    return now_s;
}

static progress_bar begin(const char *what, uint64_t total, progress_form form)
{
    progress_bar bar = progress_begin(what, total, false);
    now_s = 1000;
    bar.form = form;
    bar.clock_s = clock_of_the_test;
    bar.start_s = now_s;
    return bar;
}

TEST(the_form_follows_from_where_stderr_goes)
{
    char text[CAPTURE_BYTES];
    capture c = capture_begin(stderr);
    progress_form file = progress_begin("reports", 10, false).form;
    progress_form quiet = progress_begin("reports", 10, true).form;
    capture_end(&c, text);
    assert_int_equal(file, PROGRESS_LINES);
    assert_int_equal(quiet, PROGRESS_SILENT);
}

TEST(who_wants_silence_has_it)
{
    char text[CAPTURE_BYTES];
    progress_bar bar = begin("reports", 10, PROGRESS_SILENT);
    capture c = capture_begin(stderr);
    now_s += 100;
    progress_show(&bar, 5);
    progress_end(&bar);
    assert_string_equal(capture_end(&c, text), "");
}

/* ---- lines -------------------------------------------------------------------------------- */

/* What a file has of so many seconds in which `total` things are done at a steady pace. */
static const char *lines_of(progress_bar bar, uint64_t total, uint32_t seconds,
                            char text[CAPTURE_BYTES])
{
    capture c = capture_begin(stderr);
    for (uint32_t i = 1; i <= 10 * seconds; i++) {
        now_s = bar.start_s + i / 10.0;
        progress_show(&bar, bar.known + total * i / (10 * seconds));
    }
    progress_end(&bar);
    return capture_end(&c, text);
}

TEST(a_run_of_less_than_a_minute_prints_no_line)
{
    char text[CAPTURE_BYTES];
    assert_string_equal(lines_of(begin("rounds", 590, PROGRESS_LINES), 590, 59, text), "");
}

TEST(a_file_has_one_line_per_minute)
{
    char text[CAPTURE_BYTES];
    assert_string_equal(lines_of(begin("rounds", 2400000, PROGRESS_LINES), 1900000, 190, text),
                        "25 %, 3 min left: 600000 of 2.40e6 rounds, 10000/s\n"
                        "50 %, 2 min left: 1.20e6 of 2.40e6 rounds, 10000/s\n"
                        "75 %, 60 s left: 1.80e6 of 2.40e6 rounds, 10000/s\n");
}

TEST(a_line_can_tell_the_share_alone)
{
    char text[CAPTURE_BYTES];
    progress_bar bar = begin("shared-d2", 1000, PROGRESS_LINES);
    bar.share = true;
    assert_string_equal(lines_of(bar, 500, 60, text), "50 %, 60 s left: shared-d2\n");
}

TEST(where_nobody_knows_the_total_no_share_is_told)
{
    char text[CAPTURE_BYTES];
    assert_string_equal(lines_of(begin("rounds", 0, PROGRESS_LINES), 6000, 60, text),
                        "6000 rounds, 100/s\n");
}

/* ---- what was known ----------------------------------------------------------------------- */

TEST(a_resumed_sweep_starts_at_its_share_and_its_time_is_that_of_the_rest)
{
    char text[CAPTURE_BYTES];
    progress_bar bar = begin("rounds", 10000, PROGRESS_LINES);
    bar.known = 7000;
    /* 600 in a minute, at 10 per second; 2400 are left. */
    assert_string_equal(lines_of(bar, 600, 60, text),
                        "76 %, 4 min left: 7600 of 10000 rounds, 10/s\n");
    capture c = capture_begin(stderr);
    bar.form = PROGRESS_BAR;
    now_s = bar.start_s + 1;
    progress_show(&bar, 7000); /* nothing yet: no time left of nothing per second */
    capture_end(&c, text);
    assert_non_null(strstr(text, "[##############      ]  70 %, 7000 of 10000 rounds, "));
}

/* ---- the bar ------------------------------------------------------------------------------ */

/* What is drawn when so much is done after so many seconds. */
static const char *drawn(progress_bar bar, uint64_t done, double after_s, char text[CAPTURE_BYTES])
{
    capture c = capture_begin(stderr);
    now_s = bar.start_s + after_s;
    progress_show(&bar, done);
    return capture_end(&c, text);
}

static void assert_drawn(progress_bar bar, uint64_t done, double after_s, const char *words)
{
    char text[CAPTURE_BYTES];
    if (strstr(drawn(bar, done, after_s, text), words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", text, words);
    }
}

TEST(without_a_total_there_is_a_count_and_too_much_done_fills_the_bar)
{
    assert_drawn(begin("reports", 0, PROGRESS_BAR), 3, 10, "3 reports, 0/s");
    assert_drawn(begin("reports", 5, PROGRESS_BAR), 9, 10, "[####################] 100 %");
    assert_drawn(begin("reports", 5, PROGRESS_BAR), 9, 10, " 0 s left");
}

TEST(the_bar_tells_how_far_how_fast_and_how_long_yet)
{
    progress_bar bar = begin("reports", 1000, PROGRESS_BAR);
    assert_drawn(bar, 500, 50, "[##########          ]  50 %, 500 of 1000 reports, 50 s left");
    bar.total = 4000;
    assert_drawn(bar, 2000, 1200, " 20 min left");
    bar.total = 2000000000;
    assert_drawn(bar, 1234567890, 86400, " reports, 14.9 h left");
    bar.total = 100;
    assert_drawn(bar, 10, 86400, "9 days left");
}

TEST(the_bar_can_tell_the_share_alone)
{
    progress_bar bar = begin("figure 1", 200, PROGRESS_BAR);
    bar.share = true;
    assert_drawn(bar, 50, 10, "]  25 %, 30 s left: figure 1");
    assert_drawn(bar, 500, 10, "] 100 %, 0 s left: figure 1");
}

TEST(the_bar_is_not_drawn_more_than_ten_times_a_second)
{
    char text[CAPTURE_BYTES];
    progress_bar bar = begin("reports", 10, PROGRESS_BAR);
    capture c = capture_begin(stderr);
    now_s += 1;
    progress_show(&bar, 5);
    now_s += 0.09;
    progress_show(&bar, 6);
    now_s += 0.02;
    progress_show(&bar, 7);
    progress_end(&bar);
    capture_end(&c, text);
    assert_non_null(strstr(text, "5 of 10 reports"));
    assert_null(strstr(text, "6 of 10 reports"));
    assert_non_null(strstr(text, "7 of 10 reports"));
    assert_string_equal(text + strlen(text) - 4, "\r\033[K"); /* the end wipes it out */
}
