/* Whatever a resume file of a sweep has: refused with a reason, and the file is as before; or runs of this sweep,
 * each once, and what follows the last whole one was dropped. If the first byte is not 0, a good file with two runs
 * stands before the rest, up to a place that it chooses: random bytes would never have the hash of the sweep. */
#include "comparisons.h"
#include "lab/run/resume.h"
#include "memory_file.h"

#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BYTES_MAX 131072u

static sotto__comparison comparison;
static bool ready;
static uint8_t good[BYTES_MAX];
static size_t good_bytes;

/* Through a name, since the reader locks the file and may make it. */
static void write_file(const char *path, const uint8_t *data, size_t size)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    fuzz_require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
}

static void make_good(const char *path)
{
    char fault[SOTTO_FAULT_BYTES] = "";
    sotto__results results;
    sotto__resume resume = SOTTO__RESUME_NONE;
    small_comparison_new(&comparison);
    unlink(path);
    fuzz_require(sotto__results_new(&comparison, &results) == SOTTO_OK);
    fuzz_require(sotto__resume_open(&resume, path, &comparison, &results, fault) == NULL);
    for (uint64_t run = 0; run < 2; run++) {
        small_take(&results, &comparison, run);
        fuzz_require(sotto__resume_add(&resume, &comparison, &results, run));
    }
    sotto__resume_close(&resume);
    sotto__results_free(&results);
    int fd = open(path, O_RDONLY);
    ssize_t bytes = read(fd, good, sizeof good);
    fuzz_require(bytes > 0 && bytes < (ssize_t)sizeof good);
    good_bytes = (size_t)bytes;
    close(fd);
}

static size_t open_file(const char *path, bool *taken)
{
    char fault[SOTTO_FAULT_BYTES] = "";
    sotto__results results;
    sotto__resume resume = SOTTO__RESUME_NONE;
    fuzz_require(sotto__results_new(&comparison, &results) == SOTTO_OK);
    const char *said = sotto__resume_open(&resume, path, &comparison, &results, fault);
    *taken = said == NULL;
    size_t kept = *taken ? (size_t)resume.kept_count : 0;
    fuzz_require(*taken || said[0] != '\0');
    fuzz_require(!*taken || (kept == results.done_count && kept <= SMALL_RUNS));
    sotto__resume_close(&resume);
    sotto__results_free(&results);
    return kept;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    struct stat about;
    bool taken, again;
    static uint8_t bytes[2 * BYTES_MAX];
    if (size < 1 || size > BYTES_MAX) return 0;
    if (!ready) {
        snprintf(path, sizeof path, "fuzz_resume_%ld", (long)getpid());
        make_good(path);
    }
    ready = true;
    size_t before = good_bytes * data[0] / 255u;
    memcpy(bytes, good, before);
    memcpy(bytes + before, data + 1, size - 1);
    size += before - 1;
    write_file(path, bytes, size);
    size_t kept = open_file(path, &taken);
    fuzz_require(stat(path, &about) == 0);
    if (!taken) {
        fuzz_require(about.st_size == (off_t)size);
    } else {
        fuzz_require(open_file(path, &again) == kept && again);
    }
    unlink(path);
    return 0;
}
