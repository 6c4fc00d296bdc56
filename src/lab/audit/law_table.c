/* Layer 1: the law of a claim, by its family. */
#include "law_table.h"
#include "law_rows.h"

sotto_status sotto__law_new(const sotto__claim *claim, const double *x, uint64_t trials,
                            sotto__law **out)
{
    *out = NULL;
    switch (claim->family) {
    case SOTTO__LATTICE: return sotto__law_lattice(claim, x, trials, out);
    case SOTTO__CODEBOOK: return sotto__law_codebook(claim, x, trials, out);
    case SOTTO__VECTOR: return sotto__law_vector(claim, x, trials, out);
    case SOTTO__OUTSIDE: return SOTTO_OK; /* its law is not known: dependence.c */
    }
    return SOTTO_OK;
}
