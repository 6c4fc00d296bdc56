/* Files of the shards of the small comparison (comparisons.h), all of whose runs are finished. */
#ifndef SOTTO_SHARDS_H
#define SOTTO_SHARDS_H

#include "comparisons.h"
#include "lab/run/rows.h"
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Writes the rows of a shard; count 0: all of them, as one machine does. */
static inline void shard_write(const char *path, const sotto__comparison *comparison,
                               sotto__shard shard, sotto__text_format format)
{
    sotto__results results;
    sotto__rows rows = {.format = format, .shard = shard};
    uint64_t runs = sotto_sweep_runs(&comparison->sweep);
    assert_ok(sotto__results_new(comparison, &results));
    for (uint64_t run = 0; run < runs; run++) {
        if (sotto__shard_has(&shard, run)) small_take(&results, comparison, run);
    }
    rows.text = malloc((size_t)comparison->sweep.at_count * SOTTO__ROW_BYTES);
    rows.file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_non_null(rows.text);
    assert_true(rows.file >= 0);
    assert_true(sotto__rows_begin(&rows, comparison));
    assert_true(sotto__rows_end(&rows, comparison, &results));
    close(rows.file);
    free(rows.text);
    sotto__results_free(&results);
}

#endif
