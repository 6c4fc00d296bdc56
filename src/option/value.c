/* Values of options: numbers, names, lists and texts. */
#include "core/core.h"
#include "option.h"
#include "text/text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== words ================================================================================== */

/* Lists with commas. */

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

sotto_status word_list_fault(const char *text, sotto_fault *fault)
{
    size_t length = strlen(text);
    if (length == 0) return sotto__refuse(fault, "'': a list needs at least one value");
    if (text[length - 1] == ',') {
        return sotto__refuse(fault, "%.400s: a value is missing after the last comma", text);
    }
    if (text[0] == ',') {
        return sotto__refuse(fault, "%.400s: a value is missing before the first comma", text);
    }
    if (strstr(text, ",,") == NULL) return SOTTO_OK;
    return sotto__refuse(fault, "%.400s: a value is missing between two commas", text);
}

bool word_real(const char *word, double lo, double hi, double *value)
{
    char *end;
    *value = strtod(word, &end);
    return end != word && *end == '\0' && *value >= lo && *value <= hi;
}

sotto_status word_share(const char *word, double *share, sotto_fault *fault)
{
    if (word_real(word, 0, 0.5, share) && (*share == 0 || *share >= 0.001)) return SOTTO_OK;
    return sotto__refuse(fault, "%.400s: allowed 0, or 0.001 to 0.5", word);
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

sotto_status word_delay(const char *text, bool rate_needed, word_delayed *out, sotto_fault *fault)
{
    char window[WORD_BYTES], spread[WORD_BYTES], rate[WORD_BYTES];
    const char *at = text;
    if (word_list_fault(text, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    *out = (word_delayed){0};
    bool two = word_next(&at, window) && word_next(&at, spread) &&
               word_seconds(window, &out->window_s) && word_seconds(spread, &out->spread_s);
    if (two && at == NULL && !rate_needed) return SOTTO_OK;
    bool three = two && word_next(&at, rate) && word_real(rate, 1e-6, 1e9, &out->rate);
    if (three && at == NULL) return SOTTO_OK;
    return sotto__refuse(fault,
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

/* ==== names ================================================================================== */

/* Names that a person may have meant. */

/* Appends to the sentence as much as fits. */
static void add(sotto_fault *fault, const char *before, const char *word, const char *after)
{
    size_t length = strlen(fault->sentence), room = sizeof fault->sentence - length;
    snprintf(fault->sentence + length, room, "%s%s%s", before, word, after);
}

/* True for the path of a shared object where a name is expected. Only two commands take
 * plug-ins. */
static bool is_plugin(const char *word)
{
    size_t length = strlen(word);
    return strchr(word, '/') != NULL || (length > 3 && strcmp(word + length - 3, ".so") == 0);
}

/* `why` is printed before what is allowed. */
static sotto_status find(const char *word, option_names *names, const char *why, uint32_t *value,
                         sotto_fault *fault)
{
    uint32_t nearest = 0, nearest_distance = UINT32_MAX;
    for (uint32_t i = 0; names(i) != NULL; i++) {
        uint32_t distance = name_distance(word, names(i));
        if (distance < nearest_distance) {
            nearest = i;
            nearest_distance = distance;
        }
    }
    if (nearest_distance == 0) {
        *value = nearest;
        return SOTTO_OK;
    }
    char shown[SOTTO__SHOWN_BYTES];
    sotto__refuse(fault, "%s%s allowed", sotto__shown(word, strlen(word), shown), why);
    if (fault == NULL) return SOTTO_E_FAULT;
    for (uint32_t i = 0; names(i) != NULL; i++) {
        add(fault, i == 0 ? " " : ", ", names(i), "");
    }
    if (nearest_distance <= strlen(word)) add(fault, "; did you mean ", names(nearest), "?");
    return SOTTO_E_FAULT;
}

sotto_status name_find(const char *word, option_names *names, uint32_t *value, sotto_fault *fault)
{
    const char *why = is_plugin(word) ? ": plug-ins are for sotto simulate and sotto audit;" : ":";
    return find(word, names, why, value, fault);
}

/* ==== range ================================================================================== */

/* Writes numbers from 1e9 on like 1e12, because many zeros are hard to count. Settings allow only
 * digits. */
static void write_whole(const option *row, double value, char out[32])
{
    uint32_t zeros = 0;
    double rest = value;
    while (rest >= 10 && fmod(rest, 10) == 0) {
        rest /= 10;
        zeros++;
    }
    bool shorter = rest == 1 && zeros >= 9 && row->sources == 0;
    snprintf(out, 32, shorter ? "1e%.0f" : "%.0f", shorter ? zeros : value);
}

void option_range(const option *row, char out[OPTION_ALLOWED_BYTES])
{
    if (row->kind == OPTION_IS_F64 || row->kind == OPTION_IS_PAIR) {
        snprintf(out, OPTION_ALLOWED_BYTES, "%.10g to %.10g", row->lo, row->hi);
        return;
    }
    char lo[32], hi[32];
    write_whole(row, row->lo, lo);
    write_whole(row, row->hi, hi);
    snprintf(out, OPTION_ALLOWED_BYTES, "%s to %s", lo, hi);
}

static void list_names(option_names *names, char out[OPTION_ALLOWED_BYTES])
{
    size_t end = 0;
    out[0] = '\0';
    for (uint32_t i = 0; names(i) != NULL && end < OPTION_ALLOWED_BYTES; i++) {
        end += (size_t)snprintf(out + end, OPTION_ALLOWED_BYTES - end, "%s%s", i == 0 ? "" : ", ",
                                names(i));
    }
}

void option_allowed(const option *row, char out[OPTION_ALLOWED_BYTES])
{
    static const char *const before[] = {[OPTION_IS_U32] = "whole numbers ",
                                         [OPTION_IS_U64] = "whole numbers ",
                                         [OPTION_IS_F64] = "",
                                         [OPTION_IS_PAIR] = "LO,HI, each "};
    char range[OPTION_ALLOWED_BYTES];
    out[0] = '\0';
    if (row->value != NULL) {
        snprintf(out, OPTION_ALLOWED_BYTES, "%s", row->value->allowed);
    } else if (row->names != NULL) {
        list_names(row->names, out);
    } else if (row->kind == OPTION_IS_FLAG) {
        snprintf(out, OPTION_ALLOWED_BYTES, "yes or no");
    } else if (row->parse == NULL && row->kind <= OPTION_IS_PAIR) {
        option_range(row, range);
        snprintf(out, OPTION_ALLOWED_BYTES, "%s%.200s", before[row->kind], range);
    }
}

/* ==== reading and printing =================================================================== */

static sotto_status refuse(const option *row, const char *text, sotto_fault *fault)
{
    char shown[100], allowed[OPTION_ALLOWED_BYTES];
    bool hidden = row->value != NULL && row->value->hidden;
    if (hidden) text = "(not shown)";
    option_allowed(row, allowed);
    return sotto__refuse(fault, "%s: allowed %s",
                         sotto__shown_in(text, strlen(text), shown, sizeof shown), allowed);
}

/* Reads a whole number. Settings allow only digits. */
static bool read_whole(const option *row, const char *text, void *field)
{
    uint64_t value;
    if (row->sources != 0 && text[strspn(text, "0123456789")] != '\0') return false;
    if (!word_whole(text, &value)) return false;
    if (value < (uint64_t)row->lo || value > (uint64_t)row->hi) return false; /* at most 2^53 */
    if (row->kind == OPTION_IS_U64) {
        *(uint64_t *)field = value;
    } else {
        *(uint32_t *)field = (uint32_t)value; /* hi is below 2^32 */
    }
    return true;
}

static bool read_flag(const char *text, bool *field)
{
    bool on = text == NULL || strcmp(text, "yes") == 0;
    if (!on && strcmp(text, "no") != 0) return false;
    *field = on;
    return true;
}

static bool read_kind(const option *row, const char *text, void *field)
{
    switch (row->kind) {
    case OPTION_IS_FLAG: return read_flag(text, field);
    case OPTION_IS_U32:
    case OPTION_IS_U64: return read_whole(row, text, field);
    case OPTION_IS_F64: return word_real(text, row->lo, row->hi, field);
    case OPTION_IS_PAIR: return word_pair(text, row->lo, row->hi, field);
    case OPTION_IS_TEXT: *(const char **)field = text; return true;
    case OPTION_IS_OTHER: break;
    }
    assert(false); /* such a field has a parser or an option_value */
    return false;
}

sotto_status option_read(const option *row, const char *text, void *fields, sotto_fault *fault)
{
    void *field = (char *)fields + row->field;
    if (row->parse != NULL) return row->parse(row, text, fields, fault);
    if (row->names != NULL && row->sources != 0) return find(text, row->names, ":", field, fault);
    if (row->names != NULL) return name_find(text, row->names, field, fault);
    bool taken = row->value != NULL ? row->value->read(text, field) : read_kind(row, text, field);
    return taken ? SOTTO_OK : refuse(row, text, fault);
}

void option_print(const option *row, const void *fields, char out[OPTION_TEXT_BYTES])
{
    const void *field = (const char *)fields + row->field;
    if (row->value != NULL) {
        row->value->print(field, out);
    } else if (row->names != NULL) {
        snprintf(out, OPTION_TEXT_BYTES, "%s", row->names(*(const uint32_t *)field));
    } else if (row->kind == OPTION_IS_FLAG) {
        snprintf(out, OPTION_TEXT_BYTES, "%s", *(const bool *)field ? "yes" : "no");
    } else {
        assert(row->kind == OPTION_IS_U32 || row->kind == OPTION_IS_U64);
        bool wide = row->kind == OPTION_IS_U64;
        uint64_t value = wide ? *(const uint64_t *)field : *(const uint32_t *)field;
        snprintf(out, OPTION_TEXT_BYTES, "%" PRIu64, value);
    }
}
