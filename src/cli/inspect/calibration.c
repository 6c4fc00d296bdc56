/* sotto inspect calibration: the paper's noise on the moments beside the exact one. */
#include "cli/print/json.h"
#include "cli/print/table.h"
#include "inspect.h"

#include <sotto/lab/mechanisms.h>

enum { COLUMNS = 10 };
static const print_column column[COLUMNS] = {
    {"epsilon", "epsilon", 7, 4, 0},      {"delta", "delta", 7, 2, 0},
    {"context_norm_max", "C_B", 5, 3, 0}, {"paper_square", "x x'", 9, 4, 0},
    {"paper_product", "r x", 9, 4, 0},    {"exact_square", "x x'", 9, 4, 0},
    {"exact_product", "r x", 9, 4, 0},    {"true_epsilon", "epsilon", 9, 4, 0},
    {"true_delta", "delta", 9, 3, 0},     {"holds", "", 0, 0, 0},
};

static void set_values(const sotto_paper_comparison *row, print_value value[COLUMNS])
{
    const double real[] = {
        row->epsilon,       row->delta,         row->context_norm_max,
        row->paper_square,  row->paper_product, row->exact_square,
        row->exact_product, row->true_epsilon,  row->true_delta,
    };
    for (uint32_t i = 0; i < COLUMNS - 1; i++) {
        value[i] = print_real(real[i]);
    }
    value[COLUMNS - 1] = print_flag(row->holds);
}

static void print_table(const sotto_paper_comparison *row, uint32_t count)
{
    print_value value[COLUMNS];
    printf("noise on the moments (x x', r x), |r| <= 1: standard deviations, and the true\n"
           "epsilon (at the delta) and delta (at the epsilon) of the paper's\n\n"
           "claimed               paper               exact               paper, in truth\n");
    table_head(stdout, column, COLUMNS);
    for (uint32_t i = 0; i < count; i++) {
        set_values(&row[i], value);
        value[COLUMNS - 1] = print_text(row[i].holds ? " holds" : " BROKEN");
        table_row(stdout, column, value, COLUMNS);
    }
}

static void print_json(const sotto_paper_comparison *row, uint32_t count)
{
    print_value value[COLUMNS];
    json_writer j = json_begin(stdout);
    j.lines = true;
    json_open(&j, NULL, '[');
    for (uint32_t i = 0; i < count; i++) {
        set_values(&row[i], value);
        json_object(&j, NULL, column, value, COLUMNS);
    }
    json_close(&j);
    json_end(&j);
}

void inspect_calibration(const double *epsilon, const double *delta, const double *bound, bool json)
{
    sotto_paper_comparison row[SOTTO_PAPER_GRID_MAX];
    uint32_t count = sotto_paper_grid(epsilon, delta, bound, row);
    if (json) {
        print_json(row, count);
    } else {
        print_table(row, count);
    }
}
