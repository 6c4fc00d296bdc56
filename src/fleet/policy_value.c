/*
 * One tally takes the measure rounds of all epochs. This works because the estimate does not depend
 * on the epoch, only on the phase, through the weights of the codebook; and only phase main has
 * models that decide.
 *
 * The server computes the same, but without late reports, which it does not take.
 */
#include "fleet.h"

#include "core/core.h"
#include "server/server.h"

#include <math.h>
#include <stdlib.h>

typedef struct role_rewards {
    uint64_t count;
    double sum;
} role_rewards;

struct sotto__policy_value {
    sotto_terms terms;
    sotto_tally *tally; /* of phase main; its epoch is set to that of each report before folding */
    sotto_report *report;
    sotto__measured *control_arm; /* arms: unused places of sotto__measures */
    role_rewards follow, control;
};

void sotto__policy_value_free(sotto__policy_value *value)
{
    if (value == NULL) return;
    sotto_tally_free(value->tally);
    sotto_report_free(value->report);
    free(value->control_arm);
    free(value);
}

sotto_status sotto__policy_value_new(const sotto_terms *terms, sotto__policy_value **out)
{
    *out = NULL;
    sotto__policy_value *value = calloc(1, sizeof *value);
    if (value == NULL) return SOTTO_E_MEMORY;
    value->terms = *terms;
    value->control_arm = calloc(terms->spec.arms, sizeof value->control_arm[0]);
    sotto_status status = value->control_arm == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
    if (status == SOTTO_OK) status = sotto_report_new(terms, &value->report);
    if (status == SOTTO_OK) {
        status =
            sotto__tally_new(terms, 0, SOTTO_PHASE_MAIN, terms->spec.measure > 0, &value->tally);
    }
    if (status != SOTTO_OK) {
        sotto__policy_value_free(value);
        return status;
    }
    *out = value;
    return SOTTO_OK;
}

sotto_status sotto__policy_value_take(sotto__policy_value *value, const uint8_t *frame,
                                      size_t frame_bytes, bool followed, double reward)
{
    if (!followed) return SOTTO_OK;
    sotto_status status = sotto_report_decode(&value->terms, frame, frame_bytes, value->report);
    if (status != SOTTO_OK) return status;
    sotto_role role = sotto__role_of(&value->terms, value->report->nonce, followed);
    if (role == SOTTO_ROLE_LEARN) return SOTTO_OK;
    value->tally->epoch = value->report->epoch;
    status = sotto_tally_fold(value->tally, value->report);
    if (status != SOTTO_OK) return status;
    role_rewards *to = role == SOTTO_ROLE_FOLLOW ? &value->follow : &value->control;
    to->count++;
    to->sum += reward;
    return SOTTO_OK;
}

static double mean(role_rewards of)
{
    return of.count == 0 ? NAN : of.sum / (double)of.count;
}

sotto__policy_value_seen sotto__policy_value_look(const sotto__policy_value *value)
{
    sotto__policy_value_seen seen = {.there = value->terms.spec.measure > 0};
    if (!seen.there) return seen;
    sotto__measures measures = {.control_arm = value->control_arm};
    for (uint32_t a = 0; a < value->terms.spec.arms; a++) {
        value->control_arm[a] = (sotto__measured){0};
    }
    sotto__measures_add(&measures, value->tally);
    sotto_measurement measured;
    sotto_status status =
        sotto__measurement(&value->terms, &measures, SOTTO__POLICY_VALUE_ALPHA, &measured);
    if (status != SOTTO_OK) return (sotto__policy_value_seen){0};
    seen.follow_count = measured.follow_count;
    seen.control_count = measured.control_count;
    seen.uplift = measured.uplift;
    seen.truth = mean(value->follow) - mean(value->control);
    return seen;
}
