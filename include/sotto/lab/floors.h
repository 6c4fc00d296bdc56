/*
 * The lab: the regret that local privacy costs any method.
 * Not for production. The head of core.h says what NULL does.
 */
#ifndef SOTTO_LAB_FLOORS_H
#define SOTTO_LAB_FLOORS_H

#include <sotto/lab/matches.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The regret up to the horizon that epsilon costs any method: docs/methods.md, section 16. For contexts
 * uniform on the sphere and true parameters in uniform directions. Numbers that do not exist are NAN. */
typedef struct sotto_floor {
    /* No method with epsilon-LDP reports has less expected regret. This is proved, except that a grid makes
     * it at most 0.5 % too high for up to 100 arms. Shared parameters, link identity, gaussian noise. */
    double proved;
    /* An estimate that assumes that theta* is nearly known. A method can be below it. */
    double local;
    /* `local` for a method that knows nothing at the start: heuristic. Link identity, gaussian noise. */
    double start;
} sotto_floor;

/* The floor for the environment, epsilon and horizon of a match; its method does not matter. All numbers
 * are NAN for delta above 0, for another environment than sphere, without noise, and for fewer than 2
 * dimensions or arms. SOTTO_E_MEMORY if there is not enough memory. */
SOTTO_API SOTTO_CHECK sotto_status sotto_floor_of(const sotto_match *match, sotto_floor *out);

#ifdef __cplusplus
}
#endif
#endif
