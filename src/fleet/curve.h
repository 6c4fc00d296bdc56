/* How regret falls from the first people to the last, in at most SOTTO__CURVE_STEPS steps of as many people each. */
#ifndef SOTTO_FLEET_CURVE_H
#define SOTTO_FLEET_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#define SOTTO__CURVE_STEPS 20u

typedef struct sotto__curve {
    uint64_t width;                    /* people of a step; 0: nobody came yet */
    uint64_t people;                   /* in all: the last step may have fewer than the others */
    double regret[SOTTO__CURVE_STEPS]; /* sums */
    double random[SOTTO__CURVE_STEPS];
} sotto__curve;

/* One person more. When all steps are full, two and two become one. */
void sotto__curve_add(sotto__curve *curve, double regret, double random);
/* Steps that have people in them. */
uint32_t sotto__curve_steps(const sotto__curve *curve);
/* People of a step. */
uint64_t sotto__curve_people(const sotto__curve *curve, uint32_t step);

#endif
