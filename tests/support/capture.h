/* What is written to the standard output or the standard error while a test listens. */
#ifndef SOTTO_CAPTURE_H
#define SOTTO_CAPTURE_H

#include <stdio.h>

#define CAPTURE_BYTES 16384

typedef struct capture {
    FILE *stream;
    FILE *file; /* where it goes meanwhile */
    int saved;  /* the descriptor that it had */
} capture;

/* From here on the stream goes to a temporary file. */
capture capture_begin(FILE *stream);
/* Puts the stream back, and what was written into `text`; returns it. */
const char *capture_end(const capture *c, char text[CAPTURE_BYTES]);

#endif
