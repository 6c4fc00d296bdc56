/* The commands that need libcurl. */
#include "cli/fleet/command.h"
#include "cli/join/command.h"
#include "network.h"

static const command *const commands[] = {&command_join, &command_fleet};

const command *network_command_at(uint32_t value)
{
    return value < sizeof commands / sizeof commands[0] ? commands[value] : NULL;
}
