/*
 * Whatever manifests stand in the folders of two shards, which come from other machines: refused with a sentence that a
 * terminal can show, or joined to a folder with the manifest of both, without the lines of a shard. A zero byte parts the
 * manifests. The folders hold no runs; those are the matter of fuzz_shard.
 */
#include "lab/paper/join.h"
#include "specs.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BYTES_MAX 16384u

static char part[2][64], out[64];

static void make_folders(void)
{
    char path[100];
    snprintf(out, sizeof out, "fuzz_join_%ld", (long)getpid()); /* in the run's own folder */
    for (int i = 0; i < 2; i++) {
        snprintf(part[i], sizeof part[i], "%s_%d", out, i);
        fuzz_require(mkdir(part[i], 0700) == 0);
        snprintf(path, sizeof path, "%s/shards", part[i]);
        fuzz_require(mkdir(path, 0700) == 0);
    }
}

static void write_manifest(int i, const uint8_t *bytes, size_t count)
{
    char path[100];
    snprintf(path, sizeof path, "%s/reproduce.txt", part[i]);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    fuzz_require(fd >= 0 && write(fd, bytes, count) == (ssize_t)count);
    close(fd);
}

/* What was joined begins as both parts do, and says nothing of a shard. */
static void check_joined(const uint8_t *first, size_t first_bytes)
{
    static char text[BYTES_MAX];
    char path[100];
    snprintf(path, sizeof path, "%s/reproduce.txt", out);
    int fd = open(path, O_RDONLY);
    fuzz_require(fd >= 0);
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    fuzz_require(got >= 0 && (size_t)got < first_bytes);
    text[got] = '\0';
    fuzz_require(memcmp(text, first, (size_t)got) == 0 && strstr(text, "\nshard ") == NULL);
    fuzz_require(memcmp(first + got, "shard ", 6) == 0);
}

static void remove_joined(void)
{
    char path[100];
    snprintf(path, sizeof path, "%s/reproduce.txt", out);
    unlink(path);
    snprintf(path, sizeof path, "%s/runs", out);
    rmdir(path);
    rmdir(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const folder[] = {part[0], part[1]};
    char fault[SOTTO_FAULT_BYTES] = "";
    bool foreign;
    if (size > BYTES_MAX) return 0;
    if (out[0] == '\0') make_folders();
    const uint8_t *zero = size == 0 ? NULL : memchr(data, 0, size);
    size_t first = zero == NULL ? size : (size_t)(zero - data);
    write_manifest(0, data, first);
    if (zero != NULL) write_manifest(1, zero + 1, size - first - 1);
    const char *said = sotto__join(folder, zero == NULL ? 1 : 2, out, &foreign, fault);
    fuzz_require(!foreign && (said == NULL || (said == fault && fault[0] != '\0')));
    for (const char *at = fault; said != NULL && *at != '\0'; at++) {
        fuzz_require((unsigned char)*at >= ' ' && *at != 127);
    }
    if (said == NULL) check_joined(data, first);
    remove_joined();
    return 0;
}
