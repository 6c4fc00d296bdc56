/*
 * What a log says of the choices of a method: sums by group of rows (group.h).
 *
 * For an event of the log, x, a_t, r_t, p_t, and the arm b_t that the method gives:
 *
 *   w_t = 1{b_t = a_t}/max(p_t, clip)
 *   predicted  q_t = q(x_t, b_t), by the model of rewards
 *   corrected  q_t + w_t (r_t - q_t)
 */
#ifndef SOTTO_LAB_REPLAY_EVIDENCE_H
#define SOTTO_LAB_REPLAY_EVIDENCE_H

#include "reward_model.h"

typedef struct sotto__evidence_group {
    double events;
    double weight, product;       /* w, w r */
    double predicted, corrected;  /* 0 without a model */
    double learnt, learnt_reward; /* of events learnt from */
} sotto__evidence_group;

typedef struct sotto__evidence {
    uint32_t arms, dim;
    uint64_t agreed;              /* events on which the method gave the log's arm */
    sotto__evidence_group *group; /* SOTTO__GROUPS of them */
    double *given;                /* arms x dim: sum of the contexts that got this arm */
    uint64_t *given_count;        /* arms: events that got this arm */
} sotto__evidence;

SOTTO_CHECK sotto_status sotto__evidence_new(uint32_t arms, uint32_t dim, sotto__evidence **out);
void sotto__evidence_free(sotto__evidence *evidence); /* accepts NULL */

/* An event, and what the method does. */
typedef struct sotto__event {
    uint64_t row; /* of the file */
    const double *x;
    uint32_t logged, given;    /* arms: a, b */
    double reward, propensity; /* the latter clipped: above 0 */
    bool learnt;
} sotto__event;

/* `model` may be NULL. */
void sotto__evidence_add(sotto__evidence *evidence, const sotto__reward_model *model,
                         const sotto__event *event);
/* Adds the events of another one, of the same log. */
void sotto__evidence_join(sotto__evidence *evidence, const sotto__evidence *other);

#endif
