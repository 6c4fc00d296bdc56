/* Numbers of gateways. */
#include "connection_scene.h"
#include "service/postgres/gateway_number.h"

static void without_a_connection_there_is_no_number(void **state)
{
    (void)state;
    uint32_t number = 9;
    postgres__drop(&one);
    assert_false(postgres__number_gateway(&one, &number));
    assert_int_equal(number, 0);
}

static void numbers_whose_locks_are_held_run_out(void **state)
{
    (void)state;
    uint32_t number = 9;
    PGconn *pg = PQconnectdb(scene.url);
    PQclear(PQexec(pg, "SELECT pg_advisory_lock(1397707847, n) FROM generate_series(1, 100) AS n"));
    assert_false(postgres__number_gateway(&one, &number));
    assert_words(one.fault, "gave no number");
    assert_int_equal(number, 0);
    assert_true(postgres__number_gateway(&one, &number));
    assert_int_equal(number, 101);
    PQfinish(pg);
}

static void a_number_is_written_down_and_locked(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)
        TEST(without_a_connection_there_is_no_number),
        TEST(numbers_whose_locks_are_held_run_out),
        TEST(a_number_is_written_down_and_locked),
    };
    return SCENE_MAIN(tests);
}
