/* The stylesheets of web/style, which all pages share. */
#include "inner.h"

const char sotto__figure_css[] = {
#include "figure.css.inc"
};

const char sotto__page_css[] = {
#include "page.css.inc"
};
