/* Epochs that are held, and what is decided of them. */
#include "postgres_scene.h"
#include "service/postgres/folding_inside.h"
#include "service/postgres/held_rows.h"

static sottod_journal *gateway;
static sottod_folding *folding;
static const folding_cut none;

static int start(void **state)
{
    scene_fresh(state);
    gateway = scene_gateway();
    folding = scene_folder();
    scene_experiment(gateway, "one");
    scene_experiment(gateway, "two");
    return 0;
}

static int end(void **state)
{
    (void)state;
    gateway->table->close(gateway);
    folding_free(folding);
    return 0;
}

static bool hold(uint32_t experiment, uint32_t epoch)
{
    bool fenced;
    const journal_held held = {
        .experiment = experiment, .epoch = epoch, .alarms = 17, .reports = 500};
    assert_folded(folding, folding_hold(folding, &held, &fenced));
    return !fenced;
}

static bool decide(uint32_t experiment, uint32_t epoch, journal_kind decision)
{
    bool held = false;
    assert_done(gateway, gateway->table->begin(gateway));
    assert_done(gateway, gateway->table->decide(gateway, experiment, epoch, decision, &held));
    assert_done(gateway, gateway->table->commit(gateway));
    return held;
}

/* The next model of an experiment. */
static bool publish(uint32_t experiment, uint32_t epoch, journal_kind kind, journal_kind decided)
{
    bool fenced;
    const folding_model model = {.experiment = experiment,
                                 .epoch = epoch,
                                 .kind = kind,
                                 .decided = decided,
                                 .learner = {(const uint8_t *)"x", 1}};
    const journal_history history = {.experiment = experiment, .epoch = epoch};
    assert_folded(folding, folding_publish(folding, &model, &history, false, &fenced));
    return !fenced;
}

static bool take_held(void *self, const journal_held *held)
{
    scene_text *out = self;
    size_t length = strlen(out->text);
    snprintf(out->text + length, sizeof out->text - length, "%u:%u:%u:%llu:%u ", held->experiment,
             held->epoch, held->alarms, (unsigned long long)held->reports,
             (unsigned)held->decision);
    return true;
}

static scene_text all_held(void)
{
    scene_text out = {.text = ""};
    assert_folded(folding, folding_read_held(folding, take_held, &out));
    return out;
}

/* ---- bad input */

static void what_cannot_be_decided_is_refused(void **state)
{
    (void)state;
    bool held = true;
    assert_refused(gateway, gateway->table->decide(gateway, 1, 0, JOURNAL_PUBLISH, &held),
                   "outside of a transaction");
    assert_false(held);
    assert_done(gateway, gateway->table->begin(gateway));
    assert_refused(gateway, gateway->table->decide(gateway, 1, 0, JOURNAL_REPORTS, &held),
                   "decided with 0: allowed are 1, publish, and 2, discard");
    gateway->table->abandon(gateway);
}

static void nothing_is_decided_of_what_is_not_held(void **state)
{
    (void)state;
    assert_false(decide(1, 0, JOURNAL_PUBLISH));
    assert_false(decide(9, 0, JOURNAL_PUBLISH)); /* there is no such experiment */
    assert_true(hold(1, 0));
    assert_false(decide(2, 0, JOURNAL_PUBLISH));
    assert_false(decide(1, 1, JOURNAL_PUBLISH)); /* another epoch */
    gateway->table->changed(gateway);
    scene_state(gateway, 1, JOURNAL_PAUSED);
    assert_false(decide(1, 0, JOURNAL_PUBLISH));
    assert_true(gateway->table->changed(gateway)); /* who asked has to read */
    scene_state(gateway, 1, JOURNAL_OPEN);
    assert_string_equal(all_held().text, "1:0:17:500:0 ");
    assert_true(decide(1, 0, JOURNAL_PUBLISH));
    assert_string_equal(all_held().text, "1:0:17:500:1 ");
}

static void without_the_lock_nothing_is_held(void **state)
{
    (void)state;
    bool fenced;
    const journal_held held = {.experiment = 1, .alarms = 1, .reports = 1};
    sottod_folding *other = scene_folding();
    assert_not_folded(other, folding_hold(other, &held, &fenced), "does not hold the lock");
    folding_free(other);
}

static void an_epoch_that_is_over_is_not_held(void **state)
{
    (void)state;
    assert_true(scene_publish(folding, 1, 1, &none));
    assert_false(hold(1, 0));
    assert_true(hold(1, 1));
    scene_state(gateway, 2, JOURNAL_CLOSED);
    assert_false(hold(2, 0));
    assert_false(hold(9, 0));
    assert_string_equal(all_held().text, "1:1:17:500:0 ");
}

