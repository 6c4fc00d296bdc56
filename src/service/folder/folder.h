/*
 * The folder of a shared journal: of all processes that could, one holds the lock, folds and publishes. It
 * runs in a thread of its own and shares nothing with the rest of the process but the database.
 *
 * An epoch is folded when it ends, not before: when enough reports wait (and the epoch lasted long enough)
 * all rows up to the last durable one of each gateway are read, by gateway and number. Frames are told apart
 * (new, late, duplicate, conflicting) in that order and folded, on all cores; the model goes in with its cut.
 * So a model is a function of the model before and of the rows between the two cuts, whoever computes it.
 *
 * If too few of them count, nothing happened: it is tried again when twice as many wait.
 */
#ifndef SERVICE_FOLDER_H
#define SERVICE_FOLDER_H

#include "server/watch.h"
#include "service/postgres/folding.h"
#include "service/system/log.h"
#include "service/system/spec_id.h"

typedef struct folder_settings {
    postgres_settings postgres;
    uint32_t nonces_max;
    bool keep_reports;
    uint32_t threads; /* that fold; 0: as many as there are cores */
} folder_settings;

typedef struct sottod_folder sottod_folder;

/* Starts the thread. The log is the caller's, and outlives this; lines of two threads do not mix. NULL: no
 * memory, or no thread. */
sottod_folder *folder_start(const folder_settings *settings, sottod_log *log);
/* Ends it after the step at hand, and frees it. NULL is allowed. */
void folder_stop(sottod_folder *folder);

/* For metrics, at any time. */
typedef struct folder_state {
    bool holds_lock;
    uint64_t publishes, fenced; /* since the start */
    uint64_t fold_us;           /* all of them together */
    uint64_t waiting;           /* reports that are durable and in no model yet, as asked last */
} folder_state;
folder_state folder_look(const sottod_folder *folder);
/* Epochs of an experiment with an alarm that this folder saw since the start, test by test. */
void folder_watched(sottod_folder *folder, uint32_t experiment,
                    uint64_t epochs[SOTTO__WATCH_TESTS]);
/* The mean age, in epochs, of the reports of an experiment's last publish by this folder; NAN: none since the start. */
double folder_age(sottod_folder *folder, uint32_t experiment);
/* The ids of experiments that it does not fold because what the database has of them is at fault: those that fit,
 * at most FOLDER_STOPPED_MAX; the log has all. The answer is how many. */
#define FOLDER_STOPPED_MAX 100u
uint32_t folder_stopped(sottod_folder *folder, char (*id)[SPEC_ID_TEXT_BYTES], uint32_t most);

#endif
