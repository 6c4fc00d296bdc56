/* Asserts what a public function returns for a NULL pointer: see the opening comment of core.h. */
#ifndef SOTTO_MISSING_H
#define SOTTO_MISSING_H

#include "test.h"

#define assert_refused(call) assert_status(call, SOTTO_E_ARGUMENT)

/* A `T **out` that is given is NULL afterwards. */
#define assert_not_made(call, out)                                                                 \
    do {                                                                                           \
        (out) = (void *)&(out); /* anything but NULL */                                            \
        assert_refused(call);                                                                      \
        assert_null(out);                                                                          \
    } while (0)

#endif
