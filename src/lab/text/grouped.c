/* Numbers as people read them. */
#include "grouped.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WHOLE 999.5 /* what is rounded to 1000 and more has no decimals */
#define LARGE 1e15

const char *sotto__grouped(double value, char text[SOTTO__GROUPED_BYTES])
{
    char digits[SOTTO__GROUPED_BYTES];
    size_t at = 0;
    if (!isfinite(value)) return strcpy(text, "-");
    if (fabs(value) < WHOLE || fabs(value) >= LARGE) {
        snprintf(text, SOTTO__GROUPED_BYTES, "%.3g", value);
        return text;
    }
    snprintf(digits, sizeof digits, "%.0f", value);
    size_t length = strlen(digits), sign = digits[0] == '-';
    for (size_t i = 0; i < length; i++) {
        if (i > sign && (length - i) % 3 == 0) text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}
