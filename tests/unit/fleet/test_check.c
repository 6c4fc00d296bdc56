
#include "fleet/fleet.h"
#include "test.h"
#include "why.h"

static const sotto__check_counts counted_before = {
    .folded = 1000, .late = 10, .duplicate = 5, .conflicting = 1};

static sotto__check after(sotto__check_sent sent, uint64_t folded, uint64_t late,
                          uint64_t duplicate, uint64_t conflicting)
{
    const sotto__check_counts counts = {counted_before.folded + folded, counted_before.late + late,
                                        counted_before.duplicate + duplicate,
                                        counted_before.conflicting + conflicting};
    return sotto__check_by_counts(&sent, &counted_before, &counts);
}

static void assert_fails(sotto__check check, const char *word)
{
    assert_true(check.exact);
    assert_false(check.holds);
    if (strstr(check.text, word) == NULL) fail_msg("\"%s\" does not say \"%s\"", check.text, word);
}

TEST(a_report_that_was_acknowledged_and_is_not_there_is_lost)
{
    assert_fails(after((sotto__check_sent){500, 500, 500}, 499, 0, 0, 0), "1 are lost");
    assert_fails(after((sotto__check_sent){500, 500, 500}, 0, 0, 0, 0), "500 are lost");
    /* A duplicate was there counted_before: it does not stand in for one that is lost. */
    assert_fails(after((sotto__check_sent){500, 500, 520}, 499, 0, 20, 0), "1 are lost");
}

TEST(more_than_was_sent_comes_from_somewhere_else)
{
    assert_fails(after((sotto__check_sent){500, 500, 500}, 501, 0, 0, 0), "another client");
    assert_fails(after((sotto__check_sent){500, 500, 500}, 500, 1, 0, 0), "another client");
    assert_fails(after((sotto__check_sent){500, 500, 500}, 500, 0, 1, 0), "another client");
    assert_fails(after((sotto__check_sent){500, 500, 520}, 501, 0, 0, 0), "another client");
    assert_fails(after((sotto__check_sent){500, 500, 520}, 500, 0, 0, 1), "nonce");
}

TEST(counts_that_went_back_fail)
{
    const sotto__check_sent sent = {1, 1, 1};
    const sotto__check_counts fewer = {.folded = 999, .late = 10, .duplicate = 5, .conflicting = 1};
    assert_fails(sotto__check_by_counts(&sent, &counted_before, &fewer), "fewer");
}

TEST(all_that_was_acknowledged_and_nothing_else_holds)
{
    sotto__check check = after((sotto__check_sent){500, 500, 500}, 480, 20, 0, 0);
    assert_true(check.exact && check.holds);
    assert_non_null(strstr(check.text, "500 acknowledged"));
    assert_non_null(strstr(check.text, "480 folded, 20 late"));
    assert_true(after((sotto__check_sent){0, 0, 0}, 0, 0, 0, 0).holds);
}

TEST(what_was_sent_again_may_count_as_duplicate_late_or_not_at_all)
{
    const sotto__check_sent again = {500, 500, 530};
    assert_true(after(again, 500, 0, 30, 0).holds && after(again, 500, 30, 0, 0).holds);
    assert_true(after(again, 500, 0, 0, 0).holds);
    assert_fails(after(again, 500, 10, 21, 0), "another client");
    /* 20 never got an answer; the server may have some of them. */
    const sotto__check_sent silent = {500, 520, 520};
    assert_true(after(silent, 500, 0, 0, 0).holds && after(silent, 520, 0, 0, 0).holds);
    assert_fails(after(silent, 521, 0, 0, 0), "another client");
}

TEST(models_say_nothing_before_the_second_publish)
{
    const sotto__check_sent sent = {500, 500, 500};
    for (uint64_t publishes = 0; publishes < 2; publishes++) {
        sotto__check check = sotto__check_by_model(&sent, publishes, 0, 100000);
        assert_false(check.exact);
        assert_true(check.holds);
        assert_non_null(strstr(check.text, "weak"));
    }
}

TEST(models_show_what_they_were_made_of_and_never_more_than_was_sent)
{
    const sotto__check_sent sent = {500, 510, 600};
    sotto__check check = sotto__check_by_model(&sent, 2, 1000, 1400);
    assert_true(check.holds);
    assert_non_null(strstr(check.text, "400"));
    assert_true(sotto__check_by_model(&sent, 2, 1000, 1510).holds);
    check = sotto__check_by_model(&sent, 2, 1000, 1511);
    assert_false(check.holds || check.exact);
}

#define ID "8118c3b0a336b961c099e541af3f96ab"

