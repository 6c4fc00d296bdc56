#include "inner.h"
#include "service/experiment/experiment.h"
#include "service/system/system.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#define CUTS_MAX 18u /* the open epochs, and the one before them */

publisher_known *publisher_known_new(const journal_experiment *row, uint32_t nonces_max,
                                     uint64_t now_ms, sotto_fault *fault)
{
    publisher_known *known = calloc(1, sizeof *known);
    if (known == NULL) {
        (void)sotto__refuse(fault, "experiment %u: no memory", row->number);
        return NULL;
    }
    known->engine = engine_new(row, nonces_max, now_ms, fault);
    if (known->engine == NULL) {
        free(known);
        return NULL;
    }
    known->number = row->number;
    spec_id_print(row->id, known->id_text);
    known->state = row->state;
    known->ask_ms = engine_due_ms(known->engine);
    return known;
}

void publisher_known_free(publisher_known *known)
{
    if (known == NULL) return;
    publisher_kept_free(known->kept);
    engine_free(known->engine);
    folding_cut_free(&known->cut);
    free(known);
}

/* The learner stays: it is that of a model, which will be read again, or the first one. */
void publisher_known_unload(publisher_known *known)
{
    epoch_engine *engine = known->engine;
    publisher_kept_free(known->kept);
    known->kept = NULL;
    sotto_nonce_set_free(engine->nonces);
    engine->nonces = NULL;
    engine->counts = engine->published = (journal_counts){0};
    known->cut.places = 0;
}

/* ---- models */

/* The cuts of the newest models, each at its epoch mod CUTS_MAX, and the newest model. */
typedef struct loading {
    publisher_known *known;
    folding_cut cut[CUTS_MAX];
    uint32_t first, epoch; /* of the models read; epoch 0: none */
    uint8_t *learner, *results;
    size_t learner_bytes, results_bytes;
    journal_counts counts;
    epoch_outcome outcome;
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
        self->outcome = publisher_known_break(
            self->known, "experiment %u: the model of epoch %" PRIu32 " follows that of %" PRIu32,
            self->known->number, model->epoch, self->epoch);
        return false;
    }
    if (self->epoch == 0) self->first = model->epoch;
    self->epoch = model->epoch;
    self->counts = model->counts;
    if (publisher_cut_copy(&model->cut, &self->cut[model->epoch % CUTS_MAX]) &&
        keep_bytes(model->learner, &self->learner, &self->learner_bytes) &&
        keep_bytes(model->results, &self->results, &self->results_bytes))
        return true;
    self->outcome =
        publisher_known_break(self->known, "experiment %u: no memory", self->known->number);
    return false;
}

/* Makes the newest model read the current one. */
static epoch_outcome adopt(loading *self)
{
    publisher_known *known = self->known;
    engine_model model;
    const journal_snapshot newest = {
        .seq = self->epoch,
        .learner = {self->learner, self->learner_bytes},
        .results = {self->results, self->results_bytes},
    };
    if (self->epoch == 0) return EPOCH_DONE;
    if (engine_read_model(known->engine, &newest, &model, &known->fault) != SOTTO_OK)
        return EPOCH_BROKEN;
    engine_take_model(known->engine, &model, &self->counts);
    if (!publisher_cut_copy(&self->cut[self->epoch % CUTS_MAX], &known->cut))
        return publisher_known_break(known, "experiment %u: no memory", known->number);
    return EPOCH_DONE;
}

/* ---- nonces */

/* A nonce that is already known changes nothing. */
static bool take_row(void *context, const journal_row *row)
{
    loading *self = context;
    epoch_engine *engine = self->known->engine;
    uint64_t copies, place;
    if (row->epoch < engine_oldest(engine)) return true;
    if (row->frames.bytes % engine->frame_bytes == 0 &&
        engine_know(engine, row->frames.at, row->frames.bytes, &copies, &place))
        return true;
    self->outcome = publisher_known_break(
        self->known,
        "experiment %u, row %" PRIu64
        ": a frame belongs to an epoch that was not open, or there is not enough memory",
        self->known->number, row->seq);
    return false;
}

/* Frames of an epoch lie after the cut of the model that opened it. They are read publish by publish, in the order in
 * which they counted. */
static epoch_outcome load_nonces(loading *self, sottod_folding *folding)
{
    publisher_known *known = self->known;
    static const folding_cut nothing = {.places = 0};
    const uint32_t oldest = engine_oldest(known->engine);
    if (!engine_make_nonces(known->engine))
        return publisher_known_break(known, "experiment %u: no memory, or no randomness",
                                     known->number);
    if (self->epoch > 0 && self->first > (oldest > 0 ? oldest : 1))
        return publisher_known_break(known,
                                     "experiment %u: the model of epoch %" PRIu32 " is missing",
                                     known->number, oldest > 0 ? oldest : 1);
    for (uint32_t epoch = oldest; epoch < self->epoch; epoch++) {
        const folding_cut *from = epoch == 0 ? &nothing : &self->cut[epoch % CUTS_MAX];
        const folding_cut *to = &self->cut[(epoch + 1) % CUTS_MAX];
        if (!folding_read_rows(folding, known->number, from, to, take_row, self))
            return self->outcome == EPOCH_BROKEN ? EPOCH_BROKEN
                                                 : publisher_known_failed(known, folding);
    }
    return EPOCH_DONE;
}

epoch_outcome publisher_known_load(publisher_known *known, sottod_folding *folding)
{
    loading self = {.known = known, .outcome = EPOCH_DONE};
    epoch_outcome outcome = EPOCH_DONE;
    assert(known->engine->nonces == NULL);
    if (!folding_read_models(folding, known->number, 0, take_model, &self))
        outcome =
            self.outcome == EPOCH_BROKEN ? EPOCH_BROKEN : publisher_known_failed(known, folding);
    if (outcome == EPOCH_DONE) outcome = adopt(&self);
    if (outcome == EPOCH_DONE) outcome = load_nonces(&self, folding);
    for (uint32_t i = 0; i < CUTS_MAX; i++) {
        folding_cut_free(&self.cut[i]);
    }
    free(self.learner);
    free(self.results);
    return outcome;
}
