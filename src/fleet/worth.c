/*
 * One tally takes the measure rounds of all epochs: what they say does not depend on the epoch, but the weights of
 * the codebook are those of the phase, and only phase main has models that decide.
 *
 * The server counts the same, but late reports, which it does not take.
 */
#include "worth.h"

#include "core/public_stream.h"
#include "server/measure.h"

#include <math.h>
#include <stdlib.h>

typedef struct gains {
    uint64_t count;
    double sum;
} gains;

struct sotto__worth {
    sotto_terms terms;
    sotto_tally *tally; /* of phase main; its epoch is set to that of each report */
    sotto_report *report;
    sotto__measured *control_arm; /* arms: unused places of sotto__measures */
    gains follow, control;
};

void sotto__worth_free(sotto__worth *worth)
{
    if (worth == NULL) return;
    sotto_tally_free(worth->tally);
    sotto_report_free(worth->report);
    free(worth->control_arm);
    free(worth);
}

sotto_status sotto__worth_new(const sotto_terms *terms, sotto__worth **out)
{
    *out = NULL;
    sotto__worth *worth = calloc(1, sizeof *worth);
    if (worth == NULL) return SOTTO_E_MEMORY;
    worth->terms = *terms;
    worth->control_arm = calloc(terms->spec.arms, sizeof worth->control_arm[0]);
    sotto_status status = worth->control_arm == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
    if (status == SOTTO_OK) status = sotto_report_new(terms, &worth->report);
    if (status == SOTTO_OK) {
        status =
            sotto__tally_new(terms, 0, SOTTO_PHASE_MAIN, terms->spec.measure > 0, &worth->tally);
    }
    if (status != SOTTO_OK) {
        sotto__worth_free(worth);
        return status;
    }
    *out = worth;
    return SOTTO_OK;
}

sotto_status sotto__worth_take(sotto__worth *worth, const uint8_t *frame, size_t frame_bytes,
                               bool followed, double reward)
{
    if (!followed) return SOTTO_OK;
    sotto_status status = sotto_report_decode(&worth->terms, frame, frame_bytes, worth->report);
    if (status != SOTTO_OK) return status;
    sotto_role role = sotto__role_of(&worth->terms, worth->report->nonce, followed);
    if (role == SOTTO_ROLE_LEARN) return SOTTO_OK;
    worth->tally->epoch = worth->report->epoch;
    status = sotto_tally_fold(worth->tally, worth->report);
    if (status != SOTTO_OK) return status;
    gains *to = role == SOTTO_ROLE_FOLLOW ? &worth->follow : &worth->control;
    to->count++;
    to->sum += reward;
    return SOTTO_OK;
}

static double mean(gains of)
{
    return of.count == 0 ? NAN : of.sum / (double)of.count;
}

sotto__worth_seen sotto__worth_look(const sotto__worth *worth)
{
    sotto__worth_seen seen = {.there = worth->terms.spec.measure > 0};
    if (!seen.there) return seen;
    sotto__measures measures = {.control_arm = worth->control_arm};
    for (uint32_t a = 0; a < worth->terms.spec.arms; a++) {
        worth->control_arm[a] = (sotto__measured){0};
    }
    sotto__measures_add(&measures, worth->tally);
    sotto_measurement told;
    sotto_status status = sotto__measurement(&worth->terms, &measures, SOTTO__WORTH_ALPHA, &told);
    if (status != SOTTO_OK) return (sotto__worth_seen){0};
    seen.follow_count = told.follow_count;
    seen.control_count = told.control_count;
    seen.uplift = told.uplift;
    seen.truth = mean(worth->follow) - mean(worth->control);
    return seen;
}
