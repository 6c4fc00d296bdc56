/* A figure as SVG: in a page a drawing per panel, so that a phone can stack them, and as a file all in
 * one. Colours are classes of web/style/figure.css, so that a drawing is dark where its page is. */
#ifndef SOTTO_LAB_PAGE_FIGURE_SVG_H
#define SOTTO_LAB_PAGE_FIGURE_SVG_H

#include "figure_parts.h"

#include <stdio.h>

/* One panel; `alt` says what the figure shows, for those who cannot see it. */
void sotto__figure_svg_panel(const sotto__figure *figure, uint32_t panel, const char *alt,
                             FILE *out);

/* The piece of line in a legend, for a page. */
void sotto__figure_svg_key(const sotto__curve *curve, FILE *out);

/* A file of its own, with its colours in it. */
void sotto__figure_svg_whole(const sotto__figure *figure, FILE *out);

#endif
