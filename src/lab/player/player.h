/*
 * Players: a method in a simulation. Each round is decide, then learn; with a clock, decide and
 * send, and receive later.
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
    /* Instead of `learn`, where reports take their time. `sent` is what leaves the device, sent_bytes of it,
     * aligned as a double; `now_ms` is the time at which it arrives. 0 and NULL: not played with a clock. */
    size_t sent_bytes;
    sotto_status (*send)(sotto__player *self, double reward, void *sent);
    sotto_status (*receive)(sotto__player *self, const void *sent, double now_ms);
    /* It is so late now: an epoch that only waited for the clock ends. NULL: there are no epochs. */
    sotto_status (*wake)(sotto__player *self, double now_ms);
    /* Sets late, epochs, learnt and epochs_late. NULL: they are 0. */
    void (*delayed)(const sotto__player *self, sotto_run_delay *out);
};

/* `world` is for the oracle and for liars alone. Both are borrowed, and outlive the player. */
typedef sotto_status sotto__player_maker(const sotto_match *match, uint64_t seed,
                                         const sotto__world *world, sotto__player **out);

void sotto__player_free(sotto__player *player); /* accepts NULL */

/* Of players that repair nothing. */
uint64_t sotto__player_no_repairs(const sotto__player *self);

#endif
