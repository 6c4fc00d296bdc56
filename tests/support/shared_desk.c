#include "shared_desk.h"
#include "test.h"

#include <stdlib.h>

desk shared_desk_of(uint64_t seed)
{
    desk d = {
        .journal = shared_memory_gateway(),
        .settings = {.nonces_max = 100000, .experiments_max = 1000},
        .now_ms = 5000,
        .random = tape_seeded(seed),
    };
    sotto_fault fault;
    if (experiments_open(d.journal, &d.settings, NULL, d.now_ms, &d.all, &fault) != SOTTO_OK)
        fail_msg("%s", fault.sentence);
    d.intake = intake_new(d.all, DESK_GROUP_BYTES);
    assert_non_null(d.intake);
    return d;
}

void shared_desk_free(desk *d)
{
    intake_free(d->intake);
    experiments_free(d->all);
    journal_close(d->journal);
}

sottod_experiment *shared_desk_find(desk *d, const sottod_experiment *of_another)
{
    d->experiment = experiments_find(d->all, experiment_id(of_another));
    return d->experiment;
}

desk shared_desk_with(const experiment_request *request)
{
    shared_memory_start();
    desk d = shared_desk_of(1);
    desk_create(&d, request);
    return d;
}

desk shared_desk_beside(uint64_t seed, const desk *one)
{
    desk d = shared_desk_of(seed);
    assert_non_null(shared_desk_find(&d, one->experiment));
    return d;
}

void shared_desk_put(uint32_t experiment, uint32_t epoch, const journal_counts *counts,
                     journal_bytes learner, journal_bytes results)
{
    pthread_mutex_lock(&shared.mutex);
    shared.model[shared.models++] = (shared_model){.experiment = experiment,
                                                   .epoch = epoch,
                                                   .kind = JOURNAL_PUBLISH,
                                                   .counts = *counts,
                                                   .learner = shared_keep(learner),
                                                   .results = shared_keep(results)};
    shared.changes++;
    pthread_mutex_unlock(&shared.mutex);
}

void shared_desk_publish(const desk *d, const uint8_t *frames, uint32_t count)
{
    const sottod_experiment *experiment = d->experiment;
    const sotto_terms *terms = &experiment->engine->terms;
    sotto_learner *learner;
    size_t bytes = sotto_learner_bytes(experiment->engine->learner);
    uint8_t *encoded = malloc(bytes), *results = malloc(published_bytes(terms) + 1);
    assert_ok(sotto_learner_encode(experiment->engine->learner, encoded, bytes));
    assert_ok(sotto_learner_decode(terms, encoded, bytes, &learner));
    free(encoded);
    if (count > 0)
        assert_ok(sotto_learner_take_frames(learner, frames,
                                            count * experiment->engine->frame_bytes, NULL));
    assert_ok(sotto_learner_publish(learner));
    bytes = sotto_learner_bytes(learner);
    encoded = malloc(bytes);
    assert_ok(sotto_learner_encode(learner, encoded, bytes));
    published_encode(&experiment->engine->results, terms, results);
    journal_counts counts = experiment->engine->counts;
    counts.folded += count;
    shared_desk_put(experiment->number, sotto_learner_model(learner)->epoch, &counts,
                    (journal_bytes){encoded, bytes},
                    (journal_bytes){results, published_bytes(terms)});
    sotto_learner_free(learner);
    free(encoded);
    free(results);
}

bool shared_desk_refresh(desk *d)
{
    d->now_ms += 1000;
    return epochs_turn(d->all, d->now_ms, DESK_MINUTE, true);
}
