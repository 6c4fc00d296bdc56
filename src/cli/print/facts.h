/* Facts about a thing, one line each: name, value, what it means; or the same as one JSON object on
 * the standard output. */
#ifndef SOTTO_CLI_PRINT_FACTS_H
#define SOTTO_CLI_PRINT_FACTS_H

#include "json.h"

typedef struct facts {
    bool json;
    json_writer writer;
} facts;

facts facts_begin(bool json);
void fact_text(facts *list, const char *name, const char *value, const char *meaning);
void fact_flag(facts *list, const char *name, bool value, const char *meaning);
void fact_whole(facts *list, const char *name, int64_t value, const char *meaning);
void fact_natural(facts *list, const char *name, uint64_t value, const char *meaning);
/* In words inf is inf, and what is not a number at all is -. */
void fact_real(facts *list, const char *name, double value, const char *meaning);
/* JSON: all of them; words: how long the vector is. */
void fact_vector(facts *list, const char *name, const double *x, uint32_t count,
                 const char *meaning);
void fact_hex(facts *list, const char *name, const uint8_t *bytes, uint32_t count,
              const char *meaning);
void facts_end(facts *list);

#endif
