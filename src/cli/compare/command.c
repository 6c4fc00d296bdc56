/* sotto compare: the scoreboard, methods on a fixed set of worlds. */
#include "inner.h"
#include "threads/threads.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct compare_options {
    method_list methods;
    uint32_t seeds, threads;
    uint64_t horizon;
    double epsilon, delta;
    const char *out;
    bool quiet;
} compare_options;

static sotto_status parse_methods(const option *row, const char *text, void *fields,
                                  sotto_fault *fault)
{
    (void)row;
    return method_list_parse(&((compare_options *)fields)->methods, text, fault);
}

#define FIELD(member) OPTION_FIELD(compare_options, member)
#define GIVEN(member) OPTION_GIVEN(line, compare_options, member)

/* clang-format off */
static const option table[] = {
    {"method", FIELD(methods), OPTION_PLUGIN_LIST(NULL, names_of_player, parse_methods), "what is played",
     "M[,M...] names, or plug-ins as ./FILE.so; default: all private methods and all rivals. best-arm and linucb are always played"},
    {"epsilon", FIELD(epsilon), OPTION_NUMBER("1", 0.01, 8), "what is played", "of every private method"},
    {"delta", FIELD(delta), OPTION_NUMBER("1e-6", 1e-12, 1e-6), "what is played", "of methods that need one"},
    {"horizon", FIELD(horizon), OPTION_NUMBER("20000", 1000, 1e9), "runs", "number of people; of a file, at most its rows"},
    {"seeds", FIELD(seeds), OPTION_NUMBER("10", 2, BOARD_SEEDS_MAX), "runs", "runs of each method"},
    {"threads", FIELD(threads), OPTION_NUMBER(NULL, 1, SOTTO_THREADS_MAX), "runs",
     "default: one per core; changes the time, never the page"},
    {"out", FIELD(out), OPTION_DIRECTORY, "output", "DIR for index.html and scoreboard.csv, needed; created if missing"},
    {"quiet", FIELD(quiet), OPTION_FLAG, "output", "no progress on stderr"},
    OPTION_END,
};
/* clang-format on */

static int compare(const command_line *line, char **file)
{
    const compare_options *o = line->fields;
    const board_settings settings = {
        .methods = GIVEN(methods) ? &o->methods : NULL,
        .epsilon = o->epsilon,
        .delta = o->delta,
        .horizon = o->horizon,
        .seeds = o->seeds,
        .threads = GIVEN(threads) ? o->threads : cores_count(SOTTO_THREADS_MAX),
        .quiet = o->quiet,
    };
    sotto_fault fault;
    board played = {0};
    if (mkdir(o->out, 0777) != 0 && errno != EEXIST) {
        option_say(line, "--out %s: %s", o->out, strerror(errno));
        return EXIT_FAILED;
    }
    sotto_status status = board_play(&settings, file, line->words_count, &played, &fault);
    if (status == SOTTO_OK) status = board_write(&played, &settings, o->out, &fault);
    board_free(&played);
    if (status != SOTTO_OK) {
        option_say(line, "%s", fault.sentence);
        return EXIT_FAILED;
    }
    printf("%s/index.html\n", o->out);
    return EXIT_OK;
}

static int run(const command *self, int argc, char **argv)
{
    compare_options o = {0};
    command_line line;
    int code = EXIT_USAGE;
    if (command_line_parse(&line, self, &o, argc, argv) &&
        OPTION_NEED(&line, compare_options, out)) {
        code = compare(&line, argv);
    }
    method_list_free(&o.methods);
    return code;
}

const command command_compare = {
    .name = "compare",
    .summary = "play methods in a fixed set of environments, and write one page",
    .usage = "sotto compare [DATA:SCHEMA...] [--method M[,M...]] --out DIR [options]",
    .example = "  sotto compare --out board\n"
               "  sotto compare --method sotto,ldp-sgd,./mine.so --epsilon 2 --out board\n"
               "  sotto compare people.csv:people.schema --out board\n",
    .table = table,
    .files = true,
    .run = run,
};
