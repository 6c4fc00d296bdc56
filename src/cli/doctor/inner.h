/* What files of this room share. Each function prints facts and returns false if one is a fault. */
#ifndef SOTTO_CLI_DOCTOR_INNER_H
#define SOTTO_CLI_DOCTOR_INNER_H

#include "cli/print/print.h"

/* ---- machine -------------------------------------------------------------------------------- */

/* The installed programs and libraries. A version other than this program's is a fault. */
bool doctor_installed(facts *list);
/* Processor, entropy, clocks, and how long an fsync takes in `directory`. */
bool doctor_machine(facts *list, const char *directory);

/* ---- self_test ------------------------------------------------------------------------------ */

/* Checks that terms have the same bits as on other machines, and audits the mechanisms with the
 * system's randomness. Takes about `seconds`. */
bool doctor_self_test(facts *list, double seconds);

#endif
