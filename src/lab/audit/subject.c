/* Subjects: the library's own mechanisms, custom ones and programs, and how they are asked. */
#include "client/client.h"
#include "inner.h"
#include "lab/mechanism/mechanism.h"
#include "lab/plugin/plugin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== custom mechanisms ====================================================================== */

/*
 * A custom mechanism as a subject. Each answer has its own random stream, seeded by a word of the
 * audit's randomness, so how much the mechanism draws for one answer does not affect the next.
 */

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

static sotto_status custom_new(const sotto_audit_settings *settings, sotto__subject *subject)
{
    const sotto_mechanism_settings *claim = &settings->mechanism;
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

/* ==== subjects =============================================================================== */

const sotto__rounds sotto__client_rounds = {
    .create = sotto_round_new,
    .free = sotto_round_free,
    .begin = sotto_round_begin,
    .decide = sotto_round_decide,
    .finish = sotto_round_finish,
    .resend = sotto_round_resend,
};

static sotto_status draw_mechanism(sotto__subject *subject, const double *x, sotto_rng *rng,
                                   sotto__subject_answer *out)
{
    sotto__mechanism_borrow(subject->mechanism, rng);
    sotto_status status = sotto_mechanism_draw(subject->mechanism, x, subject->estimate);
    if (status != SOTTO_OK) return status;
    const sotto_report *report = sotto_mechanism_report(subject->mechanism);
    out->count = subject->claim.answer_count;
    for (uint32_t i = 0; i < out->count; i++) {
        out->value[i] = report == NULL ? subject->estimate[i] : report->value[i];
    }
    if (report != NULL) memcpy(out->nonce, report->nonce, SOTTO_NONCE_BYTES);
    return SOTTO_OK;
}

/* The ball of radius R in ticks: each coordinate moves by at most 1/2 when it is rounded, so the
 * diameter grows by sqrt(dim) in L2 and by dim in L1. */
static void claim_lattice(sotto__privacy_claim *claim, const sotto_lattice *lattice,
                          sotto_noise_law law)
{
    double span = ldexp(2 * claim->radius, -lattice->grid_log2), dim = claim->dim;
    claim->family = SOTTO__LATTICE;
    claim->law = law;
    claim->lattice = *lattice;
    claim->answer_count = claim->dim;
    claim->diameter_ticks = law == SOTTO_NOISE_GAUSSIAN ? span + sqrt(dim) : span * sqrt(dim) + dim;
}

static void claim_codebook(sotto__privacy_claim *claim, const sotto_terms *terms)
{
    claim->family = SOTTO__CODEBOOK;
    claim->codebook = terms->codebook[SOTTO_PHASE_MAIN];
    memcpy(claim->stream_key, terms->stream_key, sizeof claim->stream_key);
    claim->answer_count = 1;
}

static void claim_vector(sotto__privacy_claim *claim)
{
    claim->family = SOTTO__VECTOR;
    claim->privunit = sotto_privunit_constants(claim->dim, claim->epsilon);
    claim->answer_count = claim->dim;
}

static void claim_of_mechanism(sotto__subject *subject)
{
    sotto__privacy_claim *claim = &subject->claim;
    switch (subject->kind) {
    case SOTTO_MECHANISM_CODEBOOK:
    case SOTTO_MECHANISM_L2BALL:
        claim_codebook(claim, sotto_mechanism_terms(subject->mechanism));
        return;
    case SOTTO_MECHANISM_PRIVUNIT: claim_vector(claim); return;
    case SOTTO_MECHANISM_GAUSSIAN:
        claim_lattice(claim, sotto_mechanism_lattice(subject->mechanism), SOTTO_NOISE_GAUSSIAN);
        return;
    case SOTTO_MECHANISM_LAPLACE:
        claim_lattice(claim, sotto_mechanism_lattice(subject->mechanism), SOTTO_NOISE_LAPLACE);
        return;
    }
}

static sotto__subject begin(const sotto_audit_settings *settings)
{
    const sotto_mechanism_settings *mechanism = &settings->mechanism;
    bool foreign = settings->command != NULL || settings->custom != NULL;
    bool gaussian = foreign || mechanism->kind == SOTTO_MECHANISM_GAUSSIAN;
    return (sotto__subject){
        .claim = {.family = SOTTO__OUTSIDE,
                  .dim = mechanism->dim,
                  .epsilon = mechanism->epsilon,
                  .delta = gaussian ? mechanism->delta : 0,
                  .radius = mechanism->radius},
        .kind = mechanism->kind,
        .rounds = sotto__client_rounds,
        .command = settings->command,
        .timeout_s = settings->timeout_s,
    };
}

sotto_status sotto__subject_new(const sotto_audit_settings *settings, sotto__subject *out)
{
    const sotto_mechanism_settings *mechanism = &settings->mechanism;
    *out = begin(settings);
    if (settings->command != NULL) return SOTTO_OK;
    if (settings->custom != NULL) return custom_new(settings, out);
    out->draw = draw_mechanism;
    out->estimate = malloc(mechanism->dim * sizeof out->estimate[0]);
    if (out->estimate == NULL) return SOTTO_E_MEMORY;
    sotto_status status = sotto_mechanism_new(mechanism, &out->mechanism);
    if (status != SOTTO_OK) {
        sotto__subject_free(out);
        return status;
    }
    claim_of_mechanism(out);
    return SOTTO_OK;
}

void sotto__subject_free(sotto__subject *subject)
{
    if (subject->custom != NULL) subject->release(subject->custom);
    sotto_mechanism_free(subject->mechanism);
    free(subject->estimate);
    subject->mechanism = NULL;
    subject->custom = NULL;
    subject->estimate = NULL;
}

/* f(x) = x clipped to the ball, over the size of a tick, rounded to the nearest. */
void sotto__lattice_statistic(const sotto__privacy_claim *claim, const double *x, double *ticks)
{
    sotto__clip_vector(x, claim->dim, claim->radius, ticks);
    for (uint32_t i = 0; i < claim->dim; i++) {
        ticks[i] = rint(ldexp(ticks[i], -claim->lattice.grid_log2));
    }
}

/* ==== asking ================================================================================= */

static sotto_status ask_in_process(sotto__subject *subject, const sotto__script *script,
                                   sotto_rng *rng, sotto__taker *taker)
{
    sotto__subject_answer answer = {.count = subject->claim.answer_count};
    answer.value = malloc(answer.count * sizeof answer.value[0]);
    if (answer.value == NULL) return SOTTO_E_MEMORY;
    sotto_status status = SOTTO_OK;
    uint64_t total = script->pairs * script->trials;
    for (uint64_t t = 0; t < total && status == SOTTO_OK; t++) {
        status = subject->draw(subject, sotto__script_input(script, t), rng, &answer);
        if (status == SOTTO_OK) status = taker->take(taker, t, &answer);
        if (status != SOTTO_OK || sotto__script_progress(script, t)) continue;
        sotto__refuse(&subject->fault, "%s", SOTTO__AUDIT_STOPPED);
        break;
    }
    free(answer.value);
    bool misbehaved = status == SOTTO_E_PLUGIN; /* the subject has the reason */
    return misbehaved ? SOTTO_OK : status;
}

sotto_status sotto__ask(sotto__subject *subject, const sotto__script *script, sotto_rng *rng,
                        sotto__taker *taker)
{
    if (subject->fault.sentence[0] != '\0') return SOTTO_OK; /* the subject could not be made */
    if (subject->draw == NULL) return sotto__ask_outside(subject, script, taker);
    return ask_in_process(subject, script, rng, taker);
}
