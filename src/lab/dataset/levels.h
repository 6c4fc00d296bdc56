/* Words as indices. */
#ifndef SOTTO_LAB_DATASET_LEVELS_H
#define SOTTO_LAB_DATASET_LEVELS_H

#include <sotto/core.h>

typedef struct sotto__levels {
    uint32_t mask; /* slots - 1, a power of two */
    uint32_t count;
    struct sotto__level_slot {
        const char *text; /* borrowed; NULL: free */
        uint32_t bytes, index;
    } * slot;
} sotto__levels;

/* Room for `count` words. */
SOTTO_CHECK sotto_status sotto__levels_new(sotto__levels *levels, uint32_t count);
/* False if the word is there already. The text is borrowed. */
bool sotto__levels_add(sotto__levels *levels, const char *text, size_t bytes, uint32_t index);
/* The index, or UINT32_MAX. */
uint32_t sotto__levels_find(const sotto__levels *levels, const char *text, size_t bytes);
void sotto__levels_free(sotto__levels *levels);

#endif
