/* What files of this room share. */
#ifndef SOTTO_LAB_PLAN_INNER_H
#define SOTTO_LAB_PLAN_INNER_H

#include <sotto/lab/matches.h>
#include <sotto/lab/plans.h>

#include <stdint.h>

/* ---- checked -------------------------------------------------------------------------------- */

/* Where predictions were compared with played runs. */

/* Whether the match lies within a grid of tests/measure/plan.py, in all that a prediction depends on. */
bool sotto__plan_was_checked(const sotto_match *match);

/* ---- course --------------------------------------------------------------------------------- */

/* The predicted course of an experiment. */

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

/* Advances to report `to`. */
void sotto__course_advance(sotto__course *course, uint64_t to);

/* The regret of the next person. */
double sotto__course_next(const sotto__course *course);

/* The end of the current phase, or `to` if that is before. */
uint64_t sotto__course_phase_end(const sotto__course *course, uint64_t to);

/* ---- delayed -------------------------------------------------------------------------------- */

/* The predicted course of an experiment with delayed reports. */

typedef struct sotto__delayed {
    sotto__course course; /* up to the reports that are in the model */
    sotto_learning learning;
    double window, spread, pause; /* in people who come meanwhile; pause: epoch_seconds_min */
    double people;                /* who came */
    double epoch;                 /* people of the current epoch */
    double next;                  /* the person at which the model is next updated */
    double regret;                /* so far */
    bool clocked;                 /* false: a report is in the next person's model */
} sotto__delayed;

/* As sotto__course_begin, with the clock of the plan's match. */
sotto__delayed sotto__delayed_begin(const sotto_plan *plan, uint64_t horizon, bool private);

/* Advances to person `to`. */
void sotto__delayed_advance(sotto__delayed *delayed, uint64_t to);

/* The regret of the next person. */
double sotto__delayed_next(const sotto__delayed *delayed);

/* How many people's reports are not in the model of the next person, on average: those in flight,
 * and those of half an epoch. 0 without a clock. */
uint64_t sotto__delayed_behind(const sotto__delayed *delayed);

/* Reports of the epoch that begins now. */
uint64_t sotto__delayed_epoch(const sotto__delayed *delayed);

/* ---- line ----------------------------------------------------------------------------------- */

/* What is lost on a line (d = 1), where only signs can be wrong. */

/* The loss by estimates z standard deviations from 0, as a share of what a random arm loses: 1 at
 * z = 0, falling to 0. The first is for one parameter for all arms, the second, accurate to 1e-6,
 * for one per arm. */
double sotto__line_part(double z);
double sotto__line_part_of_arms(double z, uint32_t arms);

/* ---- loss ----------------------------------------------------------------------------------- */

/* What a person loses by an estimate that is not theta* yet. */

/* True of 0/1 rewards under the identity link: their chance is x . theta*, cut to [0, 1]. */
bool sotto__chance_is_cut(const sotto_spec *spec);

/* mu'(v). */
double sotto__mean_slope(const sotto_spec *spec, double v);

/* Sets reach, level, best_reward, chance_reward and near_loss. The match must have no fault. */
void sotto__plan_set_rewards(const sotto_spec *spec, sotto_plan *plan);

/* The mean loss of a person whose arm is chosen by an estimate with the cosine 1 - missed to theta*; `missed` is 0
 * to 1, and at 1 the person gets a random arm. */
double sotto__plan_loss(const sotto_plan *plan, double missed);

#endif
