/* Tables of a page. */
#include "table.h"
#include "lab/text/grouped.h"

#include <assert.h>

bool sotto__page_table_begin(sotto__page_table *table, sotto__pool *pool, const char *caption,
                             const sotto__page_column *column, uint32_t columns_count,
                             uint32_t rows_max)
{
    const char **head = sotto__pool_take(pool, columns_count * sizeof *head);
    sotto__html_kind *kind = sotto__pool_take(pool, columns_count * sizeof *kind);
    *table = (sotto__page_table){
        .cell = sotto__pool_take(pool, (size_t)rows_max * columns_count * sizeof *table->cell),
        .strong = sotto__pool_take(pool, rows_max * sizeof *table->strong),
        .rows_max = rows_max,
    };
    if (head == NULL || kind == NULL || table->cell == NULL || table->strong == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < columns_count; i++) {
        head[i] = column[i].head;
        kind[i] = column[i].kind;
    }
    table->html = (sotto__html_table){
        .caption = caption,
        .columns_count = columns_count,
        .head = head,
        .cell = table->cell,
        .kind = kind,
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
    char text[SOTTO__GROUPED_BYTES];
    return sotto__pool_print(pool, "%s", sotto__grouped(value, text));
}
