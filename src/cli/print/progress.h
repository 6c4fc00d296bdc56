/* A progress bar on stderr if that is a terminal; silent otherwise. */
#ifndef SOTTO_CLI_PRINT_PROGRESS_H
#define SOTTO_CLI_PRINT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct progress_bar {
    const char *what; /* "reports"; with share, what is under way: it may change */
    uint64_t total;
    bool share; /* shows how much is done, not how many */
    struct timespec start;
    double shown_s; /* when the bar was last drawn */
    bool on;
} progress_bar;

progress_bar progress_begin(const char *what, uint64_t total, bool quiet);
void progress_show(progress_bar *bar, uint64_t done);
void progress_end(progress_bar *bar);

#endif
