/*
 * A custom mechanism as a subject. Each answer has its own random stream, seeded by a word of the
 * audit's randomness, so how much the mechanism draws for one answer does not affect the next.
 */
#include "inner.h"
#include "lab/plugin/plugin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 8u /* zeros after an answer, to detect writes past its end */

typedef struct custom_subject {
    const sotto_mechanism_table *table;
    sotto__ziggurat ziggurat;
    sotto__lent stream;
    bool made;
    void *state;
    double *room; /* an answer, and GUARD zeros */
} custom_subject;

static sotto_status blame(sotto__subject *subject, const char *why)
{
    const custom_subject *self = subject->custom;
    return sotto__table_blame(&subject->fault, "mechanism", self->table->name, 0, "%s", why);
}

static sotto_status check_answer(sotto__subject *subject)
{
    custom_subject *self = subject->custom;
    uint32_t count = subject->claim.answer_count;
    for (uint32_t i = 0; i < GUARD; i++) {
        if (self->room[count + i] == 0) continue;
        return sotto__table_blame(&subject->fault, "mechanism", self->table->name, 0,
                                  "its answers have more than the %u numbers that it announced",
                                  count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (isfinite(self->room[i])) continue;
        return sotto__table_blame(&subject->fault, "mechanism", self->table->name, 0,
                                  "number %u of an answer is %g: only finite ones can be audited",
                                  i, self->room[i]);
    }
    return SOTTO_OK;
}

static sotto_status draw(sotto__subject *subject, const double *x, sotto_rng *rng,
                         sotto__subject_answer *out)
{
    custom_subject *self = subject->custom;
    uint32_t count = subject->claim.answer_count;
    uint64_t word;
    sotto_status status = sotto__draw_u64(rng, &word);
    if (status != SOTTO_OK) return status;
    for (uint32_t i = 0; i < count; i++) {
        self->room[i] = NAN; /* detects numbers that the mechanism does not write */
    }
    char text[SOTTO_FAULT_BYTES] = "";
    sotto__lent_person(&self->stream, word, &self->ziggurat);
    const char *why =
        sotto__back(self->table->draw(self->state, &self->stream.stream, x, self->room, text));
    if (why != NULL) return blame(subject, why);
    status = check_answer(subject);
    if (status != SOTTO_OK) return status;
    out->count = count;
    memcpy(out->value, self->room, count * sizeof out->value[0]);
    return SOTTO_OK;
}

static void release(void *freed)
{
    custom_subject *self = freed;
    if (self->made && self->table->free != NULL) self->table->free(self->state);
    sotto__back(NULL);
    free(self->room);
    free(self);
}

sotto_status sotto__custom_mechanism_new(const sotto_audit_settings *settings,
                                         sotto__subject *subject)
{
    const sotto_mechanism_settings *claim = &settings->mechanism;
    *subject = sotto__subject_begin(settings);
    custom_subject *self = calloc(1, sizeof *self);
    if (self == NULL) return SOTTO_E_MEMORY;
    subject->custom = self;
    subject->release = release;
    self->table = settings->custom;
    subject->draw = draw;
    sotto__ziggurat_begin(&self->ziggurat);
    char text[SOTTO_FAULT_BYTES] = "";
    uint32_t count = 0;
    const char *why =
        sotto__back(self->table->make(self->table->user, claim->dim, claim->epsilon, claim->delta,
                                      claim->radius, &count, &self->state, text));
    self->made = why == NULL;
    if (why != NULL) {
        blame(subject, why);
        return SOTTO_OK;
    }
    if (count < 1 || count > SOTTO_ANSWER_COUNT_MAX) {
        sotto__table_blame(&subject->fault, "mechanism", self->table->name, 0,
                           "answer_count = %u: allowed 1 to %u", count, SOTTO_ANSWER_COUNT_MAX);
        return SOTTO_OK;
    }
    subject->claim.answer_count = count;
    self->room = calloc((size_t)count + GUARD, sizeof self->room[0]);
    if (self->room != NULL) return SOTTO_OK;
    sotto__subject_free(subject);
    return SOTTO_E_MEMORY;
}
