/* A folder of a test's own, and whole files in it. */
#ifndef SOTTO_FOLDER_H
#define SOTTO_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#define FOLDER_PATH_BYTES 128

typedef struct folder {
    char path[FOLDER_PATH_BYTES];
    char file[FOLDER_PATH_BYTES + 16];  /* path/ledger */
    char other[FOLDER_PATH_BYTES + 16]; /* path/other */
} folder;

folder folder_new(void);
/* Removes it with the files in it. */
void folder_free(const folder *f);
size_t folder_count(const folder *f);

/* The whole file, of at most `capacity` bytes. */
size_t file_read(const char *path, uint8_t *bytes, size_t capacity);
/* Puts these bytes into the file, made with mode 600 if it is not there; the inode stays. */
void file_write(const char *path, const uint8_t *bytes, size_t count);

#endif
