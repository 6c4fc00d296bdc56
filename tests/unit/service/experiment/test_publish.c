/* A publish is durable before it takes effect; its history row has the counts that went into it. */
#include "desk.h"
#include "float_modes.h"
#include "service/experiment/inner.h"
#include "service/store/store.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct found {
    journal_history last;
    uint32_t count;
} found;

static bool take(void *self, const journal_history *history)
{
    found *f = self;
    f->last = *history;
    f->count++;
    return true;
}

static found history_of(const desk *d)
{
    found f = {.count = 0};
    assert_true(journal_read_history(d->journal, experiment_number(d->experiment), take, &f));
    return f;
}

TEST(a_publish_that_is_not_durable_does_not_happen)
{
    HELD(desk) d = desk_of(1), never = desk_of(1);
    desk_create(&d, NULL);
    desk_create(&never, NULL);
    desk_take(&d, 12);
    desk_take(&never, 12);
    d.now_ms += 1000;
    for (uint32_t calls = 0; calls < 4; calls++) { /* begin, append, history, commit */
        journal_memory_fail_after(d.journal, calls);
        assert_int_equal(experiment_publish(d.all, d.experiment, d.now_ms, 7), EPOCH_AWAY);
        assert_true(journal_memory_has_failed(d.journal));
        assert_true(desk_same(d.experiment, never.experiment));
        assert_int_equal(history_of(&d).count, 0);
    }
    assert_int_equal(experiment_publish(d.all, d.experiment, d.now_ms, 7), EPOCH_DONE);
    assert_int_equal(experiment_publish(never.all, never.experiment, 9, 8), EPOCH_DONE);
    assert_int_equal(experiment_epoch(d.experiment), 1);
    assert_true(desk_same(d.experiment, never.experiment));
}

TEST(history_has_counts_of_each_epoch)
{
    experiment_request request = desk_request();
    request.spec.measure = 1u << 31;
    HELD(desk) d = desk_with(1, &request);
    uint64_t learnt = 0;
    for (uint32_t i = 0; i < 12; i++) {
        uint8_t *frames = desk_frames(&d, d.experiment, 40);
        desk_give(&d, frames, 40);
        desk_take_frames(&d, frames, 3);
        free(frames);
        const journal_history since = desk_since_publish(d.experiment);
        assert_ints(since.learn + since.control + since.follow, 40, since.epoch, i);
        assert_int_equal(since.publishes, 0);
        assert_true(desk_turn(&d, 1000));
        const journal_history last = history_of(&d).last;
        assert_ints(history_of(&d).count, i + 1, last.epoch, i + 1);
        assert_ints(last.minute, DESK_MINUTE + d.now_ms / 60000, last.publishes, 1);
        assert_ints(last.learn, since.learn, last.duplicate, 3);
        learnt += last.learn;
        const journal_history after = desk_since_publish(d.experiment);
        assert_int_equal(after.learn + after.control + after.follow + after.duplicate, 0);
    }
    assert_true(learnt > 150 && learnt < 330);
}

static void take_of(desk *d, uint32_t epoch)
{
    FREED_BY(free_memory) uint8_t *frames = desk_frames_of(d, d->experiment, epoch, 20);
    desk_take_frames(d, frames, 20);
}

