/* The system calls of a ledger, under a test's control. The linker redirects them to disk.c: see
 * tests/unit/CMakeLists.txt. */
#ifndef SOTTO_DISK_H
#define SOTTO_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_WRITES_MAX 64
#define DISK_WRITE_BYTES_MAX 8192
#define DISK_BYTES_MAX 16384

/* What a failing call does. */
typedef enum disk_failure {
    DISK_FAILS,      /* returns -1 with `error`, nothing done */
    DISK_HALF_FAILS, /* writes half of the bytes first */
    DISK_DIES,       /* this call and all later ones do nothing and fail */
} disk_failure;

/* A write that no fsync has covered yet. */
typedef struct disk_write {
    uint64_t at;
    size_t count;
    uint8_t bytes[DISK_WRITE_BYTES_MAX];
} disk_write;

typedef struct disk {
    uint64_t calls;   /* so far */
    uint64_t fail_at; /* the call that fails, from 1; 0: none */
    disk_failure failure;
    int error;
    bool stutters; /* each read and write is first interrupted, then short */
    bool interrupted;
    uint64_t fsyncs;        /* of files, so far */
    uint64_t fsync_ignored; /* broken twin: fsyncs of this parity do nothing; 2: none does */
    disk_write pending[DISK_WRITES_MAX];
    size_t pending_count;
    uint8_t synced[DISK_BYTES_MAX]; /* what is left after a power cut of the one file written */
    size_t synced_bytes;
    size_t unsynced_at_link; /* writes not synced yet when a name appeared */
    bool name_synced;        /* a directory was synced after the name appeared */
} disk;

/* The only disk of a test program; disk_reset makes it work without failures. */
extern disk the_disk;
void disk_reset(void);
/* Applies a write to an image of the file. */
void disk_apply(const disk_write *write, size_t count, uint8_t *image, size_t *image_bytes);

#endif
