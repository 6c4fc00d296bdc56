/* Files that are read whole, and written whole or not at all. */
#ifndef SOTTO_LAB_PAGE_WHOLE_FILE_H
#define SOTTO_LAB_PAGE_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SOTTO__PATH_BYTES 4096u

/* FOLDER/NAME followed by `ending`. False if it is longer than a path can be. */
bool sotto__path(char path[SOTTO__PATH_BYTES], const char *folder, const char *name,
                 const char *ending);

/* The text of a file, to be freed; NULL with errno if it cannot be read. */
char *sotto__read_whole(const char *path);

/* Writes PATH.part by `put` and renames it to PATH. False with errno: nothing is left of it. */
bool sotto__write_whole(const char *path, void (*put)(const void *state, FILE *out),
                        const void *state);

#endif
