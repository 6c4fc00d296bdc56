/* Facts, as words or as JSON. */
#include "core/core.h"
#include "print.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define FACT_BYTES 128u /* a value in words */
#define VALUE_END 40u   /* the column before that of the meaning */
#define NARROW 72u      /* in a terminal this narrow, the meaning goes below the value */

facts facts_begin(bool json)
{
    facts list = {.json = json, .writer = json_begin(stdout)};
    if (json) json_open(&list.writer, NULL, '{');
    return list;
}

static void print_words(const char *name, const char *value, const char *meaning)
{
    uint32_t columns = text_columns_of_output();
    uint32_t at = columns < NARROW ? 4 : VALUE_END + 1;
    if (meaning[0] == '\0' && strlen(value) > VALUE_END) { /* a digest, a path or a sentence */
        printf("%s\n%*s", name, 4, "");
        wrap_print(stdout, value, 4, 4, columns);
        return;
    }
    int length = printf("%-22s %s", name, value);
    if (meaning[0] == '\0') {
        putchar('\n');
        return;
    }
    if (columns < NARROW || length > (int)VALUE_END) {
        printf("\n%*s", (int)at, "");
    } else {
        printf("%*s", (int)at - length, "");
    }
    wrap_print(stdout, meaning, at, at, columns);
}

void fact_text(facts *list, const char *name, const char *value, const char *meaning)
{
    if (list->json) {
        json_text(&list->writer, name, value);
    } else {
        print_words(name, value, meaning);
    }
}

void fact_whole(facts *list, const char *name, int64_t value, const char *meaning)
{
    char text[FACT_BYTES];
    if (list->json) {
        json_whole(&list->writer, name, value);
        return;
    }
    snprintf(text, sizeof text, "%" PRId64, value);
    print_words(name, text, meaning);
}

void fact_natural(facts *list, const char *name, uint64_t value, const char *meaning)
{
    char text[FACT_BYTES];
    if (list->json) {
        json_natural(&list->writer, name, value);
        return;
    }
    snprintf(text, sizeof text, "%" PRIu64, value);
    print_words(name, text, meaning);
}

void fact_flag(facts *list, const char *name, bool value, const char *meaning)
{
    if (list->json) {
        json_flag(&list->writer, name, value);
    } else {
        print_words(name, value ? "yes" : "no", meaning);
    }
}

void fact_real(facts *list, const char *name, double value, const char *meaning)
{
    char text[FACT_BYTES];
    if (list->json) {
        json_real(&list->writer, name, value);
        return;
    }
    snprintf(text, sizeof text, isnan(value) ? "-" : "%.8g", value);
    print_words(name, text, meaning);
}

void fact_vector(facts *list, const char *name, const double *x, uint32_t count,
                 const char *meaning)
{
    char text[FACT_BYTES];
    if (!list->json) {
        snprintf(text, sizeof text, "%u numbers, norm %.8g", count, sotto__norm(x, count));
        print_words(name, text, meaning);
        return;
    }
    json_open(&list->writer, name, '[');
    for (uint32_t i = 0; i < count; i++) {
        json_real(&list->writer, NULL, x[i]);
    }
    json_close(&list->writer);
}

void fact_hex(facts *list, const char *name, const uint8_t *bytes, uint32_t count,
              const char *meaning)
{
    char text[65] = "";
    for (uint32_t i = 0; i < count && i < 32; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    fact_text(list, name, text, meaning);
}

void facts_end(facts *list)
{
    if (!list->json) return;
    json_close(&list->writer);
    json_end(&list->writer);
}
