/*
 * The lab: a sweep on several machines, as `sotto simulate --shard I/N` and `sotto merge` do it.
 *
 * Each machine plays its shard of the runs and writes it to a file. The merged files are byte for byte what
 * one machine would write. Machines need not know of each other.
 *
 *     sotto_comparison_play, known = !sotto_shard_holds -> sotto_comparison_write_shard     on each machine
 *     sotto_shards_merge                                                                    on any of them
 *
 * Not for production. The head of core.h says what NULL does.
 */
#ifndef SOTTO_LAB_SHARDS_H
#define SOTTO_LAB_SHARDS_H

#include <sotto/lab/comparisons.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SOTTO_SHARDS_MAX 100000u

/* SOTTO_OK if index is 1 to count and count is 1 to SOTTO_SHARDS_MAX; otherwise SOTTO_E_FAULT. */
SOTTO_API SOTTO_CHECK sotto_status sotto_shard_fault(uint32_t index, uint32_t count,
                                                     sotto_fault *fault);
/* Whether a run of a sweep (as sotto_sweep_runs counts them) belongs to the shard. Every run belongs to
 * exactly one of `count` shards. False if there is no such shard. */
SOTTO_API bool sotto_shard_holds(uint64_t run, uint32_t index, uint32_t count);
/* The number of the first `runs` runs that belong to the shard; 0 if there is no such shard. */
SOTTO_API uint64_t sotto_shard_runs(uint64_t runs, uint32_t index, uint32_t count);

/* Writes the file of a shard as CSV and overwrites an existing one. All runs of the shard must be
 * finished. Other runs are left out. */
SOTTO_API SOTTO_CHECK sotto_status sotto_comparison_write_shard(const sotto_comparison *comparison,
                                                                uint32_t index, uint32_t count,
                                                                const char *path,
                                                                sotto_fault *fault);

/* Merges the files of all shards of a sweep, in any order, into the rows that one machine would write: CSV
 * or JSON lines, like the shards. Writes nothing unless all shards are there, each once, complete, and of
 * the same sweep. Overwrites `out`, which must not be one of the files. The fault names the files. */
SOTTO_API SOTTO_CHECK sotto_status sotto_shards_merge(const char *const *path, uint32_t paths_count,
                                                      const char *out, sotto_fault *fault);

#ifdef __cplusplus
}
#endif
#endif
