/* An axis of a figure: from where to where, and what is written along it. */
#ifndef SOTTO_LAB_PAGE_FIGURE_AXIS_H
#define SOTTO_LAB_PAGE_FIGURE_AXIS_H

#include <stdbool.h>
#include <stdio.h>

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

/* The ticks of a settled axis as gnuplot's list: ('10^{0}' 1, '' 2 1, ...). */
void sotto__axis_ticks(const sotto__axis *axis, bool labels, FILE *out);

#endif
