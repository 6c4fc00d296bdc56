/*
 * The lab: how much regret local privacy itself costs.
 * Not for production. The head of core.h says what NULL does.
 */
#ifndef SOTTO_LAB_FLOORS_H
#define SOTTO_LAB_FLOORS_H

#include <sotto/lab/matches.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Regret, up to the horizon, that epsilon costs whatever the method: docs/methods.md, section 16. For
 * contexts uniform on the sphere and true parameters in uniform directions. NAN: it does not exist. */
typedef struct sotto_floor {
    /* No method whose reports are epsilon-LDP has less expected regret: proved, up to a grid that makes it
     * at most 0.5 % too high for up to 100 arms. Shared parameters, link identity, gaussian noise. */
    double proved;
    /* A local estimate: information as it is once theta* is nearly known. A method can be below it. */
    double local;
    /* `local` for a method that starts from nothing: heuristic. Link identity, gaussian noise. */
    double start;
} sotto_floor;

/* The floor for the world, epsilon and horizon of a match; its method does not matter. All NAN for a match
 * with delta above 0, with a world that is not a sphere, or without noise, and for fewer than 2
 * dimensions or arms. SOTTO_E_MEMORY if there is none to compute in. */
SOTTO_API SOTTO_CHECK sotto_status sotto_floor_of(const sotto_match *match, sotto_floor *out);

#ifdef __cplusplus
}
#endif
#endif
