/* Text within the single quotes of a shell's script. */
#include "quote.h"

#include <string.h>

void quote_print(FILE *file, const char *text, size_t length, const char *escaped,
                 const char *quote)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'') {
            fputs(quote, file);
            continue;
        }
        if (strchr(escaped, text[i]) != NULL) fputc('\\', file);
        fputc(text[i], file);
    }
}

void quote_clause(FILE *file, const char *text, const char *escaped, const char *quote)
{
    size_t length = strcspn(text, ";\n");
    if (length > 0 && strchr(":.", text[length - 1]) != NULL) length--;
    quote_print(file, text, length, escaped, quote);
}
