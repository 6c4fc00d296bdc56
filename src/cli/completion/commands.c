/* All commands of the binary. */
#include "commands.h"
#include "cli/audit/command.h"
#include "cli/inspect/command.h"
#include "cli/merge/command.h"
#include "cli/plan/command.h"
#include "cli/privatise/command.h"
#include "cli/replay/command.h"
#include "cli/reproduce/command.h"
#include "cli/simulate/command.h"
#include "command.h"
#include "network.h"

static const command *const commands[] = {
    &command_simulate, &command_replay,    &command_plan,    &command_reproduce,
    &command_merge,    &command_privatise, &command_inspect, &command_audit,
};

/* Those of the network come next, and the one that completes them is the last. */
const command *command_at(uint32_t value)
{
    const uint32_t count = sizeof commands / sizeof commands[0];
    if (value < count) return commands[value];
    uint32_t place = value - count;
    const command *network = network_command_at(place);
    if (network != NULL) return network;
    bool last = place == 0 || network_command_at(place - 1) != NULL;
    return last ? &command_completion : NULL;
}

const char *command_name(uint32_t value)
{
    const command *self = command_at(value);
    return self != NULL ? self->name : NULL;
}
