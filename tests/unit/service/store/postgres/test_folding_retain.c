/* What is removed, and what is not. */
#include "service/store/postgres/inner.h"
#include "two_gateways_scene.h"

#include <sys/wait.h>
#include <unistd.h>

static const folding_cut none;
static const folding_retention each_time = {.slab_bytes_max = 0, .slab_s_max = UINT32_MAX};
static const folding_retention never = {.slab_bytes_max = UINT64_MAX, .slab_s_max = UINT32_MAX};

static void retain(const folding_retention *rule, const folding_cut *cut, uint32_t oldest_open)
{
    assert_folded(folding, folding_retain(folding, 1, rule, cut, oldest_open, 0));
}

/* The slabs of experiment 1, and how many rows are in each: "1:2 2:0". */
static scene_text slabs(void)
{
    return scene_sql(
        "SELECT string_agg(number || ':' || rows, ' ' ORDER BY number) FROM (SELECT "
        "substr(c.relname, 9)::bigint - 1048576 AS number, (SELECT count(*) FROM journal AS j "
        "WHERE "
        "j.tableoid = c.oid) AS rows FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = "
        "i.inhrelid "
        "WHERE i.inhparent = 'sotto.journal'::regclass AND c.relname < 'journal_2') AS s");
}

static folding_cut copy_of(const folding_cut *cut, folding_place place[4])
{
    assert_true(cut->places <= 4);
    memcpy(place, cut->place, cut->places * sizeof *place);
    return (folding_cut){.place = place, .places = cut->places, .capacity = 4};
}

/* ---- bad input */

TEST_WITH(without_the_lock_nothing_is_removed, start, end)
{
    sottod_folding *other = scene_folding();
    assert_not_folded(other, folding_retain(other, 1, &each_time, &none, 0, 0),
                      "does not hold the lock");
    assert_not_folded(folding, folding_retain(folding, 9, &each_time, &none, 0, 0),
                      "no experiment 9");
    folding_free(other);
}

/* ---- slabs */

TEST_WITH(a_slab_is_opened_by_size_or_age_if_the_present_one_has_rows, start, end)
{
    const folding_retention old = {.slab_bytes_max = UINT64_MAX, .slab_s_max = 0};
    const folding_retention large = {.slab_bytes_max = 60000, .slab_s_max = UINT32_MAX};
    retain(&old, &none, 0);
    retain(&each_time, &none, 0);
    assert_string_equal(slabs().text, "1:0");
    scene_append(one, 1, 1, 'a', 1);
    retain(&never, &none, 0);
    retain(&large, &none, 0);
    assert_string_equal(slabs().text, "1:1");
    retain(&old, &none, 0);
    assert_string_equal(slabs().text, "1:1 2:0");
    scene_append(one, 1, 1, 'b', 1);
    for (int i = 0; i < 60; i++) {
        scene_append(one, 1, 1, 'c', 30);
    }
    retain(&large, &none, 0);
    scene_append(two, 1, 1, 'd', 1);
    assert_string_equal(slabs().text, "1:1 2:61 3:1");
}

/* More slabs than are looked for near the current one, and a table whose name looks like a
 * slab's. */
TEST_WITH(many_slabs_are_all_found, start, end)
{
    scene_change("CREATE TABLE journal_old (LIKE journal)");
    scene_change("ANALYZE pg_catalog.pg_class");
    scene_change("ANALYZE pg_catalog.pg_inherits");
    for (int i = 0; i < 40; i++) {
        scene_append(one, 1, 1, 'a', 1);
        retain(&each_time, &none, 0);
    }
    assert_string_equal(scene_sql("SELECT count(*) FROM journal").text, "40");
    retain(&never, scene_waiting(folding, 1, &none, 40), 9);
    assert_string_equal(slabs().text, "41:0");
    scene_change("DROP TABLE journal_old");
}

