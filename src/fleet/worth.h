/*
 * What the policy is worth: seen in the reports of measure rounds, which are private, and beside it the truth of
 * the same people, which nobody but the lab knows.
 */
#ifndef SOTTO_FLEET_WORTH_H
#define SOTTO_FLEET_WORTH_H

#include <sotto/server.h>

#define SOTTO__WORTH_ALPHA 0.05 /* chance that an interval fails */

typedef struct sotto__worth sotto__worth;

/* Of these terms, which are copied. */
SOTTO_CHECK sotto_status sotto__worth_new(const sotto_terms *terms, sotto__worth **out);
void sotto__worth_free(sotto__worth *worth);

/* A report that the server has. `followed`: the model of its round decides (sotto__model_is_followed);
 * `reward`: what its person got, clipped. Reports of learn rounds, and of models that do not decide, change
 * nothing. SOTTO_E_FRAME and others for bytes that are no report of these terms. */
SOTTO_CHECK sotto_status sotto__worth_take(sotto__worth *worth, const uint8_t *frame,
                                           size_t frame_bytes, bool followed, double reward);

/* What is seen, and what is true. */
typedef struct sotto__worth_seen {
    bool there; /* false: the terms have no measure rounds */
    uint64_t follow_count, control_count;
    sotto_interval uplift; /* follow - control, at SOTTO__WORTH_ALPHA; may be looked at any time */
    double truth;          /* of the same people; NAN: not both kinds yet */
} sotto__worth_seen;

sotto__worth_seen sotto__worth_look(const sotto__worth *worth);

#endif
