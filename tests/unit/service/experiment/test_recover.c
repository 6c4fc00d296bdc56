/* The state after recovery is that of the journal; inconsistent rows are refused with their
 * place. */
#include "desk.h"
#include "service/experiment/inner.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Rows 1 (10 frames), 2 (publish), 3 (10 frames), and a snapshot of the first two if wanted. */
static desk desk_of_three_rows(bool snapshot)
{
    desk d = desk_with(1, NULL);
    desk_epoch(&d, 10);
    if (snapshot) assert_true(epochs_keep(d.all));
    desk_take(&d, 10);
    return d;
}

static void assert_refused(desk *d, const char *first, const char *second)
{
    sotto_fault fault;
    sottod_experiments *all = d->all;
    assert_status(experiments_open(d->journal, &d->settings, NULL, 0, &all, &fault), SOTTO_E_FAULT);
    assert_null(all);
    if (strstr(fault.sentence, first) == NULL || strstr(fault.sentence, second) == NULL)
        fail_msg("\"%s\" has not \"%s\" or \"%s\"", fault.sentence, first, second);
    desk_free(d);
}

static uint8_t *frames_of(desk *d, uint64_t seq)
{
    return (uint8_t *)(uintptr_t)journal_memory_row(d->journal, seq)->frames.at;
}

TEST(rows_that_do_not_fit_are_refused_with_their_place)
{
    desk d = desk_of_three_rows(false);
    journal_memory_row(d.journal, 2)->epoch = 2;
    assert_refused(&d, "experiment 1, row 2: ", "opens epoch 2 while 0 is open");

    d = desk_of_three_rows(false);
    journal_memory_row(d.journal, 3)->frames.bytes--;
    assert_refused(&d, "experiment 1, row 3: ", "419 bytes of frames: allowed a multiple of 42");

    d = desk_of_three_rows(false);
    frames_of(&d, 3)[41] = 0xff;
    assert_refused(&d, "experiment 1, row 3: ", "index");

    d = desk_of_three_rows(false);
    frames_of(&d, 3)[42 * 4 + 20] = 7;
    assert_refused(&d, "experiment 1, row 3: ", "another epoch");

    d = desk_of_three_rows(false);
    memcpy(frames_of(&d, 3) + 42, frames_of(&d, 1), 42);
    assert_refused(&d, "experiment 1, row 3: ", "frame 1 has a nonce that an earlier frame has");

    d = desk_of_three_rows(false);
    journal_memory_row(d.journal, 3)->kind = (journal_kind)7;
    assert_refused(&d, "experiment 1, row 3: ", "kind 7");
}

TEST(snapshots_terms_and_starts_that_do_not_fit_are_refused)
{
    desk d = desk_of_three_rows(true);
    journal_memory_snapshot(d.journal, 1)->learner.bytes--;
    assert_refused(&d, "experiment 1, row 2: ", "its snapshot is not usable: ");

    d = desk_of_three_rows(true);
    ((uint8_t *)(uintptr_t)journal_memory_experiment(d.journal, 1)->terms.at)[0] ^= 1;
    assert_refused(&d, "experiment 1: ", "its terms are not usable: ");

    d = desk_of_three_rows(true);
    journal_memory_experiment(d.journal, 1)->id[3] ^= 1;
    assert_refused(&d, "experiment 1: ", "another id");

    d = desk_of_three_rows(true);
    journal_memory_experiment(d.journal, 1)->start.bytes--;
    assert_refused(&d, "experiment 1: ", "its initial learner is not usable: ");

    d = desk_of_three_rows(true);
    journal_memory_snapshot(d.journal, 1)->counts.late = 0;
    journal_memory_snapshot(d.journal, 1)->counts.duplicate = 0;
    uint8_t *frames = desk_frames(&d, d.experiment, 10);
    desk_give(&d, frames, 10);
    desk_take_frames(&d, frames, 10);
    assert_true(desk_turn(&d, 1000));
    journal_memory_row(d.journal, 4)->duplicate = 0;
    free(frames);
    assert_refused(&d, "experiment 1, row 5: ", "the history counts more than the rows");
}

/* The learner continues from the snapshot; the rows before it only contribute their nonces. */
TEST(duplicates_of_open_epochs_are_known_after_a_restart)
{
    for (int way = 0; way < 4; way++) {
        desk d = desk_with(1, NULL);
        uint8_t *frames[4];
        for (uint32_t epoch = 0; epoch < 4; epoch++) {
            frames[epoch] = desk_frames_of(&d, d.experiment, epoch, 10);
            desk_take_frames(&d, frames[epoch], 10);
            if (way == 1) assert_true(epochs_keep(d.all));
            if (epoch < 3) assert_true(desk_turn(&d, 1000));
        }
        if (way >= 2) assert_true(epochs_keep(d.all));
        desk_restart(&d);
        if (way == 3) desk_restart(&d);
        assert_int_equal(sotto_nonce_set_count(d.experiment->engine->nonces), 30);
        for (uint32_t epoch = 0; epoch < 4; epoch++) {
            desk_give(&d, frames[epoch], 10);
            free(frames[epoch]);
        }
        desk_commit(&d);
        desk_assert_counts(d.experiment, 40, 10, 30, 0);
        desk_free(&d);
    }
}

/* A service that was started with fewer nonces than the journal has still knows all. */
TEST(all_nonces_are_known_even_if_fewer_are_allowed_now)
{
    experiment_request request = desk_request();
    request.epoch_seconds_min = 100;
    HELD(desk) d = desk_with(1, &request);
    desk_take(&d, 3000);
    d.settings.nonces_max = 1000;
    desk_restart(&d);
    assert_int_equal(sotto_nonce_set_count(d.experiment->engine->nonces), 3000);
}

TEST(history_of_rows_that_were_given_up_does_not_count)
{
    HELD(desk) d = desk_of_three_rows(false);
    const journal_history beyond = {.experiment = 1, .epoch = 9, .late = 100};
    assert_true(journal_begin(d.journal));
    assert_true(journal_add_history(d.journal, &beyond));
    assert_true(journal_commit(d.journal));
    desk_restart(&d);
    assert_int_equal(desk_since_publish(d.experiment).late, 0);
}

static const sottod_experiment *known[10];
static uint32_t known_count;

static void note_known(void *self, const sottod_experiment *experiment)
{
    size_t bytes;
    assert_ptr_equal(self, known);
    assert_non_null(experiment_model_bytes(experiment, &bytes));
    known[known_count++] = experiment;
}

/* A model older than the last publish is not served: epochs never go back. */
TEST(only_the_newest_model_is_known_before_the_rows_are_read)
{
    HELD(desk) d = desk_with(1, NULL);
    d.settings.knows = note_known;
    d.settings.knows_self = known;
    desk_restart(&d); /* nothing was published */
    assert_int_equal(known_count, 1);
    assert_ptr_equal(known[0], d.experiment);
    for (uint32_t i = 0; i < 2; i++) {
        desk_epoch(&d, 50);
        known_count = 0;
        desk_restart(&d); /* the last publish may be in rows only */
        const journal_snapshot *snapshot = journal_memory_snapshot(d.journal, 1);
        uint64_t last = d.experiment->life->rows.last;
        assert_int_equal(known_count, snapshot != NULL && snapshot->seq == last);
        assert_true(epochs_keep(d.all));
        known_count = 0;
        desk_take(&d, 5);
        desk_restart(&d); /* now it is in a snapshot */
        assert_ints(known_count, 1, experiment_epoch(known[0]), i + 1);
    }
}
