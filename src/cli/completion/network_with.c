/* The commands that need libcurl. */
#include "completion.h"

const command *const network_commands[] = {&command_join, &command_fleet, &command_results, NULL};
