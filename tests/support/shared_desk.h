/* Two services over one database in memory, and one experiment in it. */
#ifndef SOTTO_SHARED_DESK_H
#define SOTTO_SHARED_DESK_H

#include "desk.h"
#include "service/experiment/inner.h"
#include "shared_memory.h"

/* A service over the database. Free it with shared_desk_free. */
desk shared_desk_of(uint64_t seed);
void shared_desk_free(desk *d);
/* The experiment that has these terms, as this service knows it. */
sottod_experiment *shared_desk_find(desk *d, const sottod_experiment *of_another);

/* Another process publishes: the model of a learner that took these frames, of the experiment as the service
 * knows it. The counts are those of all that was folded so far. */
void shared_desk_publish(const desk *d, const uint8_t *frames, uint32_t count);
/* Puts a model in as it is. */
void shared_desk_put(uint32_t experiment, uint32_t epoch, const journal_counts *counts,
                     journal_bytes learner, journal_bytes results);
/* Reads what others changed, whenever it was read last. */
bool shared_desk_refresh(desk *d);

#endif
