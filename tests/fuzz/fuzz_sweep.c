/* Whatever a rows file has: refused with a reason, or read; and it is whole only if it is a good one to the byte. If
 * the first byte is not 0, a good file stands before the rest, up to a place that it chooses: random bytes would
 * never have the right SHA-256. A merge of it and of the other shard writes the rows of one machine, or
 * nothing. Who goes on with it refuses it, and it is as before; or takes runs of the sweep, each once, and the same ones
 * when it is opened again. */
#include "lab/run/run.h"
#include "memory_file.h"
#include "shards.h"
#include "why.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_MAX 131072u

static sotto__comparison comparison;
static bool ready;
static uint8_t good[BYTES_MAX], rows[BYTES_MAX];
static size_t good_bytes, rows_bytes;
static char path[4][64]; /* the shards, all rows, and what was merged */

static size_t read_all(const char *name, uint8_t *bytes)
{
    int fd = open(name, O_RDONLY);
    ssize_t count = read(fd, bytes, BYTES_MAX);
    fuzz_require(fd >= 0 && count > 0 && count < (ssize_t)BYTES_MAX);
    close(fd);
    return (size_t)count;
}

static void make_good(void)
{
    small_comparison_new(&comparison);
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(path[i], sizeof path[i], "fuzz_sweep_%ld_%u", (long)getpid(), i);
    }
    shard_write(path[0], &comparison, (sotto__shard){1, 2, 0}, SOTTO__TEXT_CSV);
    shard_write(path[1], &comparison, (sotto__shard){2, 2, 0}, SOTTO__TEXT_CSV);
    shard_write(path[2], &comparison, (sotto__shard){0}, SOTTO__TEXT_CSV);
    good_bytes = read_all(path[0], good);
    rows_bytes = read_all(path[2], rows);
}

static void merge_all(bool whole)
{
    static uint8_t merged[BYTES_MAX];
    struct stat about;
    const char *const shards[] = {path[0], path[1]};
    const char *said = WHY(sotto_shards_merge, shards, 2, path[3]);
    fuzz_require((said == NULL) == whole);
    fuzz_require((stat(path[3], &about) == 0) == whole);
    if (!whole) return;
    fuzz_require(read_all(path[3], merged) == rows_bytes && memcmp(merged, rows, rows_bytes) == 0);
    unlink(path[3]);
}

static uint64_t go_on(bool *taken)
{
    sotto__results results;
    sotto__resume resume = SOTTO__RESUME_NONE;
    fuzz_require(sotto__results_new(&comparison, &results) == SOTTO_OK);
    const char *said =
        WHY(sotto__resume_open, &resume, path[0], &comparison, &(sotto__shard){1, 2, 0}, &results);
    *taken = said == NULL;
    uint64_t kept = *taken ? resume.kept_count : 0;
    fuzz_require(*taken || said[0] != '\0');
    fuzz_require(!*taken || (kept == results.done_count && kept <= SMALL_RUNS));
    sotto__resume_close(&resume);
    sotto__results_free(&results);
    return kept;
}

static void go_on_twice(size_t size, bool whole)
{
    struct stat about;
    bool taken, again;
    uint64_t kept = go_on(&taken);
    fuzz_require(stat(path[0], &about) == 0);
    if (!taken || whole) fuzz_require(about.st_size == (off_t)size);
    if (taken) fuzz_require(go_on(&again) == kept && again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[2 * BYTES_MAX];
    sotto__rows_file file;
    if (size < 1 || size > BYTES_MAX) return 0;
    if (!ready) make_good();
    ready = true;
    size_t before = good_bytes * data[0] / 255u;
    memcpy(bytes, good, before);
    memcpy(bytes + before, data + 1, size - 1);
    size += before - 1;
    int fd = open(path[0], O_RDWR | O_CREAT | O_TRUNC, 0600);
    fuzz_require(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    close(fd);
    const char *said = WHY(sotto__rows_file_read, path[0], &file);
    bool same = size == good_bytes && memcmp(bytes, good, size) == 0;
    fuzz_require(said == NULL || said[0] != '\0');
    /* A file with another first line of its own, and the SHA-256 of it, is whole, too: no fuzzer finds one. */
    fuzz_require((said == NULL && file.whole) == same);
    merge_all(same);
    go_on_twice(size, same);
    return 0;
}
