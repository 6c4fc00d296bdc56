/* What a folder knows of an experiment follows from the database. */
#include "folder_scene.h"
#include "learners.h"

static folder_scene s;

static int start(void **state)
{
    (void)state;
    s = folder_scene_new(true);
    return 0;
}

static int end(void **state)
{
    (void)state;
    folder_scene_free(&s);
    return 0;
}

static void assert_broken(const char *words)
{
    folder_known *known = folder_scene_known(&s);
    assert_int_equal(folder_known_load(known, s.folding), FOLDER_BROKEN);
    if (strstr(known->fault, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", known->fault, words);
    folder_known_free(known);
}

static void an_experiment_that_cannot_be_used_is_refused(void **state)
{
    (void)state;
    char fault[JOURNAL_FAULT_BYTES];
    journal_experiment row = shared.experiment[0];
    row.terms.bytes--;
    assert_null(folder_known_new(&row, 1000, 0, fault));
    assert_string_equal(fault, "experiment 1: its terms cannot be used");
    row = shared.experiment[0];
    row.id[0] ^= 1;
    assert_null(folder_known_new(&row, 1000, 0, fault));
    assert_string_equal(fault, "experiment 1: its terms cannot be used");
    row = shared.experiment[0];
    row.start.bytes--;
    assert_null(folder_known_new(&row, 1000, 0, fault));
    assert_non_null(strstr(fault, "its learner before the first report cannot be used: "));
}

static void models_that_are_damaged_are_said_to_be(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        folder_scene_epoch(&s, 30, 30);
    }
    shared_model *newest = &shared.model[4], good = *newest;
    newest->learner.bytes--;
    assert_broken("its model of epoch 5: ");
    *newest = good;
    newest->told.bytes--;
    assert_broken("tells what cannot be");
    *newest = good;
    newest->learner = shared.model[3].learner;
    assert_broken("is not of that epoch");
    *newest = good;
    newest->epoch = 6;
    assert_broken("the model of epoch 6 follows that of 4");
    *newest = good;
    shared.model[3].experiment = 9; /* only epoch 5 is left at the end */
    shared.model[2].experiment = shared.model[1].experiment = shared.model[0].experiment = 9;
    assert_broken("the model of epoch 3 is missing");
}

static void rows_that_are_damaged_are_said_to_be(void **state)
{
    (void)state;
    folder_scene_epoch(&s, 30, 30);
    shared.row[1].row.frames.bytes--;
    assert_broken("row 1: ");
}

static void a_database_that_is_away_is_no_damage(void **state)
{
    (void)state;
    folder_known *known = folder_scene_known(&s);
    shared_memory_set_away(true);
    assert_int_equal(folder_known_load(known, s.folding), FOLDER_AWAY);
    folder_known_free(known);
}

static void before_the_first_model_it_is_the_start(void **state)
{
    (void)state;
    folder_known *known = folder_scene_known(&s);
    assert_int_equal(folder_known_load(known, s.folding), FOLDER_DONE);
    assert_int_equal(folder_known_epoch(known), 0);
    assert_int_equal(folder_known_oldest(known), 0);
    assert_int_equal(known->cut.places, 0);
    assert_int_equal(sotto_nonce_set_count(known->nonces), 0);
    assert_int_equal(known->ask_ms, s.now_ms + 1000);
    folder_known_free(known);
}

/* At every epoch: also at the first ones, when all are open. */
static void who_takes_over_knows_the_same(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 7; i++) {
        folder_scene_epoch(&s, 30 + i, 25);
        uint8_t *again = desk_frames(&s.one, s.one.experiment, 3);
        sottod_refusal why;
        assert_true(desk_offer(&s.one, again, 3, &why));
        assert_true(desk_offer(&s.two, again, 3, &why));
        desk_commit(&s.one);
        desk_commit(&s.two);
        free(again);
        const folder_known *one = s.round.known[0];
        folder_known *other = folder_scene_known(&s);
        assert_int_equal(folder_known_load(other, s.folding), FOLDER_DONE);
        assert_true(learners_have_same_bytes(one->learner, other->learner));
        assert_int_equal(sotto_nonce_set_count(one->nonces), sotto_nonce_set_count(other->nonces));
        assert_true(sotto_nonce_set_count(one->nonces) > 40);
        assert_memory_equal(&one->counts, &other->counts, sizeof one->counts);
        assert_int_equal(one->cut.places, other->cut.places);
        for (uint32_t g = 0; g < one->cut.places; g++) {
            assert_int_equal(one->cut.place[g].gseq, other->cut.place[g].gseq);
        }
        folder_known_free(other);
    }
    assert_int_equal(folder_known_oldest(s.round.known[0]), 5);
}

static void there_is_room_for_as_many_nonces_as_wait(void **state)
{
    (void)state;
    folder_known *known = folder_scene_known(&s);
    assert_int_equal(folder_known_load(known, s.folding), FOLDER_DONE);
    assert_true(folder_known_reserve(known, 1));
    assert_int_equal(sotto_nonce_set_capacity(known->nonces), 1000);
    assert_true(folder_known_reserve(known, 5000));
    assert_int_equal(sotto_nonce_set_capacity(known->nonces), 8000);
    folder_known_free(known);
    folder_known_free(NULL);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, start, end)
    const struct CMUnitTest tests[] = {
        EACH(an_experiment_that_cannot_be_used_is_refused),
        EACH(models_that_are_damaged_are_said_to_be),
        EACH(rows_that_are_damaged_are_said_to_be),
        EACH(a_database_that_is_away_is_no_damage),
        EACH(before_the_first_model_it_is_the_start),
        EACH(who_takes_over_knows_the_same),
        EACH(there_is_room_for_as_many_nonces_as_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
