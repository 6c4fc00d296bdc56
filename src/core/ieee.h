/* For every file that computes: arithmetic is as IEEE 754 says, or the file does not compile. */
#ifndef SOTTO_IEEE_H
#define SOTTO_IEEE_H

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "no -ffast-math, nor a part of it: bounds and codewords rest on IEEE arithmetic"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "no -ffinite-math-only: NaN and infinity are refused where they enter"
#endif

#endif
