/*
 * Which rows of an experiment may be removed: those that are in a snapshot and have no frame of an open
 * epoch, from the oldest on, up to the first row that has one. A row counts for the newest epoch of its
 * frames. It is enough to know, for each open epoch, the first row that counts for it.
 */
#include "parts.h"

void experiment_rows_add(experiment_rows *rows, uint64_t seq, uint32_t epoch, size_t frames_bytes,
                         uint32_t open_count)
{
    if (rows->oldest == 0) rows->oldest = seq;
    rows->last = seq;
    if (seq > rows->snapshot) {
        if (rows->unsaved == 0) rows->unsaved = seq;
        rows->unsaved_bytes += frames_bytes;
    }
    if (frames_bytes == 0) return;
    uint32_t place = epoch % open_count;
    bool older = rows->first[place].seq != 0 && rows->first[place].epoch >= epoch;
    if (older) return;
    rows->first[place].epoch = epoch;
    rows->first[place].seq = seq;
}

uint64_t experiment_rows_removable(const experiment_rows *rows, uint64_t snapshot,
                                   uint32_t oldest_open)
{
    uint64_t to = snapshot;
    for (uint32_t i = 0; i < EXPERIMENT_OPEN_EPOCHS_MAX; i++) {
        bool open = rows->first[i].seq != 0 && rows->first[i].epoch >= oldest_open;
        if (open && rows->first[i].seq <= to) to = rows->first[i].seq - 1;
    }
    return rows->oldest != 0 && rows->oldest <= to ? to : 0;
}

void experiment_rows_removed(experiment_rows *rows, uint64_t to)
{
    /* What ended it was the end of the snapshot, or the row after it. */
    rows->oldest = to == rows->snapshot ? rows->unsaved : to + 1;
}

void experiment_rows_saved(experiment_rows *rows)
{
    rows->snapshot = rows->last;
    rows->unsaved = 0;
    rows->unsaved_bytes = 0;
}
