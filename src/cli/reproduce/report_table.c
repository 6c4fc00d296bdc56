/* Tables of a report. */
#include "report_table.h"

#include <math.h>

bool report_table_begin(report_table *table, sotto__pool *pool, const char *caption,
                        const report_column *column, uint32_t columns_count, uint32_t rows_max)
{
    const char **head = sotto__pool_take(pool, columns_count * sizeof *head);
    bool *number = sotto__pool_take(pool, columns_count * sizeof *number);
    *table = (report_table){
        .pool = pool,
        .cell = sotto__pool_take(pool, (size_t)rows_max * columns_count * sizeof *table->cell),
        .strong = sotto__pool_take(pool, rows_max * sizeof *table->strong),
        .rows_max = rows_max,
    };
    if (head == NULL || number == NULL || table->cell == NULL || table->strong == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < columns_count; i++) {
        head[i] = column[i].head;
        number[i] = column[i].number;
    }
    table->html = (sotto__html_table){
        .caption = caption,
        .columns_count = columns_count,
        .head = head,
        .cell = table->cell,
        .number = number,
        .strong = table->strong,
    };
    return true;
}

const char **report_table_line(report_table *table, bool strong)
{
    uint32_t row = table->html.rows_count;
    if (row == table->rows_max) return NULL;
    table->strong[row] = strong;
    table->html.rows_count++;
    return table->cell + (size_t)row * table->html.columns_count;
}

const char *report_number(sotto__pool *pool, double value)
{
    if (!isfinite(value)) return "-";
    return sotto__pool_print(pool, fabs(value) >= 1000 ? "%.0f" : "%.3g", value);
}
