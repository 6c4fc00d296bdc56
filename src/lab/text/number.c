/* Numbers in files that programs read. */
#include "number.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

static const char *not_finite(double value, sotto__text_format format)
{
    if (format == SOTTO__TEXT_JSON) return "null";
    if (isnan(value)) return "nan";
    return value > 0 ? "inf" : "-inf";
}

const char *sotto__number_text(double value, int digits, sotto__text_format format,
                               char text[SOTTO__NUMBER_BYTES])
{
    assert(digits >= 1 && digits <= SOTTO__NUMBER_DIGITS);
    if (isfinite(value)) {
        snprintf(text, SOTTO__NUMBER_BYTES, "%.*g", digits, value);
    } else {
        snprintf(text, SOTTO__NUMBER_BYTES, "%s", not_finite(value, format));
    }
    return text;
}
