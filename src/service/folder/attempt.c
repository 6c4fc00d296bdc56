#include "attempt.h"
#include "apart.h"
#include "server/watch.h"
#include "service/journal/hours.h"

#include <inttypes.h>
#include <stdlib.h>

#define FOLD_BYTES ((size_t)4 << 20) /* gathered before they are folded */

typedef struct attempt {
    folder_apart apart;
    sottod_fold *fold;
    sotto_learner *learner; /* the copy */
    uint32_t alarms;        /* of the watch */
    double age;             /* of the reports that are published, in epochs */
    journal_kind decided;   /* of a held epoch; JOURNAL_REPORTS: nothing */
    folder_outcome outcome;
} attempt;

/* A learner of the same bytes, which is watched; NULL: no memory. */
static sotto_learner *copy_of(const folder_known *known)
{
    sotto_learner *copy = NULL;
    size_t bytes = sotto_learner_bytes(known->learner);
    uint8_t *encoded = malloc(bytes);
    if (encoded == NULL) return NULL;
    if (sotto_learner_encode(known->learner, encoded, bytes) != SOTTO_OK ||
        sotto_learner_decode(&known->terms, encoded, bytes, &copy) != SOTTO_OK)
        copy = NULL;
    free(encoded);
    if (copy != NULL && sotto__learner_watch(copy) != SOTTO_OK) {
        sotto_learner_free(copy);
        copy = NULL;
    }
    return copy;
}

/* Folds what was gathered. */
static folder_outcome fold_gathered(attempt *self)
{
    folder_apart *apart = &self->apart;
    if (apart->frames_bytes == 0) return FOLDER_DONE;
    bool folded = fold_frames(self->fold, self->learner, apart->frames, apart->frames_bytes);
    apart->frames_bytes = 0;
    if (folded) return FOLDER_DONE;
    return folder_known_break(apart->known, "experiment %u: the learner refuses a frame",
                              apart->known->number);
}

static bool take_row(void *context, const journal_row *row)
{
    attempt *self = context;
    self->outcome = folder_apart_take(&self->apart, row);
    if (self->outcome == FOLDER_DONE && self->apart.frames_bytes >= FOLD_BYTES)
        self->outcome = fold_gathered(self);
    return self->outcome == FOLDER_DONE;
}

/* What was decided of the epoch is that the fallback ends with it: nothing is held. */
static bool ends_fallback(const folder_known *known)
{
    return folder_known_is_held(known) && (known->held.alarms & JOURNAL_ALARM_HARM) != 0;
}

/* ---- published */

static folder_outcome end(folder_known *known, sottod_folding *folding)
{
    bool closed = folding_set_state(folding, known->number, JOURNAL_CLOSED);
    return closed ? FOLDER_ENDED : folder_known_failed(known, folding);
}

static journal_history history_of(const attempt *self, uint32_t epoch, uint64_t minute)
{
    const journal_counts *counts = &self->apart.counts;
    const sotto_unpublished sum = sotto_learner_unpublished(self->learner);
    return (journal_history){
        .experiment = self->apart.known->number,
        .epoch = epoch,
        .minute = minute,
        .publishes = 1,
        .learn = self->decided == JOURNAL_DISCARD ? 0 : sum.learn,
        .late = counts->late,
        .duplicate = counts->duplicate,
        .conflicting = counts->conflicting,
        .alarms = journal_alarms(self->alarms, self->age),
    };
}

static journal_counts sum_of(const journal_counts *a, const journal_counts *b)
{
    return (journal_counts){
        .folded = a->folded + b->folded,
        .late = a->late + b->late,
        .duplicate = a->duplicate + b->duplicate,
        .conflicting = a->conflicting + b->conflicting,
    };
}

