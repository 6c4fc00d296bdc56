#include "alarms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void folder_alarms_init(folder_alarms *alarms)
{
    *alarms = (folder_alarms){.count = 0};
    pthread_mutex_init(&alarms->mutex, NULL);
}

void folder_alarms_free(folder_alarms *alarms)
{
    pthread_mutex_destroy(&alarms->mutex);
    free(alarms->row);
}

static folder_alarms_row *find(const folder_alarms *alarms, uint32_t experiment)
{
    for (uint32_t i = 0; i < alarms->count; i++) {
        if (alarms->row[i].experiment == experiment) return &alarms->row[i];
    }
    return NULL;
}

static folder_alarms_row *add(folder_alarms *alarms, uint32_t experiment)
{
    if (alarms->count == alarms->capacity) {
        uint32_t capacity = alarms->capacity == 0 ? 16 : 2 * alarms->capacity;
        folder_alarms_row *row = realloc(alarms->row, capacity * sizeof *row);
        if (row == NULL) return NULL;
        alarms->row = row;
        alarms->capacity = capacity;
    }
    folder_alarms_row *added = &alarms->row[alarms->count++];
    *added = (folder_alarms_row){.experiment = experiment, .age = NAN};
    return added;
}

void folder_alarms_count(folder_alarms *alarms, uint32_t experiment, uint32_t tests)
{
    pthread_mutex_lock(&alarms->mutex);
    folder_alarms_row *row = find(alarms, experiment);
    if (row == NULL) row = add(alarms, experiment);
    for (uint32_t t = 0; row != NULL && t < SOTTO__WATCH_TESTS; t++) {
        row->epochs[t] += tests >> t & 1;
    }
    pthread_mutex_unlock(&alarms->mutex);
}

void folder_alarms_look(folder_alarms *alarms, uint32_t experiment,
                        uint64_t epochs[SOTTO__WATCH_TESTS])
{
    static const folder_alarms_row none = {.experiment = 0};
    pthread_mutex_lock(&alarms->mutex);
    const folder_alarms_row *row = find(alarms, experiment);
    memcpy(epochs, row == NULL ? none.epochs : row->epochs, sizeof none.epochs);
    pthread_mutex_unlock(&alarms->mutex);
}

void folder_alarms_note_age(folder_alarms *alarms, uint32_t experiment, double age)
{
    pthread_mutex_lock(&alarms->mutex);
    folder_alarms_row *row = find(alarms, experiment);
    if (row == NULL) row = add(alarms, experiment);
    if (row != NULL) row->age = age;
    pthread_mutex_unlock(&alarms->mutex);
}

double folder_alarms_age(folder_alarms *alarms, uint32_t experiment)
{
    pthread_mutex_lock(&alarms->mutex);
    const folder_alarms_row *row = find(alarms, experiment);
    double age = row == NULL ? NAN : row->age;
    pthread_mutex_unlock(&alarms->mutex);
    return age;
}
