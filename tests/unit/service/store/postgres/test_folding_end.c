/* The last reports of a closed experiment. */
#include "gateway_scene.h"
#include "service/store/postgres/inner.h"

static const folding_cut none;

static bool finish(uint32_t experiment, uint32_t epoch, const folding_cut *cut)
{
    bool fenced;
    const folding_model ended = {.experiment = experiment,
                                 .epoch = epoch,
                                 .counts = {.folded = 5},
                                 .learner = {(const uint8_t *)"x", 1},
                                 .cut = *cut};
    assert_folded(folding, folding_end(folding, &ended, &fenced));
    return !fenced;
}

TEST_WITH(only_a_closed_one_ends_and_once, start, end)
{
    assert_true(scene_publish(folding, 1, 1, &none));
    assert_false(finish(1, 1, &none));
    scene_state(gateway, 1, JOURNAL_CLOSED);
    assert_false(finish(1, 0, &none)); /* another epoch */
    assert_false(finish(2, 0, &none)); /* there is none */
    assert_true(finish(1, 1, &none));
    assert_false(finish(1, 1, &none));
    assert_string_equal(scene_sql("SELECT count(*) FROM ended").text, "1");
    scene_state(gateway, 1, JOURNAL_DELETED);
    assert_string_equal(scene_sql("SELECT count(*) FROM ended").text, "0");
    assert_false(finish(1, 1, &none));
}

TEST_WITH(a_cut_that_makes_no_sense_is_refused, start, end)
{
    bool fenced;
    folding_place place = {.gateway = 1, .gseq = 0};
    const folding_model ended = {.experiment = 1, .cut = {.place = &place, .places = 1}};
    assert_not_folded(folding, folding_end(folding, &ended, &fenced), "the cut of an ended");
    sottod_folding *other = scene_folding();
    assert_not_folded(other, folding_end(other, &ended, &fenced), "does not hold the lock");
    assert_not_folded(other, folding_settle(other, &fenced), "does not hold the lock");
    folding_free(other);
}

/* No model comes after the end. */
TEST_WITH(a_closed_one_publishes_nothing, start, end)
{
    bool fenced;
    scene_state(gateway, 1, JOURNAL_CLOSED);
    const folding_model model = {.experiment = 1, .epoch = 1, .kind = JOURNAL_PUBLISH};
    const journal_history history = {.experiment = 1, .epoch = 1};
    assert_folded(folding, folding_publish(folding, &model, &history, false, &fenced));
    assert_true(fenced);
    assert_string_equal(scene_sql("SELECT count(*) FROM model").text, "0");
}

/* Everything in the cut of the end is removed. */
TEST_WITH(the_rows_of_an_ended_experiment_go, start, end)
{
    bool busy = true;
    const folding_retention rule = {.slab_bytes_max = UINT64_MAX, .slab_s_max = 0};
    scene_append(gateway, 1, 0, 'a', 2);
    scene_append(gateway, 1, 0, 'b', 3);
    scene_state(gateway, 1, JOURNAL_CLOSED);
    assert_folded(folding, folding_settle(folding, &busy));
    assert_false(busy);
    assert_folded(folding, folding_retain(folding, 1, &rule, &none, UINT32_MAX, 0));
    assert_string_equal(scene_sql("SELECT count(*) FROM journal").text, "2");
    const folding_cut *to = scene_waiting(folding, 1, &none, 5);
    assert_true(finish(1, 0, to));
    assert_folded(folding, folding_retain(folding, 1, &rule, to, UINT32_MAX, 0));
    assert_string_equal(scene_sql("SELECT count(*) FROM journal").text, "0");
}

/* A gateway that saw the experiment open has not committed yet, so the publisher must wait. */
TEST_WITH(a_gateway_that_is_at_it_keeps_it_unsettled, start, end)
{
    bool busy = false;
    PGconn *other = PQconnectdb(scene.url);
    PQclear(PQexec(other, "BEGIN; INSERT INTO sotto.journal SELECT 1, 99, 1, slab, 0, 0, 0, 0, 0, "
                          "'', '' FROM sotto.experiment"));
    scene_state(gateway, 1, JOURNAL_CLOSED);
    bool settled = folding_settle(folding, &busy);
    PQclear(PQexec(other, "ROLLBACK"));
    PQfinish(other);
    assert_true(settled && busy);
    assert_folded(folding, folding_settle(folding, &busy));
    assert_false(busy);
    assert_refused(gateway, scene_try_append(gateway, 1, 0, 'a', 1), "accepts no reports now");
}
