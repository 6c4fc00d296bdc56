/*
 * A shard: the runs of a sweep that one of several machines plays.
 *
 * Runs are dealt out like cards: run r goes to shard r mod N + 1. A sweep has its runs method by method,
 * seed by seed, so each shard gets about the same number of runs of every method; blocks of runs
 * that follow each other would give one machine the slow methods and another the quick ones. Who plays
 * what depends on r, I and N only: no machine asks another, and no scheduler has to know.
 */
#ifndef SOTTO_LAB_RUN_SHARD_H
#define SOTTO_LAB_RUN_SHARD_H

#include <sotto/lab/shards.h>

#define SOTTO__SHARD_LIST_BYTES 128u

typedef struct sotto__shard {
    uint32_t index, count; /* index 1 to count; count 0: no shard, all runs */
    uint64_t dealt;        /* runs of other sweeps that were dealt out before those of this one */
} sotto__shard;

bool sotto__shard_has(const sotto__shard *shard, uint64_t run);
/* How many of the runs of a sweep it has. */
uint64_t sotto__shard_count(const sotto__shard *shard, uint64_t runs);

/* Numbers of shards for a sentence, as schedulers take them: "2,5,9". What does not fit is counted. */
typedef struct sotto__shard_list {
    uint32_t count, left_out;
    size_t length;
    char text[SOTTO__SHARD_LIST_BYTES];
} sotto__shard_list;

void sotto__shard_list_add(sotto__shard_list *list, uint32_t index);
const char *sotto__shard_list_text(sotto__shard_list *list); /* once, when all are added */
/* The sentence that these shards are missing; `what` each of them makes, such as "file". */
const char *sotto__shard_list_missing(sotto__shard_list *list, uint32_t count, const char *what,
                                      char fault[SOTTO_FAULT_BYTES]);

#endif
