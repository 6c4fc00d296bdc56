/* What files of this room share. */
#ifndef SOTTO_FLEET_INNER_H
#define SOTTO_FLEET_INNER_H

#include "fleet.h"
#include "lab/environment/environment.h"

#include <sotto/transport.h>

/* ---- clock ---------------------------------------------------------------------------------- */

/* The clock of a run. */

/* Seconds since an arbitrary moment, by a monotonic clock. */
double sotto__fleet_clock_s(void);

/* ---- stage ---------------------------------------------------------------------------------- */

/* What honest and dishonest people share: where they take part, and how their rounds are
 * counted. */

/* All members are borrowed. */
typedef struct sotto__fleet_stage {
    sotto_wire *wire;
    sotto_site *site; /* has terms and a model */
    sotto__world *world;
    const sotto_policy *policy;
    sotto__policy_value *value;
    sotto__sight *sight;
} sotto__fleet_stage;

/* What is needed of a round once its report is acknowledged. */
typedef struct sotto__played {
    bool followed; /* the model of its round decides */
    bool left;     /* its report left at least once */
    double reward; /* clipped */
    double sent_s; /* when the last request with its report began */
} sotto__played;

/* The length of a context. */
uint32_t sotto__stage_context_count(const sotto__fleet_stage *stage);

/* Counts that the current person of the world got this arm and this reward. */
void sotto__stage_play(const sotto__fleet_stage *stage, uint32_t arm, double reward,
                       sotto__played *out);

/* What happened to the report. The frame has the bytes that left. */
void sotto__stage_sent(const sotto__fleet_stage *stage, sotto__played *played);
void sotto__stage_acknowledged(const sotto__fleet_stage *stage, const sotto__played *played,
                               const uint8_t *frame, size_t frame_bytes);
void sotto__stage_put_off(const sotto__fleet_stage *stage, const char *why);
/* There is no report: the round was served a fallback. */
void sotto__stage_served(const sotto__fleet_stage *stage);
void sotto__stage_dropped(const sotto__fleet_stage *stage, const char *why);

/* ---- crowd ---------------------------------------------------------------------------------- */

/* Honest people. Each has a ledger and a device for one round. */

typedef struct sotto__crowd sotto__crowd;

/* Has room for `at_once` people. Copies the stage, but borrows its members. */
SOTTO_CHECK sotto_status sotto__crowd_new(const sotto__fleet_stage *stage, uint32_t at_once,
                                          sotto__crowd **out);
void sotto__crowd_free(sotto__crowd *crowd); /* accepts NULL; before the wire and the site */

/* The current person of the world plays a round. `missing`: the reward never comes. SOTTO_E_FULL if
 * there is no room. After a failure nothing has changed. */
SOTTO_CHECK sotto_status sotto__crowd_add(sotto__crowd *crowd, bool missing);

/* Call it after each turn: frees the people whose report is acknowledged or dropped. */
void sotto__crowd_part(sotto__crowd *crowd);

/* ---- liars ---------------------------------------------------------------------------------- */

/* Liars: people whose device does all that an honest one does, but sends a forged report instead,
 * at the same time. */

typedef struct sotto__liars sotto__liars;

/* The share match->liars of all people lies, at most `at_once` at a time. Copies the stage, but
 * borrows its members and those of the match. */
SOTTO_CHECK sotto_status sotto__liars_new(const sotto__fleet_stage *stage, const sotto_match *match,
                                          uint64_t seed, uint32_t at_once, sotto__liars **out);
void sotto__liars_free(sotto__liars *liars); /* accepts NULL; before the wire and the site */

/* True if the next person lies. */
bool sotto__liars_come(sotto__liars *liars);

/* The current person of the world plays a round and lies, except in measure rounds and in the mean
 * phase. */
SOTTO_CHECK sotto_status sotto__liars_add(sotto__liars *liars);

/* Call it after each turn: frees the liars whose report is acknowledged or dropped. */
void sotto__liars_part(sotto__liars *liars);

#endif
