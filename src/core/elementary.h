/* e^x - 1, ln(1 + x) and the cube root, the same bits wherever exp and log are the same. Those of the C library
 * differ in their last bits between 64-bit ARM and x86-64. */
#ifndef SOTTO_ELEMENTARY_H
#define SOTTO_ELEMENTARY_H

#include "ieee.h"

/* Off by less than 3 units in the last place. */
double sotto__expm1(double x);
/* x > -1. Off by less than 2 units in the last place. */
double sotto__log1p(double x);
/* x >= 0. Off by less than 2 units in the last place. */
double sotto__cbrt(double x);

#endif
