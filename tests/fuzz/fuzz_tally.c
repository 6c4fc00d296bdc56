/* Whatever the bytes: refused, or a tally that encodes to the very same bytes and merges with
 * itself unless that would be too many reports. */
#include "server/server.h"
#include "specs.h"

#include <sotto/server.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int which = 0; which < FUZZ_SPECS; which++) {
        const sotto_terms *terms = fuzz_spec(which);
        sotto_tally *tally;
        uint8_t *frame = fuzz_frame(terms, data, size, 4);
        if (sotto_tally_decode(terms, frame, size, &tally) == SOTTO_OK) {
            uint8_t *again = malloc(size);
            fuzz_require(again != NULL && sotto_tally_bytes(tally) == size);
            fuzz_require(sotto_tally_encode(tally, again, size) == SOTTO_OK);
            fuzz_require(memcmp(again, frame, size) == 0);
            free(again);
            uint64_t count = sotto__tally_all(tally);
            sotto_status wanted = count > SOTTO_REPORTS_MAX / 2 ? SOTTO_E_FULL : SOTTO_OK;
            fuzz_require(sotto_tally_merge(tally, tally) == wanted);
            sotto_tally_free(tally);
        }
        free(frame);
    }
    return 0;
}
