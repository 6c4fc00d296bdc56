/*
 * The folder of a page. Its manifest, `reproduce.txt`, names everything that determines what the
 * folder holds: the program by its bytes, the scale, the seeds, the experiments, the data. A folder
 * with another manifest, or with files and no manifest, is left alone: two pages never mix.
 *
 * The manifest of a shard has two lines more, by which `join` knows it: which shard it is, and how many
 * files its folder `shards` has when it is finished.
 */
#ifndef SOTTO_LAB_PAPER_FOLDER_H
#define SOTTO_LAB_PAPER_FOLDER_H

#include "reproduction.h"

#define SOTTO__MANIFEST_BYTES 4096u

/* The last lines of the manifest of a shard: index, count, files. */
#define SOTTO__MANIFEST_SHARD "shard %u of %u\nfiles %u\n"

typedef struct sotto__folder {
    int manifest; /* descriptor, locked while we write; -1: none */
    bool foreign; /* it was refused: what is in it belongs to others */
} sotto__folder;

/* Makes the folder settings->out, or continues in one that the same settings made. NULL, or `fault`,
 * which does not name the folder. To be closed in both cases. */
const char *sotto__folder_open(sotto__folder *folder, const sotto__reproduction_settings *settings,
                               char fault[SOTTO_FAULT_BYTES]);
/* The same with a manifest that is known; for a shard or not. */
const char *sotto__folder_open_as(sotto__folder *folder, const char *out, const char *manifest,
                                  char fault[SOTTO_FAULT_BYTES]);
void sotto__folder_close(sotto__folder *folder);

#endif
