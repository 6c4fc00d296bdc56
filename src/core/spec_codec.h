/* The name of a resolved spec. */
#ifndef SOTTO_SPEC_CODEC_H
#define SOTTO_SPEC_CODEC_H

#include <sotto/core.h>

/* Fills id and stream_key from everything else. */
void sotto__spec_name(sotto_resolved *resolved);

#endif
