#include "known.h"
#include "service/experiment/frame_head.h"
#include "service/system/entropy.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define NONCES_FIRST 1000u
#define CUTS_MAX 18u /* open epochs, and the one before them */

folder_outcome folder_known_break(folder_known *known, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(known->fault, sizeof known->fault, format, arguments);
    va_end(arguments);
    return FOLDER_BROKEN;
}

folder_outcome folder_known_failed(folder_known *known, const sottod_folding *folding)
{
    if (!folding_holds(folding)) return FOLDER_AWAY;
    return folder_known_break(known, "%s", folding_fault(folding));
}

bool folder_cut_copy(const folding_cut *from, folding_cut *to)
{
    if (from->places > to->capacity) {
        folding_place *place = realloc(to->place, from->places * sizeof *place);
        if (place == NULL) return false;
        to->place = place;
        to->capacity = from->places;
    }
    if (from->places > 0) memcpy(to->place, from->place, from->places * sizeof *to->place);
    to->places = from->places;
    return true;
}

uint32_t folder_known_epoch(const folder_known *known)
{
    return sotto_learner_model(known->learner)->epoch;
}

uint32_t folder_known_oldest(const folder_known *known)
{
    uint32_t epoch = folder_known_epoch(known), lag = known->terms.spec.epoch_lag_max;
    return epoch < lag ? 0 : epoch - lag;
}

bool folder_known_is_held(const folder_known *known)
{
    return known->held.reports > 0 && known->held.epoch == folder_known_epoch(known);
}

journal_kind folder_known_decision(const folder_known *known)
{
    return folder_known_is_held(known) ? known->held.decision : JOURNAL_REPORTS;
}

bool folder_known_reserve(folder_known *known, uint64_t more)
{
    uint64_t wanted = sotto_nonce_set_count(known->nonces) + more;
    uint64_t capacity = sotto_nonce_set_capacity(known->nonces);
    if (wanted <= capacity) return true;
    while (capacity < wanted) {
        capacity *= 2;
    }
    if (capacity > SOTTO_NONCES_MAX) capacity = SOTTO_NONCES_MAX;
    return sotto_nonce_set_grow(known->nonces, (uint32_t)capacity) == SOTTO_OK;
}

/* ---- before the first model */

static bool fill(folder_known *known, const journal_experiment *row, char *fault)
{
    char text[SOTTO_FAULT_BYTES];
    if (sotto_terms_decode(row->terms.at, row->terms.bytes, &known->terms) != SOTTO_OK ||
        memcmp(known->terms.id, row->id, sizeof row->id) != 0) {
        snprintf(fault, JOURNAL_FAULT_BYTES, "experiment %u: its terms cannot be used",
                 row->number);
        return false;
    }
    if (sotto_learner_decode(&known->terms, row->start.at, row->start.bytes, &known->learner) !=
        SOTTO_OK) {
        snprintf(fault, JOURNAL_FAULT_BYTES,
                 "experiment %u: its learner before the first report cannot be used: %s",
                 row->number,
                 sotto_learner_bytes_fault(&known->terms, row->start.at, row->start.bytes, text));
        return false;
    }
    snprintf(fault, JOURNAL_FAULT_BYTES, "experiment %u: no memory", row->number);
    return told_make(&known->told, known->learner, &known->terms);
}

folder_known *folder_known_new(const journal_experiment *row, uint32_t nonces_max, uint64_t now_ms,
                               char fault[JOURNAL_FAULT_BYTES])
{
    folder_known *known = calloc(1, sizeof *known);
    snprintf(fault, JOURNAL_FAULT_BYTES, "experiment %u: no memory", row->number);
    if (known == NULL) return NULL;
    known->number = row->number;
    spec_id_print(row->id, known->id_text);
    known->state = row->state;
    known->epoch_seconds_min = row->epoch_seconds_min;
    known->quarantine = row->quarantine;
    known->reports_expected = row->epoch_reports_expected;
    known->published_ms = now_ms;
    if (!fill(known, row, fault)) {
        folder_known_free(known);
        return NULL;
    }
    known->rule = (due_rule){.reports_min = row->epoch_reports_min,
                             .nonces_max = nonces_max,
                             .epoch_lag_max = known->terms.spec.epoch_lag_max};
    known->frame_bytes = sotto_report_bytes(&known->terms);
    known->ask_ms = now_ms + known->epoch_seconds_min * UINT64_C(1000);
    return known;
}

void folder_known_free(folder_known *known)
{
    if (known == NULL) return;
    sotto_learner_free(known->learner);
    told_free(&known->told);
    folding_cut_free(&known->cut);
    sotto_nonce_set_free(known->nonces);
    free(known);
}

/* ---- models */

/* The cuts of the newest models, each at its epoch mod CUTS_MAX, and all of the newest. */
typedef struct loading {
    folder_known *known;
    folding_cut cut[CUTS_MAX];
    uint32_t first, epoch; /* models that were read; epoch 0: none */
    uint8_t *learner, *told;
    size_t learner_bytes, told_bytes;
    journal_counts counts;
    folder_outcome outcome;
} loading;

static bool keep_bytes(journal_bytes from, uint8_t **to, size_t *bytes)
{
    uint8_t *kept = realloc(*to, from.bytes + 1);
    if (kept == NULL) return false;
    if (from.bytes > 0) memcpy(kept, from.at, from.bytes);
    *to = kept;
    *bytes = from.bytes;
    return true;
}

