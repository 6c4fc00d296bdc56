/* Rows of a sweep. */
#include "rows.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *real_text(double value, row_format format, char text[32])
{
    if (isfinite(value)) {
        snprintf(text, 32, "%.17g", value);
    } else {
        snprintf(text, 32, "%s", format == ROWS_JSON ? "null" : "nan");
    }
    return text;
}

size_t simulate_row_text(const char *method, double epsilon, uint64_t seed,
                         const sotto_point *point, row_format format, char *text)
{
    char regret[32], error[32];
    real_text(point->regret, format, regret);
    real_text(point->estimation_error, format, error);
    const char *pattern = format == ROWS_CSV
                              ? "%s,%.15g,%" PRIu64 ",%" PRIu64 ",%s,%s\n"
                              : "{\"method\": \"%s\", \"epsilon\": %.15g, \"seed\": %" PRIu64
                                ", \"t\": %" PRIu64 ", \"regret\": %s, \"estimation_error\": %s}\n";
    int length =
        snprintf(text, SIMULATE_ROW_BYTES, pattern, method, epsilon, seed, point->t, regret, error);
    assert(length > 0);
    assert(length < (int)SIMULATE_ROW_BYTES);
    return (size_t)length;
}

size_t simulate_rows_text(const simulate_plan *plan, const simulate_results *results, uint64_t run,
                          row_format format, char *text)
{
    const sotto_sweep *sweep = &plan->sweep;
    const char *method = sotto_player_name((uint32_t)simulate_match(plan, run)->player);
    double epsilon = plan->epsilon[run / sweep->seeds_count];
    uint64_t seed = sweep->first_seed + run % sweep->seeds_count;
    const sotto_point *point = simulate_points(plan, results, run);
    size_t length = 0;
    for (uint32_t i = 0; i < sweep->at_count; i++) {
        length += simulate_row_text(method, epsilon, seed, &point[i], format, text + length);
    }
    return length;
}

bool simulate_write(int file, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t written = write(file, text, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text += written;
        bytes -= (size_t)written;
    }
    return true;
}

bool simulate_rows_begin(simulate_rows *rows)
{
    static const char header[] = "method,epsilon,seed,t,regret,estimation_error\n";
    if (rows->file < 0) return true;
    if (rows->format == ROWS_CSV) return simulate_write(rows->file, header, strlen(header));
    return write(rows->file, "", 0) == 0;
}

static bool write_run(simulate_rows *rows, const simulate_plan *plan,
                      const simulate_results *results, uint64_t run)
{
    size_t bytes = simulate_rows_text(plan, results, run, rows->format, rows->text);
    return simulate_write(rows->file, rows->text, bytes);
}

bool simulate_rows_advance(simulate_rows *rows, const simulate_plan *plan,
                           const simulate_results *results)
{
    uint64_t runs = sotto_sweep_runs(&plan->sweep);
    if (rows->file < 0) return true;
    while (rows->next < runs && results->run[rows->next].done) {
        if (!write_run(rows, plan, results, rows->next)) return false;
        rows->next++;
    }
    return true;
}

bool simulate_rows_end(simulate_rows *rows, const simulate_plan *plan,
                       const simulate_results *results)
{
    uint64_t runs = sotto_sweep_runs(&plan->sweep);
    if (rows->file < 0) return true;
    for (; rows->next < runs; rows->next++) {
        if (!results->run[rows->next].done) continue;
        if (!write_run(rows, plan, results, rows->next)) return false;
    }
    return true;
}

/* ---- what the rows are made of ------------------------------------------------------------ */

bool simulate_results_new(const simulate_plan *plan, simulate_results *out)
{
    uint64_t runs = sotto_sweep_runs(&plan->sweep);
    out->done_count = 0;
    out->run = calloc(runs, sizeof *out->run);
    out->point = calloc(runs * plan->sweep.at_count, sizeof *out->point);
    if (out->run != NULL && out->point != NULL) return true;
    simulate_results_free(out);
    return false;
}

void simulate_results_free(simulate_results *results)
{
    free(results->run);
    free(results->point);
    *results = (simulate_results){0};
}
