/* Report frames, for those who keep them without knowing their spec. */
#ifndef SOTTO_REPORT_H
#define SOTTO_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#define SOTTO__REPORT_HEAD_BYTES 40u
#define SOTTO__REPORT_SPEC_ID_AT 4u
#define SOTTO__REPORT_NONCE_AT 24u

/* Whether a frame that begins with these bytes is a report of this spec and nonce. */
bool sotto__report_head_is(const uint8_t head[SOTTO__REPORT_HEAD_BYTES], const uint8_t *spec_id,
                           const uint8_t *nonce);

#endif
