/* In a build without libcurl there are no network commands. */
#include "inner.h"

const command *network_command_at(uint32_t value)
{
    (void)value;
    return NULL;
}
