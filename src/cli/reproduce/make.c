#include "cli/print/print.h"
#include "inner.h"
#include "paper/paper.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ==== again ================================================================================== */

/* The command that makes the same page: only the options that determine it. */

/* A word, quoted for a shell if needed. */
static const char *quoted(sotto__pool *pool, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:=+,@%";
    if (*word != '\0' && strspn(word, plain) == strlen(word)) return word;
    const char *text = "'";
    for (size_t at = 0; word[at] != '\0';) {
        size_t length = strcspn(word + at, "'");
        text = sotto__pool_print(pool, "%s%.*s", text, (int)length, word + at);
        at += length;
        if (word[at] == '\'') text = sotto__pool_print(pool, "%s'\\''", text);
        at += word[at] == '\'';
    }
    return sotto__pool_print(pool, "%s'", text);
}

const char *reproduce_again(const sotto__reproduction_settings *settings, sotto__pool *pool)
{
    const char *text =
        sotto__pool_print(pool, "sotto reproduce --%s", sotto__scale_name(settings->scale));
    if (settings->only != NULL) {
        text = sotto__pool_print(pool, "%s --only %s", text, settings->only->name);
    }
    if (settings->data != NULL) {
        text = sotto__pool_print(pool, "%s --data %s", text, quoted(pool, settings->data));
    }
    if (settings->seeds > 0) text = sotto__pool_print(pool, "%s --seeds %u", text, settings->seeds);
    if (settings->horizon > 0) {
        text = sotto__pool_print(pool, "%s --horizon %" PRIu64, text, settings->horizon);
    }
    return sotto__pool_print(pool, "%s --first-seed %" PRIu64 " --out %s", text,
                             settings->first_seed, quoted(pool, settings->out));
}

/* ==== make =================================================================================== */

/* Four steps: parts, directory, play, page. Prints one line per check. */

/* ---- the listener ------------------------------------------------------------------------- */

typedef struct make_listener {
    const command_line *line;
    sigset_t signals; /* those that stop the run */
    progress_bar bar;
} make_listener;

static void show_progress(void *state, const char *what, double known, double done, double total)
{
    make_listener *h = state;
    h->bar.what = what;
    h->bar.total = (uint64_t)total;
    h->bar.known = (uint64_t)known;
    progress_show(&h->bar, (uint64_t)done);
}

static bool is_stopped(void *state)
{
    const make_listener *h = state;
    return stop_signals_came(&h->signals);
}

static void say(void *state, const char *sentence)
{
    make_listener *h = state;
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
    sotto_fault fault;
    make_listener h = {.line = line, .signals = stop_signals_hold()};
    const sotto__reproduction_listener listener = {show_progress, is_stopped, say, print_checks,
                                                   &h};
    h.bar = progress_begin("", 0, quiet);
    h.bar.share = true;
    sotto_status status = sotto__reproduction_play(r, &listener, &fault);
    progress_end(&h.bar);
    h.bar.form = PROGRESS_SILENT;
    const sotto__shard *shard = &r->settings.shard;
    if (status == SOTTO_OK && shard->count > 0) {
        printf("%s: shard %u of %u is finished; sotto merge joins the directories of all shards\n",
               r->settings.out, shard->index, shard->count);
        return EXIT_OK;
    }
    if (status == SOTTO_OK) status = sotto__reproduction_page(r, &listener, &fault);
    if (status == SOTTO_OK) {
        printf("\n%s/index.html\n", r->settings.out);
        return EXIT_OK;
    }
    option_say(line, "%s", fault.sentence);
    return r->foreign ? EXIT_USAGE : EXIT_FAILED;
}

int reproduce_make(const command_line *line, const sotto__reproduction_settings *settings,
                   bool quiet)
{
    sotto_fault fault;
    sotto__reproduction *r;
    sotto__directory directory;
    if (sotto__reproduction_new(settings, &r, &fault) != SOTTO_OK) {
        option_say(line, "%s", fault.sentence);
        return EXIT_FAILED;
    }
    int code = EXIT_OK;
    if (sotto__directory_open(&directory, settings, &fault) != SOTTO_OK) {
        option_say(line, "--out %s: %s", settings->out, fault.sentence);
        code = directory.foreign ? EXIT_USAGE : EXIT_FAILED;
    }
    if (code == EXIT_OK) code = play_and_write(line, r, quiet);
    sotto__directory_close(&directory);
    sotto__reproduction_free(r);
    return code;
}
