/* Rows of a replay, in the order of its runs. */
#include "report.h"

#include <inttypes.h>
#include <math.h>

const char *replay_ranges(const sotto__schema *schema)
{
    return schema->from_data ? "data" : "public";
}

void replay_number(FILE *file, double value, replay_format format)
{
    if (isfinite(value)) {
        fprintf(file, "%.17g", value);
    } else {
        fprintf(file, "%s", format == REPLAY_JSON ? "null" : isinf(value) ? "inf" : "nan");
    }
}

/* ---- what a row tells --------------------------------------------------------------------- */

typedef double number_of(const sotto__replay_point *point);

static double reward(const sotto__replay_point *point)
{
    return point->reward;
}

/* Against naming everybody's label. */
static double regret(const sotto__replay_point *point)
{
    return (double)point->t - point->reward;
}

static double learnt(const sotto__replay_point *point)
{
    return (double)point->replayed.matched;
}

static sotto__estimate replayed(const sotto__replay_point *point)
{
    return sotto__off_policy_value(&point->replayed, point->replayed.matched);
}

static double replay_value(const sotto__replay_point *point)
{
    return replayed(point).value;
}

static double replay_lo(const sotto__replay_point *point)
{
    return replayed(point).lo;
}

static double replay_hi(const sotto__replay_point *point)
{
    return replayed(point).hi;
}

static double ips_value(const sotto__replay_point *point)
{
    return sotto__off_policy_value(&point->weighted, point->t).value;
}

static double ips_lo(const sotto__replay_point *point)
{
    return sotto__off_policy_value(&point->weighted, point->t).lo;
}

static double ips_hi(const sotto__replay_point *point)
{
    return sotto__off_policy_value(&point->weighted, point->t).hi;
}

static double self_normalised(const sotto__replay_point *point)
{
    return sotto__off_policy_self_normalised(&point->weighted);
}

static double effective_size(const sotto__replay_point *point)
{
    return sotto__off_policy_effective_size(&point->weighted);
}

typedef struct number {
    const char *key;
    number_of *of;
} number;

static const number label_numbers[] = {{"reward", reward}, {"regret", regret}, {NULL, NULL}};
static const number log_numbers[] = {
    {"learnt", learnt},
    {"replay", replay_value},
    {"replay_lo", replay_lo},
    {"replay_hi", replay_hi},
    {"ips", ips_value},
    {"ips_lo", ips_lo},
    {"ips_hi", ips_hi},
    {"self_normalised", self_normalised},
    {"effective_size", effective_size},
    {NULL, NULL},
};

/* ---- printing ----------------------------------------------------------------------------- */

static void print_csv_row(FILE *file, const number *numbers, const sotto__replay_point *point)
{
    fprintf(file, ",%" PRIu64, point->t);
    for (const number *n = numbers; n->key != NULL; n++) {
        fprintf(file, ",");
        replay_number(file, n->of(point), REPLAY_CSV);
    }
}

static void print_json_row(FILE *file, const number *numbers, const sotto__replay_point *point)
{
    fprintf(file, ", \"t\": %" PRIu64, point->t);
    for (const number *n = numbers; n->key != NULL; n++) {
        fprintf(file, ", \"%s\": ", n->key);
        replay_number(file, n->of(point), REPLAY_JSON);
    }
}

static void print_run(FILE *file, const replay_report *report, uint64_t r, const number *numbers,
                      replay_format format)
{
    const sotto__replay_run *run = &report->replay->run[r];
    uint64_t seeds = report->plan->settings.seeds_count, seed = 1 + r % seeds;
    const char *method = sotto_player_name((uint32_t)run->match->player);
    const char *ranges = replay_ranges(report->schema);
    uint32_t passes = report->options->passes;
    for (uint32_t i = 0; i < run->points_count; i++) {
        fprintf(file, format == REPLAY_JSON ? "{\"method\": \"%s\", \"epsilon\": " : "%s,", method);
        replay_number(file, report->plan->epsilon[r / seeds], format);
        if (format == REPLAY_JSON) {
            fprintf(file, ", \"seed\": %" PRIu64, seed);
            print_json_row(file, numbers, &run->point[i]);
            fprintf(file, ", \"passes\": %" PRIu32 ", \"ranges\": \"%s\"}\n", passes, ranges);
        } else {
            fprintf(file, ",%" PRIu64, seed);
            print_csv_row(file, numbers, &run->point[i]);
            fprintf(file, ",%" PRIu32 ",%s\n", passes, ranges);
        }
    }
}

void replay_rows_print(FILE *file, const replay_report *report, replay_format format)
{
    const number *numbers = report->plan->settings.rules.log ? log_numbers : label_numbers;
    if (format == REPLAY_CSV) {
        fprintf(file, "method,epsilon,seed,t");
        for (const number *n = numbers; n->key != NULL; n++) {
            fprintf(file, ",%s", n->key);
        }
        fprintf(file, ",passes,ranges\n");
    }
    for (uint64_t r = 0; r < report->replay->runs_count; r++) {
        print_run(file, report, r, numbers, format);
    }
}
