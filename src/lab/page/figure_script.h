/* What gnuplot is told to draw a figure. */
#ifndef SOTTO_LAB_PAGE_FIGURE_SCRIPT_H
#define SOTTO_LAB_PAGE_FIGURE_SCRIPT_H

#include "figure_parts.h"

#include <stdio.h>

/* The whole script: all numbers, and the same drawing as NAME.png.part and NAME.pdf.part in the
 * folder where gnuplot runs. */
void sotto__figure_script(const sotto__figure *figure, FILE *out);

#endif
