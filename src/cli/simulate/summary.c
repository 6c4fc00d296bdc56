/* What a sweep found. */
#include "summary.h"
#include "lab/math/moments.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The numbers of a line; NAN for one that does not exist. */
typedef enum column {
    REGRET_MEAN,
    REGRET_SE,
    REGRET_MEDIAN,
    REGRET_P10,
    REGRET_P90,
    ERROR_MEAN,
    COST,
    ROUNDS_PER_SECOND,
    COLUMNS
} column;

static const struct {
    const char *key, *title;
    int digits; /* in the table */
} columns[COLUMNS] = {
    [REGRET_MEAN] = {"regret_mean", "regret", 5},
    [REGRET_SE] = {"regret_se", "se", 3},
    [REGRET_MEDIAN] = {"regret_median", "median", 5},
    [REGRET_P10] = {"regret_p10", "p10", 5},
    [REGRET_P90] = {"regret_p90", "p90", 5},
    [ERROR_MEAN] = {"estimation_error_mean", "error", 4},
    [COST] = {"cost", "cost", 4},
    [ROUNDS_PER_SECOND] = {"rounds_per_second", "rounds/s", 7},
};

typedef struct line {
    uint32_t match, seeds; /* seeds: runs that are finished */
    uint64_t repairs;
    double value[COLUMNS];
} line;

/* `regret` and `error` have room for a number a seed. All but the cost. */
static line line_of(const simulate_plan *plan, const simulate_results *results, uint32_t match,
                    double *regret, double *error)
{
    const sotto_sweep *sweep = &plan->sweep;
    line l = {.match = match};
    double seconds = 0, rounds = 0;
    for (uint32_t i = 0; i < sweep->seeds_count; i++) {
        uint64_t r = (uint64_t)match * sweep->seeds_count + i;
        const simulate_run *run = &results->run[r];
        if (!run->done) continue;
        const sotto_point *last = simulate_points(plan, results, r) + sweep->at_count - 1;
        regret[l.seeds] = last->regret;
        error[l.seeds] = last->estimation_error;
        l.seeds++;
        if (!run->played) continue;
        l.repairs += run->result.repairs;
        seconds += run->result.seconds;
        rounds += (double)last->t;
    }
    l.value[REGRET_MEAN] = sotto__mean(regret, l.seeds);
    l.value[REGRET_SE] = sotto__standard_error(regret, l.seeds);
    l.value[ERROR_MEAN] = sotto__mean(error, l.seeds);
    sotto__sort(regret, l.seeds);
    l.value[REGRET_MEDIAN] = sotto__quantile(regret, l.seeds, 0.5);
    l.value[REGRET_P10] = sotto__quantile(regret, l.seeds, 0.1);
    l.value[REGRET_P90] = sotto__quantile(regret, l.seeds, 0.9);
    l.value[COST] = NAN;
    l.value[ROUNDS_PER_SECOND] = seconds > 0 ? rounds / seconds : NAN;
    return l;
}

/* Cost of privacy: regret over that of the same learning without privacy. */
static void set_costs(const simulate_plan *plan, line *lines)
{
    uint32_t count = plan->sweep.matches_count;
    for (uint32_t i = 0; i < count; i++) {
        bool identity = plan->match[i].spec.link == SOTTO_LINK_IDENTITY;
        sotto_player wanted = identity ? SOTTO_PLAYER_OLS : SOTTO_PLAYER_GLM_UCB;
        for (uint32_t j = 0; j < count; j++) {
            bool same = plan->match[j].player == wanted && plan->epsilon[j] == plan->epsilon[i];
            if (!same || !(lines[j].value[REGRET_MEAN] > 0)) continue;
            lines[i].value[COST] = lines[i].value[REGRET_MEAN] / lines[j].value[REGRET_MEAN];
        }
    }
}

/* ---- printing ----------------------------------------------------------------------------- */

static const char *method_of(const simulate_plan *plan, const line *l)
{
    return sotto_player_name((uint32_t)plan->match[l->match].player);
}

static void print_table_line(FILE *file, const simulate_plan *plan, const line *l)
{
    fprintf(file, "%-10s %7.4g %5" PRIu32, method_of(plan, l), plan->epsilon[l->match], l->seeds);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        if (isfinite(l->value[c])) {
            fprintf(file, " %10.*g", columns[c].digits, l->value[c]);
        } else {
            fprintf(file, " %10s", "-");
        }
    }
    fprintf(file, "\n");
}

