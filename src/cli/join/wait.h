/* A line that tells how long it still takes, on stderr: on a terminal it is written over, elsewhere one
 * is printed every minute. */
#ifndef SOTTO_CLI_JOIN_WAIT_H
#define SOTTO_CLI_JOIN_WAIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wait_line {
    bool quiet, terminal;
    bool shown;        /* something stands on the terminal's last line */
    uint64_t shown_ms; /* when it was last written; 0: never */
} wait_line;

wait_line wait_begin(bool quiet);
void wait_show(wait_line *line, const char *text);
/* Before anything else is printed. */
void wait_clear(wait_line *line);

#endif