TEST(ids_and_servers_that_cannot_be_are_refused_by_name)
{
    static const struct {
        const char *server, *id, *word;
    } bad[] = {
        {"http://127.0.0.1:1", "", "experiment"},
        {"http://127.0.0.1:1", "8118", "32 lower-case hexadecimal"},
        {"http://127.0.0.1:1", "8118C3B0A336B961C099E541AF3F96AB", "lower-case"},
        {"http://127.0.0.1:1", ID "0", "experiment"},
        {"", ID, "URL"},
        {"/", ID, "URL"},
        {"127.0.0.1:8787", ID, "URL: "},
        {"ftp://127.0.0.1", ID, "https://"},
        {"http://example.org", ID, "this machine"},
        {"http://127.0.0.1:8787/?a", ID, "URL"},
        {"http://127.0.0.1:8787//", ID, "URL"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sotto__url url;
        const char *fault = WHY(sotto__place_join, "URL", bad[i].server, bad[i].id, &url);
        if (fault == NULL || strstr(fault, bad[i].word) == NULL) {
            fail_msg("%s %s: %s", bad[i].server, bad[i].id, fault == NULL ? "taken" : fault);
        }
    }
}

TEST(a_url_that_is_too_long_is_refused)
{
    char server[5000] = "https://";
    sotto__url url;
    memset(server + 8, 'a', sizeof server - 9);
    assert_non_null(WHY(sotto__place_join, "URL", server, ID, &url));
}

TEST(a_server_and_an_id_make_the_url)
{
    static const char *const servers[][2] = {
        {"http://127.0.0.1:8787", "http://127.0.0.1:8787/v1/experiments/" ID},
        {"http://127.0.0.1:8787/", "http://127.0.0.1:8787/v1/experiments/" ID},
        {"https://example.org/a", "https://example.org/a/v1/experiments/" ID},
    };
    for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++) {
        char id[SOTTO__ID_CHARS + 1];
        sotto__url url;
        assert_null(WHY(sotto__place_join, "URL", servers[i][0], ID, &url));
        assert_string_equal(url.text, servers[i][1]);
        sotto__place_id(&url, id);
        assert_string_equal(id, ID);
    }
}

TEST(a_url_with_the_route_is_that_of_an_experiment)
{
    assert_true(sotto__place_is_whole("http://127.0.0.1:8787/v1/experiments/" ID));
    assert_true(sotto__place_is_whole("http://127.0.0.1:8787/v1/experiments"));
    assert_false(sotto__place_is_whole("http://127.0.0.1:8787") || sotto__place_is_whole(""));
}

TEST(nothing_has_no_means)
{
    static const sotto__sight none;
    sotto__pace pace = sotto__pace_between(&none, &none);
    assert_true(pace.reports_per_s == 0 && pace.people_per_s == 0 && isnan(pace.regret));
    assert_true(isnan(pace.regret_random) && isnan(pace.p99_ms));
}

/* The verdict of a run whose blocks of 1,000 people lose these shares of what random arms lose. */
static void assert_verdict(sotto__check check, double share, bool good, const char *wanted)
{
    sotto__blocks blocks = {0};
    for (uint32_t i = 0; i < 2 * SOTTO__BLOCK_PEOPLE; i++) {
        sotto__blocks_add(&blocks, i < SOTTO__BLOCK_PEOPLE ? 0.05 : share, 1);
    }
    sotto__fleet_verdict verdict = sotto__fleet_verdict_of(&check, &blocks);
    assert_string_equal(verdict.text, wanted);
    assert_true(verdict.good == good);
}

#define RISES                                                                                      \
    "The loss rises again: people 1001 to 2000 lost 48 % of the loss of random arms; "             \
    "an earlier 1,000 lost 5 %."

TEST(a_verdict_begins_with_the_worst_that_was_found)
{
    const sotto__check holds = {.exact = true, .holds = true, .text = "2 acknowledged"};
    const sotto__check weak = {.exact = false, .holds = true, .text = "weak: 2 acknowledged"};
    const sotto__check failed = {.exact = true, .holds = false, .text = "1 are lost"};
    assert_verdict(holds, 0.05, true, "The check holds: 2 acknowledged.");
    assert_verdict(weak, 0.05, false, "The check holds: weak: 2 acknowledged.");
    assert_verdict(failed, 0.05, false, "The check failed: 1 are lost.");
    assert_verdict(holds, 0.48, false, RISES " The check holds: 2 acknowledged.");
    assert_verdict(failed, 0.48, false, "The check failed: 1 are lost. " RISES);
}

TEST(rates_and_means_are_those_between_two_looks)
{
    static sotto__sight before, after;
    before = (sotto__sight){.seconds = 10,
                            .people = 100,
                            .sent = {.acknowledged = 90},
                            .regret = 50,
                            .regret_random = 70};
    sotto__latency_add(&before.latency, 1);
    after = before;
    after.seconds = 12;
    after.people = 300;
    after.sent.acknowledged = 290;
    after.regret = 60;
    after.regret_random = 110;
    sotto__latency_add(&after.latency, 0.01);
    sotto__pace pace = sotto__pace_between(&before, &after);
    assert_near(pace.seconds, 2, 1e-12);
    assert_nears(1e-9, pace.people_per_s, 100, pace.reports_per_s, 100);
    assert_nears(1e-12, pace.regret, 0.05, pace.regret_random, 0.2);
    assert_nears(0.3, pace.p50_ms, 10, pace.p99_ms, 10);
}
