#include "text.h"
#include "core/core.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== grouped ================================================================================ */

/* Numbers as people read them. */

#define WHOLE 999.5 /* numbers that round to 1000 or more have no decimals */
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

/* ==== number ================================================================================= */

/* Numbers in files that programs read. */

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

/* ==== pool =================================================================================== */

/* A pool is a list of pieces; each text directly follows its piece in memory. */

struct sotto__pool_piece {
    struct sotto__pool_piece *before;
    max_align_t memory[];
};

void *sotto__pool_take(sotto__pool *pool, size_t bytes)
{
    struct sotto__pool_piece *piece = calloc(1, sizeof *piece + bytes);
    if (piece == NULL) {
        pool->failed = 1;
        return NULL;
    }
    piece->before = pool->last;
    pool->last = piece;
    return piece->memory;
}

const char *sotto__pool_print(sotto__pool *pool, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    char *text = sotto__pool_take(pool, (size_t)length + 1);
    if (text == NULL) return "";
    va_start(values, format);
    vsnprintf(text, (size_t)length + 1, format, values);
    va_end(values);
    return text;
}

void sotto__pool_free(sotto__pool *pool)
{
    while (pool->last != NULL) {
        struct sotto__pool_piece *piece = pool->last;
        pool->last = piece->before;
        free(piece);
    }
}

/* ==== printable ============================================================================== */

/* Outside text in sentences for people. */

bool sotto__is_obeyed(uint32_t character)
{
    static const struct {
        uint32_t from, to;
    } obeyed[] = {
        {0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C},
        {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069},
    };
    for (size_t i = 0; i < sizeof obeyed / sizeof obeyed[0]; i++) {
        if (character >= obeyed[i].from && character <= obeyed[i].to) return true;
    }
    return character == SOTTO__NO_CHARACTER;
}

/* Copies as many whole characters as fit. Returns the number of bytes written, which never exceeds
 * the number of bytes read, so `out` may be `text`. */
static size_t copy(const char *text, size_t bytes, char *out, size_t room, size_t *taken)
{
    size_t end = 0;
    for (*taken = 0; *taken < bytes;) {
        size_t length;
        bool obeyed = sotto__is_obeyed(sotto__character(text + *taken, bytes - *taken, &length));
        size_t written = obeyed ? 1 : length;
        if (end + written > room) break;
        memmove(out + end, obeyed ? "?" : text + *taken, written);
        end += written;
        *taken += length;
    }
    return end;
}

char *sotto__printable(char *text)
{
    size_t bytes = strlen(text), taken;
    text[copy(text, bytes, text, bytes, &taken)] = '\0';
    return text;
}

bool sotto__is_printable(const char *text)
{
    size_t left = strlen(text), length;
    for (; left > 0; text += length, left -= length) {
        if (sotto__is_obeyed(sotto__character(text, left, &length))) return false;
    }
    return true;
}

const char *sotto__shown_in(const char *text, size_t bytes, char *shown, size_t shown_bytes)
{
    size_t taken;
    assert(shown_bytes >= sizeof "...");
    size_t end = copy(text, bytes, shown, shown_bytes - sizeof "...", &taken);
    bool cut = taken < bytes;
    memcpy(shown + end, cut ? "..." : "", cut ? sizeof "..." : 1);
    return shown;
}

const char *sotto__shown(const char *text, size_t bytes, char shown[SOTTO__SHOWN_BYTES])
{
    return sotto__shown_in(text, bytes, shown, SOTTO__SHOWN_BYTES);
}

/* ==== nearest ================================================================================ */

/* Names that a person may have meant. */

/* The cost of writing b for a: 0 if they are equal, 1 if only the case differs, otherwise 2. */
static uint32_t letter_cost(char a, char b)
{
    if (a == b) return 0;
    return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : 2;
}

uint32_t name_distance(const char *word, const char *name)
{
    enum { LONGEST = 31 };
    size_t m = strlen(word), n = strlen(name);
    if (m > LONGEST || n > LONGEST) return 2 * LONGEST;
    if (m >= 3 && m < n && strstr(name, word) != NULL) return 1;
    uint32_t row[LONGEST + 1];
    for (uint32_t j = 0; j <= n; j++) {
        row[j] = 2 * j;
    }
    for (uint32_t i = 1; i <= m; i++) {
        uint32_t diagonal = row[0];
        row[0] = 2 * i;
        for (uint32_t j = 1; j <= n; j++) {
            uint32_t change = diagonal + letter_cost(word[i - 1], name[j - 1]);
            uint32_t drop = row[j] + 2, insert = row[j - 1] + 2;
            diagonal = row[j];
            row[j] = change < drop ? change : drop;
            if (insert < row[j]) row[j] = insert;
        }
    }
    return row[n];
}
