/* What the authors' own code gave: what a reproduction is compared with. */
#ifndef SOTTO_LAB_PAPER_REFERENCE_REGRET_H
#define SOTTO_LAB_PAPER_REFERENCE_REGRET_H

#include <sotto/lab/matches.h>

#define SOTTO__REFERENCE_SEEDS 10u

/* Regret of one method at its last round, by seed. */
typedef struct sotto__reference {
    sotto_parameters parameters;
    sotto_link link;
    uint32_t dim, arms;
    double epsilon, delta;
    uint64_t rounds; /* T + 1: theirs are numbered from 0 to T */
    sotto_player player;
    uint32_t seeds;
    double regret[SOTTO__REFERENCE_SEEDS];
} sotto__reference;

extern const sotto__reference sotto__references[];
extern const uint32_t sotto__references_count;

/* The one of a match's setting, or NULL. */
const sotto__reference *sotto__reference_of(const sotto_match *match);

#endif