/* Durable; or fenced, or the database is away. */
static folder_outcome insert(attempt *self, sottod_folding *folding, const folding_cut *to,
                             const journal_history *history)
{
    folder_known *known = self->apart.known;
    size_t learner_bytes = sotto_learner_bytes(self->learner), told = told_bytes(&known->terms);
    uint8_t *bytes = malloc(learner_bytes + told);
    folding_model model = {
        .experiment = known->number,
        .epoch = history->epoch,
        .kind = self->decided == JOURNAL_DISCARD ? JOURNAL_DISCARD : JOURNAL_PUBLISH,
        .decided = self->decided,
        .minute = history->minute,
        .counts = sum_of(&known->counts, &self->apart.counts),
        .learner = {bytes, learner_bytes},
        .told = {bytes + learner_bytes, told},
        .cut = *to,
    };
    bool fenced = false;
    if (bytes == NULL)
        return folder_known_break(self->apart.known, "experiment %u: no memory", known->number);
    if (sotto_learner_encode(self->learner, bytes, learner_bytes) != SOTTO_OK) {
        free(bytes); /* it has numbers that no device would take */
        return end(known, folding);
    }
    told_encode(&known->told, &known->terms, bytes + learner_bytes);
    bool done = folding_publish(folding, &model, history, false, &fenced);
    free(bytes);
    if (!done) return folder_known_failed(self->apart.known, folding);
    return fenced ? FOLDER_FENCED : FOLDER_DONE;
}

/* The learner's step, and all that follows from it. What is told is changed before it is durable: if it does
 * not become so, the known is loaded again. */
static folder_outcome publish(attempt *self, sottod_folding *folding, const folding_cut *to,
                              uint64_t minute)
{
    folder_known *known = self->apart.known;
    uint32_t epoch = folder_known_epoch(known);
    const bool discards = self->decided == JOURNAL_DISCARD;
    sotto_status status;
    known->harm_before = known->learner->harm;
    self->age = discards ? 0 : sotto_learner_age(self->learner);
    journal_history history = history_of(self, epoch + 1, minute);
    if (ends_fallback(known)) {
        status = sotto_learner_end_fallback(self->learner);
        (void)status; /* it may have ended before */
    }
    if (!discards && sotto__learner_will_harm(self->learner)) history.alarms |= JOURNAL_ALARM_HARM;
    if (!discards && told_prepare(&known->told, self->learner, known->rule.reports_min, &history))
        told_done(&known->told, known->terms.spec.arms);
    status = discards ? sotto_learner_discard(self->learner) : sotto_learner_publish(self->learner);
    if (status != SOTTO_OK)
        return folder_known_break(known, "experiment %u: epoch %" PRIu32 " cannot be published: %s",
                                  known->number, epoch, sotto_status_text(status));
    folder_outcome outcome = insert(self, folding, to, &history);
    if (outcome != FOLDER_DONE) return outcome;
    sotto_learner *before = known->learner;
    known->learner = self->learner;
    self->learner = before;
    known->counts = sum_of(&known->counts, &self->apart.counts);
    known->age = self->age;
    if (!folder_cut_copy(to, &known->cut) ||
        sotto_nonce_set_advance(known->nonces, epoch + 1) != SOTTO_OK)
        return folder_known_break(known, "experiment %u: no memory", known->number);
    return FOLDER_DONE;
}

/* ---- held */

/* What the watch says of the epoch: FOLDER_HELD, durable, if it may not be published for that. */
static folder_outcome look(attempt *self, sottod_folding *folding)
{
    folder_known *known = self->apart.known;
    const sotto__verdict seen =
        sotto__learner_verdict(self->learner, SOTTO__WATCH_ALPHA, known->reports_expected);
    bool fenced = false;
    self->alarms = known->alarms = seen.alarms;
    if (seen.alarms == 0 || !known->quarantine) return FOLDER_DONE;
    const journal_held held = {.experiment = known->number,
                               .epoch = folder_known_epoch(known),
                               .alarms = seen.alarms,
                               .reports = seen.reports};
    if (!folding_hold(folding, &held, &fenced)) return folder_known_failed(known, folding);
    if (fenced) return FOLDER_FENCED;
    known->held = held;
    return FOLDER_HELD;
}