/* A row that was altered is none: it can be decided of when it was written anew. */
static void a_row_that_was_altered_counts_as_none(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "UPDATE held SET decision = 2", "UPDATE held SET decision = 3",
        "UPDATE held SET epoch = -1",   "UPDATE held SET alarms = 1",
        "UPDATE held SET reports = 1",  "UPDATE held SET digest = ''",
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        assert_true(hold(1, 0));
        assert_true(decide(1, 0, JOURNAL_PUBLISH));
        scene_change(changes[i]);
        assert_string_equal(all_held().text, "");
        assert_false(decide(1, 0, JOURNAL_PUBLISH));
        scene_change("DELETE FROM held");
    }
    assert_true(hold(1, 0));
    assert_true(decide(1, 0, JOURNAL_DISCARD));
    scene_change("UPDATE held SET decision = 1");
    assert_true(hold(1, 0)); /* again, without what was decided */
    assert_string_equal(all_held().text, "1:0:17:500:0 ");
    assert_true(publish(1, 1, JOURNAL_PUBLISH, JOURNAL_REPORTS));
}

/* ---- decided */

static void what_was_decided_is_not_overwritten_by_another_look(void **state)
{
    (void)state;
    assert_true(hold(1, 0));
    assert_true(decide(1, 0, JOURNAL_DISCARD));
    assert_true(hold(1, 0));
    assert_string_equal(all_held().text, "1:0:17:500:2 ");
}

/* A decision is carried out with the publish, in one transaction: it is not there afterwards. */
static void a_decision_is_carried_out_once(void **state)
{
    (void)state;
    assert_true(hold(1, 0));
    assert_true(hold(2, 0));
    assert_true(decide(1, 0, JOURNAL_DISCARD));
    assert_true(publish(1, 1, JOURNAL_DISCARD, JOURNAL_DISCARD));
    assert_string_equal(all_held().text, "2:0:17:500:0 ");
    assert_false(decide(1, 0, JOURNAL_DISCARD));
    assert_false(publish(1, 1, JOURNAL_DISCARD, JOURNAL_DISCARD));
    assert_string_equal(scene_sql("SELECT kind FROM model").text, "2");
    assert_true(publish(1, 2, JOURNAL_PUBLISH, JOURNAL_REPORTS));
}

/* The folder read one decision, and there is another by now. */
static void who_does_not_do_what_was_decided_last_is_fenced(void **state)
{
    (void)state;
    assert_true(hold(1, 0));
    assert_false(publish(1, 1, JOURNAL_DISCARD, JOURNAL_DISCARD)); /* nobody decided */
    assert_true(decide(1, 0, JOURNAL_DISCARD));
    assert_false(publish(1, 1, JOURNAL_PUBLISH, JOURNAL_REPORTS));
    assert_true(decide(1, 0, JOURNAL_PUBLISH));
    assert_false(publish(1, 1, JOURNAL_DISCARD, JOURNAL_DISCARD));
    assert_string_equal(scene_sql("SELECT count(*) FROM model").text, "0");
    assert_true(publish(1, 1, JOURNAL_PUBLISH, JOURNAL_PUBLISH));
    assert_string_equal(scene_sql("SELECT count(*) FROM held").text, "0");
}

/* The quarantine was turned off: it is published without a decision, and not held any more. */
static void what_is_published_is_not_held(void **state)
{
    (void)state;
    assert_true(hold(1, 0));
    assert_true(publish(1, 1, JOURNAL_PUBLISH, JOURNAL_REPORTS));
    assert_string_equal(all_held().text, "");
}

static void what_is_closed_or_deleted_is_not_held(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(hold(1 + i, 0));
        assert_true(decide(1 + i, 0, JOURNAL_PUBLISH));
        scene_state(gateway, 1 + i, i == 0 ? JOURNAL_CLOSED : JOURNAL_DELETED);
        assert_string_equal(scene_sql("SELECT count(*) FROM held").text, "0");
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)
    const struct CMUnitTest tests[] = {
        TEST(what_cannot_be_decided_is_refused),
        TEST(nothing_is_decided_of_what_is_not_held),
        TEST(without_the_lock_nothing_is_held),
        TEST(an_epoch_that_is_over_is_not_held),
        TEST(a_row_that_was_altered_counts_as_none),
        TEST(what_was_decided_is_not_overwritten_by_another_look),
        TEST(a_decision_is_carried_out_once),
        TEST(who_does_not_do_what_was_decided_last_is_fenced),
        TEST(what_is_published_is_not_held),
        TEST(what_is_closed_or_deleted_is_not_held),
    };
    return SCENE_MAIN(tests);
}
