/* Text wrapped to a width. */
#include "wrap.h"

#include <string.h>

static uint32_t begin_line(FILE *file, uint32_t indent)
{
    fprintf(file, "\n%*s", (int)indent, "");
    return indent;
}

void wrap_print(FILE *file, const char *text, uint32_t at, uint32_t indent, uint32_t columns)
{
    uint32_t hanging = indent;
    const char *blank = "";
    while (*text != '\0') {
        size_t length = strcspn(text, " \n");
        if (length > 0 && blank[0] != '\0' && at + 1 + length > columns) {
            at = begin_line(file, hanging);
            blank = "";
        }
        if (length > 0) {
            fprintf(file, "%s%.*s", blank, (int)length, text);
            at += (uint32_t)(strlen(blank) + length);
            blank = " ";
        }
        text += length;
        if (*text == '\n') {
            at = begin_line(file, indent);
            hanging = indent + 2;
            blank = "";
        }
        if (*text != '\0') text++;
    }
    fprintf(file, "\n");
}
