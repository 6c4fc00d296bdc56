/* gnuplot's SVG, made fit to stand in one page with others. */
#ifndef SOTTO_FIGURE_SVG_H
#define SOTTO_FIGURE_SVG_H

#include <stdio.h>

/* Copies an SVG of gnuplot. Each id, and what refers to it, begins with `name` and a dash, so that
 * drawings in one page do not take each other's marks; ids of which gnuplot gives several alike, and
 * titles, which browsers would show as "gnuplot_plot_1a", are left out. */
void sotto__figure_svg_tidy(const char *name, const char *svg, FILE *out);

/* Copies an SVG without what stands before it, and with a new opening tag: the old viewBox, and
 * `label` for those who cannot see it. 0, or -1 if there is no SVG with a viewBox. */
int sotto__figure_svg_inline(const char *label, const char *svg, FILE *out);

#endif
