/* A progress_bar bar: how far, how fast, how long yet. */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

progress_bar progress_begin(const char *what, uint64_t total, bool quiet)
{
    progress_bar bar = {.what = what, .total = total, .on = !quiet && isatty(STDERR_FILENO)};
    clock_gettime(CLOCK_MONOTONIC, &bar.start);
    return bar;
}

/* Counts of many digits are hard to read: 1234567890 is 1.23e9. */
static const char *count_text(double count, char text[24])
{
    if (count < 1e6) {
        snprintf(text, 24, "%.0f", count);
    } else {
        int exponent = (int)floor(log10(count));
        snprintf(text, 24, "%.2fe%d", count / pow(10, exponent), exponent);
    }
    return text;
}

static const char *time_text(double seconds, char text[32])
{
    if (seconds < 100) {
        snprintf(text, 32, "%.0f s", seconds);
    } else if (seconds < 6000) {
        snprintf(text, 32, "%.0f min", seconds / 60);
    } else if (seconds < 360000) {
        snprintf(text, 32, "%.1f h", seconds / 3600);
    } else {
        snprintf(text, 32, "%.0f days", seconds / 86400);
    }
    return text;
}

void progress_show(progress_bar *bar, uint64_t done)
{
    if (!bar->on) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double elapsed_s = (double)(now.tv_sec - bar->start.tv_sec) +
                       1e-9 * (double)(now.tv_nsec - bar->start.tv_nsec);
    if (elapsed_s < bar->shown_s + 0.1) return;
    bar->shown_s = elapsed_s;
    double count = (double)done, total = (double)bar->total;
    double rate = (count > 0 ? count : 1) / elapsed_s;
    static const char full[] = "##############################";
    int width = total > 0 && count < total ? (int)(30 * count / total) : 30;
    char counted[24], speed[24], left[32];
    time_text(count < total ? (total - count) / rate : 0, left);
    if (bar->share) {
        double part = total > 0 && count < total ? count / total : 1;
        fprintf(stderr, "\r\033[K[%-30.*s] %3.0f %%, %s left: %s", width, full, floor(100 * part),
                left, bar->what);
        return;
    }
    fprintf(stderr, "\r\033[K[%-30.*s] %s %s, %s/s, %s left", width, full,
            count_text(count, counted), bar->what, count_text(rate, speed), left);
}

void progress_end(progress_bar *bar)
{
    if (bar->on && bar->shown_s > 0) fprintf(stderr, "\r\033[K");
}
