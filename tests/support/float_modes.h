/* Floating-point environments that an application's thread may have. */
#ifndef SOTTO_FLOAT_MODES_H
#define SOTTO_FLOAT_MODES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct float_mode {
    const char *name;
    int rounding; /* FE_TONEAREST, ... */
    bool flush;   /* to zero */
    bool traps;   /* every exception except inexact stops the program, where a processor can */
} float_mode;

/* All of them; the first one is the default environment. */
extern const float_mode float_modes[];
extern const size_t float_modes_count;

bool float_mode_exists(const float_mode *mode); /* on this processor */
/* Enters a mode that exists, and raises an exception flag unless the mode traps. */
void float_mode_enter(const float_mode *mode);
/* Returns to the default environment. Fails the test if `what` changed the mode or its flags. */
void float_mode_leave(const float_mode *mode, const char *what);

/* Runs a statement under a mode that exists. */
#define UNDER(mode, statement)                                                                     \
    do {                                                                                           \
        float_mode_enter(mode);                                                                    \
        statement;                                                                                 \
        float_mode_leave(mode, #statement);                                                        \
    } while (0)

#endif
