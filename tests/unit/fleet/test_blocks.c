/* Whether the loss rises again, by blocks of 1,000 people. */
#include "fleet/blocks.h"
#include "test.h"

#include <string.h>

static sotto__blocks blocks;

/* People who lose this share of what random arms lose. */
static void add(uint32_t people, double share)
{
    for (uint32_t i = 0; i < people; i++) {
        sotto__blocks_add(&blocks, share / 4, 0.25);
    }
}

static int setup(void **state)
{
    (void)state;
    memset(&blocks, 0, sizeof blocks);
    return 0;
}

static void assert_text(const char *wanted)
{
    char text[SOTTO__BLOCKS_TEXT];
    sotto__blocks_text(&blocks, text);
    assert_string_equal(text, wanted);
}

static void one_block_says_nothing(void **state)
{
    (void)state;
    assert_text("unknown: fewer than two blocks of 1,000 people");
    add(1999, 1);
    assert_int_equal(sotto__blocks_kept(&blocks), 1);
    assert_false(sotto__blocks_rise(&blocks));
    assert_text("unknown: fewer than two blocks of 1,000 people");
}

static void where_nobody_can_lose_nothing_rises(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5000; i++) {
        sotto__blocks_add(&blocks, 0, 0);
    }
    assert_int_equal(sotto__blocks_kept(&blocks), 5);
    assert_true(blocks.rebound == 0 && blocks.share[4] == 0);
    assert_text("the loss does not rise again by more than 10 %");
}

static void people_after_the_last_full_block_do_not_count(void **state)
{
    (void)state;
    add(2000, 0.05);
    add(999, 1);
    assert_near(blocks.rebound, 0, 1e-12);
    add(1, 1);
    assert_near(blocks.rebound, 0.95, 1e-12);
}

static void a_rebound_is_measured_from_the_lowest_block_before(void **state)
{
    (void)state;
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
    assert_text("the loss rises again: people 4001 to 5000 lost 43 % of what random arms lose; "
                "an earlier 1,000 lost 5 %");
}

static void a_slow_rise_adds_up(void **state)
{
    (void)state;
    add(1000, 0.05);
    add(1000, 0.12);
    add(1000, 0.2);
    assert_near(blocks.rebound, 0.15, 1e-12);
    assert_true(sotto__blocks_rise(&blocks));
}

static void a_rebound_after_the_shares_that_are_kept_is_seen(void **state)
{
    (void)state;
    add(SOTTO__BLOCKS_KEPT * SOTTO__BLOCK_PEOPLE, 0.1);
    add(SOTTO__BLOCK_PEOPLE, 0.4);
    assert_int_equal(sotto__blocks_kept(&blocks), SOTTO__BLOCKS_KEPT);
    assert_int_equal(blocks.at, SOTTO__BLOCKS_KEPT);
    assert_near(blocks.rebound, 0.3, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_block_says_nothing, setup),
        cmocka_unit_test_setup(where_nobody_can_lose_nothing_rises, setup),
        cmocka_unit_test_setup(people_after_the_last_full_block_do_not_count, setup),
        cmocka_unit_test_setup(a_rebound_is_measured_from_the_lowest_block_before, setup),
        cmocka_unit_test_setup(a_slow_rise_adds_up, setup),
        cmocka_unit_test_setup(a_rebound_after_the_shares_that_are_kept_is_seen, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
