/* One line of numbers. */
#include "line.h"
#include "lab/text/number.h"

void line_reals(FILE *file, const double *x, uint32_t count, bool json)
{
    char text[SOTTO__NUMBER_BYTES];
    sotto__text_format format = json ? SOTTO__TEXT_JSON : SOTTO__TEXT_CSV;
    if (json) fputc('[', file);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) fputs(json ? ", " : " ", file);
        fputs(sotto__number_text(x[i], SOTTO__NUMBER_DIGITS, format, text), file);
    }
    fputs(json ? "]\n" : "\n", file);
}

void line_wholes(FILE *file, const int32_t *x, uint32_t count, bool json)
{
    if (json) fputc('[', file);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "%s%d", i == 0 ? "" : json ? ", " : " ", x[i]);
    }
    fputs(json ? "]\n" : "\n", file);
}
