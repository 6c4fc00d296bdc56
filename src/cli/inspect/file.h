/* Specs and frames in files, for `sotto inspect`: each false, with a sentence, on failure. */
#ifndef SOTTO_CLI_INSPECT_FILE_H
#define SOTTO_CLI_INSPECT_FILE_H

#include "cli/option/option.h"

#include <sotto/core.h>

/* The first `capacity` bytes of a file: one more than a frame has is enough to see it too long. */
bool inspect_file_read(const command_line *line, const char *path, uint8_t *bytes, size_t capacity,
                       size_t *count);
bool inspect_spec_read(const command_line *line, const char *path, sotto_terms *terms);
bool inspect_spec_write(const command_line *line, const char *path, const sotto_terms *terms);

#endif
