/* What files of this room share. */
#ifndef SOTTO_LAB_RUN_INNER_H
#define SOTTO_LAB_RUN_INNER_H

#include "lab/player/player.h"
#include "lab/random/random.h"
#include "run.h"

#include <sotto/lab/matches.h>
#include <sotto/lab/runs.h>

/* ---- flight --------------------------------------------------------------------------------- */

/*
 * The reports in flight of a match with a clock.
 *
 * A report leaves its device when a service's device sends it (client/rounds.c) and arrives at once:
 *
 *     arrival = decision + reward_window_s + U,    U uniform over 0 to send_spread_s, in milliseconds.
 *
 * So at most as many reports are in flight as people come within both times together. There is
 * memory for that many.
 */

typedef struct sotto__flight sotto__flight;

/* The match has a clock and no fault. Each report takes sent_bytes. */
SOTTO_CHECK sotto_status sotto__flight_new(const sotto_match *match, uint64_t seed,
                                           size_t sent_bytes, sotto__flight **out);
void sotto__flight_free(sotto__flight *flight); /* accepts NULL */

/* Adds the report of a decision at now_ms, which must not be before the last one. The
 * caller writes the report to *sent, aligned as a double. SOTTO_E_FULL: reports that are
 * due were not taken out. */
SOTTO_CHECK sotto_status sotto__flight_add(sotto__flight *flight, double now_ms, void **sent);

/* Removes the report that was added last, which must still be there. Its delay stays drawn. */
void sotto__flight_drop(sotto__flight *flight);

/* Takes the report that arrives first, if it arrives by until_ms; of several at the same time, the
 * one decided first. NULL: none does. It is valid until the next call on the flight. */
const void *sotto__flight_take(sotto__flight *flight, double until_ms, double *arrival_ms);

uint64_t sotto__flight_count(const sotto__flight *flight);

/* ---- play ----------------------------------------------------------------------------------- */

/* One round of a simulation. */

/* A person arrives, gets an arm and gives a reward, and the player learns. *regret is what the arm
 * cost. SOTTO_E_PLUGIN: world->fault or player->fault says what went wrong. */
SOTTO_CHECK sotto_status sotto__play(sotto__world *world, sotto__player *player, double *regret);

/* The same with a clock. Person t, counted from 0, comes 1000 t/people_per_second ms after
 * the first. The arm depends on the reports that have arrived by then; the person's report
 * goes into the flight. */
SOTTO_CHECK sotto_status sotto__play_delayed(sotto__world *world, sotto__player *player,
                                             sotto__flight *flight, double *regret);

/* ---- sweep ---------------------------------------------------------------------------------- */

/* Whether a sweep can be played. */

/* SOTTO_E_ARGUMENT or SOTTO_E_FAULT, as sotto_sweep_run documents. Each match is checked
 * only when it is played. */
SOTTO_CHECK sotto_status sotto__sweep_check(const sotto_sweep *sweep);

#endif
