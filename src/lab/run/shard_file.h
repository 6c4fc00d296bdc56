/*
 * The file of a shard: its rows, between a first line that names the sweep and a last line that proves
 * that nothing is missing.
 *
 *   # {"shard": 2, "of": 3, "runs": 20, "dealt": 0, "points": 13, "version": "V",
 *      "sweep": "SHA-256 in hexadecimal", "about": "the main options in words"}       on one line
 *   method,epsilon,seed,t,regret,estimation_error
 *   rows of the runs that the shard has, in the order of the sweep, `points` of each
 *   # {"end": "SHA-256 of all bytes before this line, in hexadecimal"}
 *
 * JSON lines are the same without the `# ` and without the names of the columns. `runs` are those of the
 * whole sweep, the hash is that of comparison_id.h. A file without its last line is that of a shard that
 * is not finished.
 */
#ifndef SOTTO_LAB_RUN_SHARD_FILE_H
#define SOTTO_LAB_RUN_SHARD_FILE_H

#include "comparison_id.h"
#include "lab/text/number.h"
#include "shard.h"

#include <sys/types.h>

#define SOTTO__SHARD_HEAD_BYTES (SOTTO__COMPARISON_ABOUT_BYTES + 512u) /* no first line is longer */
#define SOTTO__SHARD_END_BYTES 128u                                    /* no last line is longer */

/* What the first line says. */
typedef struct sotto__shard_head {
    sotto__text_format format;
    sotto__shard shard;
    uint64_t runs;
    uint32_t points;
    char version[32];
    char sweep[SOTTO__COMPARISON_ID_BYTES];
    char about[SOTTO__COMPARISON_ABOUT_BYTES];
} sotto__shard_head;

sotto__shard_head sotto__shard_head_of(const sotto__comparison *comparison,
                                       const sotto__shard *shard, sotto__text_format format);
/* Each returns the length of its line. */
size_t sotto__shard_head_text(const sotto__shard_head *head, char text[SOTTO__SHARD_HEAD_BYTES]);
/* `digest` has taken all that is before this line, and is over after it. */
size_t sotto__shard_end_text(sotto__digest *digest, sotto__text_format format,
                             char text[SOTTO__SHARD_END_BYTES]);

/* What is in such a file. */
typedef struct sotto__shard_file {
    sotto__shard_head head;
    off_t rows_at;       /* where rows start */
    uint64_t runs_there; /* whose rows are there */
    bool whole;          /* all of them, and the last line */
    dev_t device;        /* which file it is */
    ino_t inode;
} sotto__shard_file;

/* Reads a file from its first byte to its last. NULL, or `fault`, which does not name the file. A file
 * that is not whole is no fault. */
const char *sotto__shard_file_read(const char *path, sotto__shard_file *out,
                                   char fault[SOTTO_FAULT_BYTES]);

#endif
