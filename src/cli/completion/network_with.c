/* The commands that need libcurl. */
#include "inner.h"

static const command *const commands[] = {&command_join, &command_fleet, &command_results};

const command *network_command_at(uint32_t value)
{
    return value < sizeof commands / sizeof commands[0] ? commands[value] : NULL;
}
