/* The commands that need libcurl. */
#include "cli/fleet/fleet.h"
#include "cli/join/join.h"
#include "cli/results/results.h"
#include "inner.h"

static const command *const commands[] = {&command_join, &command_fleet, &command_results};

const command *network_command_at(uint32_t value)
{
    return value < sizeof commands / sizeof commands[0] ? commands[value] : NULL;
}
