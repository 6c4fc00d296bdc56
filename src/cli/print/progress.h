/*
 * How far a long command is, on stderr: a bar if that is a terminal, otherwise a line per minute, so
 * that a log of a night has it too and a short run prints nothing.
 */
#ifndef SOTTO_CLI_PRINT_PROGRESS_H
#define SOTTO_CLI_PRINT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum progress_form { PROGRESS_SILENT, PROGRESS_LINES, PROGRESS_BAR } progress_form;

typedef struct progress_bar {
    const char *what; /* "reports"; with share, what is under way: it may change */
    uint64_t total;   /* 0: nobody knows */
    uint64_t known;   /* done before it began, by an earlier call: it took no time now */
    bool share;       /* shows how much is done, not how many */
    progress_form form;
    double (*clock_s)(void); /* seconds since some moment */
    double start_s;
    double shown_s; /* when it was last shown, after the start; 0: not yet */
} progress_bar;

progress_bar progress_begin(const char *what, uint64_t total, bool quiet);
/* `done` of the total, with what was known. */
void progress_show(progress_bar *bar, uint64_t done);
void progress_end(progress_bar *bar);

#endif
