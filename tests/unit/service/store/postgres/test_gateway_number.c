/* Numbers of gateways. */
#include "connection_scene.h"
#include "service/store/postgres/inner.h"

TEST_WITH(without_a_connection_there_is_no_number, start, end)
{
    uint32_t number = 9;
    postgres__drop(&one);
    assert_false(postgres__number_gateway(&one, &number));
    assert_int_equal(number, 0);
}

TEST_WITH(numbers_whose_locks_are_held_run_out, start, end)
{
    uint32_t number = 9;
    PGconn *pg = PQconnectdb(scene.url);
    PQclear(PQexec(pg, "SELECT pg_advisory_lock(1397707847, n) FROM generate_series(1, 100) AS n"));
    assert_false(postgres__number_gateway(&one, &number));
    assert_words(one.fault.sentence, "assigned no gateway number");
    assert_int_equal(number, 0);
    assert_true(postgres__number_gateway(&one, &number));
    assert_int_equal(number, 101);
    PQfinish(pg);
}

TEST_WITH(a_number_is_written_down_and_locked, start, end)
{
    uint32_t number = 0;
    assert_true(postgres__number_gateway(&one, &number));
    assert_int_equal(number, 1);
    assert_true(postgres__number_gateway(&one, &number));
    assert_int_equal(number, 2);
    assert_string_equal(scene_sql("SELECT string_agg(number::text, ' ') FROM gateway").text, "1 2");
    assert_string_equal(
        scene_sql("SELECT pg_try_advisory_lock(1397707847, number::integer)::text FROM gateway "
                  "WHERE number = 2")
            .text,
        "false");
}
