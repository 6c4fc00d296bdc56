#include "fleet/sight.h"
#include "test.h"

#include <math.h>

static void nothing_has_no_means(void **state)
{
    (void)state;
    static const sotto__sight none;
    sotto__pace pace = sotto__pace_between(&none, &none);
    assert_true(pace.reports_per_s == 0);
    assert_true(pace.people_per_s == 0);
    assert_true(isnan(pace.regret));
    assert_true(isnan(pace.regret_random));
    assert_true(isnan(pace.p99_ms));
}

static void rates_and_means_are_those_between_two_looks(void **state)
{
    (void)state;
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
    assert_near(pace.people_per_s, 100, 1e-9);
    assert_near(pace.reports_per_s, 100, 1e-9);
    assert_near(pace.regret, 0.05, 1e-12);
    assert_near(pace.regret_random, 0.2, 1e-12);
    assert_near(pace.p50_ms, 10, 0.3);
    assert_near(pace.p99_ms, 10, 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_has_no_means),
        cmocka_unit_test(rates_and_means_are_those_between_two_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
