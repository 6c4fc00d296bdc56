/* What files of this room share. Each prints its facts and returns false if one of them is a fault. */
#ifndef SOTTO_CLI_DOCTOR_INNER_H
#define SOTTO_CLI_DOCTOR_INNER_H

#include "cli/print/print.h"

/* ---- machine -------------------------------------------------------------------------------- */

/* The programs and libraries that are installed. Another version than this program's is a fault. */
bool doctor_installed(facts *list);
/* Processor, entropy, clock, and the time of an fsync in a directory. */
bool doctor_machine(facts *list, const char *directory);

/* ---- self_test ------------------------------------------------------------------------------ */

/* Terms are the same bits as everywhere; mechanisms keep their epsilon, with the system's randomness. Takes about
 * `seconds`. */
bool doctor_self_test(facts *list, double seconds);

#endif
