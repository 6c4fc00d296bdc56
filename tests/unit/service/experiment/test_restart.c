/*
 * A service that is stopped and restarted at any moment ends up like one that never stopped, and
 * both like a plain learner that was fed directly: the same model, to the bit, and the same counts.
 * Random sequences of offers (new, late, repeated, conflicting frames), commits that succeed or
 * fail, publishes, snapshots and removal of rows, over experiments of all methods.
 */
#include "desk.h"
#include "learners.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 4000
#ifndef STRIDE
#define STRIDE 5 /* over the cases of learners.h; more where a journal is slow */
#endif
#define BODY_MAX 12
#define OFFERED_MAX 1000

/* The simplest service: a list of all frames ever taken. */
typedef struct plain {
    sotto_learner *learner;
    size_t each;
    uint32_t lag;
    uint8_t *frame; /* FRAMES_MAX */
    uint32_t frames;
    uint32_t folded_to; /* later frames wait for the commit */
    uint8_t *offered;   /* since the last commit: OFFERED_MAX */
    uint32_t offered_count;
    journal_counts counts, waiting;
    uint64_t acknowledged;
} plain;

typedef struct world {
    desk steady, stopped;
    plain p;
    uint8_t other[SOTTO_SPEC_ID_BYTES]; /* a second experiment in the service that stops */
    uint32_t restarts, failures, publishes;
} world;

static uint32_t draw(world *w, uint32_t below)
{
    return (uint32_t)(sotto__seeded_next(&w->steady.random.seeded) >> 32) % below;
}

/* ---- by hand */

static uint32_t epoch_of(const uint8_t *frame)
{
    uint32_t epoch;
    memcpy(&epoch, frame + 20, sizeof epoch);
    return epoch;
}

static void plain_offer(plain *p, const uint8_t *frame)
{
    uint32_t current = sotto_learner_model(p->learner)->epoch;
    if (epoch_of(frame) + p->lag < current) {
        p->waiting.late++;
        return;
    }
    for (uint32_t i = 0; i < p->frames; i++) {
        const uint8_t *old = p->frame + i * p->each;
        if (epoch_of(old) + p->lag < current || memcmp(old + 24, frame + 24, 16) != 0) continue;
        bool same = memcmp(old, frame, p->each) == 0;
        p->waiting.duplicate += same;
        p->waiting.conflicting += !same;
        return;
    }
    assert_true(p->frames < FRAMES_MAX);
    memcpy(p->frame + p->frames++ * p->each, frame, p->each);
    p->waiting.folded++;
}

static void plain_keep(plain *p, const uint8_t *body, uint32_t count)
{
    assert_true(p->offered_count + count <= OFFERED_MAX);
    memcpy(p->offered + p->offered_count * p->each, body, count * p->each);
    p->offered_count += count;
}

static void plain_commit(plain *p)
{
    p->offered_count = 0;
    for (; p->folded_to < p->frames; p->folded_to++) {
        assert_ok(sotto_learner_take_frames(p->learner, p->frame + p->folded_to * p->each, p->each,
                                            NULL));
    }
    p->counts.folded += p->waiting.folded;
    p->counts.late += p->waiting.late;
    p->counts.duplicate += p->waiting.duplicate;
    p->counts.conflicting += p->waiting.conflicting;
    p->waiting = (journal_counts){0};
}

/* ---- a random body: new frames, and old ones as they were or changed */

static uint8_t *body_of(world *w, uint32_t *count)
{
    size_t each = w->p.each;
    *count = 1 + draw(w, BODY_MAX);
    uint8_t *body = desk_frames(&w->steady, w->steady.experiment, *count);
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t what = draw(w, 10), any = draw(w, w->p.frames + 1);
        const uint8_t *old = any < w->p.frames ? w->p.frame + any * each : body;
        if (what < 2) memcpy(body + i * each, old, each);
        if (what == 2) memcpy(body + i * each + 24, old + 24, 16); /* a nonce of before */
    }
    return body;
}

