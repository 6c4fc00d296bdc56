/* The curve keeps every person, in steps of as many people each, however many come. */
#include "fleet/fleet.h"
#include "fleet/inner.h"
#include "test.h"

TEST(without_people_there_is_no_step)
{
    const sotto__regret_steps curve = {0};
    assert_ints(sotto__regret_steps_count(&curve), 0, sotto__regret_steps_people(&curve, 0), 0);
}

TEST(every_person_is_in_the_step_of_their_number)
{
    sotto__regret_steps curve = {0};
    for (uint64_t n = 1; n <= 1000; n++) {
        sotto__regret_steps_add(&curve, (double)n, 2 * (double)n);
        uint32_t steps = sotto__regret_steps_count(&curve);
        assert_true(steps <= SOTTO__REGRET_STEPS &&
                    (n < SOTTO__REGRET_STEPS || steps > SOTTO__REGRET_STEPS / 2));
        uint64_t first = 1;
        for (uint32_t i = 0; i < steps; i++) {
            uint64_t people = sotto__regret_steps_people(&curve, i);
            double sum = (double)people * (double)(2 * first + people - 1) /
                         2; /* of first, first + 1, ... */
            assert_true(people == curve.width || i + 1 == steps);
            assert_nears(1e-9, curve.regret[i], sum, curve.random[i], 2 * sum);
            first += people;
        }
        assert_ints(first, n + 1, sotto__regret_steps_people(&curve, steps), 0);
    }
}

/* Whether the loss rises again, by blocks of 1,000 people. */

static sotto__blocks blocks;

/* People who lose this share of what random arms lose. */
static void add(uint32_t people, double share)
{
    for (uint32_t i = 0; i < people; i++) {
        sotto__blocks_add(&blocks, share / 4, 0.25);
    }
}

FIXTURE(setup)
{
    memset(&blocks, 0, sizeof blocks);
}

static void assert_text(const char *wanted)
{
    char text[SOTTO__BLOCKS_TEXT];
    sotto__blocks_text(&blocks, text);
    assert_string_equal(text, wanted);
}

TEST_WITH(one_block_shows_no_rebound, setup, NULL)
{
    assert_text("unknown: fewer than two blocks of 1,000 people");
    add(1999, 1);
    assert_int_equal(sotto__blocks_kept(&blocks), 1);
    assert_false(sotto__blocks_rise(&blocks));
    assert_text("unknown: fewer than two blocks of 1,000 people");
}

TEST_WITH(without_regret_no_loss_rises, setup, NULL)
{
    for (uint32_t i = 0; i < 5000; i++) {
        sotto__blocks_add(&blocks, 0, 0);
    }
    assert_int_equal(sotto__blocks_kept(&blocks), 5);
    assert_true(blocks.rebound == 0 && blocks.share[4] == 0);
    assert_text("the loss does not rise again by more than 10 %");
}

TEST_WITH(people_after_the_last_full_block_do_not_count, setup, NULL)
{
    add(2000, 0.05);
    add(999, 1);
    assert_near(blocks.rebound, 0, 1e-12);
    add(1, 1);
    assert_near(blocks.rebound, 0.95, 1e-12);
}

TEST_WITH(a_rebound_is_measured_from_the_lowest_block_before, setup, NULL)
{
    add(1000, 1);
    add(1000, 0.2);
    add(1000, 0.29);
    assert_near(blocks.rebound, 0.09, 1e-12);
    assert_text("the loss does not rise again by more than 10 %");
    add(1000, 0.05);
    add(1000, 0.43);
    add(1000, 0.3); /* lower than the worst one */
    add(1000, 0.01);
    assert_near(blocks.rebound, 0.38, 1e-12);
    assert_true(sotto__blocks_rise(&blocks));
    assert_text("the loss rises again: people 4001 to 5000 lost 43 % of the loss of random arms; "
                "an earlier 1,000 lost 5 %");
}

TEST_WITH(a_slow_rise_adds_up, setup, NULL)
{
    add(1000, 0.05);
    add(1000, 0.12);
    add(1000, 0.2);
    assert_near(blocks.rebound, 0.15, 1e-12);
    assert_true(sotto__blocks_rise(&blocks));
}

TEST_WITH(a_rebound_after_the_shares_that_are_kept_is_seen, setup, NULL)
{
    add(SOTTO__BLOCKS_KEPT * SOTTO__BLOCK_PEOPLE, 0.1);
    add(SOTTO__BLOCK_PEOPLE, 0.4);
    assert_ints(sotto__blocks_kept(&blocks), SOTTO__BLOCKS_KEPT, blocks.at, SOTTO__BLOCKS_KEPT);
    assert_near(blocks.rebound, 0.3, 1e-9);
}

TEST(the_clock_goes_on_and_never_back)
{
    double start_s = sotto__fleet_clock_s(), last_s = start_s;
    for (uint32_t i = 0; i < 1000000 || last_s == start_s; i++) {
        double now_s = sotto__fleet_clock_s();
        assert_true(now_s >= last_s);
        last_s = now_s;
        if (now_s > start_s + 0.01) return;
    }
}

TEST(without_times_there_is_no_percentile)
{
    sotto__latency latency = {0};
    assert_true(isnan(sotto__latency_at(&latency, 0.5)));
}

TEST(times_that_cannot_be_and_extreme_ones_are_counted_at_the_edge)
{
    const double odd[] = {0, -1, NAN, 1e-9, INFINITY, 1e9};
    sotto__latency latency = {0};
    for (uint32_t i = 0; i < 6; i++) {
        sotto__latency_add(&latency, odd[i]);
    }
    assert_int_equal(latency.count, 6);
    assert_true(sotto__latency_at(&latency, 0.5) < 1e-5 && sotto__latency_at(&latency, 1) > 3600);
}

TEST(percentiles_are_right_to_a_few_per_cent)
{
    sotto__latency latency = {0};
    for (uint32_t i = 1; i <= 10000; i++) {
        sotto__latency_add(&latency, i * 1e-4);
    }
    const double part[] = {0.01, 0.5, 0.9, 0.99, 1};
    for (uint32_t i = 0; i < 5; i++) {
        assert_near(sotto__latency_at(&latency, part[i]) / part[i], 1, 0.023);
    }
    assert_true(sotto__latency_at(&latency, 0) < 1.1e-4);
}

TEST(what_came_between_two_looks_is_told_alone)
{
    sotto__latency before = {0}, after;
    for (uint32_t i = 0; i < 100; i++) {
        sotto__latency_add(&before, 1);
    }
    after = before;
    sotto__latency_add(&after, 0.001);
    sotto__latency between = sotto__latency_between(&before, &after);
    assert_int_equal(between.count, 1);
    assert_near(sotto__latency_at(&between, 0.99), 0.001, 0.00003);
}
