/* The range of an option's numbers, in words. */
#include "range.h"

#include <math.h>

/* A thousand million and more is hard to count in zeros: 1e12. */
static void print_whole(FILE *file, double value)
{
    uint32_t zeros = 0;
    double rest = value;
    while (rest >= 10 && fmod(rest, 10) == 0) {
        rest /= 10;
        zeros++;
    }
    if (rest == 1 && zeros >= 9) {
        fprintf(file, "1e%u", zeros);
    } else {
        fprintf(file, "%.0f", value);
    }
}

void option_print_range(FILE *file, const option *row)
{
    if (row->kind == OPTION_IS_F64) {
        fprintf(file, "%.10g to %.10g", row->lo, row->hi);
    } else {
        print_whole(file, row->lo);
        fprintf(file, " to ");
        print_whole(file, row->hi);
    }
}
