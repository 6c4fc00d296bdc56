/* The only door: what goes through it is private, and nothing else leaves. */
#ifndef SOTTO_PRIVATISE_H
#define SOTTO_PRIVATISE_H

#include "choose_codeword.h"
#include "lattice_noise.h"

/* A round as the server will see it. */
typedef struct sotto__door {
    const sotto_terms *terms;
    sotto_phase phase;
    uint32_t epoch;
    uint8_t nonce[SOTTO_NONCE_BYTES];
} sotto__door;

/* Working memory for one report; secret, and wiped before privatise returns. */
typedef struct sotto__door_work {
    sotto__choice_work choice;
    double *input;    /* codeword dim: what enters the randomiser */
    int8_t *sign;     /* arms */
    int64_t *noise;   /* lattice methods: one for each tick */
    bool noise_drawn; /* and not used yet */
    void *memory;     /* all of the above */
    size_t memory_bytes;
} sotto__door_work;

SOTTO_CHECK sotto_status sotto__door_work_new(const sotto_terms *terms, sotto__door_work *work);
void sotto__door_work_free(sotto__door_work *work);

/* Draws the noise of a lattice report by `noise`, before there is a secret. Nothing to do for the
 * others. */
SOTTO_CHECK sotto_status sotto__door_begin(const sotto_terms *terms, sotto__noise_function *noise,
                                           sotto_rng *rng, sotto__door_work *work);

/* Makes the report of a score v of an arm. Codebook methods: whatever v, arm and the model that led
 * to them, the report is epsilon-private. Lattice methods: v is a statistic of sotto__score_of, and
 * the report is (epsilon, delta)-private; SOTTO_E_ORDER unless sotto__door_begin has drawn noise
 * that no report has used. On failure all values of the report are 0. */
SOTTO_CHECK sotto_status sotto__privatise(const sotto__door *door, const double *v, uint32_t arm,
                                          sotto_rng *rng, sotto__door_work *work,
                                          sotto_report *report);

/* Makes the report of a measure round, by the codebook of dimension 1: y is the reward, scaled to [-1,
 * 1]. Index 0 or 1 stands in the frame's first place, and 0 in the others. Codebook methods alone;
 * epsilon-private, whatever y is. */
SOTTO_CHECK sotto_status sotto__privatise_reward(const sotto__door *door, double y, sotto_rng *rng,
                                                 sotto__door_work *work, sotto_report *report);

#endif
