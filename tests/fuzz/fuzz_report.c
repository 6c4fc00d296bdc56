/* Whatever the bytes: refused, or a report that encodes to the very same bytes and folds or is
 * refused for its index or its ticks. */
#include "server/server.h"
#include "specs.h"

#include <sotto/server.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int which = 0; which < FUZZ_SPECS; which++) {
        const sotto_terms *terms = fuzz_spec(which);
        sotto_report *report;
        sotto_tally *tally;
        fuzz_require(sotto_report_new(terms, &report) == SOTTO_OK);
        fuzz_require(sotto__tally_new(terms, 0, SOTTO_PHASE_MAIN, false, &tally) == SOTTO_OK);
        uint8_t *frame = fuzz_frame(terms, data, size, 4);
        if (sotto_report_decode(terms, frame, size, report) == SOTTO_OK) {
            uint8_t *again = malloc(size);
            fuzz_require(again != NULL);
            fuzz_require(sotto_report_encode(terms, report, again, size) == SOTTO_OK);
            fuzz_require(memcmp(again, frame, size) == 0);
            free(again);
            report->epoch = 0;
            sotto_status status = sotto_tally_fold(tally, report);
            sotto_status refusal =
                sotto_terms_reports_indices(terms) ? SOTTO_E_INDEX : SOTTO_E_TICK;
            fuzz_require(status == SOTTO_OK || status == refusal);
            fuzz_require(sotto__tally_all(tally) == (status == SOTTO_OK ? 1 : 0));
        }
        free(frame);
        sotto_tally_free(tally);
        sotto_report_free(report);
    }
    return 0;
}
