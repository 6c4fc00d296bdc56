/* Joins the files of all shards of a sweep to what one machine writes. */
#ifndef SOTTO_LAB_RUN_MERGE_H
#define SOTTO_LAB_RUN_MERGE_H

#include "shard_file.h"

/* The file of one shard. */
typedef struct sotto__merge_file {
    const char *path; /* borrowed; NULL: there is none */
    off_t next;       /* the first byte that was not taken */
    uint64_t runs_there;
    bool whole;
    dev_t device; /* which file it is */
    ino_t inode;
} sotto__merge_file;

typedef struct sotto__merge {
    sotto__shard_head head;  /* of the first file: but for shard.index, of all */
    sotto__merge_file *file; /* that of shard i + 1 is file[i] */
} sotto__merge;

/* Reads all files. NULL if they are all shards of a sweep, each once and whole; otherwise `fault`, which
 * names the files. To be freed in both cases. */
const char *sotto__merge_read(sotto__merge *merge, const char *const *path, uint32_t paths_count,
                              char fault[SOTTO_FAULT_BYTES]);
void sotto__merge_free(sotto__merge *merge);

/* What is made of them. */
typedef enum sotto__merge_form {
    SOTTO__MERGE_ROWS,   /* the rows, as one machine writes them */
    SOTTO__MERGE_RESUME, /* of JSON lines: a resume file, as one thread writes it */
} sotto__merge_form;

/* Once, after they were read. NULL, or `fault`. */
const char *sotto__merge_write(sotto__merge *merge, sotto__merge_form form, int descriptor,
                               char fault[SOTTO_FAULT_BYTES]);
/* The same to a file, which is written whole or not at all. One of the shards is refused. */
const char *sotto__merge_save(sotto__merge *merge, sotto__merge_form form, const char *path,
                              char fault[SOTTO_FAULT_BYTES]);

#endif
