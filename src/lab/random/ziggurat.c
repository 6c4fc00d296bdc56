/*
 * Marsaglia and Tsang's ziggurat (2000): the area under e^(-x^2/2), x > 0, in 256 layers of equal
 * area V. Layer i is the box [0, x_i) x [y_i, y_(i+1)); the lowest also holds the tail beyond R.
 *
 *     x_1 = R,   x_(i+1) = f^-1(V/x_i + f(x_i)),   f(x) = e^(-x^2/2),   x_0 = V/f(R)
 */
#include "random.h"

#include <math.h>
#include <string.h>

/* ==== ziggurat ============================================================================ */

#define PART 256 /* normals that are drawn before they are used or rounded */

static const double edge = 3.6541528853610087963519472518; /* R */
static const double area = 0.0049286732339746519516134115; /* V */

static double density(double x)
{
    return exp(-x * x / 2);
}

void sotto__ziggurat_begin(sotto__ziggurat *ziggurat)
{
    double *x = ziggurat->x, *y = ziggurat->y;
    x[0] = area / density(edge);
    x[1] = edge;
    for (int i = 1; i < SOTTO__LAYERS - 1; i++) {
        x[i + 1] = sqrt(-2 * log(area / x[i] + density(x[i])));
    }
    x[SOTTO__LAYERS] = 0;
    y[0] = 0; /* the base reaches down to the axis */
    for (int i = 1; i <= SOTTO__LAYERS; i++) {
        y[i] = density(x[i]);
    }
    for (int i = 0; i < SOTTO__LAYERS; i++) {
        ziggurat->unit[i] = 0x1p-53 * x[i];
    }
}

/* The tail beyond R (Marsaglia 1964): x = R - ln(u)/R, accepted by comparison with a second
 * exponential. */
static double draw_tail(uint64_t s[4])
{
    double x, y;
    do {
        x = -log(sotto__uniform(sotto__xoshiro(s))) / edge;
        y = -log(sotto__uniform(sotto__xoshiro(s)));
    } while (2 * y < x * x);
    return edge + x;
}

/* From 64 bits: the layer is bits 0 to 7, the sign bit 8, the place in the layer bits 11 to 63. */
static inline uint32_t layer_of(uint64_t bits)
{
    return bits & 255;
}

/* Sets the sign by arithmetic, because half of the branches on a random sign would be
 * mispredicted. */
static inline double signed_by(uint64_t bits, double x)
{
    uint64_t pattern;
    memcpy(&pattern, &x, sizeof pattern);
    pattern ^= (bits & 256) << 55;
    memcpy(&x, &pattern, sizeof x);
    return x;
}

static inline double place_of(const sotto__ziggurat *ziggurat, uint64_t bits)
{
    return (double)(bits >> 11) * ziggurat->unit[layer_of(bits)];
}

/* True in the part of a layer that is entirely below the curve: 99 draws in 100. */
static inline bool is_inside(const sotto__ziggurat *ziggurat, uint64_t bits, double x)
{
    return x < ziggurat->x[layer_of(bits) + 1];
}

/* Ends a draw whose first bits lie outside that part. */
static double draw_edge(const sotto__ziggurat *ziggurat, uint64_t bits, uint64_t s[4])
{
    const double *heights = ziggurat->y;
    for (;;) {
        uint32_t layer = layer_of(bits);
        double x = place_of(ziggurat, bits);
        if (is_inside(ziggurat, bits, x)) return signed_by(bits, x);
        if (layer == 0) return signed_by(bits, draw_tail(s));
        double u = sotto__uniform(sotto__xoshiro(s));
        double y = heights[layer] + u * (heights[layer + 1] - heights[layer]);
        if (y < density(x)) return signed_by(bits, x);
        bits = sotto__xoshiro(s);
    }
}

void sotto__normals(const sotto__ziggurat *ziggurat, sotto__seeded *seeded, double *out,
                    uint32_t count)
{
    uint64_t s[4];
    memcpy(s, seeded->state, sizeof s);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits = sotto__xoshiro(s);
        double x = place_of(ziggurat, bits);
        if (is_inside(ziggurat, bits, x)) {
            out[i] = signed_by(bits, x);
            continue;
        }
        uint64_t kept[4]; /* taking the address of s would keep the loop from using registers */
        memcpy(kept, s, sizeof kept);
        out[i] = draw_edge(ziggurat, bits, kept);
        memcpy(s, kept, sizeof kept);
    }
    memcpy(seeded->state, s, sizeof s);
}

double sotto__normal(const sotto__ziggurat *ziggurat, sotto__seeded *seeded)
{
    uint64_t bits = sotto__seeded_next(seeded);
    double x = place_of(ziggurat, bits);
    if (is_inside(ziggurat, bits, x)) return signed_by(bits, x);
    return draw_edge(ziggurat, bits, seeded->state);
}

void sotto__add_normals(const sotto__ziggurat *ziggurat, sotto__seeded *seeded, double sd,
                        double *out, uint32_t count)
{
    double part[PART];
    for (uint32_t at = 0; at < count; at += PART, out += PART) {
        uint32_t here = count - at < PART ? count - at : PART;
        sotto__normals(ziggurat, seeded, part, here);
        for (uint32_t i = 0; i < here; i++) {
            out[i] += sd * part[i];
        }
    }
}

/* ==== fast noise ============================================================================= */

/* Lattice noise for simulations. */

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
            double ticks = rint(scale * part[i]); /* gcc does not vectorise a direct cast */
            noise[i] = (int64_t)ticks;
        }
    }
    return SOTTO_OK;
}
