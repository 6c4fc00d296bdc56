/* Text inside HTML. */
#include "html_text.h"

#include <stddef.h>

static const char *entity_of(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    }
    return NULL;
}

void sotto__html_put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *entity = entity_of(*text);
        if (entity != NULL) {
            fputs(entity, out);
        } else {
            fputc(*text, out);
        }
    }
}
