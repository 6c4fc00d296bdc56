/* What Frama-C reads in place of src/core/core.h, whose vectors it does not know. */
#ifndef SOTTO_CORE_ROOM_H
#define SOTTO_CORE_ROOM_H

#include <sotto/core.h>

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*@ assigns \nothing;
    ensures \result == (condition ? 1 : 0); */
uint64_t sotto__bit(bool condition);
uint64_t sotto__mask(bool condition);
double sotto__masked(double v, uint64_t mask);

#endif
