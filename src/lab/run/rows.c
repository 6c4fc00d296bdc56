/* Rows of a comparison. */
#include "lab/player/player.h"
#include "run.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t sotto__row_text(const char *method, double epsilon, uint64_t seed, const sotto_point *point,
                       sotto__text_format format, char *text)
{
    char regret[SOTTO__NUMBER_BYTES], error[SOTTO__NUMBER_BYTES];
    sotto__number_text(point->regret, SOTTO__NUMBER_DIGITS, format, regret);
    sotto__number_text(point->estimation_error, SOTTO__NUMBER_DIGITS, format, error);
    const char *pattern = format == SOTTO__TEXT_CSV
                              ? "%s,%.15g,%" PRIu64 ",%" PRIu64 ",%s,%s\n"
                              : "{\"method\": \"%s\", \"epsilon\": %.15g, \"seed\": %" PRIu64
                                ", \"t\": %" PRIu64 ", \"regret\": %s, \"estimation_error\": %s}\n";
    int length =
        snprintf(text, SOTTO__ROW_BYTES, pattern, method, epsilon, seed, point->t, regret, error);
    assert(length > 0);
    assert(length < (int)SOTTO__ROW_BYTES);
    return (size_t)length;
}

size_t sotto__run_text(const sotto__comparison *comparison, const sotto__results *results,
                       uint64_t run, sotto__text_format format, char *text)
{
    const sotto_sweep *sweep = &comparison->sweep;
    const char *method = sotto__match_method(sotto__comparison_match(comparison, run));
    double epsilon = comparison->epsilon[run / sweep->seeds_count];
    uint64_t seed = sweep->first_seed + run % sweep->seeds_count;
    const sotto_point *point = sotto__results_points(results, run);
    size_t length = 0;
    for (uint32_t i = 0; i < sweep->at_count; i++) {
        length += sotto__row_text(method, epsilon, seed, &point[i], format, text + length);
    }
    return length;
}

bool sotto__write_all(int file, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t written = write(file, text, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text += written;
        bytes -= (size_t)written;
    }
    return true;
}

static bool put(sotto__rows *rows, const char *text, size_t bytes)
{
    if (rows->shard.count > 0) sotto__digest_add(&rows->digest, text, bytes);
    return sotto__write_all(rows->file, text, bytes);
}

static bool put_head(sotto__rows *rows, const sotto__comparison *comparison)
{
    char text[SOTTO__ROWS_HEAD_BYTES];
    const sotto__rows_head head = sotto__rows_head_of(comparison, &rows->shard, rows->format);
    sotto__digest_begin(&rows->digest);
    return put(rows, text, sotto__rows_head_text(&head, text));
}

bool sotto__rows_begin(sotto__rows *rows, const sotto__comparison *comparison)
{
    static const char header[] = SOTTO_COMPARISON_HEADER;
    if (rows->file < 0) return true;
    if (rows->shard.count > 0 && !put_head(rows, comparison)) return false;
    if (rows->format == SOTTO__TEXT_CSV) return put(rows, header, strlen(header));
    return write(rows->file, "", 0) == 0;
}

/* Writes a run, unless it belongs to another shard. */
static bool write_run(sotto__rows *rows, const sotto__comparison *comparison,
                      const sotto__results *results, uint64_t run)
{
    if (!sotto__shard_has(&rows->shard, run)) return true;
    size_t bytes = sotto__run_text(comparison, results, run, rows->format, rows->text);
    return put(rows, rows->text, bytes);
}

/* Whether a run has been played, or belongs to another shard. */
static bool is_settled(const sotto__rows *rows, const sotto__results *results, uint64_t run)
{
    return results->run[run].done || !sotto__shard_has(&rows->shard, run);
}

bool sotto__rows_advance(sotto__rows *rows, const sotto__comparison *comparison,
                         const sotto__results *results)
{
    uint64_t runs = sotto_sweep_runs(&comparison->sweep);
    if (rows->file < 0) return true;
    while (rows->next < runs && is_settled(rows, results, rows->next)) {
        if (!write_run(rows, comparison, results, rows->next)) return false;
        rows->next++;
    }
    return true;
}

bool sotto__rows_end(sotto__rows *rows, const sotto__comparison *comparison,
                     const sotto__results *results)
{
    uint64_t runs = sotto_sweep_runs(&comparison->sweep);
    char end[SOTTO__ROWS_END_BYTES];
    bool whole = true;
    if (rows->file < 0) return true;
    for (; rows->next < runs; rows->next++) {
        whole &= is_settled(rows, results, rows->next);
        if (!results->run[rows->next].done) continue;
        if (!write_run(rows, comparison, results, rows->next)) return false;
    }
    if (rows->shard.count == 0 || !whole) return true;
    size_t bytes = sotto__rows_end_text(&rows->digest, rows->format, end);
    return sotto__write_all(rows->file, end, bytes);
}

bool sotto__rows_save(const char *path, sotto__text_format format, const sotto__shard *shard,
                      const sotto__comparison *comparison, const sotto__results *results)
{
    sotto__rows rows = {.format = format, .shard = *shard};
    rows.text = malloc((size_t)comparison->sweep.at_count * SOTTO__ROW_BYTES);
    if (rows.text == NULL) return false; /* errno says that there is no memory */
    rows.file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = rows.file >= 0 && sotto__rows_begin(&rows, comparison) &&
                sotto__rows_end(&rows, comparison, results);
    int why = errno;
    if (rows.file >= 0 && close(rows.file) != 0 && good) {
        good = false;
        why = errno;
    }
    free(rows.text);
    errno = why;
    return good;
}
