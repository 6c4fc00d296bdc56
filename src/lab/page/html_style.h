/* How the page looks. */
#ifndef SOTTO_LAB_PAGE_HTML_STYLE_H
#define SOTTO_LAB_PAGE_HTML_STYLE_H

extern const char sotto__html_style[];

#endif
