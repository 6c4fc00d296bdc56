/* Whatever bytes stand in the column `cut`: refused, or read to what gives the same bytes again, in an order in which
 * every gateway is found. */
#include "service/store/postgres/inner.h"
#include "specs.h"

#include <stdlib.h>
#include <string.h>

static void check_found(const folding_cut *cut)
{
    for (uint32_t i = 0; i < cut->places; i++) {
        fuzz_require(postgres__cut_find(cut, cut->place[i].gateway) == &cut->place[i]);
        fuzz_require(cut->place[i].gseq > 0);
        fuzz_require(i == 0 || cut->place[i].gateway > cut->place[i - 1].gateway);
    }
    fuzz_require(postgres__cut_find(cut, 0) == NULL);
}

/* Both are lists of as many numbers as there are gateways. */
static void check_list(char *list, uint32_t places)
{
    uint32_t commas = 0;
    fuzz_require(list != NULL && list[0] == '{' && list[strlen(list) - 1] == '}');
    for (const char *at = list; *at != '\0'; at++) {
        commas += *at == ',';
    }
    fuzz_require(commas == (places > 0 ? places - 1 : 0));
    free(list);
}

static void check_bytes(const folding_cut *cut, const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    fuzz_require(bytes != NULL && postgres__cut_bytes(cut) == size);
    postgres__cut_encode(cut, bytes);
    fuzz_require(size == 0 || memcmp(bytes, data, size) == 0);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    folding_place before = {.gateway = 7, .gseq = 9};
    folding_cut cut = {.places = 0}, copy = {.places = 0};
    fuzz_require(postgres__cut_add(&cut, &before)); /* what was in it is gone, whatever comes */
    if (!postgres__cut_decode((journal_bytes){data, size}, &cut)) {
        fuzz_require(cut.places == 0);
        folding_cut_free(&cut);
        return 0;
    }
    fuzz_require(postgres__cut_fault(&cut, NULL) == SOTTO_OK);
    check_found(&cut);
    check_bytes(&cut, data, size);
    check_list(postgres__cut_gateways(&cut), cut.places);
    check_list(postgres__cut_gseqs(&cut), cut.places);
    fuzz_require(postgres__cut_copy(&cut, &copy) && postgres__cut_is_same(&cut, &copy));
    if (copy.places > 0) {
        copy.place[copy.places - 1].digest[31] ^= 1;
        fuzz_require(!postgres__cut_is_same(&cut, &copy));
    }
    folding_cut_free(&copy);
    folding_cut_free(&cut);
    return 0;
}
