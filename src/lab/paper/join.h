/* The folders of all shards of a reproduction, joined to the folder of one machine that has played all and
 * drawn nothing yet. */
#ifndef SOTTO_LAB_PAPER_JOIN_H
#define SOTTO_LAB_PAPER_JOIN_H

#include <sotto/core.h>

/* True if the path is a folder. */
bool sotto__join_is_folder(const char *path);

/* Makes the folder `out`, with the manifest and the runs. NULL, or `fault`, which names the folders or
 * files. *foreign: `out` holds something else, and was left alone. */
const char *sotto__join(const char *const *folder, uint32_t folders_count, const char *out,
                        bool *foreign, char fault[SOTTO_FAULT_BYTES]);

#endif
