/* The value I/N of --shard. */
#ifndef SOTTO_CLI_OPTION_SHARD_H
#define SOTTO_CLI_OPTION_SHARD_H

#include "option.h"

/* Count 0: the option was not given. */
typedef struct option_shard {
    uint32_t index, count;
} option_shard;

option_parser shard_parse;

#endif
