/*
 * Resolves random specs and prints the canonical bytes of their terms, one line per spec. It uses the
 * core alone, so that it can be built for any machine.
 *
 *     terms_of_specs COUNT SEED VERSION
 */
#include "random_spec.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **word)
{
    if (count != 4) {
        fprintf(stderr, "usage: terms_of_specs COUNT SEED VERSION\n");
        return 2;
    }
    draws d = {strtoull(word[2], NULL, 10)};
    unsigned long wanted = strtoul(word[1], NULL, 10), version = strtoul(word[3], NULL, 10);
    for (unsigned long made = 0; made < wanted;) {
        sotto_spec spec = random_spec(&d);
        sotto_terms terms;
        if (spec.version != version || sotto_spec_resolve(&spec, &terms) != SOTTO_OK) continue;
        uint8_t bytes[SOTTO_TERMS_BYTES];
        size_t size = sotto_terms_encode(&terms, bytes);
        for (size_t i = 0; i < size; i++) {
            printf("%02x", bytes[i]);
        }
        printf("\n");
        made++;
    }
    return 0;
}
