/* A straight line: parts, folder, play, page. A line of the terminal for each check. */
#include "make.h"
#include "cli/print/progress.h"
#include "cli/print/stop_signals.h"
#include "lab/paper/folder.h"
#include "lab/paper/page.h"
#include "lab/paper/play.h"

#include <stdio.h>

/* ---- the listener ------------------------------------------------------------------------- */

typedef struct hearing {
    const command_line *line;
    sigset_t signals; /* that stop it */
    progress_bar bar;
} hearing;

static void show_progress(void *state, const char *what, double known, double done, double total)
{
    hearing *h = state;
    h->bar.what = what;
    h->bar.total = (uint64_t)total;
    h->bar.known = (uint64_t)known;
    progress_show(&h->bar, (uint64_t)done);
}

static bool is_stopped(void *state)
{
    const hearing *h = state;
    return stop_signals_came(&h->signals);
}

static void say(void *state, const char *sentence)
{
    hearing *h = state;
    progress_end(&h->bar);
    option_say(h->line, "%s", sentence);
}

static void print_checks(void *state, const sotto__html_section *section)
{
    (void)state;
    printf("%s: %s\n", section->id, section->heading);
    for (uint32_t i = 0; i < section->checks_count; i++) {
        printf("  %s  %s\n", section->check[i].passed ? "pass" : "FAIL", section->check[i].text);
    }
}

/* ---- the line ----------------------------------------------------------------------------- */

static int play_and_write(const command_line *line, sotto__reproduction *r, bool quiet)
{
    char fault[SOTTO_FAULT_BYTES];
    hearing h = {.line = line, .signals = stop_signals_hold()};
    const sotto__reproduction_listener listener = {show_progress, is_stopped, say, print_checks,
                                                   &h};
    h.bar = progress_begin("", 0, quiet);
    h.bar.share = true;
    const char *wrong = sotto__reproduction_play(r, &listener, fault);
    progress_end(&h.bar);
    h.bar.form = PROGRESS_SILENT;
    const sotto__shard *shard = &r->settings.shard;
    if (wrong == NULL && shard->count > 0) {
        printf("%s: shard %u of %u is finished; sotto merge joins the folders of all shards\n",
               r->settings.out, shard->index, shard->count);
        return EXIT_OK;
    }
    if (wrong == NULL) wrong = sotto__reproduction_page(r, &listener, fault);
    if (wrong == NULL) {
        printf("\n%s/index.html\n", r->settings.out);
        return EXIT_OK;
    }
    option_say(line, "%s", wrong);
    return r->foreign ? EXIT_USAGE : EXIT_FAILED;
}

int reproduce_make(const command_line *line, const sotto__reproduction_settings *settings,
                   bool quiet)
{
    char fault[SOTTO_FAULT_BYTES];
    sotto__reproduction *r;
    sotto__folder folder;
    if (sotto__reproduction_new(settings, &r, fault) != NULL) {
        option_say(line, "%s", fault);
        return EXIT_FAILED;
    }
    int code = EXIT_OK;
    if (sotto__folder_open(&folder, settings, fault) != NULL) {
        option_say(line, "--out %s: %s", settings->out, fault);
        code = folder.foreign ? EXIT_USAGE : EXIT_FAILED;
    }
    if (code == EXIT_OK) code = play_and_write(line, r, quiet);
    sotto__folder_close(&folder);
    sotto__reproduction_free(r);
    return code;
}
