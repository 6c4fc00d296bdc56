/* Report frames, for those who keep them without knowing their spec. */
#ifndef SOTTO_REPORT_H
#define SOTTO_REPORT_H

#include "method.h"

#define SOTTO__REPORT_HEAD_BYTES 40u
#define SOTTO__REPORT_SPEC_ID_AT 4u
#define SOTTO__REPORT_EPOCH_AT 20u
#define SOTTO__REPORT_NONCE_AT 24u

/* See sotto_report_count. Inline: a round asks for it at each step. */
static inline uint32_t sotto__report_count(const sotto_terms *terms)
{
    if (!sotto__reports_indices(terms)) return terms->lattice.dim;
    return terms->spec.split == SOTTO_SPLIT_PER_ARM ? terms->spec.arms : 1;
}

/* Whether a frame that begins with these bytes is a report of this spec and nonce. */
bool sotto__report_head_is(const uint8_t head[SOTTO__REPORT_HEAD_BYTES], const uint8_t *spec_id,
                           const uint8_t *nonce);

#endif
