/*
 * History, thinned: rows of one experiment that follow each other within one hour become one. Rows of another
 * hour between two of this one stay as they are: the clock may jump.
 */
#ifndef SERVICE_JOURNAL_HOURS_H
#define SERVICE_JOURNAL_HOURS_H

#include "journal.h"

#define JOURNAL_HOUR_MIN 60u

typedef struct journal_hour {
    journal_history sum;
    uint32_t first_epoch;
    uint32_t rows;
} journal_hour;

typedef struct journal_hours {
    journal_hour *at;
    size_t count, room;
    bool no_memory; /* the reason why gathering ended */
} journal_hours;

/* The field `alarms` of history: tests of the watch, a bit each, and a mean age in epochs, 0 to 16. */
uint32_t journal_alarms(uint32_t tests, double age);
double journal_age(uint32_t alarms);
/* The first minute of the hour of this one. */
uint64_t journal_hour_start(uint64_t minute);
/* Takes rows, sorted by experiment and epoch, into a journal_hours; for journal_read_history. */
bool journal_hours_gather(void *self, const journal_history *row);
void journal_hours_free(journal_hours *hours);

#endif
