/*
 * Resolves random specs and prints the canonical bytes of their terms, one line per spec. It uses the
 * core alone, so that it can be built for any machine.
 *
 *     terms_of_specs COUNT SEED [raw]
 *
 * raw: the scale of the main codebook before it is rounded to 40 bits, instead.
 */
#include "core/core.h"
#include "random_spec.h"

#include <stdio.h>
#include <stdlib.h>

static void print_bytes(const sotto_terms *terms)
{
    uint8_t bytes[SOTTO_TERMS_BYTES];
    size_t size = sotto_terms_encode(terms, bytes);
    for (size_t i = 0; i < size; i++) {
        printf("%02x", bytes[i]);
    }
    printf("\n");
}

static void print_raw(const sotto_terms *terms)
{
    const sotto_codebook *main = &terms->codebook[SOTTO_PHASE_MAIN];
    if (main->dim == 0) return; /* a lattice method */
    printf(
        "%a\n",
        sotto_codebook_constants(main->dim, main->size, main->groups, terms->spec.epsilon).scale);
}

int main(int count, char **word)
{
    if (count < 3 || count > 4) {
        fprintf(stderr, "usage: terms_of_specs COUNT SEED [raw]\n");
        return 2;
    }
    draws d = {strtoull(word[2], NULL, 10)};
    unsigned long wanted = strtoul(word[1], NULL, 10);
    for (unsigned long made = 0; made < wanted;) {
        sotto_spec spec = random_spec(&d);
        sotto_terms terms;
        if (sotto_spec_resolve(&spec, &terms) != SOTTO_OK) continue;
        if (count == 4) {
            print_raw(&terms);
        } else {
            print_bytes(&terms);
        }
        made++;
    }
    return 0;
}
