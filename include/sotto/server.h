/*
 * The server's side: it sees reports, already private, and sums them exactly.
 *
 * It draws nothing at random, and no secret can reach it: this header cannot be used together with
 * the person's side in one library.
 */
#ifndef SOTTO_SERVER_H
#define SOTTO_SERVER_H

#include <sotto/core.h>

#if defined(SOTTO_SIDE_CLIENT) || defined(SOTTO_SIDE_CORE)
#error "sotto/server.h is the server's side: client and core code may not use it"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The exact sum of one epoch's reports, in integers: the same reports give the same tally in any
 * order and on any number of threads.
 *
 * No sum can overflow: a report adds at most 2^31 to a coordinate (a codeword 2^30), and a tally
 * takes at most SOTTO_REPORTS_MAX = 2^31 reports: |sum| <= 2^62 < 2^63.
 */
typedef struct sotto_tally sotto_tally;

/* An empty tally of an epoch. Copies the spec. SOTTO_E_PHASE for a phase that it does not have. */
SOTTO_API SOTTO_CHECK sotto_status sotto_tally_new(const sotto_resolved *resolved, uint32_t epoch,
                                                   sotto_phase phase, sotto_tally **out);
SOTTO_API void sotto_tally_free(sotto_tally *tally);

/* Adds a report. Refuses, and changes nothing, one of another spec or epoch, or with an index that
 * the epoch's codebook does not have, or when the tally is full. */
SOTTO_API SOTTO_CHECK sotto_status sotto_fold(sotto_tally *tally, const sotto_report *report);

/* Adds all of `from`, a tally of the same spec, epoch and phase. */
SOTTO_API SOTTO_CHECK sotto_status sotto_merge(sotto_tally *tally, const sotto_tally *from);

SOTTO_API uint64_t sotto_tally_count(const sotto_tally *tally);

/* The sums: codeword coordinates in 2^-30ths, or ticks. Shared parameters: one row. Per-arm: one
 * row an arm, holding the reports assigned to or tagged with that arm, or all reports times its
 * sign. */
SOTTO_API const int64_t *sotto_tally_sums(const sotto_tally *tally, uint32_t *count);

/* Reports that count for an arm: those assigned to it in warm-up or tagged with it; otherwise all.
 */
SOTTO_API uint64_t sotto_tally_arm_count(const sotto_tally *tally, uint32_t arm);

/* The unbiased mean of what was reported, the score v of the unit ball or the statistic in ticks:
 * B/2^30 (or the grid) times sums over count. `out` has as many numbers as there are sums; all 0
 * while the tally is empty. */
SOTTO_API void sotto_tally_mean(const sotto_tally *tally, double *out);

SOTTO_API size_t sotto_tally_bytes(const sotto_tally *tally);
SOTTO_API SOTTO_CHECK sotto_status sotto_tally_encode(const sotto_tally *tally, uint8_t *out,
                                                      size_t capacity_bytes);
/* A tally from its bytes; *out is NULL unless SOTTO_OK. */
SOTTO_API SOTTO_CHECK sotto_status sotto_tally_decode(const sotto_resolved *resolved,
                                                      const uint8_t *bytes, size_t bytes_count,
                                                      sotto_tally **out);

#ifdef __cplusplus
}
#endif
#endif
