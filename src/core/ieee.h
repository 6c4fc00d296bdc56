/* For every file that computes: arithmetic is as IEEE 754 says, or the file does not compile. */
#ifndef SOTTO_IEEE_H
#define SOTTO_IEEE_H

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "Sotto needs IEEE arithmetic for its privacy: compile it without -ffast-math and its parts"
#endif
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 2 || __FLT_EVAL_METHOD__ < 0)
#error                                                                                             \
    "Sotto rounds to double after every step: compile it without the x87 unit (gcc: -mfpmath=sse)"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "Sotto refuses NaN and infinity: compile it without -ffinite-math-only"
#endif

#endif
