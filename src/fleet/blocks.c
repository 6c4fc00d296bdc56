/* Only full blocks count: a few people's loss says little. */
#include "blocks.h"

#include <inttypes.h>
#include <stdio.h>

static void end_block(sotto__blocks *blocks)
{
    double share = blocks->random > 0 ? blocks->regret / blocks->random : 0;
    if (blocks->count < SOTTO__BLOCKS_KEPT) blocks->share[blocks->count] = share;
    if (blocks->count > 0 && share - blocks->lowest > blocks->rebound) {
        blocks->rebound = share - blocks->lowest;
        blocks->at = blocks->count;
        blocks->share_at = share;
        blocks->lowest_before = blocks->lowest;
    }
    if (blocks->count == 0 || share < blocks->lowest) blocks->lowest = share;
    blocks->count++;
    blocks->people = 0;
    blocks->regret = blocks->random = 0;
}

void sotto__blocks_add(sotto__blocks *blocks, double regret, double random)
{
    blocks->regret += regret;
    blocks->random += random;
    if (++blocks->people == SOTTO__BLOCK_PEOPLE) end_block(blocks);
}

uint32_t sotto__blocks_kept(const sotto__blocks *blocks)
{
    return blocks->count < SOTTO__BLOCKS_KEPT ? (uint32_t)blocks->count : SOTTO__BLOCKS_KEPT;
}

bool sotto__blocks_rise(const sotto__blocks *blocks)
{
    return blocks->rebound > SOTTO__REBOUND_MAX;
}

void sotto__blocks_text(const sotto__blocks *blocks, char text[SOTTO__BLOCKS_TEXT])
{
    uint64_t before = blocks->at * SOTTO__BLOCK_PEOPLE;
    if (blocks->count < 2) {
        snprintf(text, SOTTO__BLOCKS_TEXT, "unknown: fewer than two blocks of 1,000 people");
    } else if (sotto__blocks_rise(blocks)) {
        snprintf(text, SOTTO__BLOCKS_TEXT,
                 "the loss rises again: people %" PRIu64 " to %" PRIu64
                 " lost %.0f %% of what random arms lose; an earlier 1,000 lost %.0f %%",
                 before + 1, before + SOTTO__BLOCK_PEOPLE, 100 * blocks->share_at,
                 100 * blocks->lowest_before);
    } else {
        snprintf(text, SOTTO__BLOCKS_TEXT, "the loss does not rise again by more than %.0f %%",
                 100 * SOTTO__REBOUND_MAX);
    }
}
