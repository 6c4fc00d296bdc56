/* An axis of a figure: from where to where, and what is written along it. */
#ifndef SOTTO_LAB_PAGE_FIGURE_AXIS_H
#define SOTTO_LAB_PAGE_FIGURE_AXIS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sotto__axis {
    bool log;
    double lo, hi; /* lo < hi; log: above 0 */
} sotto__axis;

/* No value yet. */
sotto__axis sotto__axis_empty(bool log);

/* True if the value has a place: finite, at most 1e200 in size; log: at least 1e-200. */
bool sotto__axis_takes(const sotto__axis *axis, double value);

/* Widens the axis to hold the value, if it has a place. */
void sotto__axis_hold(sotto__axis *axis, double value);

/* Makes the axis one that can be drawn, even if it holds one value or none, and adds the part `pad`
 * of its length at both ends. */
void sotto__axis_settle(sotto__axis *axis, double pad);

/* Where on a settled axis a value it takes lies: 0 at lo, 1 at hi. */
double sotto__axis_at(const sotto__axis *axis, double value);

#define SOTTO__TICKS_MAX 128u
#define SOTTO__TICK_BYTES 40u

typedef struct sotto__tick {
    double value;
    char label[SOTTO__TICK_BYTES]; /* "10,000", "10⁷"; "": a minor one */
} sotto__tick;

/* The ticks of a settled axis; returns how many. */
uint32_t sotto__axis_ticks(const sotto__axis *axis, sotto__tick tick[SOTTO__TICKS_MAX]);

#endif
