/* Two gateways over one database in memory, an experiment, and a publisher that the test runs step
 * by step. */
#ifndef SOTTO_PUBLISHER_SCENE_H
#define SOTTO_PUBLISHER_SCENE_H

#include "folding_memory.h"
#include "service/publisher/inner.h"
#include "shared_desk.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

typedef struct publisher_scene {
    desk one, two;
    sottod_folding *folding; /* holds the lock */
    sottod_fold *fold;
    watch_totals *totals;
    publisher_pass pass;
    uint64_t now_ms;
} publisher_scene;

static inline publisher_pass publisher_scene_pass(sottod_folding *folding, sottod_fold *fold,
                                                  watch_totals *totals)
{
    return (publisher_pass){.folding = folding,
                            .fold = fold,
                            .totals = totals,
                            .nonces_max = 100000,
                            .leads = true,
                            .stale = true};
}

/* Lag 2, epochs of 10 learn reports, at least 3 reports and 1 s; half of the rounds measure if
 * `measure`. */
static inline publisher_scene publisher_scene_new(bool measure)
{
    publisher_scene s = {.now_ms = 5000};
    experiment_request request = desk_request();
    bool held;
    if (measure) request.spec.measure = 1u << 31;
    s.one = shared_desk_with(&request);
    s.two = shared_desk_beside(2, &s.one);
    s.folding = folding_new(NULL);
    assert_true(folding_lock(s.folding, &held) && held);
    s.fold = fold_new(2);
    assert_non_null(s.fold);
    s.totals = malloc(sizeof *s.totals);
    totals_init(s.totals);
    s.pass = publisher_scene_pass(s.folding, s.fold, s.totals);
    return s;
}

/* As after a lost connection and a new one. */
static inline void publisher_scene_forget(publisher_scene *s)
{
    bool held;
    publisher_pass_forget(&s->pass);
    folding_hang_up(s->folding);
    assert_true(folding_lock(s->folding, &held) && held);
}

static inline void publisher_scene_free(publisher_scene *s)
{
    publisher_pass_forget(&s->pass);
    folding_free(s->folding);
    fold_free(s->fold);
    totals_free(s->totals);
    free(s->totals);
    shared_desk_free(&s->two);
    shared_desk_free(&s->one);
    shared_memory_end();
}

/* Moves the clock by `later_ms`, runs the publisher once, and lets both gateways read the
 * result. */
static inline bool publisher_scene_turn(publisher_scene *s, uint64_t later_ms)
{
    s->now_ms += later_ms;
    bool works = publisher_pass_run(&s->pass, s->now_ms, DESK_MINUTE);
    if (works) assert_true(shared_desk_refresh(&s->one) && shared_desk_refresh(&s->two));
    return works;
}

/* New reports at both gateways, enough for an epoch, and a publish. */
static inline void publisher_scene_epoch(publisher_scene *s, uint32_t at_one, uint32_t at_two)
{
    uint32_t epoch = experiment_epoch(s->one.experiment);
    desk_take(&s->one, at_one);
    desk_take(&s->two, at_two);
    assert_true(publisher_scene_turn(s, 1000));
    if (experiment_epoch(s->one.experiment) == epoch) assert_true(publisher_scene_turn(s, 2000));
    assert_int_equal(experiment_epoch(s->one.experiment), epoch + 1);
}

/* The experiment as the database has it; it is not loaded yet. */
static inline publisher_known *publisher_scene_known(const publisher_scene *s)
{
    sotto_fault fault;
    publisher_known *known = publisher_known_new(&shared.experiment[0], 100000, s->now_ms, &fault);
    if (known == NULL) fail_msg("%s", fault.sentence);
    return known;
}

/* Replays all distinct frames of the rows between two models with a plain learner, in the order of
 * gateways, and ends an epoch per model. Its bytes must be those of the newest model. */
static inline void publisher_scene_assert_replayed(const publisher_scene *s)
{
    const sottod_experiment *experiment = s->one.experiment;
    const size_t each = experiment->engine->frame_bytes;
    sotto_learner *learner;
    uint8_t *seen = malloc(SHARED_MOST * 64 * SOTTO_NONCE_BYTES);
    uint32_t nonces = 0;
    shared_cut from = {.gseq = {0}};
    assert_ok(sotto_learner_decode(&experiment->engine->terms, shared.experiment[0].start.at,
                                   shared.experiment[0].start.bytes, &learner));
    for (uint32_t m = 0; m < shared.models; m++) {
        const shared_model *model = &shared.model[m];
        journal_counts counts = m > 0 ? shared.model[m - 1].counts : (journal_counts){0};
        for (uint32_t g = 1; g <= SHARED_GATEWAYS_MAX; g++) {
            for (uint32_t i = 0; i < shared.rows; i++) {
                const shared_row *row = &shared.row[i];
                if (row->gateway != g || row->row.seq <= from.gseq[g] ||
                    row->row.seq > model->cut.gseq[g])
                    continue;
                for (size_t at = 0; at < row->row.frames.bytes; at += each) {
                    const uint8_t *frame = row->row.frames.at + at, *nonce = frame + 24;
                    bool known = false;
                    for (uint32_t n = 0; n < nonces && !known; n++) {
                        known = memcmp(seen + n * SOTTO_NONCE_BYTES, nonce, SOTTO_NONCE_BYTES) == 0;
                    }
                    if (!known)
                        memcpy(seen + nonces++ * SOTTO_NONCE_BYTES, nonce, SOTTO_NONCE_BYTES);
                    sotto_status status =
                        known ? SOTTO_E_EPOCH
                              : sotto_learner_take_frames(learner, frame, each, NULL);
                    counts.folded += status == SOTTO_OK;
                }
            }
        }
        assert_ok(model->kind == JOURNAL_DISCARD ? sotto_learner_discard(learner)
                                                 : sotto_learner_publish(learner));
        size_t bytes = sotto_learner_bytes(learner);
        uint8_t *encoded = malloc(bytes);
        assert_ok(sotto_learner_encode(learner, encoded, bytes));
        assert_int_equal(bytes, model->learner.bytes);
        assert_memory_equal(encoded, model->learner.at, bytes);
        assert_int_equal(counts.folded, model->counts.folded);
        free(encoded);
        from = model->cut;
    }
    sotto_learner_free(learner);
    free(seen);
}

#endif
