/*
 * Players: a method in a simulation. Each round is decide, then learn.
 *
 *   shipped       the methods that ship, by their own client and server code
 *   paper         their moments and gradients with the noise printed in the paper
 *   published     what the authors' code does
 *   baseline      without privacy
 *   brought       a method that people bring
 *   player_table  which of them a match has
 */
#ifndef SOTTO_LAB_PLAYER_PLAYER_H
#define SOTTO_LAB_PLAYER_PLAYER_H

#include "lab/environment/world.h"

#include <sotto/lab/runs.h>

typedef struct sotto__player sotto__player;
struct sotto__player {
    /* The arm for a context (laid out as sotto_round_decide takes it). */
    sotto_status (*decide)(sotto__player *self, const double *context, uint32_t *arm);
    /* The reward of that arm. */
    sotto_status (*learn)(sotto__player *self, double reward);
    /* The estimate that decides: dim, or arms x dim numbers. NULL: it has none. */
    const double *(*estimate)(const sotto__player *self);
    /* See sotto_learner_repairs. */
    uint64_t (*repairs)(const sotto__player *self);
    void (*free)(sotto__player *self);
    /* After SOTTO_E_PLUGIN: what a method that people brought did. NULL for our own. */
    const char *(*fault)(const sotto__player *self);
    /* What measure rounds say. NULL: it has none. */
    sotto_status (*measure)(const sotto__player *self, sotto_run_measurement *out);
};

/* `world` is for the oracle and for liars alone. Both are borrowed, and outlive the player. */
typedef sotto_status sotto__player_maker(const sotto_match *match, uint64_t seed,
                                         const sotto__world *world, sotto__player **out);

void sotto__player_free(sotto__player *player); /* accepts NULL */

/* Of players that repair nothing. */
uint64_t sotto__player_no_repairs(const sotto__player *self);

#endif
