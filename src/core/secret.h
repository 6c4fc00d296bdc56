/*
 * Conditions on secrets, without a branch.
 *
 * Of conditional expressions, and of numbers that it knows to be 0 or 1, a compiler makes branches when
 * it likes to; fmin and fmax of the C library have one on some processors. So a condition is made a bit
 * that the compiler knows nothing of, and the rest is arithmetic. tests/system/secret_branches.c looks
 * at what was compiled.
 */
#ifndef SOTTO_SECRET_H
#define SOTTO_SECRET_H

#include "ieee.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* 1 or 0, and to the compiler any number. */
static inline uint64_t sotto__bit(bool condition)
{
    uint64_t bit = condition;
    __asm__("" : "+r"(bit));
    return bit;
}

/* All bits or none, and to the compiler any number. */
static inline uint64_t sotto__mask(bool condition)
{
    uint64_t mask = 0 - (uint64_t)condition;
    __asm__("" : "+r"(mask));
    return mask;
}

/* The bits of v that are in the mask: v if it has all, 0 if it has none. */
static inline double sotto__masked(double v, uint64_t mask)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits &= mask;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* One of two numbers. */
static inline double sotto__either(bool first, double x, double y)
{
    uint64_t x_bits, y_bits, mask = sotto__mask(first);
    memcpy(&x_bits, &x, sizeof x);
    memcpy(&y_bits, &y, sizeof y);
    y_bits ^= (x_bits ^ y_bits) & mask;
    memcpy(&y, &y_bits, sizeof y);
    return y;
}

/* x, but no more than `most`; that for NaN. */
static inline double sotto__at_most(double x, double most)
{
    return sotto__either(x < most, x, most);
}

/* x, but no less than `least`; that for NaN. */
static inline double sotto__at_least(double x, double least)
{
    return sotto__either(x > least, x, least);
}

/* x within [least, most]; most for NaN. */
static inline double sotto__within(double x, double least, double most)
{
    return sotto__at_least(sotto__at_most(x, most), least);
}

#endif
