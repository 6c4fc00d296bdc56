/* Progress: what is done, the rate, and the remaining time. */
#include "print.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BAR_EVERY_S 0.1
#define LINE_EVERY_S 60.0

static double monotonic_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

progress_bar progress_begin(const char *what, uint64_t total, bool quiet)
{
    progress_form form = isatty(STDERR_FILENO) ? PROGRESS_BAR : PROGRESS_LINES;
    return (progress_bar){
        .what = what,
        .total = total,
        .form = quiet ? PROGRESS_SILENT : form,
        .clock_s = monotonic_s,
        .start_s = monotonic_s(),
    };
}

/* Shortens counts of many digits: 1234567890 becomes 1.23e9. */
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

/* The state of a command at one moment. */
typedef struct moment {
    double count, total;
    double share;        /* of the total, 0 to 1 */
    double rate;         /* per second, since the command began */
    char left[32];       /* the remaining time */
    char counted[24];    /* the count */
    char speed[24];      /* the rate */
    char total_text[24]; /* the total */
} moment;

static moment moment_of(const progress_bar *bar, uint64_t done, double elapsed_s)
{
    moment m = {.count = (double)done, .total = (double)bar->total};
    double played = done > bar->known ? (double)(done - bar->known) : 1;
    m.share = m.total > 0 && m.count < m.total ? m.count / m.total : 1;
    m.rate = played / elapsed_s;
    time_text(m.count < m.total ? (m.total - m.count) / m.rate : 0, m.left);
    count_text(m.count, m.counted);
    count_text(m.rate, m.speed);
    count_text(m.total, m.total_text);
    return m;
}

/* Draws one line, cut to the width of the terminal. */
static void draw_bar(const progress_bar *bar, const moment *m)
{
    static const char full[] = "####################";
    char line[256], drawn[32] = "";
    double percent = floor(100 * m->share);
    if (bar->share || m->total > 0) {
        snprintf(drawn, sizeof drawn, "[%-20.*s] ", (int)(20 * m->share), full);
    }
    if (bar->share) {
        snprintf(line, sizeof line, "%3.0f %%, %s left: %s", percent, m->left, bar->what);
    } else if (m->total > 0) {
        snprintf(line, sizeof line, "%3.0f %%, %s of %s %s, %s left", percent, m->counted,
                 m->total_text, bar->what, m->left);
    } else {
        snprintf(line, sizeof line, "%s %s, %s/s", m->counted, bar->what, m->speed);
    }
    size_t columns = text_columns_of_errors() - 1; /* a full line would scroll */
    if (strlen(drawn) + strlen(line) > columns) drawn[0] = '\0';
    fprintf(stderr, "\r\033[K%s%.*s", drawn, (int)fmin((double)columns, sizeof line), line);
}

static void print_line(const progress_bar *bar, const moment *m)
{
    double percent = floor(100 * m->share);
    if (bar->share) {
        fprintf(stderr, "%.0f %%, %s left: %s\n", percent, m->left, bar->what);
    } else if (m->total > 0) {
        fprintf(stderr, "%.0f %%, %s left: %s of %s %s, %s/s\n", percent, m->left, m->counted,
                m->total_text, bar->what, m->speed);
    } else {
        fprintf(stderr, "%s %s, %s/s\n", m->counted, bar->what, m->speed);
    }
}

void progress_show(progress_bar *bar, uint64_t done)
{
    if (bar->form == PROGRESS_SILENT) return;
    double elapsed_s = bar->clock_s() - bar->start_s;
    double every_s = bar->form == PROGRESS_BAR ? BAR_EVERY_S : LINE_EVERY_S;
    if (elapsed_s < bar->shown_s + every_s) return;
    bar->shown_s = elapsed_s;
    moment m = moment_of(bar, done, elapsed_s);
    if (bar->form == PROGRESS_BAR) {
        draw_bar(bar, &m);
    } else {
        print_line(bar, &m);
    }
}

void progress_end(progress_bar *bar)
{
    if (bar->form == PROGRESS_BAR && bar->shown_s > 0) fprintf(stderr, "\r\033[K");
}
