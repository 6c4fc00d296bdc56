/* What time it is on a wire, and room for what is due. */
#ifndef SOTTO_TRANSPORT_DUE_H
#define SOTTO_TRANSPORT_DUE_H

#include "parts.h"

uint64_t sotto__wire_now_ms(const sotto_wire *wire); /* by the steady clock */
/* Room for `count` alarms more, or less. */
SOTTO_CHECK sotto_status sotto__wire_add_alarms(sotto_wire *wire, size_t count);
void sotto__wire_remove_alarms(sotto_wire *wire, size_t count);

#endif
