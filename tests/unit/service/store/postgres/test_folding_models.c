/* Publishes, and the fence. */
#include "gateway_scene.h"
#include "service/store/postgres/inner.h"

OWNED(sottod_folding, folding_free)

static const folding_cut none;
static const folding_model first = {.experiment = 1, .epoch = 1, .kind = JOURNAL_PUBLISH};
static const journal_history row = {.experiment = 1, .epoch = 1};

static bool take_model(void *self, const folding_model *model)
{
    return scene_add(self, "%u:%u:%llu:%.*s:%.*s:%u ", model->epoch, (unsigned)model->kind,
                     (unsigned long long)model->counts.folded, (int)model->learner.bytes,
                     (const char *)model->learner.at, (int)model->results.bytes,
                     (const char *)model->results.at, model->cut.places);
}

static scene_text models(uint32_t from)
{
    scene_text out = {.text = ""};
    assert_folded(folding, folding_read_models(folding, 1, from, take_model, &out));
    return out;
}

/* ---- bad input */

TEST_WITH(a_model_that_makes_no_sense_is_refused, start, end)
{
    bool fenced;
    folding_place place = {.gateway = 1, .gseq = 0};
    static const struct {
        uint32_t experiment, epoch, kind, places;
        const char *words;
    } wrong[] = {
        {1, 0, JOURNAL_PUBLISH, 0, "epoch 0"},
        {1, 2, JOURNAL_PUBLISH, 0, "opens epoch 2: allowed 1"},
        {1, 1, JOURNAL_REPORTS, 0, "kind 0"},
        {1, 1, 4, 0, "kind 4"},
        {1, 1, JOURNAL_DISCARD, 1, "the cut of a model is wrong"},
        {2, 1, JOURNAL_DISCARD, 0, "no experiment 2"},
        {1, 1, JOURNAL_DISCARD, 0, "deleted, which cannot be undone"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const folding_model model = {.experiment = wrong[i].experiment,
                                     .epoch = wrong[i].epoch,
                                     .kind = (journal_kind)wrong[i].kind,
                                     .cut = {.place = &place, .places = wrong[i].places}};
        if (i == 6) scene_state(gateway, 1, JOURNAL_DELETED);
        assert_not_folded(folding, folding_publish(folding, &model, &row, false, &fenced),
                          wrong[i].words);
    }
    assert_strings(models(0).text, "", scene_sql("SELECT count(*) FROM history").text, "0");
}

/* An uncommitted delete blocks it; otherwise the model would survive the delete. */
TEST_WITH(a_publish_waits_for_who_changes_the_experiment, start, end)
{
    bool fenced;
    assert_folded(
        folding, postgres__ask(&folding->connection, "SET lock_timeout = 50", NULL, 0, NULL, NULL));
    PGconn *other = PQconnectdb(scene.url);
    PQclear(PQexec(other, "BEGIN; UPDATE sotto.experiment SET state = 3 WHERE number = 1"));
    bool published = folding_publish(folding, &first, &row, false, &fenced);
    PQfinish(other); /* first: an open transaction would block the end of the test */
    assert_false(published);
    assert_non_null(strstr(folding_fault(folding)->sentence, "lock timeout"));
    assert_string_equal(scene_sql("SELECT count(*) FROM model").text, "0");
}

TEST_WITH(where_a_model_could_be_lost_again_nothing_is_published, start, end)
{
    bool fenced;
    scene_turn("fsync", false);
    bool published = folding_publish(folding, &first, &row, false, &fenced);
    scene_turn("fsync", true);
    assert_not_folded(folding, published, "fsync or full_page_writes off");
    assert_false(folding_holds(folding));
    assert_string_equal(scene_sql("SELECT count(*) FROM model").text, "0");
}

TEST_WITH(without_the_lock_nothing_is_published, start, end)
{
    bool fenced;
    OWN(sottod_folding) other = scene_folding();
    assert_not_folded(other, folding_publish(other, &first, &row, false, &fenced),
                      "does not hold the lock");
    assert_string_equal(models(0).text, "");
}

TEST_WITH(of_two_publishers_one_publishes_an_epoch, start, end)
{
    bool fenced = false;
    const folding_model model = {
        .experiment = 1, .epoch = 1, .kind = JOURNAL_PUBLISH, .learner = {(const uint8_t *)"x", 1}};
    const journal_history history = {.experiment = 1, .epoch = 1, .learn = 99};
    OWN(sottod_folding) other = scene_folding();
    assert_true(scene_publish(folding, 1, 1, &none));
    assert_folded(other, folding_publish(other, &model, &history, true, &fenced));
    assert_true(fenced);
    assert_string_equal(models(0).text, "1:1:7:the-learner:the-results:0 ");
    assert_string_equal(scene_sql("SELECT learn FROM history").text, "1");
    /* Also of an epoch whose model was removed meanwhile. */
    assert_true(scene_publish(folding, 1, 2, &none));
    scene_change("DELETE FROM model WHERE epoch = 1");
    assert_folded(other, folding_publish(other, &model, &history, true, &fenced));
    assert_true(fenced);
    assert_string_equal(scene_sql("SELECT learn FROM history WHERE epoch = 1").text, "1");
}

/* The second one waits for the row of the experiment until the first has committed. */
TEST_WITH(two_publishers_at_the_same_moment_are_fenced_too, start, end)
{
    bool fenced = false;
    /* An uncommitted model by a process that takes no lock: only the primary key protects. */
    PGconn *pg = PQconnectdb(scene.url);
    PQclear(PQexec(pg, "BEGIN; INSERT INTO sotto.model VALUES (1, 1, 1, 0, 0, 0, 0, 0, '', '', '', "
                       "'', '')"));
    PQsendQuery(pg, "SELECT pg_sleep(0.2); COMMIT");
    PQflush(pg);
    assert_folded(folding, folding_publish(folding, &first, &row, false, &fenced));
    assert_true(fenced);
    PQfinish(pg);
}

TEST_WITH(a_model_that_was_altered_is_refused, start, end)
{
    static const char *const alter[] = {
        "UPDATE model SET learner = 'x' WHERE epoch = 2",
        "UPDATE model SET folded = folded + 1 WHERE epoch = 2",
        "UPDATE model SET cut = 'x' WHERE epoch = 2",
        "UPDATE model SET kind = 2 WHERE epoch = 2",
        "UPDATE model SET told = '' WHERE epoch = 2",
        "UPDATE model SET before = digest WHERE epoch = 2",
        "UPDATE model SET digest = before WHERE epoch = 2",
        "DELETE FROM model WHERE epoch = 2",
    };
    for (uint32_t epoch = 1; epoch <= 3; epoch++) {
        assert_true(scene_publish(folding, 1, epoch, &none));
    }
    scene_save("model");
    for (size_t i = 0; i < sizeof alter / sizeof alter[0]; i++) {
        scene_text out = {.text = ""};
        scene_restore("model");
        scene_change(alter[i]);
        assert_not_folded(folding, folding_read_models(folding, 1, 1, take_model, &out),
                          "is damaged: the model of experiment 1");
    }
}

/* ---- good input */

TEST_WITH(models_come_back_oldest_first, start, end)
{
    bool fenced;
    scene_append(gateway, 1, 0, 'a', 2);
    folding_model model = {.experiment = 1,
                           .epoch = 2,
                           .kind = JOURNAL_DISCARD,
                           .counts = {.folded = 1},
                           .learner = {(const uint8_t *)"l", 1}};
    const journal_history history = {.experiment = 1, .epoch = 2};
    const folding_cut *cut = scene_waiting(folding, 1, &none, 2);
    assert_true(scene_publish(folding, 1, 1, cut));
    model.cut = *cut;
    assert_folded(folding, folding_publish(folding, &model, &history, false, &fenced));
    assert_false(fenced);
    assert_string_equal(models(0).text, "1:1:7:the-learner:the-results:1 2:2:1:l::1 ");
    assert_strings(models(2).text, "2:2:1:l::1 ", models(3).text, "");
}
