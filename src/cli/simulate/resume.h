/*
 * The resume file: what is finished of a sweep, so that the next call can go on from there.
 *
 * JSON lines. The first names the sweep:
 *
 *   {"sweep": "SHA-256 in hexadecimal", "runs": N, "about": "the main options in words"}
 *
 * The hash is over everything that determines results, but for how many seeds there are: a sweep
 * may grow. Then come the rows of finished runs, in the format of --json, all rows of a run one
 * after the other, runs in the order in which they finished. What follows the last whole run was
 * cut off by a crash, and is dropped.
 */
#ifndef SOTTO_CLI_SIMULATE_RESUME_H
#define SOTTO_CLI_SIMULATE_RESUME_H

#include "simulate.h"

#include <sys/types.h>

typedef struct simulate_resume {
    const char *who; /* before its path in messages: "sotto simulate: --resume " */
    const char *path;
    int file;            /* descriptor, locked; -1: no resume file was asked for */
    off_t length;        /* bytes up to the end of the last whole run */
    char *text;          /* room for the rows of a run */
    uint64_t kept_count; /* runs of this sweep in it */
} simulate_resume;

/* Opens or makes the file, and takes its runs into `results`. An exit status; unless it is EXIT_OK
 * the reason is on stderr and the file was not changed. */
int simulate_resume_open(simulate_resume *resume, const simulate_plan *plan,
                         simulate_results *results);
/* Adds a finished run. False, with errno, if it could not be: the file then ends where it did. */
bool simulate_resume_add(simulate_resume *resume, const simulate_plan *plan,
                         const simulate_results *results, uint64_t run);

#endif
