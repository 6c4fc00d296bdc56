/* Random reports. */
#include "reports.h"
#include "test.h"

sotto_report *random_report(const sotto_resolved *resolved, uint32_t epoch, sotto_phase phase,
                            tape *random)
{
    sotto_report *report;
    assert_ok(sotto_report_new(resolved, &report));
    report->epoch = epoch;
    assert_ok(random->rng.fill(&random->rng, report->nonce, sizeof report->nonce));
    bool indices = sotto_reports_indices(resolved);
    for (uint32_t i = 0; i < report->count; i++) {
        uint64_t word = sotto__seeded_next(&random->seeded);
        int64_t tick = (int64_t)(word >> 45) - (INT64_C(1) << 18); /* within clip + 7.5 sigma */
        report->value[i] =
            indices ? (int32_t)(word % resolved->codebook[phase].size) : (int32_t)tick;
    }
    return report;
}
