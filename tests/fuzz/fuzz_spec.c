/* Whatever the bytes: refused, or a spec that passes its own check and encodes to the same bytes.
 */
#include "specs.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sotto_terms terms;
    uint8_t again[SOTTO_TERMS_BYTES];
    if (sotto_terms_decode(data, size, &terms) != SOTTO_OK) return 0;
    fuzz_require(sotto_terms_check(&terms) == SOTTO_OK);
    fuzz_require(sotto_terms_encode(&terms, again) == size && memcmp(again, data, size) == 0);
    return 0;
}
