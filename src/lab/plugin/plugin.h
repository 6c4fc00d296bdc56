/* What other rooms may use of this one. */
#ifndef SOTTO_LAB_PLUGIN_ROOM_H
#define SOTTO_LAB_PLUGIN_ROOM_H

#include "core/core.h"
#include "lab/random/random.h"

#include <sotto/core.h>
#include <sotto/lab/plugins.h>

/* ---- back ----------------------------------------------------------------------------------- */

/* Cleans up after each call of a table's function. */

/* Returns `returned`, after it restored the default floating-point environment, which the function
 * may have changed. The lab and the next function compute in the default one. */
static inline const void *sotto__back(const void *returned)
{
    (void)sotto__floats_enter();
    return returned;
}

/* ---- child ---------------------------------------------------------------------------------- */

/* Child processes in which plug-ins run. */

/* Call it first in a new child, which then dies with its parent, and which a crash ends, whatever
 * handlers the parent has. */
void sotto__child_begin(void);

/* Writes all bytes into a pipe; false if it has no reader any more. */
bool sotto__child_send(int pipe, const void *data, size_t bytes);

/* How a child ended, from waitpid: "WHO: crashed with signal 11 (Segmentation fault)", or "WHO: ended the process with
 * status 3". SOTTO_E_FAULT. */
sotto_status sotto__child_fault(const char *who, int end, sotto_fault *fault);

/* ---- lent ----------------------------------------------------------------------------------- */

/* A stream of the lab, lent to custom code. */

typedef struct sotto__lent {
    sotto_stream stream; /* first, so that a pointer to it is a pointer to the whole */
    sotto__seeded seeded;
    const sotto__ziggurat *ziggurat; /* borrowed */
} sotto__lent;

/* The stream of a purpose: the same numbers as the lab itself would draw. */
void sotto__lent_begin(sotto__lent *lent, uint64_t seed, sotto__purpose purpose,
                       const sotto__ziggurat *ziggurat);

/* Restarts the stream for one person, from a random word. The numbers of the next person do not
 * depend on how many this person draws. */
void sotto__lent_person(sotto__lent *lent, uint64_t word, const sotto__ziggurat *ziggurat);

/* ---- problem -------------------------------------------------------------------------------- */

/* What the two sides of a run know. */

/* `worth` is borrowed, and may be NULL. */
sotto_problem sotto__problem_of(const sotto_spec *spec, uint64_t horizon, const double *worth);

/* ---- table ---------------------------------------------------------------------------------- */

/* Whether a custom table can be used, before any of its functions is called. */

/* The fault says which table it is, what is wrong with it, and what is allowed. The names of our own
 * methods and environments are for their rooms to refuse. */
SOTTO_CHECK sotto_status sotto__player_table_fault(const sotto_player_table *table,
                                                   sotto_fault *fault);
SOTTO_CHECK sotto_status sotto__environment_table_fault(const sotto_environment_table *table,
                                                        sotto_fault *fault);
SOTTO_CHECK sotto_status sotto__mechanism_table_fault(const sotto_mechanism_table *table,
                                                      sotto_fault *fault);

/* The beginning of any table. `what` is "method", "environment", "mechanism" or "plug-in". */
SOTTO_CHECK sotto_status sotto__table_abi_fault(const char *what, uint32_t abi,
                                                uint32_t struct_bytes, size_t wanted_bytes,
                                                sotto_fault *fault);

/* The fault of custom code: "method mine, round 7: " and what was wrong. The plug-in's own words are
 * made harmless for a terminal and for CSV: what cannot be printed becomes '?'. SOTTO_E_PLUGIN. */
__attribute__((format(printf, 5, 6))) sotto_status sotto__table_blame(sotto_fault *fault,
                                                                      const char *what,
                                                                      const char *name,
                                                                      uint64_t round,
                                                                      const char *format, ...);

#endif
