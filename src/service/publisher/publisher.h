/* What other rooms may use of this one. */
#ifndef SOTTO_SERVICE_PUBLISHER_ROOM_H
#define SOTTO_SERVICE_PUBLISHER_ROOM_H

#include "server/server.h"
#include "service/experiment/experiment.h"
#include "service/store/postgres/postgres.h"
#include "service/system/system.h"

/*
 * The publisher of a shared journal. Of all processes that could, each experiment has one that folds and publishes it,
 * and one of them removes reports of closed and deleted experiments. It runs in a thread of its own and shares nothing
 * with the rest of the process but the database.
 *
 * An epoch is folded when it ends, not before: when enough reports wait (and the epoch lasted long enough)
 * all rows up to the last durable one of each gateway are read, by gateway and number. Frames are distinguished
 * (new, late, duplicate, conflicting) in that order and folded, on all cores; the model goes in with its cut.
 * So a model is a function of the model before and of the rows between the two cuts, whichever process computes it.
 *
 * If too few of them count, what was folded is kept, and the next attempt continues with the rows that came since.
 */

typedef struct publisher_settings {
    postgres_settings postgres;
    uint32_t nonces_max;
    bool keep_reports;
    uint32_t threads;     /* that fold; 0: as many as there are cores */
    watch_totals *totals; /* outlive the publisher */
} publisher_settings;

typedef struct sottod_publisher sottod_publisher;

/* Starts the thread. The log is the caller's, and outlives this; lines of two threads do not mix. NULL: no
 * memory, or no thread. */
sottod_publisher *publisher_start(const publisher_settings *settings, sottod_log *log);
/* Ends it after the step at hand, and frees it. NULL is allowed. */
void publisher_stop(sottod_publisher *publisher);

/* For metrics, at any time. */
typedef struct publisher_state {
    bool holds_lock;            /* it removes reports of closed and deleted experiments */
    uint32_t experiments;       /* that it publishes */
    uint64_t publishes, fenced; /* since the start */
    uint64_t fold_us;           /* all of them together */
    uint64_t waiting;           /* reports that are durable and in no model yet, as asked last */
    uint64_t distinct;          /* of them, those that were folded and count, but are too few yet */
} publisher_state;
publisher_state publisher_look(const sottod_publisher *publisher);
/* The ids of experiments that it does not fold because what the database has of them is at fault: those that fit,
 * at most PUBLISHER_STOPPED_MAX; the log has all. The answer is how many. */
#define PUBLISHER_STOPPED_MAX 100u
uint32_t publisher_stopped(sottod_publisher *publisher, char (*id)[SPEC_ID_TEXT_BYTES],
                           uint32_t most);

#endif
