/* sotto reproduce: the paper's figures and more, as one page. */
#include "cli/option/option.h"
#include "inner.h"
#include "text/text.h"
#include "threads/threads.h"

#include <stdio.h>

typedef struct reproduce_options {
    bool quick, full, list, quiet;
    uint32_t only, seeds, threads;
    const char *out, *data, *standin;
    uint64_t first_seed, horizon;
    option_shard shard;
} reproduce_options;

#define FIELD(member) OPTION_FIELD(reproduce_options, member)
#define GIVEN(member) OPTION_GIVEN(line, reproduce_options, member)

#define PLAYED "what is played"
#define RUNS "runs"
#define OUTPUT "output"
#define INSTEAD "no runs"

/* clang-format off */
static const option table[] = {
    {"quick", FIELD(quick), OPTION_FLAG, PLAYED, "small horizons, about two minutes: the default"},
    {"full", FIELD(full), OPTION_FLAG, PLAYED,
     "the paper's horizons, 10 or more seeds: more than an hour on two cores"},
    {"only", FIELD(only), OPTION_NAME(NULL, sotto__experiment_name), PLAYED,
     "NAME of one experiment, default all"},
    {"data", FIELD(data), OPTION_FILE, PLAYED,
     "CSV FILE of the auto-loan study; default: a synthetic stand-in"},

    {"seeds", FIELD(seeds), OPTION_NUMBER(NULL, 2, 10000), RUNS,
     "runs of each method, default: 5 to 70, depending on the experiment"},
    {"horizon", FIELD(horizon), OPTION_NUMBER(NULL, 10, 1e9), RUNS,
     "people, in figures against people or epsilon; default: that of the experiment"},
    {"first-seed", FIELD(first_seed), OPTION_NUMBER("1", 0, 9007199254740992), RUNS,
     "of the first run"},
    {"threads", FIELD(threads), OPTION_NUMBER(NULL, 1, SOTTO_THREADS_MAX), RUNS,
     "default: one per core; changes the time, never the numbers"},
    {"shard", FIELD(shard), OPTION_WORDS(NULL, shard_parse), RUNS,
     "I/N: play only the runs of shard I of N, such as 2/8, on one of N machines, and draw no page; sotto merge joins "
     "their directories"},

    {"out", FIELD(out), OPTION_DIRECTORY, OUTPUT,
     "DIR for the page, needed; new, empty, or made by the same command, which then continues there"},
    {"quiet", FIELD(quiet), OPTION_FLAG, OUTPUT, "no progress on stderr"},

    {"list", FIELD(list), OPTION_FLAG, INSTEAD, "the experiments, by name and title"},
    {"standin", FIELD(standin), OPTION_FILE, INSTEAD,
     "FILE for the synthetic customers of the auto-loan study, as CSV"},
    OPTION_END,
};
/* clang-format on */

static void print_list(void)
{
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        int name = printf("%-15s ", sotto__experiments[e].name);
        wrap_print(stdout, sotto__experiments[e].title, (uint32_t)name, 16,
                   text_columns_of_output());
    }
}

static int write_standin(const command_line *line, const char *path, uint64_t seed)
{
    sotto_fault fault;
    uint32_t rows;
    if (sotto__customers_write(path, seed, &rows, &fault) != SOTTO_OK) {
        option_say(line, "--standin %s: %s", path, fault.sentence);
        return EXIT_FAILED;
    }
    printf("%s: %u synthetic customers\n", path, rows);
    return EXIT_OK;
}

/* Makes settings from the options. False, with a sentence, if options exclude each other. */
static bool settings_of(const command_line *line, const reproduce_options *o,
                        sotto__reproduction_settings *out)
{
    if (o->quick && o->full) return option_say(line, "--quick and --full: give only one of them");
    if (!OPTION_NEED(line, reproduce_options, out)) return false;
    *out = (sotto__reproduction_settings){
        .scale = o->full ? SOTTO__SCALE_FULL : SOTTO__SCALE_QUICK,
        .only = GIVEN(only) ? &sotto__experiments[o->only] : NULL,
        .out = o->out,
        .data = o->data,
        .program = "/proc/self/exe",
        .first_seed = o->first_seed,
        .seeds = o->seeds,
        .horizon = o->horizon,
        .threads = GIVEN(threads) ? o->threads : cores_count(SOTTO_THREADS_MAX),
        .shard = {o->shard.index, o->shard.count, 0},
    };
    if (o->data == NULL || sotto__reproduction_needs_customers(out)) return true;
    return option_say(line, "--data %s: --only %s does not need it", o->data, out->only->name);
}

static int run(const command *self, int argc, char **argv)
{
    reproduce_options o = {0};
    command_line line;
    sotto__reproduction_settings settings;
    if (!command_line_parse(&line, self, &o, argc, argv)) return EXIT_USAGE;
    if (!command_line_no_words(&line, argv)) return EXIT_USAGE;
    if (o.list) {
        print_list();
        return EXIT_OK;
    }
    if (o.standin != NULL) return write_standin(&line, o.standin, o.first_seed);
    if (!settings_of(&line, &o, &settings)) return EXIT_USAGE;
    sotto__pool pool = {0};
    settings.command = reproduce_again(&settings, &pool);
    int code = reproduce_make(&line, &settings, o.quiet);
    sotto__pool_free(&pool);
    return code;
}

const command command_reproduce = {
    .name = "reproduce",
    .summary = "draw the paper's figures, and more, as one page",
    .usage = "sotto reproduce [--quick | --full] [--only NAME] --out DIR [options]",
    .example = "  sotto reproduce --quick --out page\n"
               "  sotto reproduce --full --only shared-d20 --out shared-d20\n"
               "  sotto reproduce --full --shard 2/8 --out part2\n"
               "  sotto reproduce --list\n",
    .table = table,
    .run = run,
};