static bool take_model(void *context, const folding_model *model)
{
    loading *self = context;
    if (self->epoch != 0 && model->epoch != self->epoch + 1) {
        self->outcome = folder_known_break(
            self->known, "experiment %u: the model of epoch %" PRIu32 " follows that of %" PRIu32,
            self->known->number, model->epoch, self->epoch);
        return false;
    }
    if (self->epoch == 0) self->first = model->epoch;
    self->epoch = model->epoch;
    self->counts = model->counts;
    if (folder_cut_copy(&model->cut, &self->cut[model->epoch % CUTS_MAX]) &&
        keep_bytes(model->learner, &self->learner, &self->learner_bytes) &&
        keep_bytes(model->told, &self->told, &self->told_bytes))
        return true;
    self->outcome =
        folder_known_break(self->known, "experiment %u: no memory", self->known->number);
    return false;
}

/* The known goes on with the newest model that was read. */
static folder_outcome adopt(loading *self)
{
    folder_known *known = self->known;
    sotto_learner *learner;
    char text[SOTTO_FAULT_BYTES];
    if (self->epoch == 0) return FOLDER_DONE;
    if (sotto_learner_decode(&known->terms, self->learner, self->learner_bytes, &learner) !=
        SOTTO_OK) {
        return folder_known_break(
            known, "experiment %u, its model of epoch %" PRIu32 ": %s", known->number, self->epoch,
            sotto_learner_bytes_fault(&known->terms, self->learner, self->learner_bytes, text));
    }
    sotto_learner_free(known->learner);
    known->learner = learner;
    known->counts = self->counts;
    if (folder_known_epoch(known) != self->epoch ||
        !told_decode(&known->told, &known->terms, self->told, self->told_bytes)) {
        return folder_known_break(known,
                                  "experiment %u: its model of epoch %" PRIu32
                                  " is not of that epoch, or tells what cannot be",
                                  known->number, self->epoch);
    }
    if (!folder_cut_copy(&self->cut[self->epoch % CUTS_MAX], &known->cut))
        return folder_known_break(known, "experiment %u: no memory", known->number);
    return FOLDER_DONE;
}

/* ---- nonces */

static bool make_nonces(folder_known *known)
{
    uint8_t key[SOTTO_NONCE_KEY_BYTES];
    return entropy_draw(key, sizeof key) &&
           sotto_nonce_set_new(&known->terms, key, NONCES_FIRST, &known->nonces) == SOTTO_OK &&
           sotto_nonce_set_advance(known->nonces, folder_known_epoch(known)) == SOTTO_OK;
}

/* Those of its frames whose epochs are open now. One that was there before changes nothing. */
static bool take_row(void *context, const journal_row *row)
{
    loading *self = context;
    folder_known *known = self->known;
    const uint32_t oldest = folder_known_oldest(known);
    if (row->epoch < oldest) return true;
    bool fits = row->frames.bytes % known->frame_bytes == 0 &&
                folder_known_reserve(known, row->frames.bytes / known->frame_bytes);
    for (size_t at = 0; fits && at < row->frames.bytes; at += known->frame_bytes) {
        const uint8_t *frame = row->frames.at + at;
        const sotto_report head = frame_head(frame);
        sotto_seen seen;
        if (head.epoch < oldest) continue;
        fits =
            sotto_nonce_set_see(known->nonces, &head, frame, known->frame_bytes, &seen) == SOTTO_OK;
    }
    if (!fits) {
        self->outcome =
            folder_known_break(known,
                               "experiment %u, row %" PRIu64
                               ": a frame is of no epoch that was open, or there is no memory",
                               known->number, row->seq);
    }
    return fits;
}

/* Frames of an epoch lie after the cut of the model that opened it. They are read publish by publish, in the
 * order in which they counted. */
static folder_outcome load_nonces(loading *self, sottod_folding *folding)
{
    folder_known *known = self->known;
    static const folding_cut nothing = {.places = 0};
    const uint32_t oldest = folder_known_oldest(known);
    if (!make_nonces(known))
        return folder_known_break(known, "experiment %u: no memory, or no randomness",
                                  known->number);
    if (self->epoch > 0 && self->first > (oldest > 0 ? oldest : 1))
        return folder_known_break(known, "experiment %u: the model of epoch %" PRIu32 " is missing",
                                  known->number, oldest > 0 ? oldest : 1);
    for (uint32_t epoch = oldest; epoch < self->epoch; epoch++) {
        const folding_cut *from = epoch == 0 ? &nothing : &self->cut[epoch % CUTS_MAX];
        const folding_cut *to = &self->cut[(epoch + 1) % CUTS_MAX];
        if (!folding_read_rows(folding, known->number, from, to, take_row, self))
            return self->outcome == FOLDER_BROKEN ? FOLDER_BROKEN
                                                  : folder_known_failed(known, folding);
    }
    return FOLDER_DONE;
}

folder_outcome folder_known_load(folder_known *known, sottod_folding *folding)
{
    loading self = {.known = known, .outcome = FOLDER_DONE};
    folder_outcome outcome = FOLDER_DONE;
    assert(known->nonces == NULL);
    if (!folding_read_models(folding, known->number, 0, take_model, &self))
        outcome =
            self.outcome == FOLDER_BROKEN ? FOLDER_BROKEN : folder_known_failed(known, folding);
    if (outcome == FOLDER_DONE) outcome = adopt(&self);
    if (outcome == FOLDER_DONE) outcome = load_nonces(&self, folding);
    for (uint32_t i = 0; i < CUTS_MAX; i++) {
        folding_cut_free(&self.cut[i]);
    }
    free(self.learner);
    free(self.told);
    return outcome;
}
