/* The directory of a page, and its manifest. */
#include "core/core.h"
#include "lab/page/page.h"
#include "lab/run/run.h"
#include "paper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEX_BYTES (2 * SOTTO__DIGEST_BYTES + 1)

/* SHA-256 of a file in hexadecimal; "unknown" where it cannot be read. */
static void file_digest(const char *path, char hex[HEX_BYTES])
{
    uint8_t bytes[SOTTO__DIGEST_BYTES];
    char block[65536];
    size_t count;
    sotto__digest digest;
    FILE *file = fopen(path, "rb");
    snprintf(hex, HEX_BYTES, "unknown");
    if (file == NULL) return;
    sotto__digest_begin(&digest);
    while ((count = fread(block, 1, sizeof block, file)) > 0) {
        sotto__digest_add(&digest, block, count);
    }
    sotto__digest_end(&digest, bytes);
    fclose(file);
    for (uint32_t i = 0; i < SOTTO__DIGEST_BYTES; i++) {
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    }
}

static void manifest_text(const sotto__reproduction_settings *s, char text[SOTTO__MANIFEST_BYTES])
{
    char program[HEX_BYTES], data[HEX_BYTES] = "the stand-in";
    file_digest(s->program, program);
    if (s->data != NULL) file_digest(s->data, data);
    snprintf(text, SOTTO__MANIFEST_BYTES,
             "sotto reproduce, version %s\nprogram %s\nscale %s\nfirst seed %" PRIu64
             "\nseeds %u\nhorizon %" PRIu64 "\nexperiments %s\ndata %s\n",
             sotto_version(), program, sotto__scale_name(s->scale), s->first_seed, s->seeds,
             s->horizon, s->only == NULL ? "all" : s->only->name, data);
    if (s->shard.count == 0) return;
    size_t length = strlen(text);
    snprintf(text + length, SOTTO__MANIFEST_BYTES - length, "shard %u of %u\n", s->shard.index,
             s->shard.count);
}

/* Whether the directory has nothing in it. */
static bool is_empty(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    bool empty = true;
    if (directory == NULL) return true; /* creating files in it will report the error */
    while ((entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) empty = false;
    }
    closedir(directory);
    return empty;
}

/* The first line in which two manifests differ. */
static sotto_status other_fault(const char *old, const char *ours, sotto_fault *fault)
{
    size_t at = 0, start = 0;
    while (old[at] != '\0' && old[at] == ours[at]) {
        if (old[at++] == '\n') start = at;
    }
    /* Only the line of a shard may be missing. */
    const char *there = old[start] == '\0' ? "no shard" : old + start;
    const char *here = ours[start] == '\0' ? "no shard" : ours + start;
    int old_length = (int)strcspn(there, "\n"), length = (int)strcspn(here, "\n");
    return sotto__refuse(
        fault,
        "holds another page (%.*s; this one: %.*s); give another directory, or remove that one",
        old_length < 150 ? old_length : 150, there, length, here);
}

static sotto_status manifest_fault(sotto__directory *directory, const char *ours,
                                   sotto_fault *fault)
{
    char old[SOTTO__MANIFEST_BYTES] = "";
    ssize_t there = pread(directory->manifest, old, sizeof old - 1, 0);
    if (there == 0 && sotto__write_all(directory->manifest, ours, strlen(ours))) return SOTTO_OK;
    if (there <= 0) return sotto__refuse(fault, "reproduce.txt: %s", strerror(errno));
    if (strcmp(old, ours) == 0) return SOTTO_OK;
    directory->foreign = true;
    return other_fault(old, ours, fault);
}

static sotto_status make_directory(const char *path, sotto_fault *fault)
{
    struct stat about;
    if (mkdir(path, 0777) == 0) return SOTTO_OK;
    if (errno != EEXIST || stat(path, &about) != 0) {
        return sotto__refuse(fault, "%s", strerror(errno));
    }
    return S_ISDIR(about.st_mode) ? SOTTO_OK : sotto__refuse(fault, "this is not a directory");
}

sotto_status sotto__directory_open_as(sotto__directory *directory, const char *out,
                                      const char *manifest, sotto_fault *fault)
{
    char path[SOTTO__PATH_BYTES], runs[SOTTO__PATH_BYTES];
    *directory = (sotto__directory){.manifest = -1};
    if (!sotto__path(path, out, "reproduce", ".txt") || !sotto__path(runs, out, "runs", "")) {
        return sotto__refuse(fault, "%s", strerror(ENAMETOOLONG));
    }
    if (make_directory(out, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    if (access(path, F_OK) != 0 && !is_empty(out)) {
        directory->foreign = true;
        return sotto__refuse(fault, "the directory has files that do not belong to a page; give "
                                    "another or an empty directory");
    }
    directory->manifest = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (directory->manifest < 0) return sotto__refuse(fault, "reproduce.txt: %s", strerror(errno));
    if (flock(directory->manifest, LOCK_EX | LOCK_NB) != 0) {
        return sotto__refuse(fault, "another sotto reproduce uses the directory");
    }
    if (manifest_fault(directory, manifest, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    return make_directory(runs, fault);
}

sotto_status sotto__directory_open(sotto__directory *directory,
                                   const sotto__reproduction_settings *settings, sotto_fault *fault)
{
    char manifest[SOTTO__MANIFEST_BYTES];
    manifest_text(settings, manifest);
    return sotto__directory_open_as(directory, settings->out, manifest, fault);
}

void sotto__directory_close(sotto__directory *directory)
{
    if (directory->manifest >= 0) close(directory->manifest);
    directory->manifest = -1;
}
