/* Text inside HTML. */
#ifndef SOTTO_LAB_PAGE_HTML_TEXT_H
#define SOTTO_LAB_PAGE_HTML_TEXT_H

#include <stdio.h>

/* Writes the text so that no part of it is read as a tag, an entity or the end of an attribute. */
void sotto__html_put_text(FILE *out, const char *text);

#endif
