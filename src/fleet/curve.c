#include "fleet.h"
#include "inner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

/* ==== clock ================================================================================== */

/* The clock of a run. */

double sotto__fleet_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ==== regret steps =========================================================================== */

/* People are added one by one; their total number need not be known. */

/* Merges each pair of steps into one. The number of steps must be even, and all must be full. */
static void halve(sotto__regret_steps *steps)
{
    for (uint32_t i = 0; i < SOTTO__REGRET_STEPS; i++) {
        uint32_t first = 2 * i;
        bool full = first < SOTTO__REGRET_STEPS;
        steps->regret[i] = full ? steps->regret[first] + steps->regret[first + 1] : 0;
        steps->random[i] = full ? steps->random[first] + steps->random[first + 1] : 0;
    }
    steps->width *= 2;
}

void sotto__regret_steps_add(sotto__regret_steps *steps, double regret, double random)
{
    if (steps->width == 0) steps->width = 1;
    if (steps->people == SOTTO__REGRET_STEPS * steps->width) halve(steps);
    uint64_t step = steps->people / steps->width;
    steps->regret[step] += regret;
    steps->random[step] += random;
    steps->people++;
}

uint32_t sotto__regret_steps_count(const sotto__regret_steps *steps)
{
    if (steps->people == 0) return 0;
    return (uint32_t)((steps->people - 1) / steps->width + 1);
}

uint64_t sotto__regret_steps_people(const sotto__regret_steps *steps, uint32_t step)
{
    uint64_t before = step * steps->width;
    if (before >= steps->people) return 0;
    uint64_t left = steps->people - before;
    return left < steps->width ? left : steps->width;
}

/* ==== blocks ================================================================================= */

/* Only full blocks count, because the loss of a few people is too noisy. */

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
                 " lost %.0f %% of the loss of random arms; an earlier 1,000 lost %.0f %%",
                 before + 1, before + SOTTO__BLOCK_PEOPLE, 100 * blocks->share_at,
                 100 * blocks->lowest_before);
    } else {
        snprintf(text, SOTTO__BLOCKS_TEXT, "the loss does not rise again by more than %.0f %%",
                 100 * SOTTO__REBOUND_MAX);
    }
}

/* ==== latency ================================================================================ */

/* Cell i counts times from 2^(i/16 - 17) to 2^((i+1)/16 - 17) seconds, which are reported as the
 * middle of the cell. */

#define CELLS_PER_DOUBLING 16
#define FIRST_LOG2 (-17)

void sotto__latency_add(sotto__latency *latency, double seconds)
{
    double at = seconds > 0 ? floor((log2(seconds) - FIRST_LOG2) * CELLS_PER_DOUBLING) : 0;
    at = fmin(fmax(at, 0), SOTTO__LATENCY_CELLS - 1);
    latency->cell[(uint32_t)at]++;
    latency->count++;
}

sotto__latency sotto__latency_between(const sotto__latency *before, const sotto__latency *after)
{
    sotto__latency between = {.count = after->count - before->count};
    for (uint32_t i = 0; i < SOTTO__LATENCY_CELLS; i++) {
        between.cell[i] = after->cell[i] - before->cell[i];
    }
    return between;
}

double sotto__latency_at(const sotto__latency *latency, double part)
{
    if (latency->count == 0) return NAN;
    double rank = ceil(part * (double)latency->count);
    uint64_t wanted = rank < 1 ? 1 : (uint64_t)rank, seen = latency->cell[0];
    uint32_t i = 0;
    while (seen < wanted && i + 1 < SOTTO__LATENCY_CELLS) {
        seen += latency->cell[++i];
    }
    return exp2((i + 0.5) / CELLS_PER_DOUBLING + FIRST_LOG2);
}
