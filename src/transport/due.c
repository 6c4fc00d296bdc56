/* The steady clock of a wire, and how many alarms may be set on it at once. */
#include "due.h"

uint64_t sotto__wire_now_ms(const sotto_wire *wire)
{
    return wire->clock.steady_ms(wire->clock.state);
}

sotto_status sotto__wire_add_alarms(sotto_wire *wire, size_t count)
{
    sotto_status status = sotto__alarms_reserve(&wire->alarms, wire->alarms_wanted + count);
    if (status == SOTTO_OK) wire->alarms_wanted += count;
    return status;
}

void sotto__wire_remove_alarms(sotto_wire *wire, size_t count)
{
    wire->alarms_wanted -= count;
}
