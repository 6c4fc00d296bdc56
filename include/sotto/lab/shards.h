/*
 * The lab: a sweep on several machines, as `sotto simulate --shard I/N` and `sotto merge` do it.
 *
 * Each machine plays its shard of the runs and writes a file of it. The files of all shards, merged, are
 * to the byte what one machine writes. No machine needs to know of another.
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

/* SOTTO_OK if there can be a shard `index` of `count`: index is 1 to count, count 1 to SOTTO_SHARDS_MAX.
 * Otherwise SOTTO_E_FAULT. */
SOTTO_API SOTTO_CHECK sotto_status sotto_shard_fault(uint32_t index, uint32_t count,
                                                     sotto_fault *fault);
/* Whether a run of a sweep (as sotto_sweep_runs counts them) belongs to the shard. Every run belongs to
 * one shard of `count`, and to one only. False if there is no such shard. */
SOTTO_API bool sotto_shard_holds(uint64_t run, uint32_t index, uint32_t count);
/* How many of the first `runs` runs it holds; 0 if there is no such shard. */
SOTTO_API uint64_t sotto_shard_runs(uint64_t runs, uint32_t index, uint32_t count);

/* Writes the file of a shard, as CSV: an old file is overwritten. All runs that the shard holds are
 * finished; others may be, and are left out. */
SOTTO_API SOTTO_CHECK sotto_status sotto_comparison_write_shard(const sotto_comparison *comparison,
                                                                uint32_t index, uint32_t count,
                                                                const char *path,
                                                                sotto_fault *fault);

/* Joins the files of all shards of a sweep, in any order, to the rows that one machine writes: CSV or
 * JSON lines, as the shards are. Nothing is written unless all shards are there, once, whole, and of the
 * same sweep. `out` is overwritten; it is none of the files. The fault names the files. */
SOTTO_API SOTTO_CHECK sotto_status sotto_shards_merge(const char *const *path, uint32_t paths_count,
                                                      const char *out, sotto_fault *fault);

#ifdef __cplusplus
}
#endif
#endif
