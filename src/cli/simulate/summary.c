/* Prints what a comparison found. */
#include "inner.h"
#include "lab/environment/environment.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const print_column column[] = {
    {"method", "method", -10, 0, 0},
    {"epsilon", "epsilon", 7, 4, 15},
    {"seeds", "seeds", 5, 0, 0},
    {"t", NULL, 0, 0, 0},
    {"regret_mean", "regret", 10, 5, 0},
    {"regret_se", "se", 10, 3, 0},
    {"regret_median", "median", 10, 5, 0},
    {"regret_p10", "p10", 10, 5, 0},
    {"regret_p90", "p90", 10, 5, 0},
    {"estimation_error_mean", "error", 10, 4, 0},
    {"cost", "cost", 10, 4, 0},
    {"rounds_per_second", "rounds/s", 10, 7, 0},
    {"floor_proved", "floor", 10, 4, 0},
    {"floor_start", "start", 10, 4, 0},
    {"null_share", "null", 7, 3, 0},
    {"late_share", "late", 7, 3, 0},
    {"age", "age", 6, 3, 0},
};
enum { COLUMNS = sizeof column / sizeof column[0], SOMETIMES = 5 };

/* The last columns are optional: each is printed only if a line has a value for it. Sets the
 * columns and returns their number. */
static uint32_t columns_of(const sotto_comparison_line *line, uint32_t count,
                           uint32_t chosen[COLUMNS])
{
    bool there[SOMETIMES] = {false};
    uint32_t columns = 0;
    for (uint32_t i = 0; i < count; i++) {
        there[0] |= !isnan(line[i].floor.proved);
        there[1] |= !isnan(line[i].floor.start);
        there[2] |= !isnan(line[i].null_share);
        there[3] |= !isnan(line[i].late_share);
        there[4] |= !isnan(line[i].age);
    }
    for (uint32_t i = 0; i < COLUMNS; i++) {
        bool always = i < COLUMNS - SOMETIMES;
        if (always || there[i - (COLUMNS - SOMETIMES)]) chosen[columns++] = i;
    }
    return columns;
}

static void print_line(FILE *file, print_format format, const sotto_comparison_line *line,
                       const uint32_t *chosen, uint32_t columns)
{
    const print_value value[COLUMNS] = {
        print_text(line->method),        print_real(line->epsilon),
        print_natural(line->seeds),      print_natural(line->t),
        print_real(line->regret_mean),   print_real(line->regret_se),
        print_real(line->regret_median), print_real(line->regret_p10),
        print_real(line->regret_p90),    print_real(line->error_mean),
        print_real(line->cost),          print_real(line->rounds_per_second),
        print_real(line->floor.proved),  print_real(line->floor.start),
        print_real(line->null_share),    print_real(line->late_share),
        print_real(line->age),
    };
    print_column shown[COLUMNS];
    print_value shown_value[COLUMNS];
    for (uint32_t i = 0; i < columns; i++) {
        shown[i] = column[chosen[i]];
        shown_value[i] = value[chosen[i]];
    }
    print_row(file, format, shown, shown_value, columns);
}

static void print_heading(FILE *file, const sotto__comparison *comparison,
                          const sotto__results *results)
{
    const sotto_match *first = &comparison->match[0];
    fprintf(file,
            "%s, %s, %s, %s: dim %u, arms %u, %" PRIu64 " rounds; %" PRIu64 " of %" PRIu64
            " runs\n\n",
            sotto__environment_name(&first->environment),
            sotto_parameters_name(first->spec.parameters), sotto_link_name(first->spec.link),
            sotto_calibration_name(first->calibration), first->spec.dim, first->spec.arms,
            first->horizon, results->done_count, sotto_sweep_runs(&comparison->sweep));
}

static void print_repairs(FILE *file, const sotto_comparison_line *line)
{
    if (line->repairs == 0 || line->repeated) return;
    fprintf(file,
            "%s, epsilon %g: shifts were doubled %" PRIu64
            " times, where a noisy matrix was not positive definite\n",
            line->method, line->epsilon, line->repairs);
}

sotto_status simulate_summary_print(FILE *file, print_format format,
                                    const sotto__comparison *comparison,
                                    const sotto__results *results)
{
    uint32_t count = comparison->sweep.matches_count;
    sotto_comparison_line *line = calloc(count, sizeof *line);
    sotto_status status =
        line == NULL ? SOTTO_E_MEMORY : sotto__summary_of(comparison, results, line);
    if (status == SOTTO_OK) {
        if (format == PRINT_TABLE) print_heading(file, comparison, results);
        uint32_t chosen[COLUMNS], columns = columns_of(line, count, chosen);
        print_column head[COLUMNS];
        for (uint32_t i = 0; i < columns; i++) {
            head[i] = column[chosen[i]];
        }
        print_head(file, format, head, columns);
        for (uint32_t i = 0; i < count; i++) {
            if (!line[i].repeated) print_line(file, format, &line[i], chosen, columns);
        }
        for (uint32_t i = 0; format == PRINT_TABLE && i < count; i++) {
            print_repairs(file, &line[i]);
        }
    }
    free(line);
    return status;
}
