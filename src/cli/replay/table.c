#include "cli/option/option.h"
#include "inner.h"
#include "lab/dataset/dataset.h"
#include "lab/replay/replay.h"

#include <sotto/lab/runs.h>

#include <stdio.h>
#include <sys/stat.h>

/* ==== rows =================================================================================== */

/* The rows of a replay, in the order of its runs. */

#define COLUMNS_MAX 15u

static const print_column label_columns[] = {
    {.key = "method"}, {.key = "epsilon"}, {.key = "seed"},   {.key = "t"},
    {.key = "reward"}, {.key = "regret"},  {.key = "passes"}, {.key = "ranges"},
};

static const print_column log_columns[COLUMNS_MAX] = {
    {.key = "method"},
    {.key = "epsilon"},
    {.key = "seed"},
    {.key = "t"},
    {.key = "learnt"},
    {.key = "replay"},
    {.key = "replay_lo"},
    {.key = "replay_hi"},
    {.key = "ips"},
    {.key = "ips_lo"},
    {.key = "ips_hi"},
    {.key = "self_normalised"},
    {.key = "effective_size"},
    {.key = "passes"},
    {.key = "ranges"},
};

/* The values of a row, one per column. */
static void set_values(const sotto_replay_row *row, const replay_outcome *outcome,
                       print_value value[COLUMNS_MAX])
{
    uint32_t i = 0;
    value[i++] = print_text(row->method);
    value[i++] = print_real(row->epsilon);
    value[i++] = print_natural(row->seed);
    value[i++] = print_natural(row->t);
    if (outcome->replay->settings.rules.log) {
        value[i++] = print_natural(row->learnt);
        value[i++] = print_real(row->replayed.value);
        value[i++] = print_real(row->replayed.lo);
        value[i++] = print_real(row->replayed.hi);
        value[i++] = print_real(row->weighted.value);
        value[i++] = print_real(row->weighted.lo);
        value[i++] = print_real(row->weighted.hi);
        value[i++] = print_real(row->self_normalised);
        value[i++] = print_real(row->effective_size);
    } else {
        value[i++] = print_real(row->reward);
        value[i++] = print_real(row->regret);
    }
    value[i++] = print_natural(outcome->replay->settings.passes);
    value[i++] = print_text(sotto__ranges_name(outcome->schema));
}

void replay_print_rows(FILE *file, print_format format, const replay_outcome *outcome)
{
    const sotto__replay *replay = outcome->replay;
    bool log = replay->settings.rules.log;
    const print_column *column = log ? log_columns : label_columns;
    uint32_t count = log ? COLUMNS_MAX : sizeof label_columns / sizeof label_columns[0];
    print_value value[COLUMNS_MAX];
    print_head(file, format, column, count);
    for (uint64_t r = 0; r < replay->runs_count; r++) {
        for (uint32_t i = 0; i < replay->run[r].points_count; i++) {
            const sotto_replay_row row = sotto__replay_row_of(replay, r, i);
            set_values(&row, outcome, value);
            print_row(file, format, column, value, count);
        }
    }
}

/* ==== targets ================================================================================ */

/* Two paths mean the same file if they are one file on the disk, whatever their names. */

