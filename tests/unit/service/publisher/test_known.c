/* What a publisher knows of an experiment follows from the database alone. */
#include "learners.h"
#include "publisher_scene.h"

OWNED(publisher_known, publisher_known_free)

static publisher_scene s;

FIXTURE(start)
{
    s = publisher_scene_new(true);
}

FIXTURE(end)
{
    publisher_scene_free(&s);
}

static void assert_broken(const char *words)
{
    OWN(publisher_known) known = publisher_scene_known(&s);
    assert_int_equal(publisher_known_load(known, s.folding), EPOCH_BROKEN);
    if (strstr(known->fault.sentence, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", known->fault.sentence, words);
}

TEST_WITH(an_experiment_that_cannot_be_used_is_refused, start, end)
{
    sotto_fault fault;
    journal_experiment row = shared.experiment[0];
    row.terms.bytes--;
    assert_null(publisher_known_new(&row, 1000, 0, &fault));
    assert_non_null(strstr(fault.sentence, "experiment 1: its terms are not usable: "));
    row = shared.experiment[0];
    row.id[0] ^= 1;
    assert_null(publisher_known_new(&row, 1000, 0, &fault));
    assert_string_equal(fault.sentence, "experiment 1: its terms have another id");
    row = shared.experiment[0];
    row.start.bytes--;
    assert_null(publisher_known_new(&row, 1000, 0, &fault));
    assert_non_null(strstr(fault.sentence, "its initial learner is not usable: "));
}

TEST_WITH(models_that_are_damaged_are_said_to_be, start, end)
{
    for (uint32_t i = 0; i < 5; i++) {
        publisher_scene_epoch(&s, 30, 30);
    }
    shared_model *newest = &shared.model[4], good = *newest;
    newest->learner.bytes--;
    assert_broken("its model of epoch 5: ");
    *newest = good;
    newest->results.bytes--;
    assert_broken("its published counts are impossible");
    *newest = good;
    newest->learner = shared.model[3].learner;
    assert_broken("it belongs to another epoch");
    *newest = good;
    newest->epoch = 6;
    assert_broken("the model of epoch 6 follows that of 4");
    *newest = good;
    shared.model[3].experiment = 9; /* at the end only epoch 5 is left */
    shared.model[2].experiment = shared.model[1].experiment = shared.model[0].experiment = 9;
    assert_broken("the model of epoch 3 is missing");
}

TEST_WITH(rows_that_are_damaged_are_said_to_be, start, end)
{
    publisher_scene_epoch(&s, 30, 30);
    shared.row[1].row.frames.bytes--;
    assert_broken("row 1: ");
}

TEST_WITH(a_database_that_is_away_is_no_damage, start, end)
{
    OWN(publisher_known) known = publisher_scene_known(&s);
    shared_memory_set_away(true);
    assert_int_equal(publisher_known_load(known, s.folding), EPOCH_AWAY);
}

TEST_WITH(before_the_first_model_it_is_the_start, start, end)
{
    OWN(publisher_known) known = publisher_scene_known(&s);
    assert_ints(publisher_known_load(known, s.folding), EPOCH_DONE, engine_epoch(known->engine), 0);
    assert_ints(engine_oldest(known->engine), 0, known->cut.places, 0);
    assert_ints(sotto_nonce_set_count(known->engine->nonces), 0, known->ask_ms, s.now_ms + 1000);
}

/* At every epoch, including the first ones, when all are open. */
TEST_WITH(who_takes_over_knows_the_same, start, end)
{
    for (uint32_t i = 0; i < 7; i++) {
        publisher_scene_epoch(&s, 30 + i, 25);
        uint8_t *again = desk_frames(&s.one, s.one.experiment, 3);
        desk_give(&s.one, again, 3);
        desk_give(&s.two, again, 3);
        desk_commit(&s.one);
        desk_commit(&s.two);
        free(again);
        const publisher_known *one = s.pass.known[0];
        publisher_known *other = publisher_scene_known(&s);
        assert_int_equal(publisher_known_load(other, s.folding), EPOCH_DONE);
        assert_true(learners_have_same_bytes(one->engine->learner, other->engine->learner));
        assert_int_equal(sotto_nonce_set_count(one->engine->nonces),
                         sotto_nonce_set_count(other->engine->nonces));
        assert_true(sotto_nonce_set_count(one->engine->nonces) > 40);
        assert_memory_equal(&one->engine->counts, &other->engine->counts,
                            sizeof one->engine->counts);
        assert_int_equal(one->cut.places, other->cut.places);
        for (uint32_t g = 0; g < one->cut.places; g++) {
            assert_int_equal(one->cut.place[g].gseq, other->cut.place[g].gseq);
        }
        publisher_known_free(other);
    }
    assert_int_equal(engine_oldest(s.pass.known[0]->engine), 5);
}
