/* What other rooms may use from this one. */
#ifndef SOTTO_SERVICE_PUBLISHER_ROOM_H
#define SOTTO_SERVICE_PUBLISHER_ROOM_H

#include "server/server.h"
#include "service/experiment/experiment.h"
#include "service/store/postgres/postgres.h"
#include "service/system/system.h"

/*
 * The publisher of a shared journal. Of all processes with a publisher, one at a time folds and publishes each
 * experiment, and one, the housekeeper, removes reports of closed and deleted experiments. It runs in its own thread
 * and shares nothing with the rest of the process except the database.
 *
 * An epoch is folded only when it ends: once enough reports wait (and the epoch lasted long enough), all rows up to
 * the last durable one of each gateway are read, by gateway and number. Frames are classified (new, late, duplicate,
 * conflicting) in that order and folded on all cores; the model is stored with its cut. So a model is a function of
 * the previous model and the rows between the two cuts, whichever process computes it.
 *
 * If too few of them count, what was folded is kept, and the next attempt continues with the rows that came since. */

typedef struct publisher_settings {
    postgres_settings postgres;
    uint32_t nonces_max;
    bool keep_reports;
    uint32_t threads;     /* to fold; 0: one per core */
    watch_totals *totals; /* must outlive the publisher */
} publisher_settings;

typedef struct sottod_publisher sottod_publisher;

/* Starts the thread. The caller keeps the log, which must outlive this; lines of two threads do not mix. NULL: no
 * memory, or no thread. */
sottod_publisher *publisher_start(const publisher_settings *settings, sottod_log *log);
/* Stops after the current step and frees it. NULL is allowed. */
void publisher_stop(sottod_publisher *publisher);

/* For metrics, at any time. */
typedef struct publisher_state {
    /* it is the housekeeper: it removes reports of closed and deleted experiments */
    bool holds_lock;
    uint32_t experiments;       /* published by this process */
    uint64_t publishes, fenced; /* since the start */
    uint64_t fold_us;           /* in total */
    uint64_t waiting;           /* durable reports in no model yet, when last asked */
    uint64_t distinct; /* of these, reports that were folded and count, but are still too few */
} publisher_state;
publisher_state publisher_look(const sottod_publisher *publisher);
/* The ids of experiments that it does not fold because their data in the database are at fault, at most
 * PUBLISHER_STOPPED_MAX; the log has all. Returns how many. */
#define PUBLISHER_STOPPED_MAX 100u
uint32_t publisher_stopped(sottod_publisher *publisher, char (*id)[SPEC_ID_TEXT_BYTES],
                           uint32_t most);

#endif
