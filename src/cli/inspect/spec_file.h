/* Specs and frames in files, for `sotto inspect`: each false, with a sentence, on failure. */
#ifndef SOTTO_CLI_INSPECT_SPEC_FILE_H
#define SOTTO_CLI_INSPECT_SPEC_FILE_H

#include <sotto/core.h>

/* "sotto inspect: what: why"; false. */
bool failed(const char *what, const char *why);

/* The first `capacity` bytes of a file: one more than a frame has is enough to see it too long. */
bool file_read(const char *path, uint8_t *bytes, size_t capacity, size_t *count);
bool spec_file_read(const char *path, sotto_resolved *resolved);
bool spec_file_write(const char *path, const sotto_resolved *resolved);

#endif
