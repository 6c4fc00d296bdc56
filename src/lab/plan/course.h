/* An experiment under way, as the plan takes it to go. */
#ifndef SOTTO_LAB_PLAN_COURSE_H
#define SOTTO_LAB_PLAN_COURSE_H

#include <sotto/lab/plans.h>

/* What is known of theta*. */
typedef struct sotto__known {
    double precision; /* 1/P */
    double bias,
        noise; /* b and n: where P of the server is not what it knows, and of all after warm-up */
} sotto__known;

/* With privacy or without. */
typedef struct sotto__course {
    const sotto_plan *plan;
    double information[SOTTO_PHASES]; /* 1/P += information (S h)^2 */
    double unexpected[SOTTO_PHASES];  /* q/qhat */
    uint64_t mean_phase, warm_up;     /* reports */
    double first;                     /* 1/P before the first report */
    uint64_t t;                       /* reports so far */
    sotto__known now;
    double hidden; /* what a person after warm-up loses by arms that nobody gets */
    double regret; /* so far */
} sotto__course;

/* Of an experiment planned for `horizon` people. `plan` is borrowed. */
sotto__course sotto__course_begin(const sotto_plan *plan, uint64_t horizon, bool private);

/* Goes on to report `to`. */
void sotto__course_advance(sotto__course *course, uint64_t to);

/* The regret of the next person. */
double sotto__course_next(const sotto__course *course);

/* Where the phase that the course is in ends, or `to`, if that is before. */
uint64_t sotto__course_phase_end(const sotto__course *course, uint64_t to);

#endif
