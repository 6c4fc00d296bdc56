/* A trial row: it is refused when other rows are, and never stored. */
#include "connection_scene.h"
#include "service/store/postgres/inner.h"

#include <stdlib.h>

#define RAISE(state)                                                                               \
    "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE "      \
    "EXCEPTION 'as the test wants' USING ERRCODE = '" state "'; END $$"

static const postgres_refused small = {1, 42}, large = {1, (size_t)1 << 31};

/* An experiment with a slab, whose rows are refused by a trigger that calls refuse(). */
static int make(void **state)
{
    start(state);
    assert_true(postgres__slab_make(&one, 1048577) && postgres__run(&one, NULL, NULL));
    scene_change(
        "INSERT INTO experiment VALUES (1, 'x', 0, 0, 1, 1, 0, false, NULL, '', '', '', '', "
        "42, 1048577, 0)");
    scene_sql(RAISE("00000"));
    scene_sql("CREATE TRIGGER refuses BEFORE INSERT ON journal FOR EACH ROW EXECUTE FUNCTION "
              "refuse()");
    scene_sql("ALTER TABLE journal DISABLE TRIGGER refuses");
    return 0;
}

static void refuse_all(const char *raise)
{
    scene_sql(raise);
    scene_sql("ALTER TABLE journal ENABLE TRIGGER refuses");
}

TEST_WITH(what_holds_for_all_rows_is_a_refusal, make, end)
{
    refuse_all(RAISE("53100"));
    assert_false(postgres__try_append(&one, 1, &small));
    assert_words(one.fault.sentence, "as the test wants");
    assert_string_equal(postgres__reason(&one), "the disk of its database is full");
    scene_sql(RAISE("25006"));
    assert_false(postgres__try_append(&one, 1, &small));
    assert_string_equal(postgres__reason(&one), "its database is read-only");
    scene_sql(RAISE("42501"));
    assert_false(postgres__try_append(&one, 1, &small));
    assert_null(postgres__reason(&one));
}

TEST_WITH(what_is_of_one_experiment_is_none, make, end)
{
    refuse_all(RAISE("23514"));
    assert_true(postgres__try_append(&one, 1, &small));
    scene_sql(RAISE("XX002"));
    assert_true(postgres__try_append(&one, 1, &small));
    scene_sql(RAISE("53100"));
    scene_change("UPDATE experiment SET state = 2");
    assert_true(postgres__try_append(&one, 1, &small)); /* it takes no reports any more */
    assert_true(
        postgres__try_append(&one, 1, &(postgres_refused){9, 42})); /* nor is this one stored */
}

TEST_WITH(without_a_connection_nothing_is_taken, make, end)
{
    postgres__drop(&one);
    assert_false(postgres__try_append(&one, 1, &small));
    assert_string_equal(postgres__reason(&one), "there is no connection to its database");
}

/* Of many bytes only a part is tried, which still needs pages of its own. */
TEST_WITH(what_is_tried_has_bytes_and_is_not_there, make, end)
{
    const char *pages = "SELECT pg_table_size('journal_1048577') / 8192";
    assert_true(postgres__try_append(&one, 1, &small));
    assert_true(atol(scene_sql(pages).text) < 10);
    assert_true(postgres__try_append(&one, 1, &large));
    assert_true(atol(scene_sql(pages).text) > 128);
    assert_string_equal(scene_sql("SELECT count(*) FROM journal").text, "0");
    assert_true(PQtransactionStatus(one.pg) == PQTRANS_IDLE);
}