/* The clock of the database was a day ahead when the slab was opened. */
TEST_WITH(a_slab_of_a_clock_that_was_set_back_is_old, start, end)
{
    const folding_retention usual = {.slab_bytes_max = UINT64_MAX, .slab_s_max = 600};
    scene_append(one, 1, 1, 'a', 1);
    scene_change("UPDATE experiment SET slab_minute = ceil(extract(epoch FROM now()) / 60) + 1");
    retain(&usual, &none, 0);
    assert_string_equal(slabs().text, "1:1");
    scene_change("UPDATE experiment SET slab_minute = slab_minute + 1440");
    retain(&usual, &none, 0);
    assert_string_equal(slabs().text, "1:1 2:0");
}

TEST_WITH(a_slab_goes_when_all_of_it_is_in_the_cut_and_of_closed_epochs, start, end)
{
    folding_place place[4], later[4];
    scene_append(one, 1, 1, 'a', 1);
    scene_append(two, 1, 1, 'b', 1);
    folding_cut cut = copy_of(scene_waiting(folding, 1, &none, 2), place);
    scene_append(one, 1, 2, 'c', 1);
    retain(&each_time, &cut, 9);
    retain(&never, &cut, 9);
    assert_string_equal(slabs().text, "1:3 2:0"); /* one row is not in the cut */
    folding_cut all = copy_of(scene_waiting(folding, 1, &cut, 1), later);
    retain(&never, &all, 2);
    assert_string_equal(slabs().text, "1:3 2:0"); /* epoch 2 is open */
    retain(&never, &all, 3);
    assert_string_equal(slabs().text, "2:0");
    retain(&never, &all, 3);
    assert_string_equal(slabs().text, "2:0"); /* the current one stays */
    scene_append(one, 1, 3, 'd', 1);
    /* The chain continues from the cut, from nothing, and from a cut whose next rows are gone. */
    const folding_cut *now = scene_waiting(folding, 1, &all, 1);
    assert_string_equal(scene_rows(folding, 1, &all, now).text, "3:d1 ");
    assert_string_equal(scene_rows(folding, 1, &none, now).text, "3:d1 ");
    assert_string_equal(scene_rows(folding, 1, &cut, now).text, "3:d1 ");
    scene_change("UPDATE removed SET gseq = 1 WHERE gateway = 1");
    scene_text out = {.text = ""};
    assert_not_folded(folding, folding_read_rows(folding, 1, &none, now, scene_take_row, out.text),
                      "has a wrong digest");
}

TEST_WITH(slabs_go_in_order, start, end)
{
    scene_append(one, 1, 7, 'a', 1); /* of an open epoch */
    retain(&each_time, &none, 0);
    scene_append(one, 1, 1, 'b', 1);
    retain(&each_time, &none, 0);
    const folding_cut *cut = scene_waiting(folding, 1, &none, 2);
    retain(&never, cut, 5);
    assert_string_equal(slabs().text, "1:1 2:1 3:0");
    retain(&never, cut, 8);
    assert_string_equal(slabs().text, "3:0");
}

TEST_WITH(a_row_without_frames_keeps_no_slab, start, end)
{
    scene_append(one, 1, 7, 'a', 0);
    retain(&each_time, &none, 0);
    retain(&never, scene_waiting(folding, 1, &none, 0), 5);
    assert_string_equal(slabs().text, "2:0");
}

TEST_WITH(who_keeps_reports_loses_nothing, start, end)
{
    folding_retention keeps = each_time;
    keeps.keep_reports = true;
    scene_append(one, 1, 1, 'a', 1);
    assert_true(scene_publish(folding, 1, 1, &none));
    assert_true(scene_publish(folding, 1, 2, &none));
    const folding_cut *cut = scene_waiting(folding, 1, &none, 1);
    assert_folded(folding, folding_retain(folding, 1, &keeps, cut, 9, 9));
    assert_strings(slabs().text, "1:1 2:0", scene_sql("SELECT count(*) FROM model").text, "2");
}

/* A gateway that read the slab's number before a new slab was opened, and writes afterwards. */
static PGconn *start_straggler(void)
{
    PGconn *pg = PQconnectdb(scene.url);
    PQclear(PQexec(
        pg, "BEGIN; SET search_path = sotto; INSERT INTO journal SELECT 1, 1, 2, slab, 1, 1, "
            "0, 0, 0, 'x', sha256('x') FROM experiment WHERE number = 1"));
    assert_int_equal(PQtransactionStatus(pg), PQTRANS_INTRANS);
    return pg;
}

