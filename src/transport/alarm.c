/* A binary heap of pointers. Each alarm has its place in the heap, so that it can be removed. */
#include "transport.h"

#include <assert.h>
#include <stdlib.h>

void sotto__alarms_free(sotto__alarms *alarms)
{
    free(alarms->heap);
    *alarms = (sotto__alarms){0};
}

sotto_status sotto__alarms_reserve(sotto__alarms *alarms, size_t count)
{
    if (count <= alarms->capacity) return SOTTO_OK;
    size_t capacity = alarms->capacity == 0 ? 16 : alarms->capacity;
    while (capacity < count) {
        capacity *= 2;
    }
    sotto__alarm **heap = realloc(alarms->heap, capacity * sizeof *heap);
    if (heap == NULL) return SOTTO_E_MEMORY;
    alarms->heap = heap;
    alarms->capacity = capacity;
    return SOTTO_OK;
}

static void put(sotto__alarms *alarms, size_t place, sotto__alarm *alarm)
{
    alarms->heap[place] = alarm;
    alarm->place = place;
}

static size_t rise(sotto__alarms *alarms, size_t place, uint64_t at_ms)
{
    while (place > 0 && alarms->heap[(place - 1) / 2]->at_ms > at_ms) {
        put(alarms, place, alarms->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    return place;
}

static size_t sink(sotto__alarms *alarms, size_t place, uint64_t at_ms)
{
    for (size_t child = 2 * place + 1; child < alarms->count; child = 2 * place + 1) {
        bool right = child + 1 < alarms->count &&
                     alarms->heap[child + 1]->at_ms < alarms->heap[child]->at_ms;
        if (right) child++;
        if (alarms->heap[child]->at_ms >= at_ms) break;
        put(alarms, place, alarms->heap[child]);
        place = child;
    }
    return place;
}

/* Puts an alarm into a gap of the heap. */
static void fill(sotto__alarms *alarms, size_t gap, sotto__alarm *alarm)
{
    put(alarms, sink(alarms, rise(alarms, gap, alarm->at_ms), alarm->at_ms), alarm);
}

void sotto__alarm_stop(sotto__alarms *alarms, sotto__alarm *alarm)
{
    if (alarm->place == SOTTO__ALARM_OFF) return;
    size_t gap = alarm->place;
    alarm->place = SOTTO__ALARM_OFF;
    sotto__alarm *last = alarms->heap[--alarms->count];
    if (last != alarm) fill(alarms, gap, last);
}

void sotto__alarm_set(sotto__alarms *alarms, sotto__alarm *alarm, uint64_t at_ms)
{
    sotto__alarm_stop(alarms, alarm);
    assert(alarms->count < alarms->capacity);
    alarm->at_ms = at_ms;
    fill(alarms, alarms->count++, alarm);
}

sotto__alarm *sotto__alarms_first(const sotto__alarms *alarms)
{
    return alarms->count == 0 ? NULL : alarms->heap[0];
}

void sotto__alarms_ring(sotto__alarms *alarms, uint64_t now_ms)
{
    for (size_t left = alarms->count; left > 0; left--) {
        sotto__alarm *first = sotto__alarms_first(alarms);
        if (first == NULL || first->at_ms > now_ms) return;
        sotto__alarm_stop(alarms, first);
        first->ring(first);
    }
}
