/* What a reproduction found, as one page. */
#ifndef SOTTO_LAB_PAPER_PAGE_H
#define SOTTO_LAB_PAPER_PAGE_H

#include "reproduction.h"

/* Writes and draws all figures and OUT/index.html, once all parts are played. Without gnuplot the
 * page has no drawings, and the listener hears of it. NULL, or `fault`. */
const char *sotto__reproduction_page(sotto__reproduction *reproduction,
                                     const sotto__reproduction_listener *listener,
                                     char fault[SOTTO_FAULT_BYTES]);

#endif
