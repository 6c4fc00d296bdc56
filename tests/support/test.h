/* What every test file includes. */
#ifndef SOTTO_TEST_H
#define SOTTO_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sotto/core.h>

/* A status that is not the wanted one fails with both sentences. */
#define assert_status(call, wanted)                                                                \
    do {                                                                                           \
        sotto_status got_ = (call);                                                                \
        if (got_ != (wanted)) {                                                                    \
            fail_msg("%s: got \"%s\", wanted \"%s\"", #call, sotto_status_text(got_),              \
                     sotto_status_text(wanted));                                                   \
        }                                                                                          \
    } while (0)
#define assert_ok(call) assert_status(call, SOTTO_OK)

/* |got - wanted| <= tolerance; NaN fails. */
#define assert_near(got, wanted, tolerance)                                                        \
    do {                                                                                           \
        double got_ = (got), wanted_ = (wanted), tolerance_ = (tolerance);                         \
        double off_ = got_ > wanted_ ? got_ - wanted_ : wanted_ - got_;                            \
        if (!(off_ <= tolerance_)) {                                                               \
            fail_msg("%s = %.17g, wanted %.17g within %g", #got, got_, wanted_, tolerance_);       \
        }                                                                                          \
    } while (0)

#endif
