/* How pages and drawings look. */
#ifndef SOTTO_LAB_PAGE_HTML_STYLE_H
#define SOTTO_LAB_PAGE_HTML_STYLE_H

/* web/style/figure.css: drawings and the colours of methods, alone in SVG files. */
extern const char sotto__figure_css[];
/* web/style/page.css: the rest of a page, behind it. */
extern const char sotto__page_css[];

#endif