/* Whether the epoch may end. What was decided of a held one needs no look: it had enough then. */
static folder_outcome judge(attempt *self, sottod_folding *folding)
{
    folder_known *known = self->apart.known;
    if (ends_fallback(
            known)) { /* at the publish that is due, and what the watch says holds nothing */
        bool enough = due_has_enough(&known->rule, self->learner);
        self->alarms = known->alarms =
            sotto__learner_verdict(self->learner, SOTTO__WATCH_ALPHA, known->reports_expected)
                .alarms;
        if (!enough) folder_apart_forget(&self->apart);
        return enough ? FOLDER_DONE : FOLDER_TOO_FEW;
    }
    if (self->decided != JOURNAL_REPORTS) {
        self->alarms = known->held.alarms;
        return FOLDER_DONE;
    }
    folder_outcome outcome = FOLDER_TOO_FEW;
    if (due_has_enough(&known->rule, self->learner)) outcome = look(self, folding);
    if (outcome == FOLDER_TOO_FEW || outcome == FOLDER_HELD) folder_apart_forget(&self->apart);
    return outcome;
}

/* Folds the rows after the known's cut up to `to`, on a copy. */
static folder_outcome fold_rows(attempt *self, sottod_folding *folding, const folding_cut *to)
{
    folder_known *known = self->apart.known;
    if (self->learner == NULL)
        return folder_known_break(known, "experiment %u: no memory", known->number);
    if (!folding_read_rows(folding, known->number, &known->cut, to, take_row, self) &&
        self->outcome == FOLDER_DONE)
        return folder_known_failed(known, folding);
    return self->outcome == FOLDER_DONE ? fold_gathered(self) : self->outcome;
}

folder_outcome folder_attempt(folder_known *known, sottod_folding *folding, sottod_fold *fold,
                              const folding_cut *to, uint64_t minute)
{
    if (folder_known_epoch(known) == UINT32_MAX) return end(known, folding); /* none is left */
    known->alarms = 0;
    attempt self = {.apart = {.known = known},
                    .fold = fold,
                    .learner = copy_of(known),
                    .decided = folder_known_decision(known),
                    .outcome = FOLDER_DONE};
    folder_outcome outcome = fold_rows(&self, folding, to);
    if (outcome == FOLDER_DONE) outcome = judge(&self, folding);
    if (outcome == FOLDER_DONE) outcome = publish(&self, folding, to, minute);
    folder_apart_free(&self.apart);
    sotto_learner_free(self.learner);
    return outcome;
}

/* ---- closed */

static folder_outcome insert_last(attempt *self, sottod_folding *folding, const folding_cut *to)
{
    folder_known *known = self->apart.known;
    size_t bytes = sotto_learner_bytes(self->learner);
    uint8_t *learner = malloc(bytes);
    bool fenced = false;
    const folding_model ended = {
        .experiment = known->number,
        .epoch = folder_known_epoch(known),
        .counts = sum_of(&known->counts, &self->apart.counts),
        .learner = {learner, bytes},
        .cut = *to,
    };
    bool encoded =
        learner != NULL && sotto_learner_encode(self->learner, learner, bytes) == SOTTO_OK;
    bool done = encoded && folding_end(folding, &ended, &fenced);
    free(learner);
    if (!encoded)
        return folder_known_break(known, "experiment %u: no memory, or its learner has no bytes",
                                  known->number);
    if (!done) return folder_known_failed(known, folding);
    return fenced ? FOLDER_FENCED : FOLDER_DONE;
}

folder_outcome folder_attempt_last(folder_known *known, sottod_folding *folding, sottod_fold *fold,
                                   const folding_cut *to)
{
    attempt self = {
        .apart = {.known = known}, .fold = fold, .learner = copy_of(known), .outcome = FOLDER_DONE};
    folder_outcome outcome = fold_rows(&self, folding, to);
    if (outcome == FOLDER_DONE) outcome = insert_last(&self, folding, to);
    folder_apart_free(&self.apart);
    sotto_learner_free(self.learner);
    return outcome;
}