TEST_WITH(a_straggler_keeps_its_slab, start, end)
{
    scene_append(one, 1, 1, 'a', 1);
    const folding_cut *cut = scene_waiting(folding, 1, &none, 1);
    PGconn *straggler = start_straggler();
    retain(&each_time, cut, 9);
    assert_string_equal(slabs().text, "1:1 2:0"); /* busy: kept until next time */
    PQclear(PQexec(straggler, "COMMIT"));
    retain(&never, cut, 9);
    assert_string_equal(slabs().text, "1:2 2:0"); /* its row is not in the cut */
    PQfinish(straggler);
}

/* It commits while the publisher waits for the lock; until then its row is invisible. Whether it
 * commits in time depends on the machine, so the test tries several times. */
TEST_WITH(a_straggler_that_commits_at_the_last_moment_keeps_its_slab, start, end)
{
    for (int tries = 0; tries < 5; tries++) {
        if (tries > 0) {
            end(state);
            start(state);
        }
        scene_append(one, 1, 1, 'a', 1);
        const folding_cut *cut = scene_waiting(folding, 1, &none, 1);
        PGconn *straggler = start_straggler();
        retain(&each_time, cut, 9); /* opens the next slab */
        PQsendQuery(straggler, "SELECT pg_sleep(0.02); COMMIT");
        retain(&never, cut, 9);
        PGresult *result;
        while ((result = PQgetResult(straggler)) != NULL) {
            PQclear(result);
        }
        assert_string_equal(slabs().text, "1:2 2:0");
        PQfinish(straggler);
    }
}

TEST_WITH(a_straggler_that_finds_no_slab_is_refused, start, end)
{
    scene_append(one, 1, 1, 'a', 1);
    folding_place place[4];
    folding_cut cut = copy_of(scene_waiting(folding, 1, &none, 1), place);
    retain(&each_time, &cut, 9);
    assert_string_equal(slabs().text, "2:0");
    scene_change("UPDATE experiment SET slab = slab - 1 WHERE number = 1"); /* the number it read */
    assert_refused(one, scene_try_append(one, 1, 1, 'b', 1), "experiment 1 accepts no reports now");
    scene_change("UPDATE experiment SET slab = slab + 1 WHERE number = 1");
    scene_append(one, 1, 1, 'c', 1);
    assert_string_equal(scene_rows(folding, 1, &cut, scene_waiting(folding, 1, &cut, 1)).text,
                        "2:c1 ");
}

/* In its own process: appends `rows` rows, each again if it is refused. Exits with 0 when all were
 * acknowledged. */
static pid_t start_gateway(char letter, uint32_t rows)
{
    pid_t pid = fork();
    if (pid != 0) return pid;
    sottod_journal *journal;
    sotto_fault fault;
    const postgres_settings settings = scene_settings();
    if (postgres_journal_open(&settings, &journal, &fault) != SOTTO_OK) _exit(1);
    for (uint32_t tries = 0; rows > 0; tries++) {
        if (tries > 10000) _exit(2);
        if (scene_try_append(journal, 1, 1, letter, 1)) rows--;
    }
    journal_close(journal);
    _exit(0);
}

static bool take_letters(void *self, const journal_row *row)
{
    uint64_t *count = self;
    count[row->frames.at[0] - 'a']++;
    return true;
}

