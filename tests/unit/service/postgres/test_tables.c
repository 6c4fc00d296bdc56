/* The tables: whose they are, and which ones. */
#include "postgres_scene.h"
#include "service/postgres/tables.h"

#include <sys/wait.h>
#include <unistd.h>

static int start(void **state)
{
    return scene_fresh(state);
}

static void tables_of_a_newer_program_are_refused_and_not_changed(void **state)
{
    (void)state;
    sottod_journal *journal = scene_gateway();
    journal->table->close(journal);
    scene_change("UPDATE format SET version = 2");
    scene_refused(scene.url, "has tables of format 2, made by a newer program");
    assert_string_equal(scene_sql("SELECT version FROM format").text, "2");
    assert_string_equal(scene_sql("SELECT count(*) FROM gateway").text, "1");
}

static void a_format_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    sottod_journal *journal = scene_gateway();
    journal->table->close(journal);
    scene_change("UPDATE format SET version = 0");
    scene_refused(scene.url, "no row that makes sense");
    scene_change("DELETE FROM format");
    scene_refused(scene.url, "no row that makes sense");
}

static void a_user_without_rights_is_told_so(void **state)
{
    (void)state;
    char url[300];
    scene_sql("DROP ROLE IF EXISTS guest");
    scene_sql("CREATE ROLE guest LOGIN");
    snprintf(url, sizeof url, "postgresql:///postgres?host=%s&user=guest", scene.folder);
    scene_refused(url, "permission denied for database");
    assert_string_equal(scene_sql("SELECT (to_regnamespace('sotto') IS NULL)::text").text, "true");
    sottod_journal *journal = scene_gateway(); /* now the tables are there, and another's */
    scene_refused(url, "permission denied for schema sotto");
    journal->table->close(journal);
}

static void a_schema_that_was_made_for_the_user_is_enough(void **state)
{
    (void)state;
    char url[300], fault[JOURNAL_FAULT_BYTES];
    sottod_journal *journal;
    scene_sql("DROP ROLE IF EXISTS owner");
    scene_sql("CREATE ROLE owner LOGIN");
    scene_sql("CREATE SCHEMA sotto AUTHORIZATION owner");
    snprintf(url, sizeof url, "postgresql:///postgres?host=%s&user=owner", scene.folder);
    const postgres_settings settings = {.url = url, .timeout_ms = 5000};
    if (!postgres_journal_open(&settings, &journal, fault)) fail_msg("%s", fault);
    scene_experiment(journal, "one");
    scene_append(journal, 1, 1, 'a', 1);
    journal->table->close(journal);
}

static void several_who_make_the_tables_at_once_make_them_once(void **state)
{
    (void)state;
    pid_t child[4];
    for (int i = 0; i < 4; i++) {
        child[i] = fork();
        if (child[i] != 0) continue;
        sottod_journal *journal;
        char fault[JOURNAL_FAULT_BYTES];
        const postgres_settings settings = scene_settings();
        bool made = postgres_journal_open(&settings, &journal, fault);
        if (!made) fprintf(stderr, "%s\n", fault);
        _exit(made ? 0 : 1);
    }
    for (int i = 0; i < 4; i++) {
        int status = 1;
        waitpid(child[i], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_string_equal(scene_sql("SELECT count(*) || ' ' || sum(version) FROM format").text,
                        "1 1");
    assert_string_equal(scene_sql("SELECT count(*) FROM gateway").text, "4");
}

/* A database that an earlier program made: what it has stays. */
static void tables_that_came_later_are_made(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        sottod_journal *journal = scene_gateway();
        if (i == 0) scene_experiment(journal, "one");
        journal->table->close(journal);
        assert_string_equal(scene_sql("SELECT count(*) FROM held").text, "0");
        assert_string_equal(scene_sql("SELECT count(*) FROM experiment").text, "1");
        assert_string_equal(scene_sql("SELECT count(*) FROM ended").text, "0");
        if (i == 0) scene_sql("DROP TABLE held, ended");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, start)
        TEST(tables_of_a_newer_program_are_refused_and_not_changed),
        TEST(a_format_that_makes_no_sense_is_refused),
        TEST(a_user_without_rights_is_told_so),
        TEST(a_schema_that_was_made_for_the_user_is_enough),
        TEST(several_who_make_the_tables_at_once_make_them_once),
        TEST(tables_that_came_later_are_made),
    };
    return SCENE_MAIN(tests);
}
