/* Captures what a test writes to the standard output or the standard error. */
#ifndef SOTTO_CAPTURE_H
#define SOTTO_CAPTURE_H

#include <stdio.h>

#define CAPTURE_BYTES 16384

typedef struct capture {
    FILE *stream;
    FILE *file; /* takes the output meanwhile */
    int saved;  /* the original descriptor */
} capture;

/* From here on the stream's output goes to a temporary file. */
capture capture_begin(FILE *stream);
/* Restores the stream and copies what was written into `text`, which it returns. */
const char *capture_end(const capture *c, char text[CAPTURE_BYTES]);

#endif
