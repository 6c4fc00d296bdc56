/* Files with the shards of the small comparison (comparisons.h), all of whose runs are finished. */
#ifndef SOTTO_SHARDS_H
#define SOTTO_SHARDS_H

#include "comparisons.h"
#include "lab/run/run.h"
#include "test.h"

/* Writes the rows of a shard; count 0: all rows, as a single machine does. */
static inline void shard_write(const char *path, const sotto__comparison *comparison,
                               sotto__shard shard, sotto__text_format format)
{
    sotto__results results;
    uint64_t runs = sotto_sweep_runs(&comparison->sweep);
    assert_ok(sotto__results_new(comparison, &results));
    for (uint64_t run = 0; run < runs; run++) {
        if (sotto__shard_has(&shard, run)) small_take(&results, comparison, run);
    }
    assert_true(sotto__rows_save(path, format, &shard, comparison, &results));
    sotto__results_free(&results);
}

#endif
