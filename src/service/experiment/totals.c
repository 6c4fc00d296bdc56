/* Alarms of the watch since the start, and the age of reports, for metrics. */
#include "inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void totals_init(watch_totals *totals)
{
    *totals = (watch_totals){.capacity = 0};
    pthread_mutex_init(&totals->mutex, NULL);
}

void totals_free(watch_totals *totals)
{
    pthread_mutex_destroy(&totals->mutex);
    free(totals->row);
}

/* Numbers of experiments begin at 1 without gaps. NULL: no memory. */
static watch_total *row_of(watch_totals *totals, uint32_t experiment)
{
    if (experiment >= totals->capacity) {
        const uint64_t capacity = experiment < 32 ? 64 : 2 * (uint64_t)experiment;
        watch_total *row =
            capacity > UINT32_MAX ? NULL : realloc(totals->row, capacity * sizeof *row);
        if (row == NULL) return NULL;
        for (uint64_t i = totals->capacity; i < capacity; i++) {
            row[i] = (watch_total){.age = NAN};
        }
        totals->row = row;
        totals->capacity = (uint32_t)capacity;
    }
    return &totals->row[experiment];
}

void totals_count(watch_totals *totals, uint32_t experiment, uint32_t tests)
{
    pthread_mutex_lock(&totals->mutex);
    watch_total *row = row_of(totals, experiment);
    for (uint32_t t = 0; row != NULL && t < SOTTO__WATCH_TESTS; t++) {
        row->epochs[t] += tests >> t & 1;
    }
    pthread_mutex_unlock(&totals->mutex);
}

void totals_note_age(watch_totals *totals, uint32_t experiment, double age)
{
    pthread_mutex_lock(&totals->mutex);
    watch_total *row = row_of(totals, experiment);
    if (row != NULL) row->age = age;
    pthread_mutex_unlock(&totals->mutex);
}

bool totals_say(watch_totals *totals, uint32_t experiment, uint64_t now_ms, uint64_t least_ms)
{
    pthread_mutex_lock(&totals->mutex);
    watch_total *row = row_of(totals, experiment);
    bool due = row == NULL || row->said_ms == 0 || now_ms - row->said_ms >= least_ms;
    if (due && row != NULL) row->said_ms = now_ms;
    pthread_mutex_unlock(&totals->mutex);
    return due;
}

watch_total totals_look(watch_totals *totals, uint32_t experiment)
{
    watch_total sum = {.age = NAN};
    pthread_mutex_lock(&totals->mutex);
    const bool all = experiment == TOTALS_ALL;
    const uint32_t first = all ? 0 : experiment, end = all ? totals->capacity : experiment + 1;
    for (uint32_t i = first; i < end && i < totals->capacity; i++) {
        for (uint32_t t = 0; t < SOTTO__WATCH_TESTS; t++) {
            sum.epochs[t] += totals->row[i].epochs[t];
        }
        sum.age = fmax(sum.age, totals->row[i].age); /* fmax ignores NAN */
    }
    pthread_mutex_unlock(&totals->mutex);
    return sum;
}

watch_totals *experiments_totals(sottod_experiments *all)
{
    return &all->totals;
}
