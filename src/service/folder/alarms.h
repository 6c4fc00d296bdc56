/* Epochs with an alarm of the watch, by experiment and test, since the start, and how old reports are. The folder's thread counts them;
 * any thread may look. */
#ifndef SERVICE_FOLDER_ALARMS_H
#define SERVICE_FOLDER_ALARMS_H

#include "server/watch.h"

#include <pthread.h>

typedef struct folder_alarms_row {
    uint32_t experiment;
    uint64_t epochs[SOTTO__WATCH_TESTS];
    double age; /* of the reports of the last publish, in epochs; NAN: none */
} folder_alarms_row;

typedef struct folder_alarms {
    pthread_mutex_t mutex;
    folder_alarms_row *row; /* of those that had an alarm or a publish */
    uint32_t count, capacity;
} folder_alarms;

void folder_alarms_init(folder_alarms *alarms);
void folder_alarms_free(folder_alarms *alarms);
/* `tests` has a bit for each test with an alarm. Without memory for a new row it is not counted. */
void folder_alarms_count(folder_alarms *alarms, uint32_t experiment, uint32_t tests);
void folder_alarms_look(folder_alarms *alarms, uint32_t experiment,
                        uint64_t epochs[SOTTO__WATCH_TESTS]);
/* The mean age of the reports of the last publish, in epochs; NAN: none. Without memory it is not noted. */
void folder_alarms_note_age(folder_alarms *alarms, uint32_t experiment, double age);
double folder_alarms_age(folder_alarms *alarms, uint32_t experiment);

#endif
