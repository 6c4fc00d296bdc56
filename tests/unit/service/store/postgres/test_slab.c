/* Slabs: partitions of the journal. */
#include "connection_scene.h"
#include "service/store/postgres/inner.h"

TEST_WITH(slabs_of_experiments_do_not_meet, start, end)
{
    assert_int_equal(postgres__slab_first(1), 1048577);
    for (uint32_t experiment = 1; experiment < POSTGRES_EXPERIMENTS_MAX; experiment += 99999937) {
        assert_true(postgres__slab_first(experiment) < postgres__slab_last(experiment));
        assert_true(postgres__slab_last(experiment) < postgres__slab_first(experiment + 1));
    }
    assert_true(postgres__slab_last(POSTGRES_EXPERIMENTS_MAX) < UINT64_C(1) << 62);
}

TEST_WITH(the_same_slab_is_not_made_twice, start, end)
{
    assert_true(postgres__slab_make(&one, 1048577) && postgres__run(&one, NULL, NULL));
    assert_true(postgres__slab_make(&one, 1048577));
    assert_false(postgres__run(&one, NULL, NULL));
    assert_words(one.fault.sentence, "already exists");
}

TEST_WITH(a_slab_takes_its_rows_and_goes_with_them, start, end)
{
    assert_true(postgres__slab_make(&one, 1048577) && postgres__slab_make(&one, 1048578) &&
                postgres__run(&one, NULL, NULL));
    scene_change(
        "INSERT INTO journal VALUES (1, 1, 1, 1048577, 0, 0, 0, 0, 0, 'x', 'x'), (1, 1, 2, "
        "1048578, 0, 0, 0, 0, 0, 'x', 'x')");
    /* Slabs do not try to compress bytes that cannot be compressed. */
    assert_string_equal(scene_sql("SELECT string_agg(attstorage::text, '') FROM pg_attribute WHERE "
                                  "attname = 'frames'")
                            .text,
                        "eee");
    assert_true(postgres__slab_drop(&one, 1048577) && postgres__run(&one, NULL, NULL));
    assert_string_equal(scene_sql("SELECT string_agg(gseq::text, ' ') FROM journal").text, "2");
    assert_true(postgres__slab_drop(&one, 1048577));
    assert_false(postgres__run(&one, NULL, NULL));
    assert_words(one.fault.sentence, "does not exist");
}