/* Gateways write while slabs are opened, folded and dropped: each row is read once. */
TEST_WITH(no_acknowledged_row_is_lost_while_slabs_come_and_go, start, end)
{
    enum { GATEWAYS = 3, ROWS = 60 };
    pid_t child[GATEWAYS];
    uint64_t count[GATEWAYS] = {0};
    HELD(folding_cut) from = {.places = 0};
    for (int i = 0; i < GATEWAYS; i++) {
        child[i] = start_gateway((char)('a' + i), ROWS);
    }
    int ended = 0, status = 0;
    for (uint32_t epoch = 1; ended <= GATEWAYS; epoch++) {
        uint64_t reports;
        const folding_cut *to;
        if (ended == GATEWAYS) {
            ended++; /* once more, for the last rows */
        } else if (waitpid(child[ended], &status, WNOHANG) != 0) {
            ended++;
            assert_int_equal(status, 0); /* all of its rows were acknowledged */
        }
        assert_folded(folding, folding_waiting(folding, 1, &from, &to, &reports));
        assert_folded(folding, folding_read_rows(folding, 1, &from, to, take_letters, count));
        assert_true(scene_publish(folding, 1, epoch, to));
        assert_true(postgres__cut_copy(to, &from));
        assert_folded(folding, folding_retain(folding, 1, &each_time, &from, UINT32_MAX, epoch));
    }
    for (int i = 0; i < GATEWAYS; i++) {
        assert_int_equal(count[i], ROWS);
    }
    assert_string_equal(
        scene_sql("SELECT (max(slab) - min(slab) <= 1)::text FROM (SELECT slab FROM "
                  "journal WHERE experiment = 1 UNION SELECT slab FROM experiment "
                  "WHERE number = 1) AS s")
            .text,
        "true"); /* some slabs were dropped */
}

/* ---- the rest */

TEST_WITH(old_models_go_and_the_last_one_stays, start, end)
{
    for (uint32_t epoch = 1; epoch <= 4; epoch++) {
        assert_true(scene_publish(folding, 1, epoch, &none));
    }
    assert_folded(folding, folding_retain(folding, 1, &never, &none, 0, 3));
    assert_string_equal(scene_sql("SELECT string_agg(epoch::text, ' ') FROM model").text, "3 4");
    assert_folded(folding, folding_retain(folding, 1, &never, &none, 0, 99));
    assert_string_equal(scene_sql("SELECT string_agg(epoch::text, ' ') FROM model").text, "4");
    assert_true(scene_publish(folding, 1, 5, &none));
}

TEST_WITH(a_gateway_that_ended_goes_with_its_last_row, start, end)
{
    scene_append(one, 1, 1, 'a', 1);
    scene_append(two, 1, 1, 'b', 1);
    journal_close(one);
    one = NULL;
    while (strcmp(scene_sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid "
                            "= 1397707847")
                      .text,
                  "1") != 0) {
    }
    folding_place place[4], later[4];
    folding_cut cut = copy_of(scene_waiting(folding, 1, &none, 2), place);
    assert_int_equal(cut.places, 2);
    sottod_folding *before = folding;
    retain(&never, &cut, 9);
    assert_string_equal(scene_sql("SELECT string_agg(number::text, ' ') FROM gateway").text, "1 2");
    folding_free(before);
    folding = scene_folding();
    bool held = false;
    while (!held) {
        assert_folded(folding, folding_lock(folding, &held));
    }
    retain(&each_time, &cut, 9);
    assert_string_equal(slabs().text, "2:0");
    assert_string_equal(scene_sql("SELECT string_agg(number::text, ' ') FROM gateway").text, "2");
    assert_string_equal(scene_sql("SELECT string_agg(gateway::text, ' ') FROM removed").text, "2");
    scene_append(two, 1, 1, 'c', 1);
    folding_cut now = copy_of(scene_waiting(folding, 1, &cut, 1), later);
    assert_int_equal(now.places, 1); /* it is left out */
    assert_string_equal(scene_rows(folding, 1, &cut, &now).text, "2:c1 ");
    assert_string_equal(scene_rows(folding, 1, &none, &cut).text, ""); /* an old cut */
}

/* Slabs of other experiments are not even opened: with thousands of them that took minutes. Another
 * session holds a lock on one. */
TEST_WITH(what_an_ended_gateway_left_is_looked_for_where_it_wrote, start, end)
{
    scene_append(one, 1, 1, 'a', 1);
    journal_close(one);
    one = NULL;
    while (strcmp(scene_sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid "
                            "= 1397707847")
                      .text,
                  "1") != 0) {
    }
    scene_sql("CREATE TABLE journal_314572801 PARTITION OF journal FOR VALUES IN (314572801)");
    folding_place place[4];
    folding_cut cut = copy_of(scene_waiting(folding, 1, &none, 1), place);
    PGconn *other = PQconnectdb(scene.url);
    PQclear(PQexec(other, "BEGIN; LOCK TABLE sotto.journal_314572801 IN ACCESS EXCLUSIVE MODE"));
    assert_int_equal(PQtransactionStatus(other), PQTRANS_INTRANS);
    retain(&each_time, &cut, 9);
    PQfinish(other);
    assert_string_equal(scene_sql("SELECT string_agg(number::text, ' ') FROM gateway").text, "2");
    assert_string_equal(scene_sql("SELECT count(*) FROM arrival").text, "0");
}

