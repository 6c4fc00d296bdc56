/* How long it still takes. */
#include "wait.h"
#include "clock_text.h"

#include <stdio.h>
#include <unistd.h>

#define TERMINAL_EVERY_MS 200u
#define LOG_EVERY_MS 60000u

wait_line wait_begin(bool quiet)
{
    bool terminal = isatty(STDERR_FILENO);
    /* A log gets its first line after a minute: short runs print none. */
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
