/* gnuplot's SVG, made fit for one page with others. */
#ifndef SOTTO_LAB_PAGE_FIGURE_SVG_H
#define SOTTO_LAB_PAGE_FIGURE_SVG_H

#include <stdbool.h>
#include <stdio.h>

/* Copies an SVG of gnuplot. Each id, and what refers to it, begins with `name` and a dash, so that
 * drawings in one page do not take each other's marks; ids of which gnuplot gives several alike,
 * and titles, which browsers would show as "gnuplot_plot_1a", are left out. */
void sotto__figure_svg_tidy(const char *name, const char *svg, FILE *out);

/* Copies an SVG as a part of a page: in a box, without what stands before it, and with `label` for
 * those who cannot see it. False, and nothing is written, if there is no SVG from 0,0 in it. */
bool sotto__figure_svg_inline(const char *label, const char *svg, FILE *out);

#endif
