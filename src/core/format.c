/* Formatted text for sentences, without the C library's printf: in a page that would bring 9 KB and files. The same
 * bytes as vsnprintf in the "C" locale, for the conversions of sotto__format. */
#include "core.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct output {
    char *text;
    size_t bytes; /* room */
    size_t used;  /* the full length, even if it does not fit */
} output;

static void put(output *out, char c)
{
    if (out->used + 1 < out->bytes) out->text[out->used] = c;
    out->used++;
}

static void put_text(output *out, const char *text, size_t most)
{
    for (size_t i = 0; i < most && text[i] != '\0'; i++)
        put(out, text[i]);
}

static void put_times(output *out, char c, int count)
{
    for (int i = 0; i < count; i++)
        put(out, c);
}

/* ---- integers ------------------------------------------------------------------------------ */

static void put_integer(output *out, uint64_t value, uint32_t base, int width)
{
    char digit[24];
    int count = 0;
    do {
        digit[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value > 0);
    put_times(out, '0', width - count);
    while (count > 0)
        put(out, digit[--count]);
}

/* ---- doubles ------------------------------------------------------------------------------- */

#define WORDS 90u /* of nine digits each: 2^53 5^1074 has 768 digits */

/* All digits of a finite number above 0: 0.DIGITS x 10^point. */
typedef struct decimal {
    char digit[9 * WORDS];
    int count, point;
} decimal;

static uint32_t times(uint32_t word[WORDS], uint32_t count, uint32_t factor)
{
    uint64_t carry = 0;
    for (uint32_t i = 0; i < count; i++) {
        carry += (uint64_t)word[i] * factor;
        word[i] = (uint32_t)(carry % 1000000000u);
        carry /= 1000000000u;
    }
    if (carry > 0) word[count++] = (uint32_t)carry;
    return count;
}

/* x = m 2^e with an integer m: m 2^e, or m 5^-e / 10^-e. */
static void digits_of(double x, decimal *out)
{
    int e;
    uint32_t word[WORDS];
    uint64_t m = (uint64_t)ldexp(frexp(x, &e), 53);
    uint32_t count = 0;
    for (e -= 53; m > 0; m /= 1000000000u)
        word[count++] = (uint32_t)(m % 1000000000u);
    for (int i = 0; i < e; i++)
        count = times(word, count, 2);
    for (int i = 0; i < -e; i++)
        count = times(word, count, 5);
    out->count = 0;
    for (uint32_t i = count; i > 0; i--) {
        uint32_t place = 100000000u;
        for (int k = 0; k < 9; k++, place /= 10) {
            char digit = (char)('0' + word[i - 1] / place % 10);
            if (digit != '0' || out->count > 0) out->digit[out->count++] = digit;
        }
    }
    out->point = out->count - (e < 0 ? -e : 0);
}

/* The first `keep` digits, rounded to the nearest, halves to even. */
static void round_to(decimal *x, int keep)
{
    if (keep >= x->count) return;
    if (keep < 0) {
        x->count = 0;
        return;
    }
    bool above = x->digit[keep] > '5', half = x->digit[keep] == '5';
    for (int i = keep + 1; half && i < x->count; i++)
        above = above || x->digit[i] != '0';
    bool odd = keep > 0 && (x->digit[keep - 1] - '0') % 2 != 0;
    x->count = keep;
    if (!(above || (half && odd))) return;
    int i = keep - 1;
    while (i >= 0 && x->digit[i] == '9')
        x->digit[i--] = '0';
    if (i >= 0) {
        x->digit[i]++;
        return;
    }
    x->digit[keep] = '0'; /* all nines became zeros */
    x->digit[0] = '1';
    x->count = keep + 1;
    x->point++;
}

static void put_digit(output *out, const decimal *x, int i)
{
    put(out, i >= 0 && i < x->count ? x->digit[i] : '0');
}

static void put_fixed(output *out, const decimal *x, int decimals)
{
    if (x->point <= 0) put(out, '0');
    for (int i = 0; i < x->point; i++)
        put_digit(out, x, i);
    if (decimals > 0) put(out, '.');
    for (int i = 0; i < decimals; i++)
        put_digit(out, x, x->point + i);
}

static void put_scientific(output *out, const decimal *x)
{
    int exponent = x->point - 1;
    put_digit(out, x, 0);
    if (x->count > 1) put(out, '.');
    for (int i = 1; i < x->count; i++)
        put_digit(out, x, i);
    put_text(out, exponent < 0 ? "e-" : "e+", 2);
    put_integer(out, (uint64_t)(exponent < 0 ? -exponent : exponent), 10, 2);
}

static void put_double(output *out, double x, char kind, int precision)
{
    decimal d = {.count = 0, .point = 1};
    if (precision < 0) precision = 6;
    if (signbit(x)) put(out, '-');
    if (!isfinite(x)) {
        put_text(out, isnan(x) ? "nan" : "inf", 3);
        return;
    }
    if (x != 0) digits_of(fabs(x), &d);
    if (kind == 'f') {
        round_to(&d, d.point + precision);
        put_fixed(out, &d, precision);
        return;
    }
    if (precision == 0) precision = 1;
    round_to(&d, precision);
    while (d.count > 0 && d.digit[d.count - 1] == '0')
        d.count--;
    if (d.point > precision || d.point < -3)
        put_scientific(out, &d);
    else
        put_fixed(out, &d, d.count > d.point ? d.count - d.point : 0);
}

/* ---- conversions --------------------------------------------------------------------------- */

static int number_at(const char **at, va_list *arguments)
{
    int number = 0;
    if (**at == '*') {
        ++*at;
        return va_arg(*arguments, int);
    }
    for (; **at >= '0' && **at <= '9'; ++*at)
        number = 10 * number + (**at - '0');
    return number;
}

static uint64_t unsigned_of(int longs, bool is_size, va_list *arguments)
{
    if (is_size) return va_arg(*arguments, size_t);
    if (longs > 1) return va_arg(*arguments, unsigned long long);
    if (longs == 1) return va_arg(*arguments, unsigned long);
    return va_arg(*arguments, unsigned);
}

static int64_t signed_of(int longs, va_list *arguments)
{
    if (longs > 1) return va_arg(*arguments, long long);
    return longs == 1 ? va_arg(*arguments, long) : va_arg(*arguments, int);
}

/* One conversion; *at is just after its '%'. Returns where the text continues. */
static const char *convert(output *out, const char *at, va_list *arguments)
{
    int width = *at == '0' ? number_at(&at, arguments) : 0, precision = -1, longs = 0;
    if (*at == '.') at++, precision = number_at(&at, arguments);
    for (; *at == 'l'; at++)
        longs++;
    bool is_size = *at == 'z';
    if (is_size) at++;
    char kind = *at++;
    if (kind == '%') {
        put(out, '%');
    } else if (kind == 'c') {
        put(out, (char)va_arg(*arguments, int));
    } else if (kind == 's') {
        put_text(out, va_arg(*arguments, const char *),
                 precision < 0 ? SIZE_MAX : (size_t)precision);
    } else if (kind == 'd') {
        int64_t value = signed_of(longs + is_size, arguments);
        if (value < 0) put(out, '-');
        put_integer(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, width);
    } else if (kind == 'g' || kind == 'f') {
        put_double(out, va_arg(*arguments, double), kind, precision);
    } else {
        uint32_t base = kind == 'x' ? 16 : kind == 'o' ? 8 : 10;
        assert(kind == 'u' || base != 10);
        put_integer(out, unsigned_of(longs, is_size, arguments), base, width);
    }
    return at;
}

size_t sotto__format_list(char *text, size_t bytes, const char *format, va_list arguments)
{
    output out = {text, bytes, 0};
    va_list list;
    va_copy(list, arguments);
    while (*format != '\0') {
        if (*format == '%')
            format = convert(&out, format + 1, &list);
        else
            put(&out, *format++);
    }
    va_end(list);
    if (bytes > 0) text[out.used < bytes ? out.used : bytes - 1] = '\0';
    return out.used;
}

size_t sotto__format(char *text, size_t bytes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t used = sotto__format_list(text, bytes, format, arguments);
    va_end(arguments);
    return used;
}
