/* In a build without libcurl there are no network commands. */
#include "completion.h"

const command *const network_commands[] = {NULL};
