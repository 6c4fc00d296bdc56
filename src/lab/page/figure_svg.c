/* Text against text: the SVG is gnuplot's, whose few forms are known, so it is not parsed. */
#include "figure_svg.h"
#include "html_text.h"

#include <stdbool.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The bytes of an element that is left out, with its end; 0: the text is something else. */
static size_t element_left_out(const char *text)
{
    static const char *const element[][2] = {{"<title>", "</title>"}, {"<desc>", "</desc>"}};
    for (size_t i = 0; i < 2; i++) {
        const char *end = begins(text, element[i][0]) ? strstr(text, element[i][1]) : NULL;
        if (end != NULL) return (size_t)(end - text) + strlen(element[i][1]);
    }
    return 0;
}

/* The bytes of an attribute that is left out: the id of a canvas or of a plot, and the wish for
 * bands with jagged edges. 0: the text is something else. */
static size_t attribute_left_out(const char *text)
{
    static const char id[] = " id=\"gnuplot", jagged[] = " shape-rendering='crispEdges'";
    const char *end = begins(text, id) ? strchr(text + strlen(id), '"') : NULL;
    if (end != NULL) return (size_t)(end - text) + 1;
    return begins(text, jagged) ? strlen(jagged) : 0;
}

/* The bytes up to where an id begins that is kept or referred to; 0: the text is something else. */
static size_t before_id(const char *text)
{
    static const char *const start[] = {" id='", " xlink:href='#", "url(#"};
    for (size_t i = 0; i < sizeof start / sizeof start[0]; i++) {
        if (begins(text, start[i])) return strlen(start[i]);
    }
    return 0;
}

void sotto__figure_svg_tidy(const char *name, const char *svg, FILE *out)
{
    bool in_tag = false;
    while (*svg != '\0') {
        size_t skip = in_tag ? attribute_left_out(svg) : element_left_out(svg);
        size_t copy = in_tag ? before_id(svg) : 0;
        if (skip > 0) {
            svg += skip;
            continue;
        }
        if (copy > 0) {
            fprintf(out, "%.*s%s-", (int)copy, svg, name);
            svg += copy;
            continue;
        }
        if (*svg == '<') in_tag = true;
        if (*svg == '>') in_tag = false;
        fputc(*svg++, out);
    }
}

/* Drawings wider than this, in units, have two panels: on a narrow page they are scrolled, since
 * their words would be too small to read. */
#define WIDE 800

bool sotto__figure_svg_inline(const char *label, const char *svg, FILE *out)
{
    double width, height;
    const char *tag = strstr(svg, "<svg");
    const char *box = tag == NULL ? NULL : strstr(tag, "viewBox=\"");
    const char *end = tag == NULL ? NULL : strchr(tag, '>');
    if (box == NULL || end == NULL || box > end) return false;
    if (sscanf(box, "viewBox=\"0 0 %lf %lf\"", &width, &height) != 2) return false;
    fprintf(out,
            "<div class=\"drawing\"%s>\n<svg viewBox=\"0 0 %g %g\"%s role=\"img\" aria-label=\"",
            width > WIDE ? " tabindex=\"0\"" : "", width, height,
            width > WIDE ? " class=\"wide\"" : "");
    sotto__html_put_text(out, label);
    fprintf(out, "\">%s</div>\n", end + 1);
    return true;
}
