/* A progress bar: how far, how fast, how long yet. */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

progress progress_begin(const char *what, uint64_t total, bool quiet)
{
    progress bar = {.what = what, .total = total, .on = !quiet && isatty(STDERR_FILENO)};
    clock_gettime(CLOCK_MONOTONIC, &bar.start);
    return bar;
}

void progress_show(progress *bar, uint64_t done)
{
    if (!bar->on) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double elapsed_s = (double)(now.tv_sec - bar->start.tv_sec) +
                       1e-9 * (double)(now.tv_nsec - bar->start.tv_nsec);
    if (elapsed_s < bar->shown_s + 0.1) return;
    bar->shown_s = elapsed_s;
    double rate = (double)done / elapsed_s;
    static const char full[] = "##############################";
    int width = (int)(30 * done / bar->total);
    fprintf(stderr, "\r\033[K[%-30.*s] %" PRIu64 " %s, %.0f/s, %.0f s left", width, full, done,
            bar->what, rate, (double)(bar->total - done) / rate);
}

void progress_end(progress *bar)
{
    if (bar->on && bar->shown_s > 0) fprintf(stderr, "\r\033[K");
}
