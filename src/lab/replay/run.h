/*
 * One method meets the people of a data set: a row is a person, its columns are the context.
 *
 * A classification: the arm that names the person's label earns 1, any other 0; or a table says what
 * each arm earns where a label is right.
 *
 * Per-arm parameters take the row x itself, shared parameters one vector per arm: x (x) e_arm; or where
 * arms have features z, (x (x) z_arm, 1)/sqrt 2. x ends with a constant, so among its numbers are those
 * of z alone. Those of x alone are not: they would add the same to every arm and change no choice. The 1
 * changes no choice either, but takes the mean reward, which others would have to explain. The length is
 * sqrt((|x|^2 |z|^2 + 1)/2), at most 1.
 *
 * A log (Li, Chu, Langford and Wang 2011): the method chooses for every event, and learns from those
 * on which it agrees with the log. Where the log's arms were not equally likely, an event is first
 * kept with chance min(1, m/p), so that those which are left are as if they had been; m is the
 * smallest p, but at least the clip. All events count for the estimate by inverse propensity.
 *
 * Methods learn from (r - lo)/(hi - lo), because their constants are for rewards near 1; what is told
 * of them is of r itself.
 */
#ifndef SOTTO_LAB_REPLAY_RUN_H
#define SOTTO_LAB_REPLAY_RUN_H

#include "evidence.h"
#include "lab/player/player.h"
#include "off_policy.h"

#include <sotto/lab/runs.h>

/* What the runs of one replay have in common. */
typedef struct sotto__replay_rules {
    bool log;
    bool shuffle;                  /* each seed plays a block in its own order */
    double propensity_floor, clip; /* of a log: m; and what a smaller propensity counts as */
    const uint64_t *at;            /* check-points, increasing, borrowed */
    uint32_t at_count;
    double reward_lo, reward_hi; /* of a log, or of the table of labels: their range, public */
    const double *arm_feature;   /* arms x arm_dim, borrowed; NULL: arms have none */
    uint32_t arm_dim;            /* 0: arms have no features */
    const double *rewards;       /* of labels: labels x arms, borrowed; NULL: 1 for the right one */
    uint64_t people_max;         /* no more are played: the first in the order of the run */
    uint64_t tail_from;          /* the last people of the first pass are those after so many */
    uint64_t tail_until;         /* and before these: whoever comes later was learnt from */
    const sotto__reward_model *model; /* of a log, borrowed; NULL: there is none, */
    sotto_replay_untold model_untold; /* for this reason */
} sotto__replay_rules;

typedef struct sotto__replay_point {
    uint64_t t;                 /* people or events so far */
    double reward;              /* of a classification: of all of them together */
    double best;                /* of a classification: what the best arms would have earned */
    sotto__off_policy replayed; /* of a log: events learnt from, each of weight 1 */
    sotto__off_policy weighted; /* of a log: events on which the method agreed */
} sotto__replay_point;

typedef struct sotto__replay_run {
    const sotto_match *match; /* borrowed */
    const sotto__replay_rules *rules;
    sotto__player *player;
    sotto__seeded coins; /* of its seed: all methods meet people in the same order */
    sotto__replay_point now;
    uint64_t block_from;       /* rows of the file before the block that is played */
    sotto__evidence *evidence; /* of a log: its events so far; otherwise NULL */
    double tail_reward;        /* of the last people of the first pass */
    uint64_t *tail_arm_count;  /* arms: how many of them have this label */
    sotto__replay_point *point;
    uint32_t points_count; /* check-points passed; after the end, also where it ended */
} sotto__replay_run;

SOTTO_CHECK sotto_status sotto__replay_run_begin(sotto__replay_run *run, const sotto_match *match,
                                                 uint64_t seed, const sotto__replay_rules *rules);
/* Frees what the run holds; accepts one that is all zeros. */
void sotto__replay_run_free(sotto__replay_run *run);

/* Room for the work of one thread. */
typedef struct sotto__replay_room {
    uint32_t *order; /* rows of a block */
    double *context; /* of shared parameters: arms x dim; without features of arms all zero, except
                        for x in row a at a x d */
} sotto__replay_room;

SOTTO_CHECK sotto_status sotto__replay_room_new(const sotto_spec *spec, uint32_t rows_max,
                                                sotto__replay_room *out);
void sotto__replay_room_free(sotto__replay_room *room);

/* Plays a block, or as much of it as people_max leaves. The watch hears of every person, and may end it. */
SOTTO_CHECK sotto_status sotto__replay_run_block(sotto__replay_run *run, const sotto_people *people,
                                                 sotto__replay_room *room,
                                                 const sotto_run_watch *watch);
/* No more people will come: the last point is where the run stands. */
void sotto__replay_run_end(sotto__replay_run *run);

#endif