TEST(history_says_how_old_the_reports_are)
{
    char line[256] = "";
    FILE *file = tmpfile();
    experiment_request request = desk_request();
    request.spec.epoch_lag_max = 16;
    desk d = desk_of(1);
    assert_non_null(file);
    d.log = log_new(fileno(file), LOG_WARNING);
    desk_restart(&d);
    desk_create(&d, &request);
    assert_true(isnan(totals_look(&d.all->totals, 1).age));
    for (uint32_t epoch = 0; epoch < 8; epoch++) { /* half of epoch 0, half of the current one */
        take_of(&d, 0);
        take_of(&d, epoch);
        assert_true(desk_turn(&d, 1000));
        assert_true(totals_look(&d.all->totals, 1).age == epoch / 2.0);
        assert_true(journal_age(history_of(&d).last.alarms) == epoch / 2.0);
        assert_int_equal(history_of(&d).last.learn, 40);
    }
    for (uint32_t more = 0; more < 2; more++) { /* above 4 for two epochs: one line */
        take_of(&d, 3 + more);
        assert_true(desk_turn(&d, 1000));
        assert_true(totals_look(&d.all->totals, 1).age == 5);
    }
    rewind(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_non_null(strstr(line, "\"level\":\"warning\",\"event\":\"reports_are_old\""));
    assert_non_null(strstr(line, "\"epoch\":8,\"age_epochs\":\"5.0\""));
    assert_null(fgets(line, sizeof line, file));
    desk_free(&d);
    log_free(d.log);
    fclose(file);
}

TEST(a_publish_is_the_same_in_every_floating_point_environment)
{
    for (size_t m = 1; m < float_modes_count; m++) {
        const float_mode *mode = &float_modes[m];
        desk usual = desk_of(1), other = desk_of(1);
        epoch_outcome published;
        if (!float_mode_exists(mode)) continue;
        desk_create(&usual, NULL);
        desk_create(&other, NULL);
        for (uint32_t epoch = 0; epoch < 3; epoch++) {
            desk_take(&usual, 12);
            desk_take(&other, 12);
            published = experiment_publish(usual.all, usual.experiment, usual.now_ms, 7);
            assert_int_equal(published, EPOCH_DONE);
            UNDER(mode,
                  published = experiment_publish(other.all, other.experiment, other.now_ms, 7));
            assert_int_equal(published, EPOCH_DONE);
            assert_true(desk_same(usual.experiment, other.experiment));
            assert_int_equal(history_of(&usual).last.alarms, history_of(&other).last.alarms);
        }
        desk_free(&usual);
        desk_free(&other);
    }
}

TEST(the_new_model_is_what_devices_fetch)
{
    HELD(desk) d = desk_with(1, NULL);
    desk_epoch(&d, 12);
    size_t bytes;
    sotto_model *model;
    const uint8_t *at = experiment_model_bytes(d.experiment, &bytes);
    assert_ok(sotto_model_new(experiment_terms(d.experiment), &model));
    assert_ok(sotto_model_decode(experiment_terms(d.experiment), at, bytes, model));
    assert_ints(model->epoch, 1, model->reports, 12);
    assert_true(model->theta[0] != 0);
    sotto_model_free(model);
}

/* The model, which only the learner may change. */
static sotto_model *model_of(desk *d)
{
    return (sotto_model *)(uintptr_t)sotto_learner_model(experiment_learner(d->experiment));
}

TEST(without_an_epoch_left_the_experiment_is_closed)
{
    HELD(desk) d = desk_with(1, NULL);
    desk_take(&d, 12);
    model_of(&d)->epoch = UINT32_MAX;
    journal_memory_fail_after(d.journal, 1);
    assert_false(desk_turn(&d, 1000));
    assert_int_equal(experiment_state(d.experiment), JOURNAL_OPEN);
    assert_true(desk_turn(&d, 0)); /* tried again */
    assert_ints(experiment_state(d.experiment), JOURNAL_CLOSED, epochs_published(d.all), 0);
}

TEST(a_model_that_is_not_finite_ends_the_experiment_alone)
{
    experiment_request request = desk_request();
    HELD(desk) d = desk_of(1);
    sottod_experiment *other = desk_create(&d, &request);
    request.spec.series = 1;
    sottod_experiment *broken = desk_create(&d, &request);
    desk_take(&d, 12);
    model_of(&d)->theta[0] = NAN;            /* what it learns next is nothing, too */
    journal_memory_fail_after(d.journal, 4); /* after the publish, before it is closed */
    assert_false(desk_turn(&d, 1000));
    assert_ints(experiment_epoch(broken), 1, experiment_state(broken), JOURNAL_OPEN);
    assert_true(desk_turn(&d, 0));
    assert_ints(experiment_epoch(broken), 1, experiment_state(broken), JOURNAL_CLOSED);
    size_t bytes;
    assert_null(experiment_model_bytes(broken, &bytes));
    assert_int_equal(bytes, 0);
    d.experiment = other;
    desk_epoch(&d, 12);
    assert_int_equal(experiment_epoch(other), 1);
    assert_true(epochs_keep(d.all));
}
