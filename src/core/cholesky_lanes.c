/* L_ij = (A_ij - sum_{k<j} L_ik L_jk) / L_jj,   L_ii = sqrt(A_ii - sum_{k<i} L_ik^2). */
#include "core.h"

#include <math.h>

/* The same entry of four matrices, in two registers. */
typedef struct held {
    sotto__pair low, high;
} held;

static inline held load(const sotto__lanes *x)
{
    return (held){sotto__load_pair(x->lane), sotto__load_pair(x->lane + 2)};
}

static inline void store(sotto__lanes *x, held value)
{
    memcpy(x->lane, &value.low, sizeof value.low);
    memcpy(x->lane + 2, &value.high, sizeof value.high);
}

static inline held multiply(held x, held y)
{
    return (held){x.low * y.low, x.high * y.high};
}

/* start - sum_{k<n} x_k y_k. */
static inline held subtract_dot(held start, const sotto__lanes *x, const sotto__lanes *y,
                                uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        held product = multiply(load(x + k), load(y + k));
        start.low -= product.low;
        start.high -= product.high;
    }
    return start;
}

/* The roots of pivots and their inverses. A pivot without a root gets 1, and its lane is noted. */
static void take_roots(sotto__lanes *pivot, sotto__lanes *inverse, uint32_t *failed)
{
    for (uint32_t l = 0; l < SOTTO__LANES; l++) {
        bool sound = pivot->lane[l] > 0 && isfinite(pivot->lane[l]);
        *failed |= (uint32_t)!sound << l;
        pivot->lane[l] = sound ? sqrt(pivot->lane[l]) : 1;
        inverse->lane[l] = 1 / pivot->lane[l];
    }
}

uint32_t sotto__cholesky_lanes(sotto__lanes *a, sotto__lanes *inverse, uint32_t n)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < n; i++) {
        sotto__lanes *row = a + sotto__tri_count(i);
        for (uint32_t j = 0; j < i; j++) {
            const sotto__lanes *above = a + sotto__tri_count(j);
            held rest = subtract_dot(load(row + j), row, above, j);
            store(row + j, multiply(rest, load(inverse + j)));
        }
        store(row + i, subtract_dot(load(row + i), row, row, i));
        take_roots(row + i, inverse + i, &failed);
    }
    return failed;
}

void sotto__cholesky_solve_lanes(const sotto__lanes *factor, const sotto__lanes *inverse,
                                 sotto__lanes *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        held rest = subtract_dot(load(x + i), factor + sotto__tri_count(i), x, i);
        store(x + i, multiply(rest, load(inverse + i)));
    }
    for (uint32_t i = n; i-- > 0;) {
        const sotto__lanes *row = factor + sotto__tri_count(i);
        held done = multiply(load(x + i), load(inverse + i));
        store(x + i, done);
        for (uint32_t j = 0; j < i; j++) {
            held product = multiply(load(row + j), done), rest = load(x + j);
            store(x + j, (held){rest.low - product.low, rest.high - product.high});
        }
    }
}
