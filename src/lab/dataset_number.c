/*
 * A field as a number.
 *
 * Most fields have few digits. If the digits, read as one integer w, fit into a double exactly
 * (w <= 2^53) and so does the power of ten (k <= 22), then w * 10^k or w / 10^k is one operation
 * that rounds once, and so the nearest double (Clinger, How to Read Floating Point Numbers
 * Accurately, 1990). The rest is strtod's.
 */
#include "dataset_reader.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 19 /* as many fit into 64 bits */
#define POWER_MAX 22  /* 10^22 = 5^22 2^22, and 5^22 < 2^53 */

typedef struct decimal {
    uint64_t digits;
    int count; /* of digits that matter: leading zeros do not */
    int power; /* of ten */
    bool negative;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits from p on; returns behind them. What does not fit into 64 bits is not used. */
static const char *take_digits(const char *p, const char *end, decimal *d)
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

/* The exponent's digits; beyond 5 of them it is 0 or infinite whatever follows. */
static const char *take_power(const char *p, const char *end, decimal *d)
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

static bool parse(const char *text, const char *end, decimal *d)
{
    const char *p = text;
    *d = (decimal){.negative = p < end && *p == '-'};
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *whole = p;
    p = take_digits(p, end, d);
    ptrdiff_t written = p - whole;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        p = take_digits(p, end, d);
        written += p - fraction;
        d->power = -(int)(p - fraction);
    }
    if (written == 0) return false;
    if (p < end && (*p == 'e' || *p == 'E')) p = take_power(p + 1, end, d);
    return p == end;
}

/* The text is a number by now. In the locale "C" a dot is a dot. */
static double rounded(const char *text, size_t bytes)
{
    char copy[SOTTO__NUMBER_BYTES_MAX + 1];
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) return NAN;
    locale_t before = uselocale(plain);
    double value = strtod(copy, NULL);
    uselocale(before);
    freelocale(plain);
    return value;
}

bool sotto__number(const char *text, size_t bytes, double *out)
{
    static const double ten[POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal d;
    if (bytes > SOTTO__NUMBER_BYTES_MAX || !parse(text, text + bytes, &d)) return false;
    bool exact = d.count <= DIGITS_MAX && d.digits <= UINT64_C(1) << 53;
    if (exact && d.power >= -POWER_MAX && d.power <= POWER_MAX) {
        double w = (double)d.digits;
        double value = d.power < 0 ? w / ten[-d.power] : w * ten[d.power];
        *out = d.negative ? -value : value;
        return true;
    }
    *out = rounded(text, bytes);
    return isfinite(*out);
}