/* It has no open epoch; rows after the last model stay. */
TEST_WITH(of_a_closed_experiment_all_goes_that_is_in_the_cut, start, end)
{
    scene_append(one, 1, 1, 'a', 1);
    const folding_cut *cut = scene_waiting(folding, 1, &none, 1);
    assert_true(scene_publish(folding, 1, 1, cut));
    scene_state(one, 1, JOURNAL_CLOSED);
    assert_folded(folding, folding_retain(folding, 1, &each_time, cut, UINT32_MAX, 0));
    assert_strings(slabs().text, "2:0", scene_sql("SELECT count(*) FROM model").text, "1");
    assert_folded(folding, folding_retain(folding, 1, &each_time, cut, UINT32_MAX, 0));
    assert_string_equal(slabs().text, "2:0"); /* no slab after the other */
}

/* As while pg_dump runs. */
TEST_WITH(an_experiment_that_is_over_and_busy_is_said_to_be, start, end)
{
    folding_place place[4];
    static const journal_state states[] = {JOURNAL_CLOSED, JOURNAL_DELETED};
    for (uint32_t i = 0; i < 2; i++) {
        scene_append(one, 1 + i, 1, 'a', 1);
        folding_cut cut = copy_of(scene_waiting(folding, 1 + i, &none, 1), place);
        scene_state(one, 1 + i, states[i]);
        PGconn *reader = PQconnectdb(scene.url);
        PQclear(PQexec(reader, "BEGIN; SELECT count(*) FROM sotto.journal"));
        bool gone = folding_retain(folding, 1 + i, &each_time, &cut, UINT32_MAX, 0);
        PQfinish(reader); /* first: an open transaction would block the end of the test */
        assert_false(gone);
        assert_true(folding_holds(folding));
        assert_non_null(strstr(folding_fault(folding)->sentence, "still uses"));
        assert_string_equal(scene_sql("SELECT count(*) FROM journal").text, "1");
        assert_folded(folding, folding_retain(folding, 1 + i, &each_time, &cut, UINT32_MAX, 0));
        assert_string_equal(scene_sql("SELECT count(*) FROM journal").text, "0");
    }
}

TEST_WITH(a_deleted_experiment_leaves_no_bytes_in_any_table, start, end)
{
    scene_append(one, 1, 1, 'a', 1);
    scene_append(one, 2, 1, 'b', 1);
    const folding_cut *cut = scene_waiting(folding, 1, &none, 1);
    assert_true(scene_publish(folding, 1, 1, cut));
    assert_true(scene_publish(folding, 2, 1, &none));
    retain(&each_time, cut, 9);
    scene_append(one, 1, 1, 'c', 1);
    scene_state(one, 1, JOURNAL_DELETED);
    retain(&never, &none, 0);
    assert_string_equal(
        scene_sql(
            "SELECT concat_ws(' ', (SELECT count(*) FROM journal WHERE experiment = 1), (SELECT "
            "count(*) FROM removed WHERE experiment = 1), (SELECT count(*) FROM model WHERE "
            "experiment = 1), (SELECT count(*) FROM history WHERE experiment = 1), (SELECT "
            "octet_length(terms) + octet_length(start) + octet_length(labels) + "
            "coalesce(octet_length(report_key), 0) FROM experiment WHERE number = 1))")
            .text,
        "0 0 0 0 0");
    assert_string_equal(slabs().text, "");
    assert_string_equal(scene_sql("SELECT concat_ws(' ', (SELECT count(*) FROM journal), (SELECT "
                                  "count(*) FROM model), (SELECT count(*) FROM history))")
                            .text,
                        "1 1 1"); /* the other one */
    assert_refused(one, scene_try_append(one, 1, 1, 'd', 1), "experiment 1 accepts no reports");
    retain(&never, &none, 0);
}
