/* First line of defence of the boundary: this directory's headers stop every other side's compiler. */
#ifndef SOTTO_CLIENT_SIDE_H
#define SOTTO_CLIENT_SIDE_H

#if !defined(SOTTO_SIDE_CLIENT) && !defined(SOTTO_SIDE_LAB)
#error "src/client belongs to the person's side: server and core code may not use it"
#endif

#include "core/core.h"

#endif
