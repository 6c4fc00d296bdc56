/* What a public function answers when a pointer is missing: see the opening comment of core.h. */
#ifndef SOTTO_MISSING_H
#define SOTTO_MISSING_H

#include "test.h"

#define assert_refused(call) assert_status(call, SOTTO_E_ARGUMENT)

/* A `T **out` that is there is NULL afterwards. */
#define assert_not_made(call, out)                                                                 \
    do {                                                                                           \
        (out) = (void *)&(out); /* anything but NULL */                                            \
        assert_refused(call);                                                                      \
        assert_null(out);                                                                          \
    } while (0)

/* A `_fault` function never answers NULL, which would mean that all is well. */
#define assert_says_missing(call)                                                                  \
    do {                                                                                           \
        const char *said_ = (call);                                                                \
        assert_non_null(said_);                                                                    \
        assert_string_equal(said_, sotto_status_text(SOTTO_E_ARGUMENT));                           \
    } while (0)

#endif
