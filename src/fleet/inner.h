/* What files of this room share. */
#ifndef SOTTO_FLEET_INNER_H
#define SOTTO_FLEET_INNER_H

#include "fleet.h"
#include "lab/environment/environment.h"

#include <sotto/transport.h>

/* ---- clock ---------------------------------------------------------------------------------- */

/* The time of a run. */

/* Seconds since some moment, by a clock that does not jump. */
double sotto__fleet_clock_s(void);

/* ---- stage ---------------------------------------------------------------------------------- */

/* Where people take part, and what is reported about them, honest or not. */

/* All of it is borrowed. */
typedef struct sotto__fleet_stage {
    sotto_wire *wire;
    sotto_site *site; /* it has terms and a model */
    sotto__world *world;
    const sotto_policy *policy;
    sotto__policy_value *value;
    sotto__sight *sight;
} sotto__fleet_stage;

/* A round that was played: what is needed once its report is acknowledged. */
typedef struct sotto__played {
    bool followed; /* by the model of its round */
    bool left;     /* at least once */
    double reward; /* clipped */
    double sent_s; /* when the last request with its report began */
} sotto__played;

/* Numbers of a context. */
uint32_t sotto__stage_context_count(const sotto__fleet_stage *stage);

/* The current person of the world got this arm, and answers. */
void sotto__stage_play(const sotto__fleet_stage *stage, uint32_t arm, double reward,
                       sotto__played *out);

/* The fate of the report. The frame has the bytes that left. */
void sotto__stage_sent(const sotto__fleet_stage *stage, sotto__played *played);
void sotto__stage_acknowledged(const sotto__fleet_stage *stage, const sotto__played *played,
                               const uint8_t *frame, size_t frame_bytes);
void sotto__stage_put_off(const sotto__fleet_stage *stage, const char *why);
/* There is none: the round was served a fallback. */
void sotto__stage_served(const sotto__fleet_stage *stage);
void sotto__stage_dropped(const sotto__fleet_stage *stage, const char *why);

/* ---- crowd ---------------------------------------------------------------------------------- */

/* Honest people: each has a ledger and a device of their own, for one round. */

typedef struct sotto__crowd sotto__crowd;

/* Room for so many at once. Copies the stage, and borrows what it holds. */
SOTTO_CHECK sotto_status sotto__crowd_new(const sotto__fleet_stage *stage, uint32_t at_once,
                                          sotto__crowd **out);
void sotto__crowd_free(sotto__crowd *crowd); /* accepts NULL; before the wire and the site */

/* The current person of the world plays a round; `missing`: their reward never comes. SOTTO_E_FULL if there is no
 * room. After a failure nobody has come. */
SOTTO_CHECK sotto_status sotto__crowd_add(sotto__crowd *crowd, bool missing);

/* After a turn: those whose report is acknowledged or dropped go. */
void sotto__crowd_part(sotto__crowd *crowd);

/* ---- liars ---------------------------------------------------------------------------------- */

/* Liars: people whose device does everything an honest one does, and then sends another report at
 * the same time. */

typedef struct sotto__liars sotto__liars;

/* match->liars of all people; at most so many at once. Copies the stage, and borrows what it and the match hold. */
SOTTO_CHECK sotto_status sotto__liars_new(const sotto__fleet_stage *stage, const sotto_match *match,
                                          uint64_t seed, uint32_t at_once, sotto__liars **out);
void sotto__liars_free(sotto__liars *liars); /* accepts NULL; before the wire and the site */

/* Whether the next person lies. */
bool sotto__liars_come(sotto__liars *liars);

/* The current person of the world plays a round, and lies. In measure rounds and in the mean phase they are
 * honest. */
SOTTO_CHECK sotto_status sotto__liars_add(sotto__liars *liars);

/* After a turn: those whose report is acknowledged or dropped go. */
void sotto__liars_part(sotto__liars *liars);

#endif
