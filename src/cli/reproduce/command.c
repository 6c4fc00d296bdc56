/* sotto reproduce: the paper's figures and more, as one report. */
#include "command.h"
#include "cli/option/args.h"
#include "cli/option/cores.h"
#include "reproduce.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIRST_SEED 1u

typedef struct reproduce_options {
    bool quick, full, list, quiet;
    const char *only, *out, *data, *standin;
    uint64_t first_seed, horizon;
    uint32_t seeds, threads;
} reproduce_options;

static void print_list(void)
{
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        printf("%-14s %s\n", sotto__experiments[e].name, sotto__experiments[e].title);
    }
}

/* A word as a shell takes it. */
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

/* The command that makes the same report. */
static const char *command_text(reproduction *r)
{
    sotto__pool *pool = &r->pool;
    const char *text =
        sotto__pool_print(pool, REPRODUCE " --%s", sotto__scale_name((uint32_t)r->scale));
    if (r->only != NULL) text = sotto__pool_print(pool, "%s --only %s", text, r->only);
    if (r->data != NULL)
        text = sotto__pool_print(pool, "%s --data %s", text, quoted(pool, r->data));
    if (r->seeds > 0) text = sotto__pool_print(pool, "%s --seeds %u", text, r->seeds);
    if (r->horizon > 0) text = sotto__pool_print(pool, "%s --horizon %" PRIu64, text, r->horizon);
    return sotto__pool_print(pool, "%s --first-seed %" PRIu64 " --out %s", text, r->first_seed,
                             quoted(pool, r->out));
}

static int reproduce(reproduction *r)
{
    int code = reproduce_loan_open(r);
    if (code == EXIT_OK) code = reproduce_parts_new(r);
    if (code == EXIT_OK) code = reproduce_folder_open(r);
    if (code == EXIT_OK) code = reproduce_play(r);
    if (code == EXIT_OK) code = reproduce_report(r);
    reproduce_folder_close(r);
    reproduce_parts_free(r);
    reproduce_loan_close(r);
    return code;
}

static int run(const command *self, int argc, char **argv)
{
    reproduce_options s = {.first_seed = FIRST_SEED, .threads = machine_cores()};
    args_option options[] = {
        {"quick", ARGS_FLAG, &s.quick, .meaning = "small horizons, about two minutes: the default"},
        {"full", ARGS_FLAG, &s.full,
         .meaning = "the paper's horizons, 10 or more seeds: about an hour on two cores"},
        {"only", ARGS_TEXT, &s.only, .meaning = "NAME of one experiment; --list has them"},
        {"out", ARGS_TEXT, &s.out,
         .meaning = "DIR for the report, needed: new, empty, or one that the same command made: it "
                    "goes on there"},
        {"data", ARGS_TEXT, &s.data,
         .meaning = "FILE of the auto-loan study, a CSV file; default: a synthetic stand-in"},
        {"seeds", ARGS_U32, &s.seeds, 2, 10000,
         .meaning = "runs of each method, default by the experiment: 5 to 70"},
        {"horizon", ARGS_U64, &s.horizon, 10, 1e9,
         .meaning = "people in figures against people or epsilon, default by the experiment"},
        {"first-seed", ARGS_U64, &s.first_seed, 0, 9007199254740992, .meaning = "default 1"},
        {"threads", ARGS_U32, &s.threads, 1, SOTTO_THREADS_MAX,
         .meaning = "default: one a core; changes the time, never the numbers"},
        {"standin", ARGS_TEXT, &s.standin,
         .meaning = "no runs: writes FILE, the synthetic customers of the auto-loan study as CSV"},
        {"list", ARGS_FLAG, &s.list, .meaning = "no runs: the experiments and their names"},
        {"quiet", ARGS_FLAG, &s.quiet, .meaning = "no progress on stderr"},
        {.meaning = NULL},
    };
    int words;
    uint32_t which;
    if (!args_parse(self, options, argc, argv, &words)) return EXIT_USAGE;
    if (words > 0) {
        fprintf(stderr, REPRODUCE ": %s: every word belongs to an option\n", argv[0]);
        return EXIT_USAGE;
    }
    if (s.list) {
        print_list();
        return EXIT_OK;
    }
    if (s.standin != NULL) return reproduce_standin_write(s.standin, s.first_seed);
    if (s.quick && s.full) {
        fprintf(stderr, REPRODUCE ": --quick and --full: one of them\n");
        return EXIT_USAGE;
    }
    if (s.only != NULL && !args_name(REPRODUCE, "--only", s.only, sotto__experiment_name, &which)) {
        return EXIT_USAGE;
    }
    if (!args_need(self, options, "out")) return EXIT_USAGE;
    reproduction r = {
        .scale = s.full ? SOTTO__SCALE_FULL : SOTTO__SCALE_QUICK,
        .only = s.only,
        .out = s.out,
        .data = s.data,
        .first_seed = s.first_seed,
        .seeds = s.seeds,
        .horizon = s.horizon,
        .threads = s.threads,
        .quiet = s.quiet,
        .manifest = -1,
    };
    r.command = command_text(&r);
    int code = reproduce(&r);
    sotto__pool_free(&r.pool);
    return code;
}

const command command_reproduce = {
    .name = "reproduce",
    .summary = "the paper's figures, and more, as one report",
    .usage = "sotto reproduce [--quick | --full] [--only NAME] --out DIR [options]",
    .example = "  sotto reproduce --quick --out report\n"
               "  sotto reproduce --full --only shared-d20 --out shared-d20\n"
               "  sotto reproduce --list\n",
    .run = run,
};
