/* The settings that a connection needs: durable writes, and some of its own. */
#include "postgres_scene.h"
#include "service/store/postgres/inner.h"

static int start(void **state)
{
    return scene_fresh(state);
}

static postgres_connection connection_of(void)
{
    postgres_connection connection;
    const postgres_settings settings = scene_settings();
    assert_true(postgres__init(&connection, &settings));
    return connection;
}

TEST_WITH(a_server_that_may_lose_what_it_acknowledged_is_refused, start, NULL)
{
    static const char *const names[] = {"fsync", "full_page_writes", "synchronous_commit"};
    for (int i = 0; i < 3; i++) {
        char words[40];
        snprintf(words, sizeof words, "%s = off", names[i]);
        scene_turn(names[i], false);
        scene_refused(scene.url, words);
        scene_turn(names[i], true);
    }
    scene_sql("ALTER ROLE postgres SET synchronous_commit = off"); /* for this user only */
    scene_refused(scene.url, "synchronous_commit = off");
    scene_sql("ALTER ROLE postgres SET synchronous_commit = local");
    sottod_journal *journal = scene_gateway(); /* synchronous on this machine's disk: accepted */
    journal_close(journal);
    scene_sql("ALTER ROLE postgres RESET synchronous_commit");
}

TEST_WITH(a_server_that_takes_no_changes_is_refused, start, NULL)
{
    scene_sql("ALTER ROLE postgres SET default_transaction_read_only = on");
    scene_refused(scene.url, "is read-only");
    PGconn *pg = PQconnectdb(scene.url);
    PQclear(PQexec(pg, "SET default_transaction_read_only = off"));
    PQclear(PQexec(pg, "ALTER ROLE postgres RESET default_transaction_read_only"));
    PQfinish(pg);
}

TEST_WITH(a_database_that_cannot_keep_all_letters_is_refused, start, NULL)
{
    char url[300];
    const char *rest = strchr(scene.url, '?');
    assert_non_null(rest);
    scene_sql("DROP DATABASE IF EXISTS latin");
    scene_sql(
        "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'");
    snprintf(url, sizeof url, "postgresql:///latin%s", rest);
    scene_refused(url, "encoding LATIN1");
    scene_sql("DROP DATABASE latin");
}

static bool take_text(void *self, int question, const PGresult *result)
{
    const char *text;
    scene_text *out = self;
    (void)question;
    if (!postgres__column_text(result, 0, 0, &text)) return false;
    snprintf(out->text, sizeof out->text, "%s", text);
    return true;
}

TEST_WITH(a_session_does_not_depend_on_what_the_server_is_set_to, start, NULL)
{
    bool is_new = false;
    scene_text text;
    scene_sql("ALTER ROLE postgres SET default_transaction_isolation = serializable");
    scene_sql("ALTER ROLE postgres SET idle_session_timeout = 1234");
    scene_sql("ALTER ROLE postgres SET lock_timeout = 1234");
    scene_sql("ALTER ROLE postgres SET jit = on");
    postgres_connection connection = connection_of();
    assert_true(postgres__session(&connection, true, &is_new));
    assert_true(is_new);
    assert_true(
        postgres__ask(&connection,
                      "SELECT concat_ws(' ', current_setting('transaction_isolation'), "
                      "current_setting('search_path'), current_setting('statement_timeout'), "
                      "current_setting('idle_session_timeout'), current_setting('lock_timeout'), "
                      "current_setting('jit'))",
                      NULL, 0, take_text, &text));
    assert_string_equal(text.text, "read committed sotto 20s 0 0 off");
    assert_true(postgres__session(&connection, true, &is_new));
    assert_false(is_new);
    postgres__end(&connection);
    connection = connection_of();
    assert_true(postgres__session(&connection, false, &is_new));
    /* A publisher that stands still loses the lock. */
    assert_true(postgres__ask(&connection,
                              "SELECT concat_ws(' ', current_setting('statement_timeout'), "
                              "current_setting('idle_session_timeout'), "
                              "current_setting('lock_timeout'))",
                              NULL, 0, take_text, &text));
    assert_string_equal(text.text, "0 1min 40s");
    postgres__end(&connection);
    scene_sql("ALTER ROLE postgres RESET ALL");
}
