/* Whatever the bytes: refused, or a spec that passes its own check and encodes to the same bytes.
 */
#include "specs.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sotto_resolved resolved;
    uint8_t again[SOTTO_SPEC_BYTES];
    if (sotto_spec_decode(data, size, &resolved) != SOTTO_OK) return 0;
    fuzz_require(sotto_resolved_check(&resolved) == SOTTO_OK);
    sotto_spec_encode(&resolved, again);
    fuzz_require(size == sizeof again && memcmp(again, data, size) == 0);
    return 0;
}
