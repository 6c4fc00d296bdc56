/* Shards: every run belongs to one of them. */
#include "lab/run/run.h"
#include "texts.h"
#include "why.h"

TEST(what_is_no_shard_is_named_and_holds_nothing)
{
    static const uint32_t bad[][2] = {
        {0, 3}, {4, 3}, {1, 0}, {0, 0}, {1, SOTTO_SHARDS_MAX + 1}, {UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_says(WHY(sotto_shard_fault, bad[i][0], bad[i][1]), why_fault.sentence,
                    "N at most 100000");
        for (uint64_t run = 0; run < 5; run++) {
            assert_false(sotto_shard_holds(run, bad[i][0], bad[i][1]));
        }
        assert_int_equal(sotto_shard_runs(1000, bad[i][0], bad[i][1]), 0);
    }
}

/* For several numbers of shards and runs: each run is in one shard, and shards have about the same
 * size. */
TEST(every_run_belongs_to_one_shard)
{
    for (uint32_t count = 1; count <= 12; count++) {
        for (uint64_t run = 0; run < 40; run++) {
            uint32_t holders = 0;
            for (uint32_t index = 1; index <= count; index++) {
                holders += sotto_shard_holds(run, index, count);
            }
            assert_int_equal(holders, 1);
        }
    }
    assert_true(sotto_shard_holds(UINT64_MAX, UINT64_MAX % 7 + 1, 7));
}

TEST(the_number_of_runs_is_that_of_those_it_holds)
{
    for (uint32_t count = 1; count <= 12; count++) {
        for (uint32_t index = 1; index <= count; index++) {
            uint64_t held = 0;
            for (uint64_t runs = 0; runs < 40; runs++) {
                assert_int_equal(sotto_shard_runs(runs, index, count), held);
                assert_in_range(held, runs / count, runs / count + 1);
                held += sotto_shard_holds(runs, index, count);
            }
        }
    }
    assert_true(sotto_shard_runs(UINT64_MAX, 1, 1) == UINT64_MAX);
}

/* When several sweeps are distributed, the next one begins at the shard where the last one
 * ended. */
TEST(dealing_goes_on_where_it_stopped)
{
    for (uint64_t dealt = 0; dealt < 9; dealt++) {
        uint64_t all = 0;
        for (uint32_t index = 1; index <= 5; index++) {
            const sotto__shard shard = {index, 5, dealt};
            uint64_t held = 0;
            for (uint64_t run = 0; run < 7; run++) {
                assert_int_equal(sotto__shard_has(&shard, run),
                                 sotto_shard_holds(dealt + run, index, 5));
                held += sotto__shard_has(&shard, run);
            }
            assert_int_equal(sotto__shard_count(&shard, 7), held);
            all += held;
        }
        assert_int_equal(all, 7);
    }
}

TEST(without_a_shard_all_runs_are_played)
{
    const sotto__shard none = {0, 0, 3};
    assert_true(sotto__shard_has(&none, 0));
    assert_true(sotto__shard_has(&none, 41));
    assert_int_equal(sotto__shard_count(&none, 42), 42);
}

TEST(a_list_is_as_schedulers_take_it_and_counts_what_does_not_fit)
{
    sotto__shard_list one = {.count = 0}, three = {.count = 0}, many = {.count = 0};
    sotto__shard_list_add(&one, 4);
    assert_string_equal(sotto__shard_list_text(&one), "4");
    sotto__shard_list_add(&three, 2);
    sotto__shard_list_add(&three, 5);
    sotto__shard_list_add(&three, 100000);
    assert_string_equal(sotto__shard_list_text(&three), "2,5,100000");
    for (uint32_t i = 0; i < SOTTO_SHARDS_MAX; i++) {
        sotto__shard_list_add(&many, i + 1);
    }
    const char *text = sotto__shard_list_text(&many);
    assert_memory_equal(text, "1,2,3,4,", 8);
    assert_non_null(strstr(text, ",37 and 99963 more"));
}
