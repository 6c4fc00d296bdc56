/* Honest people of very different kinds, and dishonest clients ("liars"), for tests of the watch.
 * Their reports go straight into a learner, without rounds. */
#ifndef SOTTO_POPULATIONS_H
#define SOTTO_POPULATIONS_H

#include "client/client.h"
#include "lab/random/random.h"
#include "server/server.h"

/* The terms of the experiment. */
typedef enum crowd_terms {
    CROWD_SHARED,  /* 20 numbers, epsilon 1, measure rounds */
    CROWD_PLANE,   /* 2 numbers, epsilon 1 */
    CROWD_STRONG,  /* 5 numbers, epsilon 5 */
    CROWD_LINE,    /* 1 number */
    CROWD_SIGNS,   /* per-arm */
    CROWD_TAGS,    /* per-arm, epsilon 5 */
    CROWD_NULLS,   /* per-arm, binary, epsilon 4: tags and nulls */
    CROWD_SPLIT,   /* per-arm ldp-sgd: a codebook for each arm */
    CROWD_JOINT,   /* per-arm ldp-sgd: one codebook over all arms, l2-ball */
    CROWD_WARM_UP, /* per-arm, arms assigned, measure rounds */
    CROWD_TICKS,   /* per-arm warm-up of a lattice method */
    CROWD_TERMS
} crowd_terms;

/* The scores of honest people, whatever the context and the arm were. */
typedef enum crowd_people {
    CROWD_ALONG,    /* all scores are the deciding direction itself */
    CROWD_AXIS,     /* all scores are the first axis */
    CROWD_ZERO,     /* all scores are 0 */
    CROWD_ANYWHERE, /* scores of all directions and lengths */
    CROWD_COPYING,  /* each score is the codeword reported before: people depend on others */
    CROWD_PEOPLE
} crowd_people;

/* What liars send. */
typedef enum crowd_lie {
    CROWD_LAZY,     /* a random nonce and index 0 */
    CROWD_PLAIN,    /* a random nonce and its codeword nearest to the goal */
    CROWD_GRINDING, /* the best of `tries` nonces with the role learn */
    CROWD_RATING,   /* one of `tries` nonces that has the role follow, with the worst reward */
    CROWD_LIES
} crowd_lie;

typedef struct crowd {
    sotto_terms terms;
    sotto_learner *learner; /* watched; its model decides, unless it is in warm-up */
    sotto_report *report;
    sotto__door_work work;
    sotto__seeded random;
    double *score;     /* codeword dim */
    double *goal;      /* of liars; as theta */
    int32_t *codeword; /* codeword dim */
    uint32_t dim;      /* of the largest codeword */
} crowd;

void crowd_begin(crowd *c, crowd_terms terms, uint64_t seed);
void crowd_end(crowd *c);

/* Adds one honest person's report to the learner; it stays in c->report. */
void crowd_honest(crowd *c, crowd_people people);
/* Adds one liar's report. */
void crowd_liar(crowd *c, crowd_lie lie, uint32_t tries);

/* The tallies of the current epoch and of the one before. */
sotto_tally *tally_now(const crowd *c);
sotto_tally *tally_before(const crowd *c);

/* The goal of liars: the deciding direction, or one at right angles to it. */
void crowd_aim(crowd *c, bool along);

#endif
