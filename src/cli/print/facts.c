/* Facts, as words or as JSON. */
#include "facts.h"
#include "core/linalg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

facts facts_begin(bool json)
{
    return (facts){.json = json, .count = 0};
}

/* `quoted` values are names and digits of ours: nothing in them needs escaping. */
static void fact(facts *list, const char *name, const char *value, bool quoted, const char *meaning)
{
    if (list->json) {
        const char *quote = quoted ? "\"" : "";
        printf("%s\"%s\": %s%s%s", list->count == 0 ? "{" : ", ", name, quote, value, quote);
    } else {
        printf("%-22s %-34s %s\n", name, value, meaning);
    }
    list->count++;
}

void fact_text(facts *list, const char *name, const char *value, const char *meaning)
{
    fact(list, name, value, true, meaning);
}

void fact_whole(facts *list, const char *name, int64_t value, const char *meaning)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    fact(list, name, text, false, meaning);
}

void fact_natural(facts *list, const char *name, uint64_t value, const char *meaning)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    fact(list, name, text, false, meaning);
}

void fact_flag(facts *list, const char *name, bool value, const char *meaning)
{
    const char *words = value ? "yes" : "no", *json = value ? "true" : "false";
    fact(list, name, list->json ? json : words, false, meaning);
}

void fact_real(facts *list, const char *name, double value, const char *meaning)
{
    char text[32];
    snprintf(text, sizeof text, list->json ? "%.17g" : "%.8g", value);
    fact(list, name, text, !isfinite(value), meaning); /* JSON has no infinity */
}

void fact_vector(facts *list, const char *name, const double *x, uint32_t count,
                 const char *meaning)
{
    if (!list->json) {
        char text[48];
        snprintf(text, sizeof text, "%u numbers, norm %.8g", count, sotto__norm(x, count));
        fact(list, name, text, false, meaning);
        return;
    }
    fact(list, name, "[", false, meaning);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s%.17g", i == 0 ? "" : ", ", x[i]);
    }
    printf("]");
}

void fact_hex(facts *list, const char *name, const uint8_t *bytes, uint32_t count,
              const char *meaning)
{
    char text[65] = "";
    for (uint32_t i = 0; i < count && i < 32; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    fact(list, name, text, true, meaning);
}

void facts_end(facts *list)
{
    if (list->json) printf("}\n");
}
