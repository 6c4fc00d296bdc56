/* sotto merge: the shards of a sweep, or of a reproduction, as one. */
#include "command.h"
#include "lab/paper/join.h"
#include "lab/run/merge.h"

#include <unistd.h>

typedef struct merge_options {
    const char *out, *resume;
    bool quiet;
} merge_options;

#define FIELD(member) OPTION_FIELD(merge_options, member)

/* clang-format off */
static const option table[] = {
    {"out", FIELD(out), OPTION_FILE, "output",
     "FILE for the rows instead of the standard output; of folders: DIR, needed"},
    {"resume", FIELD(resume), OPTION_FILE, "output",
     "FILE for a resume file instead of the rows, from shards of --json: with it sotto simulate --resume "
     "FILE --summary plays nothing and prints the summary"},
    {"quiet", FIELD(quiet), OPTION_FLAG, "output", "do not say what to do next"},
    OPTION_END,
};
/* clang-format on */

static int merge_folders(const command_line *line, const merge_options *o,
                         const char *const *folder)
{
    char fault[SOTTO_FAULT_BYTES];
    bool foreign;
    if (o->resume != NULL) {
        option_say(line, "--resume %s: not of folders; give --out DIR", o->resume);
        return EXIT_USAGE;
    }
    if (!OPTION_NEED(line, merge_options, out)) return EXIT_USAGE;
    if (sotto__join(folder, line->words_count, o->out, &foreign, fault) != NULL) {
        option_say(line, "%s", fault);
        return foreign ? EXIT_USAGE : EXIT_FAILED;
    }
    if (!o->quiet) {
        option_say(line,
                   "%s: all runs are there; now run the same sotto reproduce with --out %s and "
                   "without --shard: it draws the page",
                   o->out, o->out);
    }
    return EXIT_OK;
}

static const char *merge_files(const merge_options *o, const char *const *path, uint32_t count,
                               char fault[SOTTO_FAULT_BYTES])
{
    sotto__merge merge;
    const char *wrong = sotto__merge_read(&merge, path, count, fault);
    if (wrong == NULL && o->resume != NULL) {
        wrong = sotto__merge_save(&merge, SOTTO__MERGE_RESUME, o->resume, fault);
    } else if (wrong == NULL && o->out != NULL) {
        wrong = sotto__merge_save(&merge, SOTTO__MERGE_ROWS, o->out, fault);
    } else if (wrong == NULL) {
        wrong = sotto__merge_write(&merge, SOTTO__MERGE_ROWS, STDOUT_FILENO, fault);
    }
    sotto__merge_free(&merge);
    return wrong;
}

static int run(const command *self, int argc, char **argv)
{
    merge_options o = {0};
    command_line line;
    char fault[SOTTO_FAULT_BYTES];
    if (!command_line_parse(&line, self, &o, argc, argv)) return EXIT_USAGE;
    const char *const *path = (const char *const *)argv;
    if (line.words_count == 0) {
        option_say(&line, "which files? Give those of all shards, such as part*.csv");
        return EXIT_USAGE;
    }
    if (o.out != NULL && o.resume != NULL) {
        option_say(&line, "--out and --resume: one of them");
        return EXIT_USAGE;
    }
    uint32_t folders = 0;
    for (uint32_t i = 0; i < line.words_count; i++) {
        folders += sotto__join_is_folder(path[i]);
    }
    if (folders == line.words_count) return merge_folders(&line, &o, path);
    if (merge_files(&o, path, line.words_count, fault) == NULL) return EXIT_OK;
    option_say(&line, "%s", fault);
    return EXIT_FAILED;
}

const command command_merge = {
    .name = "merge",
    .summary = "the shards of a sweep from several machines as one",
    .usage = "sotto merge FILE... [--out FILE] | DIR... --out DIR",
    .example =
        "  sotto merge part*.csv --out rows.csv\n"
        "  sotto merge part1.jsonl part2.jsonl --resume sweep.jsonl\n"
        "  sotto merge part1 part2 part3 --out page\n"
        "\n"
        "Files are those of sotto simulate --shard I/N, folders those of sotto reproduce --shard "
        "I/N: all N, in any order.\n",
    .table = table,
    .run = run,
};
