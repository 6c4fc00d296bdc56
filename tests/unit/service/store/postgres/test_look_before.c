/* Reads whether an experiment exists, and locks it. */
#include "gateway_scene.h"
#include "service/store/postgres/inner.h"

static const folding_cut none;

/* In a transaction that began before, or with the same round trip. */
static postgres_before look(uint32_t experiment, bool at_once)
{
    postgres_before found = {.epoch = 99};
    postgres_connection *connection = &folding->connection;
    assert_folded(folding, postgres__queue(connection, "BEGIN", NULL, 0));
    if (!at_once) assert_folded(folding, postgres__run(connection, NULL, NULL));
    assert_folded(folding, postgres__look_before(connection, experiment, &found));
    postgres__rollback(connection);
    return found;
}

TEST_WITH(an_experiment_that_is_not_there_is_not_found, start, end)
{
    const postgres_before found = look(2, true);
    assert_false(found.found);
    assert_ints(found.epoch, 0, found.held.reports, 0);
}

TEST_WITH(state_model_and_hold_are_found, start, end)
{
    bool fenced;
    const journal_held held = {.experiment = 1, .epoch = 1, .alarms = 2, .reports = 3};
    assert_true(scene_publish(folding, 1, 1, &none));
    assert_folded(folding, folding_hold(folding, &held, &fenced));
    for (int i = 0; i < 2; i++) {
        const postgres_before found = look(1, i == 0);
        assert_true(found.found);
        assert_ints(found.state, JOURNAL_OPEN, found.epoch, 1, found.held.reports, 3);
    }
    scene_change("UPDATE model SET epoch = 2"); /* the held epoch is closed */
    assert_int_equal(look(1, true).held.reports, 0);
}

TEST_WITH(others_stand_behind_until_the_end, start, end)
{
    postgres_before found;
    postgres_connection *connection = &folding->connection;
    assert_folded(folding, postgres__queue(connection, "BEGIN", NULL, 0));
    assert_folded(folding, postgres__look_before(connection, 1, &found));
    PGconn *other = PQconnectdb(scene.url);
    PGresult *result =
        PQexec(other, "SELECT 1 FROM sotto.experiment WHERE number = 1 FOR UPDATE NOWAIT");
    char said[6] = "";
    snprintf(said, sizeof said, "%s", PQresultErrorField(result, PG_DIAG_SQLSTATE));
    PQclear(result);
    PQfinish(other);
    postgres__rollback(connection);
    assert_string_equal(said, "55P03");
}
