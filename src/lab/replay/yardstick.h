/* What a data set says before any method learns from it: how many people there are, which arm is the
 * commonest, and for a log what its own policy and every single arm earn. */
#ifndef SOTTO_LAB_REPLAY_YARDSTICK_H
#define SOTTO_LAB_REPLAY_YARDSTICK_H

#include "group.h"
#include "lab/dataset/dataset.h"
#include "off_policy.h"

/* Sums over the events of a group on which a policy agrees with the log (evidence.h): w, w r. */
typedef struct sotto__agreed {
    double weight, product;
} sotto__agreed;

typedef struct sotto__yardstick {
    uint32_t arms;
    double clip; /* of propensities */
    uint64_t rows;
    uint64_t clipped;            /* rows whose propensity is below the clip */
    double propensity_min;       /* 1 while there are no rows */
    double inverse_sum;          /* of 1/max(propensity, clip) */
    double inverse_squares;      /* of its squares */
    sotto__off_policy logging;   /* every row, with weight 1: the mean reward */
    uint64_t *arm_count;         /* arms: rows with this label, or this action */
    sotto__off_policy *constant; /* arms: of giving this arm to everybody */
    sotto__agreed *agreed;       /* arms x SOTTO__GROUPS, likewise; NULL: they are not kept */
} sotto__yardstick;

SOTTO_CHECK sotto_status sotto__yardstick_new(uint32_t arms, double clip, sotto__yardstick **out);
void sotto__yardstick_free(sotto__yardstick *yardstick); /* accepts NULL */
/* Of a log, before any people are added: keeps sums by group of rows, too. */
SOTTO_CHECK sotto_status sotto__yardstick_keep_groups(sotto__yardstick *yardstick);

void sotto__yardstick_add(sotto__yardstick *yardstick, const sotto_people *people);

/* The commonest arm; the first of several. */
uint32_t sotto__yardstick_majority(const sotto__yardstick *yardstick);
/* The arm of the largest value by inverse propensity, among those that were given. */
uint32_t sotto__yardstick_best_arm(const sotto__yardstick *yardstick);

/* How many arms were given to anybody. */
uint32_t sotto__yardstick_arms_given(const sotto__yardstick *yardstick);

/* Whether labels among the last people have other shares than among all rows, as where the file is
 * sorted: by chance once in about 10^6 files. False where nobody comes before the last people. */
bool sotto__yardstick_is_sorted(const sotto__yardstick *yardstick, const uint64_t *last_arm_count);

/* m: the smallest propensity, but at least the clip. An event that is kept with chance
 * m/max(p, clip) has every arm with the same chance, as in a log of random arms. */
double sotto__yardstick_floor(const sotto__yardstick *yardstick);
/* Events that a method may expect to learn from once: (1/K) sum m/max(p, clip), at least 1. */
uint64_t sotto__yardstick_matches(const sotto__yardstick *yardstick);

/* How many arms an event of a log had to choose from, by its propensities, in the mean: the mean of
 * 1/p, and 4.75 standard errors to both sides. NAN: too few rows to tell. */
sotto_span sotto__yardstick_choices(const sotto__yardstick *yardstick);

#endif
