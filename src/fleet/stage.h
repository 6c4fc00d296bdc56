/* Where people take part, and what is told of them, honest or not. */
#ifndef SOTTO_FLEET_STAGE_H
#define SOTTO_FLEET_STAGE_H

#include "lab/environment/world.h"
#include "sight.h"

#include <sotto/transport.h>

/* All of it is borrowed. */
typedef struct sotto__stage {
    sotto_wire *wire;
    sotto_site *site; /* it has terms and a model */
    sotto__world *world;
    const sotto_policy *policy;
    sotto__worth *worth;
    sotto__sight *sight;
} sotto__stage;

/* A round that was played: what is needed once its report is acknowledged. */
typedef struct sotto__played {
    bool followed; /* by the model of its round */
    bool left;     /* at least once */
    double reward; /* clipped */
    double sent_s; /* when the last request with its report began */
} sotto__played;

/* Numbers of a context. */
uint32_t sotto__stage_context_count(const sotto__stage *stage);

/* The current person of the world got this arm, and answers. */
void sotto__stage_play(const sotto__stage *stage, uint32_t arm, double reward, sotto__played *out);

/* What becomes of the report. The frame is as it left. */
void sotto__stage_sent(const sotto__stage *stage, sotto__played *played);
void sotto__stage_acknowledged(const sotto__stage *stage, const sotto__played *played,
                               const uint8_t *frame, size_t frame_bytes);
void sotto__stage_put_off(const sotto__stage *stage, const char *why);
/* There is none: the round was served a fallback. */
void sotto__stage_served(const sotto__stage *stage);
void sotto__stage_dropped(const sotto__stage *stage, const char *why);

#endif
