#include "client/client.h"
#include "inner.h"
#include "lab/mechanism/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== ask ==================================================================================== */

/* Runs a script against a subject. */

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

/* ==== subject ================================================================================ */

/* Subjects for the library's own mechanisms. */

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

sotto__subject sotto__subject_begin(const sotto_audit_settings *settings)
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
    *out = sotto__subject_begin(settings);
    if (settings->command != NULL) return SOTTO_OK;
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
