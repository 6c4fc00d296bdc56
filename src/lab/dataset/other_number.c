/*
 * Numbers that are written otherwise than those of the file.
 *
 * With thousands separators: a sign, one to three digits, groups of a separator and two or three digits
 * (1,23,456 is Indian), of which the last has three, and a decimal mark with digits if it is not the separator.
 * What 1.234 means in a file with decimal commas only its author knows, so nothing of this is read.
 */
#include "other_number.h"
#include "number.h"

#include <string.h>

/* Point, comma, apostrophe, blank; then of Unicode: no-break space, thin space, narrow no-break space, and the
 * apostrophe of typesetters. */
static const char *const separators[] = {
    ".", ",", "'", " ", "\xC2\xA0", "\xE2\x80\x89", "\xE2\x80\xAF", "\xE2\x80\x99",
};
#define SEPARATORS (sizeof separators / sizeof separators[0])

static size_t digits_at(const char *p, const char *end)
{
    const char *from = p;
    while (p < end && *p >= '0' && *p <= '9') {
        p++;
    }
    return (size_t)(p - from);
}

static bool begins_with(const char *p, const char *end, const char *word)
{
    size_t bytes = strlen(word);
    return (size_t)(end - p) >= bytes && memcmp(p, word, bytes) == 0;
}

static bool is_grouped(const char *p, const char *end, const char *separator)
{
    if (p < end && (*p == '-' || *p == '+')) p++;
    size_t digits = digits_at(p, end);
    if (digits < 1 || digits > 3) return false;
    p += digits;
    if (!begins_with(p, end, separator)) return false;
    while (begins_with(p, end, separator)) {
        p += strlen(separator);
        digits = digits_at(p, end);
        if (digits < 2 || digits > 3) return false;
        p += digits;
    }
    if (digits != 3) return false;
    if (p < end && (*p == '.' || *p == ',') && *p != separator[0]) p += 1 + digits_at(p + 1, end);
    return p == end;
}

bool sotto__is_other_number(const char *text, size_t bytes, char mark)
{
    double x;
    if (sotto__marked_number(text, bytes, mark, &x)) return false;
    if (sotto__marked_number(text, bytes, mark == '.' ? ',' : '.', &x)) return true;
    for (size_t i = 0; i < SEPARATORS; i++) {
        if (is_grouped(text, text + bytes, separators[i])) return true;
    }
    return false;
}

const char *sotto__number_reason(const char *text, size_t bytes, char mark)
{
    if (!sotto__is_other_number(text, bytes, mark)) return "is not a finite number";
    return mark == ',' ? "is not a finite number: the decimal mark is a comma, and thousands "
                         "separators are not read"
                       : "is not a finite number: the decimal mark is a point, and thousands "
                         "separators are not read";
}