/* A nonce of before may make a measure round of what was none: such a body is refused whole. */
static void offer(world *w)
{
    uint32_t count;
    sottod_refusal why, stopped_why;
    FREED_BY(free_memory) uint8_t *body = body_of(w, &count);
    bool taken = desk_offer(&w->steady, body, count, &why);
    assert_int_equal(desk_offer(&w->stopped, body, count, &stopped_why), taken);
    if (!taken) assert_int_equal(why.status, 400);
    if (taken) plain_keep(&w->p, body, count);
    for (uint32_t i = 0; taken && i < count; i++) {
        plain_offer(&w->p, body + i * w->p.each);
        w->p.acknowledged++;
    }
}

/* ---- the service that stops, and an experiment beside, whose rows are between */

static void offer_other(world *w)
{
    sottod_refusal why;
    sottod_experiment *other = experiments_find(w->stopped.all, w->other);
    uint32_t count = 1 + draw(w, 5);
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&w->stopped, other, count);
    size_t each = sotto_report_bytes(experiment_terms(other));
    assert_true(intake_offer(w->stopped.intake, other, frames, count * each, &why));
}

static void restart(world *w)
{
    size_t bytes, bytes_after;
    const sottod_experiment *other = experiments_find(w->stopped.all, w->other);
    const journal_counts counts = experiment_counts(other);
    uint8_t *learner = learner_bytes_of(experiment_learner(other), &bytes);
    desk_restart(&w->stopped);
    other = experiments_find(w->stopped.all, w->other);
    uint8_t *learner_after = learner_bytes_of(experiment_learner(other), &bytes_after);
    assert_int_equal(bytes, bytes_after);
    assert_memory_equal(learner, learner_after, bytes);
    desk_assert_counts(other, counts.folded, counts.late, counts.duplicate, counts.conflicting);
    free(learner);
    free(learner_after);
    w->restarts++;
}

/* A failed commit leaves nothing: everything is offered again. */
static void fail_once(world *w)
{
    sottod_refusal why;
    journal_memory_fail_after(w->stopped.journal, draw(w, 3)); /* begin, append or commit */
    assert_false(intake_commit(w->stopped.intake, &why));
    assert_true(journal_memory_has_failed(w->stopped.journal));
    assert_ints(why.status, 503, intake_waiting(w->stopped.intake), 0);
    w->failures++;
    if (draw(w, 2) == 0) restart(w);
    desk_give(&w->stopped, w->p.offered, w->p.offered_count);
}

static void commit(world *w)
{
    assert_int_equal(intake_waiting(w->stopped.intake), intake_waiting(w->steady.intake));
    if (draw(w, 3) == 0) offer_other(w);
    if (intake_waiting(w->steady.intake) > 0 && draw(w, 4) == 0) fail_once(w);
    desk_commit(&w->steady);
    desk_commit(&w->stopped);
    plain_commit(&w->p);
}

static void turn(world *w)
{
    uint32_t before = experiment_epoch(w->steady.experiment);
    uint64_t later_ms = draw(w, 4) == 0 ? 700000 : 1000;
    if (draw(w, 4) == 0) { /* the journal fails at this call, if there are that many */
        journal_memory_fail_after(w->stopped.journal, draw(w, 8));
        desk_turn(&w->stopped, later_ms);
        w->failures += journal_memory_has_failed(w->stopped.journal);
        journal_memory_fail_after(w->stopped.journal, UINT32_MAX);
        w->stopped.now_ms -= later_ms;
    }
    assert_true(desk_turn(&w->steady, later_ms));
    assert_true(desk_turn(&w->stopped, later_ms));
    while (sotto_learner_model(w->p.learner)->epoch < experiment_epoch(w->steady.experiment)) {
        assert_ok(sotto_learner_publish(w->p.learner));
    }
    w->publishes += experiment_epoch(w->steady.experiment) - before;
}

