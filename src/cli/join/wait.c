#include "inner.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* ==== clock text ============================================================================= */

/* Times and durations in words. */

uint64_t clock_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

const char *clock_text(uint64_t at_ms, char text[CLOCK_TEXT_BYTES])
{
    time_t at = (time_t)(at_ms / 1000), now = time(NULL);
    struct tm then, today;
    localtime_r(&at, &then);
    localtime_r(&now, &today);
    bool same_day = then.tm_year == today.tm_year && then.tm_yday == today.tm_yday;
    strftime(text, CLOCK_TEXT_BYTES, same_day ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &then);
    return text;
}

const char *clock_exact(uint64_t seconds, char text[CLOCK_TEXT_BYTES])
{
    static const struct {
        uint64_t seconds;
        const char *name;
    } unit[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    uint32_t u = 0;
    while (seconds == 0 ? u < 3 : seconds % unit[u].seconds != 0) {
        u++;
    }
    uint64_t count = seconds / unit[u].seconds;
    snprintf(text, CLOCK_TEXT_BYTES, "%" PRIu64 " %s%s", count, unit[u].name,
             count == 1 ? "" : "s");
    return text;
}

const char *clock_left(uint64_t ms, char text[CLOCK_TEXT_BYTES])
{
    uint64_t s = (ms + 999) / 1000, minutes = (s + 59) / 60;
    if (s < 60) {
        snprintf(text, CLOCK_TEXT_BYTES, "%" PRIu64 " s", s);
    } else if (s < 3600) {
        snprintf(text, CLOCK_TEXT_BYTES, "%" PRIu64 " min %" PRIu64 " s", s / 60, s % 60);
    } else if (s < 2 * 86400) {
        snprintf(text, CLOCK_TEXT_BYTES, "%" PRIu64 " h %" PRIu64 " min", minutes / 60,
                 minutes % 60);
    } else {
        snprintf(text, CLOCK_TEXT_BYTES, "%" PRIu64 " days", (s + 86399) / 86400);
    }
    return text;
}

/* ==== wait =================================================================================== */

/* The remaining time. */

#define TERMINAL_EVERY_MS 200u
#define LOG_EVERY_MS 60000u

wait_line wait_begin(bool quiet)
{
    bool terminal = isatty(STDERR_FILENO);
    /* The first line in a log comes after a minute, so short runs print none. */
    return (wait_line){
        .quiet = quiet, .terminal = terminal, .shown_ms = terminal ? 0 : clock_now_ms()};
}

void wait_show(wait_line *line, const char *text)
{
    uint64_t now_ms = clock_now_ms();
    if (line->quiet) return;
    if (now_ms < line->shown_ms) line->shown_ms = now_ms; /* the clock was set back */
    if (now_ms < line->shown_ms + (line->terminal ? TERMINAL_EVERY_MS : LOG_EVERY_MS)) return;
    line->shown_ms = now_ms;
    if (!line->terminal) {
        fprintf(stderr, "%s\n", text);
        return;
    }
    fprintf(stderr, "\r\033[K%s", text);
    line->shown = true;
}

void wait_clear(wait_line *line)
{
    if (line->shown) fprintf(stderr, "\r\033[K");
    line->shown = false;
}
