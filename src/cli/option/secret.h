/* A secret from a file: never an argument, which others on the machine can see. */
#ifndef SOTTO_CLI_OPTION_SECRET_H
#define SOTTO_CLI_OPTION_SECRET_H

#include "option.h"

#define SECRET_BYTES_MAX 128u

/* The first line of a file, without its end, if it has `least` to SECRET_BYTES_MAX visible characters and nothing
 * follows it. False, with a sentence that has the option and the file but nothing of its content. */
bool secret_read(const command_line *line, const char *option_name, const char *path, size_t least,
                 char out[SECRET_BYTES_MAX + 1]);

#endif