static void compare(const world *w)
{
    const sottod_experiment *steady = w->steady.experiment, *stopped = w->stopped.experiment;
    const journal_counts *counts = &w->p.counts;
    assert_true(desk_same(steady, stopped));
    assert_true(learners_have_same_bytes(experiment_learner(steady), w->p.learner));
    desk_assert_counts(stopped, counts->folded, counts->late, counts->duplicate,
                       counts->conflicting);
}

static void step(world *w)
{
    uint32_t what = draw(w, 16);
    if (what < 8) {
        offer(w);
        if (draw(w, 2) == 0) commit(w);
        return;
    }
    commit(w); /* epochs end, and services stop, only when nothing waits */
    if (what < 12) turn(w);
    if (what == 12) assert_true(epochs_keep(w->stopped.all));
    if (what == 13) assert_true(epochs_keep(w->steady.all));
    if (what >= 14 || draw(w, 4) == 0) {
        restart(w);
    }
    compare(w);
    const journal_counts c = experiment_counts(w->stopped.experiment);
    assert_int_equal(c.folded + c.late + c.duplicate + c.conflicting, w->p.acknowledged);
}

static bool world_of(uint32_t number, world *w)
{
    sotto_terms terms;
    experiment_request request = desk_request();
    memset(w, 0, sizeof *w);
    if (!learner_case(number, &terms, &request.learning)) return false;
    request.spec = terms.spec;
    request.spec.epoch_lag_max = 1 + number % 4;
    request.epoch_reports_min = 1 + number % 5;
    if (sotto_spec_fault(&request.spec, NULL) != SOTTO_OK) return false;
    w->steady = desk_of(100 + number);
    w->stopped = desk_of(1);
    w->steady.settings.keep_reports = w->stopped.settings.keep_reports = number % 11 == 0;
    desk_restart(&w->steady);
    desk_restart(&w->stopped);
    desk_create(&w->steady, &request);
    sottod_experiment *same = desk_create(&w->stopped, &request);
    request.spec.epoch_reports_max--; /* another id */
    memcpy(w->other, experiment_id(desk_create(&w->stopped, &request)), sizeof w->other);
    w->stopped.experiment = same;
    terms = *experiment_terms(w->steady.experiment);
    assert_ok(sotto_learner_new(&terms, &request.learning, &w->p.learner));
    w->p.each = sotto_report_bytes(&terms);
    w->p.lag = terms.spec.epoch_lag_max;
    w->p.frame = malloc(FRAMES_MAX * w->p.each);
    w->p.offered = malloc(OFFERED_MAX * w->p.each);
    assert_true(w->p.frame != NULL && w->p.offered != NULL);
    return true;
}

TEST(a_service_that_stops_is_one_that_does_not)
{
    uint32_t restarts = 0, failures = 0, publishes = 0, worlds = 0;
    journal_counts sum = {0};
    for (uint32_t number = 0; number < LEARNER_CASES; number += STRIDE) {
        static world w;
        if (!world_of(number, &w)) continue;
        for (int i = 0; i < 160; i++) {
            step(&w);
        }
        worlds++;
        restarts += w.restarts;
        failures += w.failures;
        publishes += w.publishes;
        sum.folded += w.p.counts.folded;
        sum.late += w.p.counts.late;
        sum.duplicate += w.p.counts.duplicate;
        sum.conflicting += w.p.counts.conflicting;
        sotto_learner_free(w.p.learner);
        free(w.p.frame);
        free(w.p.offered);
        desk_free(&w.steady);
        desk_free(&w.stopped);
    }
    print_message("%u experiments, %u restarts, %u failures, %u publishes; folded %llu, late %llu, "
                  "duplicate %llu, conflicting %llu\n",
                  worlds, restarts, failures, publishes, (unsigned long long)sum.folded,
                  (unsigned long long)sum.late, (unsigned long long)sum.duplicate,
                  (unsigned long long)sum.conflicting);
    assert_true(restarts > 20 * worlds && failures > 10 * worlds && publishes > 10 * worlds);
    assert_true(sum.folded > 200 * worlds && sum.late > 20 * worlds && worlds >= 4);
    assert_true(sum.duplicate > 15 * worlds && sum.conflicting > 5 * worlds);
}
