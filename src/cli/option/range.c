/* The range of an option's numbers, in words. */
#include "range.h"

void option_print_range(FILE *file, const option *row)
{
    if (row->kind == OPTION_IS_F64) {
        fprintf(file, "%.10g to %.10g", row->lo, row->hi);
    } else {
        fprintf(file, "%.0f to %.0f", row->lo, row->hi);
    }
}
