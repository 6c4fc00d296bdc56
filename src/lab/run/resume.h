/*
 * The resume file: what is finished of a sweep, so that the next call can go on from there.
 *
 * JSON lines. The first names the sweep:
 *
 *   {"sweep": "SHA-256 in hexadecimal", "runs": N, "about": "the main options in words"}
 *
 * The hash is that of comparison_id.h. Then come the rows of finished runs, in the JSON of rows.h,
 * all rows of a run one after the other, runs in the order in which they finished. What follows the
 * last whole run was cut off by a crash, and is dropped.
 */
#ifndef SOTTO_LAB_RUN_RESUME_H
#define SOTTO_LAB_RUN_RESUME_H

#include "results.h"

#include <sys/types.h>

#define SOTTO__RESUME_SWEEP_BYTES 1100u
#define SOTTO__RESUME_HEADER_BYTES 1280u /* no first line is longer */

typedef struct sotto__resume {
    int file;               /* descriptor, locked; -1: none is open */
    off_t length;           /* bytes up to the end of the last whole run */
    char *text;             /* room for the rows of a run */
    uint64_t kept_count;    /* runs of this sweep in it */
    uint64_t dropped_bytes; /* of its end, which was cut off */
    bool foreign;           /* the file belongs to another sweep: which, and which this is */
    char sweep_there[SOTTO__RESUME_SWEEP_BYTES];
    char sweep_here[SOTTO__RESUME_SWEEP_BYTES];
} sotto__resume;

/* No file: nothing is kept. */
#define SOTTO__RESUME_NONE ((sotto__resume){.file = -1})

/* The first line; returns its length. */
size_t sotto__resume_header(const char *id, uint64_t runs, const char *about,
                            char text[SOTTO__RESUME_HEADER_BYTES]);

/* Opens or makes the file, and takes its runs into `results`. NULL, or why not: the file was not
 * changed then. To be closed in both cases. */
const char *sotto__resume_open(sotto__resume *resume, const char *path,
                               const sotto__comparison *comparison, sotto__results *results,
                               char fault[SOTTO_FAULT_BYTES]);
void sotto__resume_close(sotto__resume *resume);

/* Adds a finished run. False, with errno, if it could not be: the file then ends where it did. */
bool sotto__resume_add(sotto__resume *resume, const sotto__comparison *comparison,
                       const sotto__results *results, uint64_t run);

#endif