static void print_table(FILE *file, const simulate_plan *plan, const simulate_results *results,
                        const line *lines)
{
    const sotto_match *first = &plan->match[0];
    fprintf(file,
            "%s, %s, %s, %s: dim %u, arms %u, %" PRIu64 " rounds; %" PRIu64 " of %" PRIu64
            " runs\n\n%-10s %7s %5s",
            sotto_environment_kind_name((uint32_t)first->environment.kind),
            sotto_parameters_name((uint32_t)first->spec.parameters),
            sotto_link_name((uint32_t)first->spec.link),
            sotto_calibration_name((uint32_t)first->calibration), first->spec.dim, first->spec.arms,
            first->horizon, results->done_count, sotto_sweep_runs(&plan->sweep), "method",
            "epsilon", "seeds");
    for (uint32_t c = 0; c < COLUMNS; c++) {
        fprintf(file, " %10s", columns[c].title);
    }
    fprintf(file, "\n");
    for (uint32_t i = 0; i < plan->sweep.matches_count; i++) {
        print_table_line(file, plan, &lines[i]);
    }
    for (uint32_t i = 0; i < plan->sweep.matches_count; i++) {
        if (lines[i].repairs == 0) continue;
        fprintf(file,
                "%s, epsilon %g: shifts were doubled %" PRIu64
                " times, where a noisy matrix was not positive definite\n",
                method_of(plan, &lines[i]), plan->epsilon[i], lines[i].repairs);
    }
}

static void print_csv(FILE *file, const simulate_plan *plan, const line *lines)
{
    fprintf(file, "method,epsilon,seeds,t");
    for (uint32_t c = 0; c < COLUMNS; c++) {
        fprintf(file, ",%s", columns[c].key);
    }
    fprintf(file, "\n");
    for (uint32_t i = 0; i < plan->sweep.matches_count; i++) {
        const line *l = &lines[i];
        fprintf(file, "%s,%.15g,%" PRIu32 ",%" PRIu64, method_of(plan, l), plan->epsilon[i],
                l->seeds, plan->match[i].horizon);
        for (uint32_t c = 0; c < COLUMNS; c++) {
            if (isfinite(l->value[c])) {
                fprintf(file, ",%.17g", l->value[c]);
            } else {
                fprintf(file, ",nan");
            }
        }
        fprintf(file, "\n");
    }
}

static void print_json(FILE *file, const simulate_plan *plan, const line *lines)
{
    for (uint32_t i = 0; i < plan->sweep.matches_count; i++) {
        const line *l = &lines[i];
        fprintf(file,
                "{\"method\": \"%s\", \"epsilon\": %.15g, \"seeds\": %" PRIu32 ", \"t\": %" PRIu64,
                method_of(plan, l), plan->epsilon[i], l->seeds, plan->match[i].horizon);
        for (uint32_t c = 0; c < COLUMNS; c++) {
            fprintf(file, ", \"%s\": ", columns[c].key);
            if (isfinite(l->value[c])) {
                fprintf(file, "%.17g", l->value[c]);
            } else {
                fprintf(file, "null");
            }
        }
        fprintf(file, "}\n");
    }
}

bool simulate_summary_print(FILE *file, const simulate_plan *plan, const simulate_results *results,
                            summary_format format)
{
    const sotto_sweep *sweep = &plan->sweep;
    line *lines = calloc(sweep->matches_count, sizeof *lines);
    double *numbers = calloc(2 * (size_t)sweep->seeds_count, sizeof *numbers);
    bool good = lines != NULL && numbers != NULL;
    for (uint32_t i = 0; good && i < sweep->matches_count; i++) {
        lines[i] = line_of(plan, results, i, numbers, numbers + sweep->seeds_count);
    }
    if (good) {
        set_costs(plan, lines);
        switch (format) {
        case SUMMARY_TABLE: print_table(file, plan, results, lines); break;
        case SUMMARY_CSV: print_csv(file, plan, lines); break;
        case SUMMARY_JSON: print_json(file, plan, lines); break;
        }
    }
    free(lines);
    free(numbers);
    return good;
}
