/* The folder of a page, and its manifest. */
#include "folder.h"
#include "core/digest.h"
#include "core/fault.h"
#include "lab/page/whole_file.h"
#include "lab/run/rows.h"

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
    snprintf(text + length, SOTTO__MANIFEST_BYTES - length, SOTTO__MANIFEST_SHARD, s->shard.index,
             s->shard.count, sotto__reproduction_parts(s));
}

/* Whether the folder has nothing in it. */
static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    bool empty = true;
    if (folder == NULL) return true; /* making files in it will say why */
    while ((entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) empty = false;
    }
    closedir(folder);
    return empty;
}

/* The first line in which two manifests differ. */
static const char *other_fault(const char *old, const char *ours, char *fault)
{
    size_t at = 0, start = 0;
    while (old[at] != '\0' && old[at] == ours[at]) {
        if (old[at++] == '\n') start = at;
    }
    /* Only the lines of a shard may be missing. */
    const char *there = old[start] == '\0' ? "no shard" : old + start;
    const char *here = ours[start] == '\0' ? "no shard" : ours + start;
    int old_length = (int)strcspn(there, "\n"), length = (int)strcspn(here, "\n");
    return sotto__fault(fault,
                        "holds another page (%.*s; this one: %.*s); two never mix: give another "
                        "folder, or remove that one",
                        old_length < 150 ? old_length : 150, there, length, here);
}

static const char *manifest_fault(sotto__folder *folder, const char *ours, char *fault)
{
    char old[SOTTO__MANIFEST_BYTES] = "";
    ssize_t there = pread(folder->manifest, old, sizeof old - 1, 0);
    if (there == 0 && sotto__write_all(folder->manifest, ours, strlen(ours))) return NULL;
    if (there <= 0) return sotto__fault(fault, "reproduce.txt: %s", strerror(errno));
    if (strcmp(old, ours) == 0) return NULL;
    folder->foreign = true;
    return other_fault(old, ours, fault);
}

static const char *make_folder(const char *path, char *fault)
{
    struct stat about;
    if (mkdir(path, 0777) == 0) return NULL;
    if (errno != EEXIST || stat(path, &about) != 0) {
        return sotto__fault(fault, "%s", strerror(errno));
    }
    return S_ISDIR(about.st_mode) ? NULL : sotto__fault(fault, "this is not a folder");
}

const char *sotto__folder_open_as(sotto__folder *folder, const char *out, const char *manifest,
                                  char fault[SOTTO_FAULT_BYTES])
{
    char path[SOTTO__PATH_BYTES], runs[SOTTO__PATH_BYTES];
    *folder = (sotto__folder){.manifest = -1};
    if (!sotto__path(path, out, "reproduce", ".txt") || !sotto__path(runs, out, "runs", "")) {
        return sotto__fault(fault, "%s", strerror(ENAMETOOLONG));
    }
    if (make_folder(out, fault) != NULL) return fault;
    if (access(path, F_OK) != 0 && !is_empty(out)) {
        folder->foreign = true;
        return sotto__fault(fault, "the folder has files that are no page of ours; give another, "
                                   "or an empty one");
    }
    folder->manifest = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (folder->manifest < 0) return sotto__fault(fault, "reproduce.txt: %s", strerror(errno));
    if (flock(folder->manifest, LOCK_EX | LOCK_NB) != 0) {
        return sotto__fault(fault, "another sotto reproduce is at work there");
    }
    if (manifest_fault(folder, manifest, fault) != NULL) return fault;
    return make_folder(runs, fault);
}

const char *sotto__folder_open(sotto__folder *folder, const sotto__reproduction_settings *settings,
                               char fault[SOTTO_FAULT_BYTES])
{
    char manifest[SOTTO__MANIFEST_BYTES], shards[SOTTO__PATH_BYTES];
    manifest_text(settings, manifest);
    if (sotto__folder_open_as(folder, settings->out, manifest, fault) != NULL) return fault;
    if (settings->shard.count == 0) return NULL;
    if (sotto__path(shards, settings->out, "shards", "")) return make_folder(shards, fault);
    return sotto__fault(fault, "%s", strerror(ENAMETOOLONG));
}

void sotto__folder_close(sotto__folder *folder)
{
    if (folder->manifest >= 0) close(folder->manifest);
    folder->manifest = -1;
}
