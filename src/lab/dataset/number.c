#include "core/core.h"
#include "inner.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== other number =========================================================================== */

/*
 * Numbers that are written otherwise than those of the file.
 *
 * With thousands separators: a sign, one to three digits, groups of a separator and two or three digits
 * (1,23,456 is Indian), of which the last has three, and a decimal mark with digits if it is not the separator.
 * What 1.234 means in a file with decimal commas only its author knows, so nothing of this is read.
 */

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

/* ==== number ================================================================================= */

/*
 * A field as a number.
 *
 * Most fields have few digits. If the digits, read as one integer w, fit into a double exactly
 * (w <= 2^53) and so does the power of ten (k <= 22), then w * 10^k or w / 10^k is one operation
 * that rounds once, and so the nearest double (Clinger, How to Read Floating Point Numbers
 * Accurately, 1990). The rest is strtod's.
 *
 * Up to eight bytes of digits with a decimal mark are read at once, as a word: digit by digit, a processor
 * would guess wrongly where each number ends.
 */

#define DIGITS_MAX 19 /* as many fit into 64 bits */
#define POWER_MAX 22  /* 10^22 = 5^22 2^22, and 5^22 < 2^53 */

typedef struct parsed_number {
    uint64_t digits;
    int count; /* of digits that matter: leading zeros do not */
    int power; /* of ten */
    bool negative;
} parsed_number;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits from p on; returns the end of them. A value that does not fit into
 * 64 bits is not used. */
static const char *take_digits(const char *p, const char *end, parsed_number *d)
{
    uint64_t digits = d->digits;
    int count = d->count;
    for (; p < end && is_digit(*p); p++) {
        digits = 10 * digits + (uint64_t)(*p - '0');
        count += count > 0 || digits != 0;
    }
    d->digits = digits;
    d->count = count;
    return p;
}

/* Reads the exponent. With more than 5 digits the number is 0 or infinite, whatever follows. */
static const char *take_power(const char *p, const char *end, parsed_number *d)
{
    bool negative = p < end && *p == '-';
    int power = 0;
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *from = p;
    for (; p < end && is_digit(*p); p++) {
        if (power < 100000) power = 10 * power + (*p - '0');
    }
    d->power += negative ? -power : power;
    return p > from ? p : NULL;
}

static bool parse(const char *text, const char *end, char mark, parsed_number *d)
{
    const char *p = text;
    *d = (parsed_number){.negative = p < end && *p == '-'};
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *whole = p;
    p = take_digits(p, end, d);
    ptrdiff_t written = p - whole;
    if (p < end && *p == mark) {
        const char *fraction = ++p;
        p = take_digits(p, end, d);
        written += p - fraction;
        d->power = -(int)(p - fraction);
    }
    if (written == 0) return false;
    if (p < end && (*p == 'e' || *p == 'E')) p = take_power(p + 1, end, d);
    return p == end;
}

/* Converts a text that is known to be a number. In the locale "C" the decimal mark is a dot. */
static double rounded(const char *text, size_t bytes, char mark)
{
    char copy[SOTTO__NUMBER_BYTES_MAX + 1];
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    char *found = memchr(copy, mark, bytes);
    if (found != NULL) *found = '.';
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) return NAN;
    locale_t before = uselocale(plain);
    double value = strtod(copy, NULL);
    uselocale(before);
    freelocale(plain);
    return value;
}

static const double ten[POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Eight digits, the first in the lowest byte: pairs, then fours, then all. */
static uint32_t eight_digits(uint64_t word)
{
    word -= SOTTO__EACH('0');
    word = 10 * word + (word >> 8);
    uint64_t fours = UINT64_C(0x000000FF000000FF);
    uint64_t high = (word & fours) * (100 + (UINT64_C(1000000) << 32));
    uint64_t low = (word >> 16 & fours) * (1 + (UINT64_C(10000) << 32));
    return (uint32_t)((high + low) >> 32);
}

static bool all_digits(uint64_t word)
{
    uint64_t high = SOTTO__EACH(0xF0);
    return (word & high) == SOTTO__EACH(0x30) &&
           ((word + SOTTO__EACH(6)) & high) == SOTTO__EACH(0x30);
}

/* 1 to 8 bytes of digits with at most one mark; false if they are anything else. */
static bool short_number(const char *text, size_t bytes, char mark, double *out)
{
    unsigned blank = 8 * (8 - (unsigned)bytes); /* bits in front, to be filled with zeros */
    uint64_t word = sotto__get_u64((const uint8_t *)text) << blank;
    word |= SOTTO__EACH('0') & ((UINT64_C(1) << blank) - 1);
    uint64_t dot = sotto__zero_byte(word ^ SOTTO__EACH((unsigned char)mark));
    unsigned power = 0;
    if (dot != 0) {
        if (bytes == 1) return false;
        unsigned at = (unsigned)__builtin_ctzll(dot) & ~7u; /* the digits before it move over it */
        uint64_t front = word & ((UINT64_C(1) << at) - 1);
        uint64_t behind = at == 56 ? 0 : word & ~((UINT64_C(1) << (at + 8)) - 1);
        word = behind | front << 8 | '0';
        power = (56 - at) / 8;
    }
    *out = eight_digits(word) / ten[power];
    return all_digits(word);
}

/* Any number. */
static bool long_number(const char *text, size_t bytes, char mark, double *out)
{
    parsed_number d;
    if (bytes > SOTTO__NUMBER_BYTES_MAX || !parse(text, text + bytes, mark, &d)) return false;
    bool exact = d.count <= DIGITS_MAX && d.digits <= UINT64_C(1) << 53;
    if (exact && d.power >= -POWER_MAX && d.power <= POWER_MAX) {
        double w = (double)d.digits;
        double value = d.power < 0 ? w / ten[-d.power] : w * ten[d.power];
        *out = d.negative ? -value : value;
        return true;
    }
    *out = rounded(text, bytes, mark);
    return isfinite(*out);
}

bool sotto__padded_number(const char *text, size_t bytes, char mark, double *out)
{
    bool minus = bytes > 0 && text[0] == '-';
    size_t digits = bytes - minus;
    static const double sign[] = {1, -1}; /* unlike a branch, a factor is never mispredicted */
    double value;
    if (digits >= 1 && digits <= 8 && short_number(text + minus, digits, mark, &value)) {
        *out = value * sign[minus];
        return true;
    }
    return long_number(text, bytes, mark, out);
}

bool sotto__marked_number(const char *text, size_t bytes, char mark, double *out)
{
    return long_number(text, bytes, mark, out);
}

bool sotto__number(const char *text, size_t bytes, double *out)
{
    return long_number(text, bytes, '.', out);
}
