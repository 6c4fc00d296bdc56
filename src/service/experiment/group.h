/* The frames of one group commit: those of each experiment together, sorted by nonce. */
#ifndef SERVICE_GROUP_H
#define SERVICE_GROUP_H

#include "parts.h"

/* A frame, in the order in which they came. */
typedef struct group_frame {
    uint64_t key;  /* the first 8 bytes of its nonce, the first one highest */
    uint32_t at;   /* where it lies */
    uint32_t slot; /* whose it is */
} group_frame;

/* What a group has of one experiment: its row. */
typedef struct group_slot {
    sottod_experiment *experiment;
    uint32_t frames;
    uint32_t epoch; /* the newest of its frames; 0 if there is none */
    uint32_t late, duplicate, conflicting;
    uint32_t first;       /* among the sorted frames */
    journal_bytes sorted; /* after group_sort */
    uint64_t seq;         /* of its row, once that is written */
} group_slot;

typedef struct sottod_group {
    uint8_t *bytes, *sorted;
    size_t used, capacity;
    group_frame *frame; /* as they came */
    group_frame *order, *spare;
    uint32_t frames;
    group_slot *slot;
    uint32_t slots, slots_capacity;
} sottod_group;

#define GROUP_BYTES_MAX (UINT32_C(1) << 31)

/* Room for so many bytes of frames; what was in it is gone. False: no memory, and there is no room. */
bool group_make(sottod_group *group, size_t bytes);
void group_free(sottod_group *group);

/* The slot of an experiment, made if need be; NULL: no memory. Valid until the next call. */
group_slot *group_slot_of(sottod_group *group, sottod_experiment *experiment);
/* Adds a frame. There is room. Frames of the same nonce stay in the order in which they came. */
void group_add(sottod_group *group, group_slot *slot, const uint8_t *frame, uint32_t epoch);
/* Takes back the last frame. */
void group_drop(sottod_group *group);
/* Takes back the last slot that was made; it has no frame. */
void group_drop_slot(sottod_group *group);

/* Fills `sorted` of each slot. */
void group_sort(sottod_group *group);
/* Empty again. */
void group_clear(sottod_group *group);

#endif
