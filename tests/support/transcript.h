/* Records what calls return, in order, to compare floating-point environments. */
#ifndef SOTTO_TRANSCRIPT_H
#define SOTTO_TRANSCRIPT_H

#include "float_modes.h"

#include <stddef.h>
#include <stdint.h>

typedef struct transcript {
    uint8_t bytes[1 << 17];
    size_t count;
} transcript;

void note(transcript *t, const void *bytes, size_t count);
#define NOTE(t, value) note(t, &(value), sizeof(value))
/* NULL is noted as "none". */
void note_text(transcript *t, const char *text);

/* Plays in the default environment and in all others, and compares. */
typedef void play_function(const float_mode *mode, const void *what, transcript *t);
void assert_same_everywhere(play_function *play, const void *what);

#endif
