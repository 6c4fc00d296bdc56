#include "core/core.h"
#include "math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== cholesky update ======================================================================== */

void sotto__add_outer(double *a, const double *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        double *row = a + sotto__tri_count(i);
        for (uint32_t j = 0; j <= i; j++) {
            row[j] += x[i] * x[j];
        }
    }
}

/*
 * L L' + x x' = M M', column by column, by the rotation that takes x_k into the diagonal (Gill,
 * Golub, Murray, Saunders 1974):
 *
 *     r = sqrt(L_kk^2 + x_k^2),  c = r/L_kk,  s = x_k/L_kk,
 *     M_kk = r,  M_ik = (L_ik + s x_i)/c,  x_i = c x_i - s M_ik   for i > k.
 *
 * Adding a square keeps a matrix positive definite, so nothing here can fail.
 */

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

/* ==== dense ================================================================================== */

/*
 * Solves with a symmetric A by A = L L' (Cholesky) if it is positive definite, otherwise by P A = L
 * U with partial pivoting, which is four times the work. That L has a unit diagonal and shares its
 * array with U.
 */

struct sotto__dense {
    uint32_t n;
    bool definite;   /* the last matrix was positive definite, and `packed` holds its factor */
    uint32_t *pivot; /* n: the row that was swapped with row k */
    double *packed;  /* the Cholesky factor */
    double *full;    /* n x n: L and U */
    double *memory;  /* the two above */
};

sotto_status sotto__dense_new(uint32_t n, sotto__dense **out)
{
    *out = NULL;
    if (n > SOTTO__DENSE_MAX) return SOTTO_E_LENGTH;
    size_t packed_count = sotto__tri_count(n), full_count = (size_t)n * n;
    sotto__dense *dense = calloc(1, sizeof *dense);
    if (dense == NULL) return SOTTO_E_MEMORY;
    dense->n = n;
    dense->pivot = calloc(n, sizeof dense->pivot[0]);
    dense->memory = calloc(packed_count + full_count, sizeof(double));
    if (dense->pivot == NULL || dense->memory == NULL) {
        sotto__dense_free(dense);
        return SOTTO_E_MEMORY;
    }
    dense->packed = dense->memory;
    dense->full = dense->packed + packed_count;
    *out = dense;
    return SOTTO_OK;
}

void sotto__dense_free(sotto__dense *dense)
{
    if (dense == NULL) return;
    free(dense->pivot);
    free(dense->memory);
    free(dense);
}

static void unpack(sotto__dense *dense, const double *a, double shift)
{
    uint32_t n = dense->n;
    for (uint32_t i = 0; i < n; i++) {
        const double *row = a + sotto__tri_count(i);
        for (uint32_t j = 0; j <= i; j++) {
            double value = i == j ? row[j] + shift : row[j];
            dense->full[(size_t)i * n + j] = value;
            dense->full[(size_t)j * n + i] = value;
        }
    }
}

static void swap_rows(double *a, double *b, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++) {
        double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

static uint32_t largest_below(const double *a, uint32_t k, uint32_t n)
{
    uint32_t best = k;
    for (uint32_t i = k + 1; i < n; i++) {
        if (fabs(a[(size_t)i * n + k]) > fabs(a[(size_t)best * n + k])) best = i;
    }
    return best;
}

/* Eliminates row by row below the pivot: l = a_ik/a_kk, a_ij -= l a_kj. */
static bool factor_lu(double *a, uint32_t *pivot, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        double *top = a + (size_t)k * n;
        pivot[k] = largest_below(a, k, n);
        if (pivot[k] != k) swap_rows(top, a + (size_t)pivot[k] * n, n);
        if (!(fabs(top[k]) > 0 && isfinite(top[k]))) return false;
        for (uint32_t i = k + 1; i < n; i++) {
            double *row = a + (size_t)i * n;
            double l = row[k] / top[k];
            row[k] = l;
            for (uint32_t j = k + 1; j < n; j++) {
                row[j] -= l * top[j];
            }
        }
    }
    return true;
}

bool sotto__dense_factor(sotto__dense *dense, const double *a, double shift)
{
    uint32_t n = dense->n;
    memcpy(dense->packed, a, sotto__tri_count(n) * sizeof a[0]);
    for (uint32_t i = 0; i < n; i++) {
        dense->packed[sotto__tri_count(i) + i] += shift;
    }
    dense->definite = sotto__cholesky(dense->packed, n);
    if (dense->definite) return true;
    unpack(dense, a, shift);
    return factor_lu(dense->full, dense->pivot, n);
}

/* L y = P b from the top, then U x = y from the bottom. */
static void solve_lu(const sotto__dense *dense, double *x)
{
    uint32_t n = dense->n;
    for (uint32_t k = 0; k < n; k++) { /* later swaps moved rows of L: do all swaps first */
        double kept = x[k];
        x[k] = x[dense->pivot[k]];
        x[dense->pivot[k]] = kept;
    }
    for (uint32_t i = 1; i < n; i++) {
        x[i] -= sotto__dot(dense->full + (size_t)i * n, x, i);
    }
    for (uint32_t i = n; i-- > 0;) {
        const double *row = dense->full + (size_t)i * n;
        x[i] = (x[i] - sotto__dot(row + i + 1, x + i + 1, n - i - 1)) / row[i];
    }
}

void sotto__dense_solve(const sotto__dense *dense, const double *b, double *x)
{
    if (dense->definite) {
        sotto__cholesky_solve(dense->packed, b, x, dense->n);
        return;
    }
    memcpy(x, b, dense->n * sizeof x[0]);
    solve_lu(dense, x);
}

/* Solves once per row, because the matrix may not be positive definite. */
static void forms_by_lu(const sotto__dense *dense, const double *rows, uint32_t count,
                        double *scratch, double *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const double *x = rows + (size_t)i * dense->n;
        sotto__dense_solve(dense, x, scratch);
        out[i] = sotto__dot(x, scratch, dense->n);
    }
}

void sotto__dense_forms(const sotto__dense *dense, const double *rows, uint32_t count,
                        double *scratch, double *out)
{
    if (dense->definite) {
        sotto__inverse_forms(dense->packed, rows, count, dense->n, scratch, out);
        return;
    }
    forms_by_lu(dense, rows, count, scratch, out);
}

void sotto__dense_forms_of_blocks(const sotto__dense *dense, const double *rows, uint32_t count,
                                  double *scratch, double *out)
{
    if (dense->definite) {
        sotto__inverse_forms_of_blocks(dense->packed, rows, count, dense->n, scratch, out);
        return;
    }
    forms_by_lu(dense, rows, count, scratch, out);
}
