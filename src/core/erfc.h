/* The complementary error function, the same bits on every machine. That of the C library differs in
 * its last bits from one kind of processor to another, and with it every result of link probit. */
#ifndef SOTTO_ERFC_H
#define SOTTO_ERFC_H

#include "ieee.h"

/* erfc(x) = 2/sqrt(pi) times the integral of e^(-t^2) from x on; any x. Off by less than 4 units in
 * the last place, by less than 1 unit of 2^-1074 where it is denormal. */
double sotto__erfc(double x);

#endif
