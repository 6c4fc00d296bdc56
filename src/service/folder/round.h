/* One round over all experiments: what is due is folded and published. */
#ifndef SERVICE_FOLDER_ROUND_H
#define SERVICE_FOLDER_ROUND_H

#include "alarms.h"
#include "folder.h"
#include "known.h"
#include "service/experiment/damaged.h"
#include "service/fold/fold.h"

/* An experiment that is closed or deleted. */
typedef struct folder_gone {
    uint32_t number;
    journal_state state;
    uint64_t again_ms; /* its last reports could not be folded: not before this */
} folder_gone;

typedef struct folder_round {
    sottod_folding *folding;
    sottod_fold *fold;
    sottod_log *log;
    folder_alarms *alarms;
    uint32_t nonces_max;
    folding_retention retention;
    folder_known **known; /* of all experiments that are open or paused, by number */
    uint32_t known_count, known_capacity;
    folder_gone *gone; /* those that are over: first those that were emptied */
    uint32_t gone_count, gone_capacity;
    uint32_t emptied;     /* how many were */
    damaged_list damaged; /* experiments that cannot be read */
    bool stale;           /* experiments are read again */
    uint64_t read_ms;     /* when they were read last */
    uint64_t thin_ms;     /* when history is thinned next */
    uint64_t waiting;     /* reports, of all experiments */
    uint64_t publishes, fenced, fold_us;
} folder_round;

/* False: the database is away, and the lock is lost; folding_fault says why. */
bool folder_round_run(folder_round *round, uint64_t now_ms, uint64_t minute);
/* Milliseconds until something may be due. */
uint64_t folder_round_ms(const folder_round *round, uint64_t now_ms);
/* The ids of experiments that are not folded because what the database has of them is at fault, one after the
 * other; NULL: there is no more. */
const char *folder_round_stopped(const folder_round *round, uint32_t i);
/* Nothing is known any more. */
void folder_round_forget(folder_round *round);

#endif
