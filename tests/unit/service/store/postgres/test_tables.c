/* The tables: who owns them, and which ones exist. */
#include "postgres_scene.h"
#include "service/store/postgres/inner.h"

#include <sys/wait.h>
#include <unistd.h>

static int start(void **state)
{
    return scene_fresh(state);
}

TEST_WITH(tables_of_another_format_are_refused_and_not_changed, start, NULL)
{
    sottod_journal *journal = scene_gateway();
    journal_close(journal);
    scene_change("UPDATE format SET version = 3");
    scene_refused(scene.url, "has tables of format 3, and this program reads only format 2: use "
                             "the program that made them, or another database");
    scene_change("UPDATE format SET version = 1");
    scene_refused(scene.url, "has tables of format 1, and this program reads only format 2");
    assert_string_equal(scene_sql("SELECT version FROM format").text, "1");
    assert_string_equal(scene_sql("SELECT count(*) FROM gateway").text, "1");
}

TEST_WITH(a_format_that_makes_no_sense_is_refused, start, NULL)
{
    sottod_journal *journal = scene_gateway();
    journal_close(journal);
    scene_change("UPDATE format SET version = 0");
    scene_refused(scene.url, "no valid row");
    scene_change("DELETE FROM format");
    scene_refused(scene.url, "no valid row");
}

TEST_WITH(a_user_without_rights_is_told_so, start, NULL)
{
    char url[300];
    scene_sql("DROP ROLE IF EXISTS guest");
    scene_sql("CREATE ROLE guest LOGIN");
    snprintf(url, sizeof url, "postgresql:///postgres?host=%s&user=guest", scene.directory);
    scene_refused(url, "permission denied for database");
    assert_string_equal(scene_sql("SELECT (to_regnamespace('sotto') IS NULL)::text").text, "true");
    sottod_journal *journal = scene_gateway(); /* the tables exist, and are another user's */
    scene_refused(url, "permission denied for schema sotto");
    journal_close(journal);
}

TEST_WITH(a_schema_that_was_made_for_the_user_is_enough, start, NULL)
{
    char url[300];
    sotto_fault fault;
    sottod_journal *journal;
    scene_sql("DROP ROLE IF EXISTS owner");
    scene_sql("CREATE ROLE owner LOGIN");
    scene_sql("CREATE SCHEMA sotto AUTHORIZATION owner");
    snprintf(url, sizeof url, "postgresql:///postgres?host=%s&user=owner", scene.directory);
    const postgres_settings settings = {.url = url, .timeout_ms = 5000};
    if (postgres_journal_open(&settings, &journal, &fault) != SOTTO_OK)
        fail_msg("%s", fault.sentence);
    scene_experiment(journal, "one");
    scene_append(journal, 1, 1, 'a', 1);
    journal_close(journal);
}

TEST_WITH(several_who_make_the_tables_at_once_make_them_once, start, NULL)
{
    pid_t child[4];
    for (int i = 0; i < 4; i++) {
        child[i] = fork();
        if (child[i] != 0) continue;
        sottod_journal *journal;
        sotto_fault fault;
        const postgres_settings settings = scene_settings();
        bool made = postgres_journal_open(&settings, &journal, &fault) == SOTTO_OK;
        if (!made) fprintf(stderr, "%s\n", fault.sentence);
        _exit(made ? 0 : 1);
    }
    for (int i = 0; i < 4; i++) {
        int status = 1;
        waitpid(child[i], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_string_equal(scene_sql("SELECT count(*) || ' ' || sum(version) FROM format").text,
                        "1 2");
    assert_string_equal(scene_sql("SELECT count(*) FROM gateway").text, "4");
}
