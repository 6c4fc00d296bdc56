/* What is due when: a heap of alarms, the earliest first. Adding, taking and moving one costs log n. */
#ifndef SOTTO_TRANSPORT_ALARM_H
#define SOTTO_TRANSPORT_ALARM_H

#include "client/side.h"

#include <sotto/core.h>

#define SOTTO__ALARM_OFF SIZE_MAX

typedef struct sotto__alarm sotto__alarm;
struct sotto__alarm {
    uint64_t at_ms;
    size_t place; /* in the heap; SOTTO__ALARM_OFF: it is not set */
    void (*ring)(sotto__alarm *alarm);
};

typedef struct sotto__alarms {
    sotto__alarm **heap;
    size_t count, capacity;
} sotto__alarms;

void sotto__alarms_free(sotto__alarms *alarms);
/* Room for so many alarms at once, so that setting one cannot fail. */
SOTTO_CHECK sotto_status sotto__alarms_reserve(sotto__alarms *alarms, size_t count);
/* Sets it, or sets it anew. */
void sotto__alarm_set(sotto__alarms *alarms, sotto__alarm *alarm, uint64_t at_ms);
void sotto__alarm_stop(sotto__alarms *alarms, sotto__alarm *alarm);
/* The earliest; NULL if there is none. */
sotto__alarm *sotto__alarms_first(const sotto__alarms *alarms);
/* Rings all that are due, each once it is stopped. What they set for now waits for the next call. */
void sotto__alarms_ring(sotto__alarms *alarms, uint64_t now_ms);

#endif