static bool is_same(const char *one, const char *other)
{
    struct stat first, second;
    if (one == NULL || other == NULL || stat(one, &first) != 0 || stat(other, &second) != 0) {
        return false;
    }
    return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static bool is_another_file(const command_line *line, size_t field, const char *path)
{
    const replay_options *o = line->fields;
    const char *read = is_same(path, o->data) ? "data" : is_same(path, o->schema) ? "schema" : NULL;
    if (read == NULL) return true;
    return option_say(line, "--%s: %s is the file of --%s, and would be overwritten",
                      option_name(line, field), path, read);
}

bool replay_targets_fit(const command_line *line)
{
    static const char *const ending[] = {"csv", "svg", "png", "pdf"};
    const replay_options *o = line->fields;
    if (!is_another_file(line, offsetof(replay_options, out), o->out)) return false;
    for (uint32_t i = 0; o->export_vw != NULL && i < 2; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s%s", o->export_vw, i == 0 ? "" : ".schema");
        if (!is_another_file(line, offsetof(replay_options, export_vw), path)) return false;
    }
    for (size_t i = 0; o->figure != NULL && i < sizeof ending / sizeof ending[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s.%s", o->figure, ending[i]);
        if (!is_another_file(line, offsetof(replay_options, figure), path)) return false;
    }
    return true;
}

/* ==== table ================================================================================== */

/* The options of `sotto replay`: one row per option. */

/* As sotto_dataset_format. */
static const char *format_name(uint32_t value)
{
    static const char *const name[] = {"csv", "libsvm"};
    return value < 2 ? name[value] : NULL;
}

/* As sotto_draft_header. */
static const char *header_name(uint32_t value)
{
    static const char *const name[] = {"guess", "no", "yes"};
    return value < 3 ? name[value] : NULL;
}

/* As in SOTTO__SEPARATORS, after the first. */
static const char *separator_name(uint32_t value)
{
    return value == 0 ? "guess" : sotto__separator_name(value - 1);
}

static const char *decimal_name(uint32_t value)
{
    static const char *const name[] = {"guess", "point", "comma"};
    return value < 3 ? name[value] : NULL;
}

static const char *order_name(uint32_t value)
{
    static const char *const name[] = {"shuffled", "file"};
    return value < 2 ? name[value] : NULL;
}

#define FIELD(member) OPTION_FIELD(replay_options, member)
#define DATA "data"
#define COLUMNS "columns of a file without a schema"
#define METHODS "methods"
#define REPLAY "replay"
#define OUTPUT "output"

/* clang-format off */
const option replay_table[] = {
    {"data", FIELD(data), OPTION_FILE, DATA,
     "FILE with one person per row, or - for the standard input; needed"},
    {"schema", FIELD(schema), OPTION_FILE, DATA,
     "FILE that says what the columns are and which values they have"},
    {"describe", FIELD(describe), OPTION_FLAG, DATA,
     "only read the file: its rows and columns, what is missing, the share of each arm"},
    {"export-vw", FIELD(export_vw), OPTION_FILE, DATA,
     "only write the people to FILE as text for Vowpal Wabbit, and to FILE.schema what reads it back"},

    {"label", FIELD(label), OPTION_TEXT(NULL), COLUMNS, "COLUMN with the arm that is right for the person"},
    {"action", FIELD(action), OPTION_TEXT(NULL), COLUMNS, "COLUMN of a log with the arm that was given"},
    {"reward", FIELD(reward), OPTION_TEXT(NULL), COLUMNS, "COLUMN of a log with the reward of that arm"},
    {"propensity", FIELD(propensity), OPTION_TEXT(NULL), COLUMNS,
     "COLUMN of a log with the chance that the arm had, or one chance between 0 and 1 for all"},
    {"ignore", FIELD(ignored), OPTION_TEXT(NULL), COLUMNS, "COLUMN[,COLUMN...] that are not used"},
    {"format", FIELD(format), OPTION_NAME("csv", format_name), COLUMNS, "of the file"},
    {"header", FIELD(header), OPTION_NAME("guess", header_name), COLUMNS,
     "whether the first record of a CSV file names its columns"},
    {"separator", FIELD(separator), OPTION_NAME("guess", separator_name), COLUMNS,
     "between the fields of a CSV file"},
    {"decimal", FIELD(decimal), OPTION_NAME("guess", decimal_name), COLUMNS,
     "mark in the numbers of a CSV file: 1.5 or 1,5"},
    {"draft", FIELD(draft), OPTION_FLAG, COLUMNS, "read the file and print a schema to start from"},
    {"ranges-from-data", FIELD(ranges_from_data), OPTION_FLAG, COLUMNS,
     "take ranges and levels from people's rows; epsilon does not cover that"},

    {"method", FIELD(players), OPTION_NAME_LIST("sotto", names_of_player, player_list_parse), METHODS,
     "one, or several separated by commas; ols and linucb, or glm and glm-ucb under another link, are always played too, and best-arm at each epsilon"},
    {"epsilon", FIELD(epsilons), OPTION_LIST("1", 0.01, 50, epsilon_list_parse), METHODS,
     "of each report; one, or several separated by commas; 0.01 to 8, lattice methods: to 50"},
    {"parameters", FIELD(parameters), OPTION_NAME("per-arm", names_of_parameters), METHODS,
     "one parameter per arm, or one for all arms"},
    {"link", FIELD(link), OPTION_NAME("identity", names_of_link), METHODS,
     "from x.theta to the mean reward"},
    {"delta", FIELD(delta), OPTION_NUMBER("1e-6", 1e-12, 0.5), METHODS, "of methods with gaussian noise"},
    {"allow-weak-delta", FIELD(weak_delta), OPTION_FLAG, METHODS, "allow delta above 1e-6"},
    {"warmup", FIELD(warm_up), OPTION_NUMBER(NULL, 0, 1e12), METHODS,
     "rounds of random arms with per-arm parameters, default: chosen by the method"},

    {"seeds", FIELD(seeds), OPTION_NUMBER("10", 1, 10000), REPLAY, "runs of each method and epsilon"},
    {"order", FIELD(order), OPTION_NAME("shuffled", order_name), REPLAY,
     "shuffled: each seed shuffles rows in its own way, within blocks of at most 65536 rows or 64 MiB; shuffle a "
     "longer sorted file yourself first"},
    {"passes", FIELD(passes), OPTION_NUMBER("1", 1, 1000000), REPLAY,
     "over a file with labels; a person met N times spends N times epsilon and delta"},
    {"horizon", FIELD(horizon), OPTION_NUMBER(NULL, 1, 1e12), REPLAY,
     "play no more people than this; for a pipe, it also tells methods how many will come"},
    {"clip", FIELD(clip), OPTION_NUMBER("0.01", 1e-6, 1), REPLAY,
     "for a log: a smaller propensity counts as this"},
    {"checkpoints", FIELD(points), OPTION_WORDS(NULL, point_list_parse), REPLAY,
     "numbers of people after which to print a row, separated by commas, default 1, 2, 5, 10, ...; the last is "
     "always added"},
    {"threads", FIELD(threads), OPTION_NUMBER(NULL, 1, SOTTO_THREADS_MAX), REPLAY,
     "default: one per core; changes the time, never the output"},

    {"summary", FIELD(summary), OPTION_FLAG, OUTPUT, "print the summary instead of the rows"},
    {"csv", FIELD(csv), OPTION_FLAG, OUTPUT, "comma-separated rows, the default; with --summary too"},
    {"json", FIELD(json), OPTION_FLAG, OUTPUT, "JSON lines"},
    {"out", FIELD(out), OPTION_FILE, OUTPUT, "FILE for the rows instead of the standard output"},
    {"figure", FIELD(figure), OPTION_FILE, OUTPUT,
     "write PREFIX.csv, .svg, .png and .pdf: reward against epsilon"},
    {"quiet", FIELD(quiet), OPTION_FLAG, OUTPUT, "no progress, and no summary on stderr"},
    OPTION_END,
};
/* clang-format on */
