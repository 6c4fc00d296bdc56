#include "apart.h"
#include "service/experiment/frame_head.h"

#include <inttypes.h>
#include <stdlib.h>

void folder_apart_free(folder_apart *apart)
{
    free(apart->added);
    free(apart->frames);
    *apart = (folder_apart){.known = NULL};
}

/* From the end, where a set finds them first. */
void folder_apart_forget(folder_apart *apart)
{
    while (apart->added_count > 0) {
        const folder_nonce *last = &apart->added[--apart->added_count];
        sotto_report head = {.epoch = last->epoch};
        memcpy(head.nonce, last->nonce, sizeof head.nonce);
        sotto_nonce_set_remove(apart->known->nonces, &head);
    }
    apart->frames_bytes = 0;
    apart->counts = (journal_counts){0};
}

/* Room for all frames of a row, if they are new. */
static bool reserve(folder_apart *apart, const journal_row *row)
{
    uint64_t more = row->frames.bytes / apart->known->frame_bytes;
    if (!folder_known_reserve(apart->known, more)) return false;
    if (apart->added_count + more > apart->added_capacity) {
        uint64_t capacity = 2 * (apart->added_count + more);
        if (capacity > UINT32_MAX) return false;
        folder_nonce *added = realloc(apart->added, capacity * sizeof *added);
        if (added == NULL) return false;
        apart->added = added;
        apart->added_capacity = (uint32_t)capacity;
    }
    if (apart->frames_bytes + row->frames.bytes > apart->frames_capacity) {
        size_t capacity = 2 * (apart->frames_bytes + row->frames.bytes);
        uint8_t *frames = realloc(apart->frames, capacity);
        if (frames == NULL) return false;
        apart->frames = frames;
        apart->frames_capacity = capacity;
    }
    return true;
}

static void add_new(folder_apart *apart, const sotto_report *head, const uint8_t *frame)
{
    size_t bytes = apart->known->frame_bytes;
    folder_nonce *added = &apart->added[apart->added_count++];
    added->epoch = head->epoch;
    memcpy(added->nonce, head->nonce, sizeof added->nonce);
    memcpy(apart->frames + apart->frames_bytes, frame, bytes);
    apart->frames_bytes += bytes;
    apart->counts.folded++;
}

/* False: the epoch has not begun, or there is no room for its nonce. */
static bool take_frame(folder_apart *apart, const uint8_t *frame)
{
    folder_known *known = apart->known;
    const sotto_report head = frame_head(frame);
    sotto_seen seen;
    if (head.epoch < folder_known_oldest(known)) {
        apart->counts.late++;
        return true;
    }
    if (sotto_nonce_set_see(known->nonces, &head, frame, known->frame_bytes, &seen) != SOTTO_OK)
        return false;
    switch (seen) {
    case SOTTO_SEEN_NEW: add_new(apart, &head, frame); break;
    case SOTTO_SEEN_SAME: apart->counts.duplicate++; break;
    case SOTTO_SEEN_OTHER: apart->counts.conflicting++; break;
    }
    return true;
}

folder_outcome folder_apart_take(folder_apart *apart, const journal_row *row)
{
    folder_known *known = apart->known;
    if (row->frames.bytes % known->frame_bytes != 0)
        return folder_known_break(known,
                                  "experiment %u, row %" PRIu64 ": %zu bytes are no whole frames",
                                  known->number, row->seq, row->frames.bytes);
    if (!reserve(apart, row))
        return folder_known_break(known, "experiment %u: no memory", known->number);
    for (size_t at = 0; at < row->frames.bytes; at += known->frame_bytes) {
        if (take_frame(apart, row->frames.at + at)) continue;
        return folder_known_break(
            known,
            "experiment %u, row %" PRIu64 ": frame %zu is of an epoch that has not begun, or there "
            "are more than %u nonces",
            known->number, row->seq, at / known->frame_bytes, SOTTO_NONCES_MAX);
    }
    return FOLDER_DONE;
}
