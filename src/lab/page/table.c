/* Tables of a page. */
#include "table.h"

#include <assert.h>
#include <math.h>

bool sotto__page_table_begin(sotto__page_table *table, sotto__pool *pool, const char *caption,
                             const sotto__page_column *column, uint32_t columns_count,
                             uint32_t rows_max)
{
    const char **head = sotto__pool_take(pool, columns_count * sizeof *head);
    bool *number = sotto__pool_take(pool, columns_count * sizeof *number);
    *table = (sotto__page_table){
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

const char **sotto__page_table_line(sotto__page_table *table, bool strong)
{
    uint32_t row = table->html.rows_count;
    assert(row < table->rows_max);
    table->strong[row] = strong;
    table->html.rows_count++;
    return table->cell + (size_t)row * table->html.columns_count;
}

const char *sotto__page_number(sotto__pool *pool, double value)
{
    if (!isfinite(value)) return "-";
    return sotto__pool_print(pool, fabs(value) >= 1000 ? "%.0f" : "%.3g", value);
}
