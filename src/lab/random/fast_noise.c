/* Lattice noise for simulations. */
#include "fast_noise.h"

#include <math.h>

#define PART 256 /* normals that are drawn before they are rounded */

sotto_status sotto__fast_noise(const sotto_lattice *lattice, sotto_noise_law law, sotto_rng *rng,
                               int64_t *noise)
{
    if (law == SOTTO_NOISE_LAPLACE) return sotto__lattice_noise(lattice, law, rng, noise);
    sotto__fast_rng *fast = (sotto__fast_rng *)rng;
    double part[PART], scale = lattice->scale_ticks;
    for (uint32_t at = 0; at < lattice->dim; at += PART, noise += PART) {
        uint32_t here = lattice->dim - at < PART ? lattice->dim - at : PART;
        sotto__normals(&fast->ziggurat, &fast->seeded, part, here);
        for (uint32_t i = 0; i < here; i++) {
            double ticks = rint(scale * part[i]); /* cast at once, gcc takes one at a time */
            noise[i] = (int64_t)ticks;
        }
    }
    return SOTTO_OK;
}
