/*
 * What the watch (server/watch.h) says of an epoch when it is due, and what follows from it.
 *
 *     no alarm                    it is published
 *     an alarm, no quarantine     it is published, and history has the alarms
 *     an alarm, quarantine        it is held: it goes on taking reports, and is not published until somebody
 *                                 releases it (it is published as it is then) or discards it (nothing is
 *                                 learnt from it)
 *
 * An epoch is looked at once, when it is due; one that is held stays held. After a restart it is looked at again,
 * with all the reports that it has then.
 *
 * Over a journal that several processes share the folder looks. What is held, and what was decided of it, lies in
 * the journal, also over restarts; here it is as it was read last.
 */
#ifndef SERVICE_HOLD_H
#define SERVICE_HOLD_H

#include "experiment.h"
#include "server/watch.h"

typedef enum hold_order { HOLD_NONE, HOLD_RELEASE, HOLD_DISCARD } hold_order;

typedef struct experiment_hold {
    bool quarantine;           /* as its owner wants */
    uint64_t reports_expected; /* as its owner says; 0: not said */
    bool held;
    hold_order order;    /* of a held one, done at the next turn */
    sotto__verdict seen; /* at the last look */
    uint32_t epoch;      /* that was looked at; seen.reports is 0 if there was no look */
    bool
        fallback_ends; /* of a shared journal: the owner has ended it, and the next publish does so */
    bool has_chances;                    /* it was looked at here: seen.chance is known */
    uint64_t alarms[SOTTO__WATCH_TESTS]; /* since the start */
} experiment_hold;

/* An epoch is due: looks at it, unless it is held already. True: it ends now, by the order if there is one. */
bool hold_lets_go(sottod_experiments *all, sottod_experiment *experiment);
/* It has ended. */
void hold_end(experiment_hold *hold);
/* Of a shared journal: what is held now, or nothing. */
void hold_hear(experiment_hold *hold, const journal_held *held);
/* The names of the tests with an alarm, with commas. */
#define HOLD_TESTS_BYTES 64u
void hold_print_alarms(uint32_t alarms, char text[HOLD_TESTS_BYTES]);
/* Reports were above HOLD_AGE_MAX epochs old at a publish, on average, and were not before: a line in the log. NAN: no
 * publish was before. */
#define HOLD_AGE_MAX 4.0
void hold_tell_age(sottod_log *log, const char *id_text, uint32_t epoch, double before, double age);
/* The bits of history. */
uint32_t hold_alarms(const experiment_hold *hold, uint32_t epoch);

#endif
