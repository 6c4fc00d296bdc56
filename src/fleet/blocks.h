/*
 * The loss by blocks of 1,000 people, and whether it rises again. A block's share is its regret over what random arms
 * would have lost. Its rebound is its share less that of the lowest earlier block.
 */
#ifndef SOTTO_FLEET_BLOCKS_H
#define SOTTO_FLEET_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOTTO__BLOCK_PEOPLE 1000u
#define SOTTO__BLOCKS_KEPT 1000u /* shares of the first blocks; the rebound is of all */
#define SOTTO__REBOUND_MAX 0.1   /* above it the loss rises again */
#define SOTTO__BLOCKS_TEXT 200u

typedef struct sotto__blocks {
    double regret, random;            /* sums of the block at hand */
    uint64_t people;                  /* in it */
    uint64_t count;                   /* full blocks */
    double share[SOTTO__BLOCKS_KEPT]; /* of the full ones */
    double lowest;                    /* share of all full ones */
    double rebound; /* the largest of all blocks; 0: none lost more than an earlier one */
    uint64_t at;    /* the block that has it, from 0 */
    double share_at, lowest_before; /* its share, and the lowest one before it */
} sotto__blocks;

/* One person more. */
void sotto__blocks_add(sotto__blocks *blocks, double regret, double random);
/* How many shares are kept. */
uint32_t sotto__blocks_kept(const sotto__blocks *blocks);
bool sotto__blocks_rise(const sotto__blocks *blocks);
/* Whether the loss rises again, as a sentence. */
void sotto__blocks_text(const sotto__blocks *blocks, char text[SOTTO__BLOCKS_TEXT]);

#endif
