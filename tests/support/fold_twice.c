/*
 * A planted fault in folding: one report in 32, chosen by its nonce, counts twice. Linked with
 * --wrap=sotto_tally_fold, so that a service and a replay that share the library both have the
 * fault.
 */
#include <sotto/server.h>

sotto_status __real_sotto_tally_fold(sotto_tally *tally, const sotto_report *report);
sotto_status __wrap_sotto_tally_fold(sotto_tally *tally, const sotto_report *report);

sotto_status __wrap_sotto_tally_fold(sotto_tally *tally, const sotto_report *report)
{
    sotto_status status = __real_sotto_tally_fold(tally, report);
    if (status != SOTTO_OK || report->nonce[0] >= 8) return status;
    return __real_sotto_tally_fold(tally, report);
}
