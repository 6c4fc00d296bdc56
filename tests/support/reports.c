/* Random reports. */
#include "reports.h"
#include "test.h"

sotto_report *random_report(const sotto_terms *terms, uint32_t epoch, sotto_phase phase,
                            tape *random)
{
    sotto_report *report;
    assert_ok(sotto_report_new(terms, &report));
    report->epoch = epoch;
    assert_ok(random->rng.fill(&random->rng, report->nonce, sizeof report->nonce));
    bool indices = sotto_terms_reports_indices(terms);
    for (uint32_t i = 0; i < report->count; i++) {
        uint64_t word = sotto__seeded_next(&random->seeded);
        int64_t tick = (int64_t)(word >> 45) - (INT64_C(1) << 18); /* within clip + 7.5 sigma */
        report->value[i] = indices ? (int32_t)(word % terms->codebook[phase].size) : (int32_t)tick;
    }
    return report;
}
