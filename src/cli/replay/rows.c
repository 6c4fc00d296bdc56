/* The rows of a replay, in the order of its runs. */
#include "lab/replay/rows.h"
#include "print.h"

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
