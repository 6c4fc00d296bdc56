/*
 * Frames are appended in order of arrival, so that they can be taken back from the end. A commit needs those of each
 * experiment together and sorted by nonce: their entries, 16 bytes each, are partitioned by slot, then merged in runs
 * of 1, 2, 4, … entries, and the frames are copied in that order. The time does not depend on nonces, which clients
 * choose; nothing is allocated. */
#include "core/core.h"
#include "inner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_BYTES_MIN 42u /* a frame with one index */
#define KEY_BYTES 8u

void group_free(sottod_group *group)
{
    free(group->bytes);
    free(group->sorted);
    free(group->frame);
    free(group->order);
    free(group->spare);
    free(group->slot);
    *group = (sottod_group){0};
}

bool group_make(sottod_group *group, size_t bytes)
{
    size_t frames = bytes / FRAME_BYTES_MIN + 1;
    group_free(group);
    if (bytes > GROUP_BYTES_MAX) return false;
    group->bytes = malloc(bytes);
    group->sorted = malloc(bytes);
    group->frame = malloc(frames * sizeof group->frame[0]);
    group->order = malloc(frames * sizeof group->order[0]);
    group->spare = malloc(frames * sizeof group->spare[0]);
    if (group->bytes == NULL || group->sorted == NULL || group->frame == NULL ||
        group->order == NULL || group->spare == NULL) {
        group_free(group);
        return false;
    }
    group->capacity = bytes;
    return true;
}

group_slot *group_slot_of(sottod_group *group, sottod_experiment *experiment)
{
    if (experiment->slot != 0) return &group->slot[experiment->slot - 1];
    if (!list_grow(&group->slot, group->slots, &group->slots_capacity, sizeof *group->slot))
        return NULL;
    group->slot[group->slots] = (group_slot){
        .experiment = experiment,
        .frame_bytes = experiment->engine->frame_bytes,
    };
    experiment->slot = ++group->slots;
    return &group->slot[experiment->slot - 1];
}

static uint64_t key_of(const uint8_t *nonce)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < KEY_BYTES; i++) {
        key = key << 8 | nonce[i];
    }
    return key;
}

void group_add(sottod_group *group, group_slot *slot, const uint8_t *frame, uint32_t epoch)
{
    size_t frame_bytes = slot->frame_bytes;
    assert(frame_bytes <= group->capacity - group->used);
    group->frame[group->frames++] = (group_frame){
        .key = key_of(frame + SOTTO__REPORT_NONCE_AT),
        .at = (uint32_t)group->used, /* below GROUP_BYTES_MAX */
        .slot = slot->experiment->slot - 1,
    };
    memcpy(group->bytes + group->used, frame, frame_bytes);
    group->used += frame_bytes;
    if (epoch > slot->epoch) slot->epoch = epoch;
    slot->frames++;
}

void group_drop(sottod_group *group)
{
    assert(group->frames > 0);
    const group_frame *last = &group->frame[--group->frames];
    group->slot[last->slot].frames--;
    group->used = last->at;
}

void group_drop_slot(sottod_group *group)
{
    assert(group->slots > 0);
    group->slot[--group->slots].experiment->slot = 0;
}

static bool is_before(const uint8_t *bytes, const group_frame *a, const group_frame *b)
{
    if (a->key != b->key) return a->key < b->key;
    const size_t rest = SOTTO__REPORT_NONCE_AT + KEY_BYTES;
    return memcmp(bytes + a->at + rest, bytes + b->at + rest, SOTTO_NONCE_BYTES - KEY_BYTES) < 0;
}

/* Merges two sorted runs of `from`, [0, middle) and [middle, end), into one run of `to`. */
static void merge(const uint8_t *bytes, const group_frame *from, uint32_t middle, uint32_t end,
                  group_frame *to)
{
    uint32_t left = 0, right = middle;
    for (uint32_t i = 0; i < end; i++) {
        bool second =
            left == middle || (right < end && is_before(bytes, &from[right], &from[left]));
        to[i] = from[second ? right : left];
        right += second;
        left += !second;
    }
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Sorts `count` entries; returns where they are afterwards: `entry` or `spare`. */
static const group_frame *sorted_entries(const uint8_t *bytes, group_frame *entry,
                                         group_frame *spare, uint32_t count)
{
    for (uint32_t run = 1; run < count; run *= 2) {
        for (uint32_t i = 0; i < count; i += 2 * run) {
            uint32_t left = count - i;
            merge(bytes, entry + i, least(run, left), least(2 * run, left), spare + i);
        }
        group_frame *other = entry;
        entry = spare;
        spare = other;
    }
    return entry;
}

/* Partitions the entries by slot, into `order`. */
static void part(sottod_group *group)
{
    uint32_t first = 0;
    for (uint32_t s = 0; s < group->slots; s++) {
        group->slot[s].first = first;
        first += group->slot[s].frames;
    }
    for (uint32_t i = 0; i < group->frames; i++) {
        group->order[group->slot[group->frame[i].slot].first++] = group->frame[i];
    }
}

void group_sort(sottod_group *group)
{
    uint8_t *out = group->sorted;
    part(group);
    for (uint32_t s = 0; s < group->slots; s++) {
        group_slot *slot = &group->slot[s];
        size_t frame_bytes = slot->frame_bytes;
        slot->first -= slot->frames; /* part moved it to the end */
        const group_frame *entry = sorted_entries(group->bytes, group->order + slot->first,
                                                  group->spare + slot->first, slot->frames);
        slot->sorted = (journal_bytes){out, slot->frames * frame_bytes};
        for (uint32_t i = 0; i < slot->frames; i++) {
            memcpy(out, group->bytes + entry[i].at, frame_bytes);
            out += frame_bytes;
        }
    }
}

void group_clear(sottod_group *group)
{
    while (group->slots > 0) {
        group_drop_slot(group);
    }
    group->frames = 0;
    group->used = 0;
}
