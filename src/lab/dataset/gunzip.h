/* What a gzip file holds, read from an open file. */
#ifndef SOTTO_LAB_DATASET_GUNZIP_H
#define SOTTO_LAB_DATASET_GUNZIP_H

#include <sotto/core.h>

#define SOTTO__GUNZIP_CHUNK_BYTES 262144u

typedef struct sotto__gunzip sotto__gunzip;

/* Whether a file that begins so is gzip. */
bool sotto__is_gzip(const char *first, size_t bytes);
/* For the file behind `fd`, of which these first bytes, at most SOTTO__GUNZIP_CHUNK_BYTES, have been
 * read already. */
SOTTO_CHECK sotto_status sotto__gunzip_new(int fd, const char *first, size_t bytes,
                                           sotto__gunzip **out);
/* Unpacks up to `room` bytes, at most SOTTO__GUNZIP_CHUNK_BYTES; `got` is less only at the end of the
 * file. NULL, or what is wrong; then `got` is 0. */
const char *sotto__gunzip_read(sotto__gunzip *gunzip, char *to, size_t room, size_t *got);
void sotto__gunzip_free(sotto__gunzip *gunzip); /* accepts NULL */

#endif
