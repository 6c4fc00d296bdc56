/* Lattice noise for simulations. */
#include "fast_noise.h"

#include <math.h>

sotto_status sotto__fast_noise(const sotto_lattice *lattice, sotto_noise_law law, sotto_rng *rng,
                               int64_t *noise)
{
    if (law == SOTTO_NOISE_LAPLACE) return sotto__lattice_noise(lattice, law, rng, noise);
    sotto__fast_rng *fast = (sotto__fast_rng *)rng;
    for (uint32_t i = 0; i < lattice->dim; i++) {
        noise[i] =
            (int64_t)rint(lattice->scale_ticks * sotto__normal(&fast->ziggurat, &fast->seeded));
    }
    return SOTTO_OK;
}
