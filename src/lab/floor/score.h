/* What one reward tells of theta*: the score of an answer. */
#ifndef SOTTO_LAB_FLOOR_SCORE_H
#define SOTTO_LAB_FLOOR_SCORE_H

#include <sotto/lab/environments.h>

typedef struct sotto__score {
    sotto_link link;
    sotto_reward_law law;
    double noise;      /* sd of law gaussian */
    double theta_norm; /* D */
} sotto__score;

/* False for a law that has no score with finite square: no noise, or 0/1 rewards by another link than
 * logit and probit, or counts by another than log. */
bool sotto__score_exists(const sotto__score *score);

/* E[(e D y - rho)_+], rho >= 0: of a context with c along theta* over D and +-y (y >= 0), either sign as
 * likely, along a unit tangent. */
double sotto__score_excess(const sotto__score *score, double c, double y, double rho);

/* E[(e D)^2] at c. */
double sotto__score_square(const sotto__score *score, double c);

#endif
