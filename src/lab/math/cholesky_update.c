/*
 * L L' + x x' = M M', column by column, by the rotation that takes x_k into the diagonal (Gill,
 * Golub, Murray, Saunders 1974):
 *
 *     r = sqrt(L_kk^2 + x_k^2),  c = r/L_kk,  s = x_k/L_kk,
 *     M_kk = r,  M_ik = (L_ik + s x_i)/c,  x_i = c x_i - s M_ik   for i > k.
 *
 * Adding a square keeps a matrix positive definite, so nothing here can fail.
 */
#include "cholesky_update.h"
#include "core/linalg.h"

#include <math.h>

void sotto__cholesky_update(double *factor, double *x, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        double *diagonal = factor + sotto__tri_count(k) + k;
        double r = sqrt(*diagonal * *diagonal + x[k] * x[k]);
        double c = r / *diagonal, s = x[k] / *diagonal;
        *diagonal = r;
        for (uint32_t i = k + 1; i < n; i++) {
            double *entry = factor + sotto__tri_count(i) + k;
            *entry = (*entry + s * x[i]) / c;
            x[i] = c * x[i] - s * *entry;
        }
    }
}
