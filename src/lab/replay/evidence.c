/* Sums by group of rows. */
#include "evidence.h"

#include <stdlib.h>

sotto_status sotto__evidence_new(uint32_t arms, uint32_t dim, sotto__evidence **out)
{
    *out = NULL;
    sotto__evidence *evidence = calloc(1, sizeof *evidence);
    if (evidence == NULL) return SOTTO_E_MEMORY;
    evidence->arms = arms;
    evidence->dim = dim;
    evidence->group = calloc(SOTTO__GROUPS, sizeof evidence->group[0]);
    evidence->given = calloc((size_t)arms * dim, sizeof evidence->given[0]);
    evidence->given_count = calloc(arms, sizeof evidence->given_count[0]);
    if (evidence->group == NULL || evidence->given == NULL || evidence->given_count == NULL) {
        sotto__evidence_free(evidence);
        return SOTTO_E_MEMORY;
    }
    *out = evidence;
    return SOTTO_OK;
}

void sotto__evidence_free(sotto__evidence *evidence)
{
    if (evidence == NULL) return;
    free(evidence->group);
    free(evidence->given);
    free(evidence->given_count);
    free(evidence);
}

void sotto__evidence_add(sotto__evidence *evidence, const sotto__reward_model *model,
                         const sotto__event *event)
{
    sotto__evidence_group *group = &evidence->group[sotto__group_of(event->row)];
    double *given = evidence->given + (size_t)event->given * evidence->dim;
    bool agreed = event->given == event->logged;
    double weight = agreed ? 1 / event->propensity : 0;
    group->events++;
    group->weight += weight;
    group->product += weight * event->reward;
    if (agreed) evidence->agreed++;
    if (event->learnt) {
        group->learnt++;
        group->learnt_reward += event->reward;
    }
    evidence->given_count[event->given]++;
    if (model == NULL) return;
    double q = sotto__reward_model_predict(model, event->row, event->x, event->given);
    group->predicted += q;
    group->corrected += q + weight * (event->reward - q);
    for (uint32_t i = 0; i < evidence->dim; i++) {
        given[i] += event->x[i];
    }
}

static void join_group(sotto__evidence_group *to, const sotto__evidence_group *from)
{
    to->events += from->events;
    to->weight += from->weight;
    to->product += from->product;
    to->predicted += from->predicted;
    to->corrected += from->corrected;
    to->learnt += from->learnt;
    to->learnt_reward += from->learnt_reward;
}

void sotto__evidence_join(sotto__evidence *evidence, const sotto__evidence *other)
{
    evidence->agreed += other->agreed;
    for (uint32_t j = 0; j < SOTTO__GROUPS; j++) {
        join_group(&evidence->group[j], &other->group[j]);
    }
    for (uint32_t a = 0; a < evidence->arms; a++) {
        evidence->given_count[a] += other->given_count[a];
    }
    for (size_t i = 0; i < (size_t)evidence->arms * evidence->dim; i++) {
        evidence->given[i] += other->given[i];
    }
}
