/* Lists with commas. */
#include "words.h"
#include "core/fault.h"
#include "core/spec_fields.h"
#include "core/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool word_next(const char **at, char word[WORD_BYTES])
{
    if (*at == NULL) return false;
    size_t length = strcspn(*at, ",");
    bool fits = length < WORD_BYTES;
    size_t copied = fits ? length : sotto__whole_bytes(*at, WORD_BYTES - 4);
    snprintf(word, WORD_BYTES, "%.*s%s", (int)copied, *at, fits ? "" : "...");
    *at = (*at)[length] == ',' ? *at + length + 1 : NULL;
    return true;
}

const char *word_list_fault(const char *text, char fault[SOTTO_FAULT_BYTES])
{
    size_t length = strlen(text);
    if (length == 0) return sotto__fault(fault, "'': a list needs at least one value");
    if (text[length - 1] == ',') {
        return sotto__fault(fault, "%.400s: a value is missing after the last comma", text);
    }
    if (text[0] == ',') {
        return sotto__fault(fault, "%.400s: a value is missing before the first comma", text);
    }
    if (strstr(text, ",,") == NULL) return NULL;
    return sotto__fault(fault, "%.400s: a value is missing between two commas", text);
}

bool word_real(const char *word, double lo, double hi, double *value)
{
    char *end;
    *value = strtod(word, &end);
    return end != word && *end == '\0' && *value >= lo && *value <= hi;
}

const char *word_share(const char *word, double *share, char fault[SOTTO_FAULT_BYTES])
{
    if (word_real(word, 0, 0.5, share) && (*share == 0 || *share >= 0.001)) return NULL;
    return sotto__fault(fault, "%.400s: allowed 0, or 0.001 to 0.5", word);
}

bool word_pair(const char *text, double lo, double hi, double pair[2])
{
    char *middle, *end;
    pair[0] = strtod(text, &middle);
    if (middle == text || *middle != ',') return false;
    pair[1] = strtod(middle + 1, &end);
    if (end == middle + 1 || *end != '\0') return false;
    return pair[0] >= lo && pair[0] <= hi && pair[1] >= lo && pair[1] <= hi;
}

bool word_whole(const char *text, uint64_t *value)
{
    const double exact_max = 9007199254740992; /* 2^53 */
    char *end;
    if (text[0] < '0' || text[0] > '9' || text[strcspn(text, "xX")] != '\0') return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (*end == '\0') return errno == 0;
    double real = strtod(text, &end);
    if (*end != '\0' || !(real <= exact_max) || real != floor(real)) return false;
    *value = (uint64_t)real;
    return true;
}

static bool word_seconds(const char *word, uint32_t *value)
{
    uint64_t seconds;
    if (!word_whole(word, &seconds) || seconds > SOTTO__YEAR_S) return false;
    *value = (uint32_t)seconds;
    return true;
}

const char *word_delay(const char *text, bool rate_needed, word_delayed *out,
                       char fault[SOTTO_FAULT_BYTES])
{
    char window[WORD_BYTES], spread[WORD_BYTES], rate[WORD_BYTES];
    const char *at = text;
    if (word_list_fault(text, fault) != NULL) return fault;
    *out = (word_delayed){0};
    bool two = word_next(&at, window) && word_next(&at, spread) &&
               word_seconds(window, &out->window_s) && word_seconds(spread, &out->spread_s);
    if (two && at == NULL && !rate_needed) return NULL;
    bool three = two && word_next(&at, rate) && word_real(rate, 1e-6, 1e9, &out->rate);
    if (three && at == NULL) return NULL;
    return sotto__fault(fault,
                        "%.200s: allowed WINDOW,SPREAD,RATE, with WINDOW and SPREAD whole seconds "
                        "0 to %u, RATE people per second 1e-06 to 1e+09",
                        text, SOTTO__YEAR_S);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool word_hex(const char *text, uint8_t *out, uint32_t count)
{
    if (strlen(text) != 2 * (size_t)count) return false;
    for (uint32_t i = 0; i < count; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}
