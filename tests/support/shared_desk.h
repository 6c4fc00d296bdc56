/* Two services over one database in memory, and one experiment in it. */
#ifndef SOTTO_SHARED_DESK_H
#define SOTTO_SHARED_DESK_H

#include "desk.h"
#include "service/experiment/inner.h"
#include "shared_memory.h"

/* A service over the database. Free it with shared_desk_free. */
desk shared_desk_of(uint64_t seed);
void shared_desk_free(desk *d);
/* The first service over an empty database, with this experiment. */
desk shared_desk_with(const experiment_request *request);
/* Another service over the database, with the experiment of this one. */
desk shared_desk_beside(uint64_t seed, const desk *one);
/* The experiment that has these terms, as this service knows it. */
sottod_experiment *shared_desk_find(desk *d, const sottod_experiment *of_another);

/* Publishes as another process would: the model of a learner that took these frames. The counts are
 * those of everything folded so far. */
void shared_desk_publish(const desk *d, const uint8_t *frames, uint32_t count);
/* Inserts a model as it is. */
void shared_desk_put(uint32_t experiment, uint32_t epoch, const journal_counts *counts,
                     journal_bytes learner, journal_bytes results);
/* Reads what others changed, even if the last reading was recent. */
bool shared_desk_refresh(desk *d);

#endif
