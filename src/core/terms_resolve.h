/* Resolving with another codebook size than the rule's, for studies of the size itself; and the guess
 * that codebooks with nulls are made for. */
#ifndef SOTTO_TERMS_RESOLVE_H
#define SOTTO_TERMS_RESOLVE_H

#include <sotto/core.h>

/* As sotto_spec_resolve, with codebooks of `size` (even, 2 to SOTTO_CODEBOOK_SIZE_MAX) where the
 * spec calls for no tags. */
SOTTO_CHECK sotto_status sotto__spec_resolve_sized(const sotto_spec *spec, uint32_t size,
                                                   sotto_terms *out);

/* The mean size of a score that a phase's codebook is made for: a public guess, 0 to 1. */
double sotto__score_size(const sotto_spec *spec, sotto_phase phase);

#endif
