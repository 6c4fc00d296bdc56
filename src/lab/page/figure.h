/*
 * Figures: what was measured as CSV, and drawn: by us as SVG, by gnuplot as PNG and PDF.
 *
 * A figure has up to four panels; those with the same words at the y axis have one scale. A curve is a mean with a band. The
 * colour, the dash and the mark of a method are the same in every figure (figure_style.c), can be
 * told apart by colour-blind people and in grey, and by those who print.
 */
#ifndef SOTTO_LAB_PAGE_FIGURE_H
#define SOTTO_LAB_PAGE_FIGURE_H

#include "figure_parts.h"

/* Writes FOLDER/NAME.csv (panel,curve,x,y,lo,hi), whole or not at all. NULL, or `fault`. */
const char *sotto__figure_csv(const sotto__figure *figure, const char *folder,
                              char fault[SOTTO_FAULT_BYTES]);

/* Writes FOLDER/NAME.svg, whole or not at all; it is light or dark as its reader prefers. NULL, or
 * `fault`. */
const char *sotto__figure_svg(const sotto__figure *figure, const char *folder,
                              char fault[SOTTO_FAULT_BYTES]);

/* Draws FOLDER/NAME.png and .pdf from numbers handed to gnuplot directly. NULL, or `fault`:
 * without gnuplot, what to install. The folder is there already; no half-written file is left. */
const char *sotto__figure_draw(const sotto__figure *figure, const char *folder,
                               char fault[SOTTO_FAULT_BYTES]);

#endif
