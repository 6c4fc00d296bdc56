/* sotto merge: merges the shards of a sweep or of a reproduction. */
#include "cli/option/option.h"
#include "lab/run/run.h"
#include "paper/paper.h"

#include <unistd.h>

typedef struct merge_options {
    const char *out, *resume;
    bool quiet;
} merge_options;

#define FIELD(member) OPTION_FIELD(merge_options, member)

/* clang-format off */
static const option table[] = {
    {"out", FIELD(out), OPTION_FILE, "output",
     "FILE for the rows instead of the standard output; of directories: DIR, needed"},
    {"resume", FIELD(resume), OPTION_FILE, "output",
     "FILE for all runs instead of the rows: with it sotto simulate --resume FILE --summary prints the summary and plays nothing"},
    {"quiet", FIELD(quiet), OPTION_FLAG, "output", "do not print the next step"},
    OPTION_END,
};
/* clang-format on */

static int merge_directories(const command_line *line, const merge_options *o,
                             const char *const *directory)
{
    sotto_fault fault;
    bool foreign;
    if (o->resume != NULL) {
        option_say(line, "--resume %s: not for directories; give --out DIR", o->resume);
        return EXIT_USAGE;
    }
    if (!OPTION_NEED(line, merge_options, out)) return EXIT_USAGE;
    if (sotto__join(directory, line->words_count, o->out, &foreign, &fault) != SOTTO_OK) {
        option_say(line, "%s", fault.sentence);
        return foreign ? EXIT_USAGE : EXIT_FAILED;
    }
    if (!o->quiet) {
        option_say(line,
                   "%s: all runs are there; to draw the page, run the same sotto reproduce with "
                   "--out %s and without --shard",
                   o->out, o->out);
    }
    return EXIT_OK;
}

static sotto_status merge_files(const merge_options *o, const char *const *path, uint32_t count,
                                sotto_fault *fault)
{
    sotto__merge merge;
    sotto_status wrong = sotto__merge_read(&merge, path, count, fault);
    if (wrong == SOTTO_OK && o->resume != NULL) {
        wrong = sotto__merge_save(&merge, SOTTO__MERGE_FILE, o->resume, fault);
    } else if (wrong == SOTTO_OK && o->out != NULL) {
        wrong = sotto__merge_save(&merge, SOTTO__MERGE_ROWS, o->out, fault);
    } else if (wrong == SOTTO_OK) {
        wrong = sotto__merge_write(&merge, SOTTO__MERGE_ROWS, STDOUT_FILENO, fault);
    }
    sotto__merge_free(&merge);
    return wrong;
}

static int run(const command *self, int argc, char **argv)
{
    merge_options o = {0};
    command_line line;
    sotto_fault fault;
    if (!command_line_parse(&line, self, &o, argc, argv)) return EXIT_USAGE;
    const char *const *path = (const char *const *)argv;
    if (line.words_count == 0) {
        option_say(&line, "the files are missing: give those of all shards, such as part*.csv");
        return EXIT_USAGE;
    }
    if (o.out != NULL && o.resume != NULL) {
        option_say(&line, "--out and --resume: give only one of them");
        return EXIT_USAGE;
    }
    uint32_t directories = 0;
    for (uint32_t i = 0; i < line.words_count; i++) {
        directories += sotto__join_is_directory(path[i]);
    }
    if (directories == line.words_count) return merge_directories(&line, &o, path);
    if (merge_files(&o, path, line.words_count, &fault) == SOTTO_OK) return EXIT_OK;
    option_say(&line, "%s", fault.sentence);
    return EXIT_FAILED;
}

const command command_merge = {
    .name = "merge",
    .summary = "join the shards of a sweep that ran on several machines",
    .usage = "sotto merge FILE... [--out FILE] | DIR... --out DIR",
    .example = "  sotto merge part*.csv --out rows.csv\n"
               "  sotto merge part1.jsonl part2.jsonl --resume sweep.jsonl\n"
               "  sotto merge part1 part2 part3 --out page\n"
               "\n"
               "Files are those of sotto simulate --shard I/N, directories those of sotto "
               "reproduce --shard "
               "I/N: all N, in any order.\n",
    .table = table,
    .run = run,
};
