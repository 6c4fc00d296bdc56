/* Reports in flight: a binary heap by arrival time; the reports themselves lie in
 * one block of memory. */
#include "inner.h"

#include <math.h>
#include <stdlib.h>

typedef struct due {
    double ms;
    uint64_t number; /* in order of decision */
    size_t place;
} due;

struct sotto__flight {
    sotto__seeded random;
    double window_ms;
    uint64_t spread_ms; /* U is at most this */
    uint64_t added;
    size_t sent_doubles; /* of a place */
    size_t count, capacity;
    size_t last;   /* in the heap: the one that was added last */
    due *heap;     /* entries from count on hold the free places */
    double *place; /* capacity x sent_doubles */
};

/* How many people can have a report in flight: those of the last window and spread, and one more
 * at each end for rounding. */
static double most_people(const sotto_match *match)
{
    double away_s = (double)match->spec.reward_window_s + match->spec.send_spread_s;
    return ceil(match->people_per_second * away_s) + 2;
}

sotto_status sotto__flight_new(const sotto_match *match, uint64_t seed, size_t sent_bytes,
                               sotto__flight **out)
{
    *out = NULL;
    double people = fmin(most_people(match), (double)match->horizon);
    sotto__flight *flight = calloc(1, sizeof *flight);
    if (flight == NULL) return SOTTO_E_MEMORY;
    flight->capacity = (size_t)people;
    flight->sent_doubles = (sent_bytes + sizeof(double) - 1) / sizeof(double);
    flight->heap = calloc(flight->capacity, sizeof flight->heap[0]);
    /* One double more, because sent_bytes may be 0 and calloc of 0 bytes may return NULL. */
    flight->place = calloc(flight->capacity, (flight->sent_doubles + 1) * sizeof(double));
    if (flight->heap == NULL || flight->place == NULL) {
        sotto__flight_free(flight);
        return SOTTO_E_MEMORY;
    }
    for (size_t i = 0; i < flight->capacity; i++) {
        flight->heap[i].place = i;
    }
    flight->window_ms = 1000.0 * match->spec.reward_window_s;
    flight->spread_ms = UINT64_C(1000) * match->spec.send_spread_s;
    sotto__stream_begin(&flight->random, seed, SOTTO__PURPOSE_DELAY);
    *out = flight;
    return SOTTO_OK;
}

void sotto__flight_free(sotto__flight *flight)
{
    if (flight == NULL) return;
    free(flight->heap);
    free(flight->place);
    free(flight);
}

uint64_t sotto__flight_count(const sotto__flight *flight)
{
    return flight->count;
}

static bool is_before(const due *a, const due *b)
{
    return a->ms < b->ms || (a->ms == b->ms && a->number < b->number);
}

static size_t rise(due *heap, size_t at, due one)
{
    while (at > 0 && is_before(&one, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = one;
    return at;
}

static void sink(due *heap, size_t count, size_t at, due one)
{
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && is_before(&heap[child + 1], &heap[child])) child++;
        if (!is_before(&heap[child], &one)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = one;
}

sotto_status sotto__flight_add(sotto__flight *flight, double now_ms, void **sent)
{
    uint64_t u_ms;
    if (flight->count == flight->capacity) return SOTTO_E_FULL;
    sotto_status status = sotto__draw_below(&flight->random.rng, flight->spread_ms + 1, &u_ms);
    if (status != SOTTO_OK) return status;
    due one = {
        .ms = now_ms + flight->window_ms + (double)u_ms,
        .number = flight->added++,
        .place = flight->heap[flight->count].place,
    };
    flight->last = rise(flight->heap, flight->count++, one);
    *sent = flight->place + one.place * flight->sent_doubles;
    return SOTTO_OK;
}

void sotto__flight_drop(sotto__flight *flight)
{
    due *heap = flight->heap;
    size_t at = flight->last, place = heap[at].place;
    due moved = heap[--flight->count];
    if (at < flight->count) {
        at = rise(heap, at, moved);
        sink(heap, flight->count, at, moved);
    }
    heap[flight->count].place = place; /* free again */
}

const void *sotto__flight_take(sotto__flight *flight, double until_ms, double *arrival_ms)
{
    due first = flight->heap[0];
    if (flight->count == 0 || first.ms > until_ms) return NULL;
    sink(flight->heap, flight->count - 1, 0, flight->heap[flight->count - 1]);
    flight->heap[--flight->count].place = first.place; /* free again */
    *arrival_ms = first.ms;
    return flight->place + first.place * flight->sent_doubles;
}
