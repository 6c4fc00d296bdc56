/* A temporary directory for one test, and whole files in it. */
#ifndef SOTTO_DIRECTORY_H
#define SOTTO_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

#define DIRECTORY_PATH_BYTES 128

typedef struct directory {
    char path[DIRECTORY_PATH_BYTES];
    char file[DIRECTORY_PATH_BYTES + 16];  /* path/ledger */
    char other[DIRECTORY_PATH_BYTES + 16]; /* path/other */
} directory;

directory directory_new(void);
/* Removes it with the files in it. */
void directory_free(const directory *f);
size_t directory_count(const directory *f);

/* The whole file, of at most `capacity` bytes. */
size_t file_read(const char *path, uint8_t *bytes, size_t capacity);
/* Writes these bytes to the file, which keeps its inode; creates it with mode 600 if it is
 * missing. */
void file_write(const char *path, const uint8_t *bytes, size_t count);

#endif
