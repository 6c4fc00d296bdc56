/*
 * The folder of a report. Its manifest, `reproduce.txt`, names everything that determines what the
 * folder holds: the program by its bytes, the scale, the seeds, the experiments. A folder with
 * another manifest, or with files and no manifest, is left alone: two reports never mix.
 */
#include "cli/option/args.h"
#include "core/digest.h"
#include "lab/run/rows.h"
#include "reproduce.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST_BYTES 4096u
#define MANIFEST "reproduce.txt"

static int failed(const char *path, const char *why)
{
    fprintf(stderr, REPRODUCE ": --out %s: %s\n", path, why);
    return EXIT_FAILED;
}

/* SHA-256 of a file in hexadecimal; "unknown" where it cannot be read. */
static void file_digest(const char *path, char hex[2 * SOTTO__DIGEST_BYTES + 1])
{
    uint8_t bytes[SOTTO__DIGEST_BYTES];
    char block[65536];
    size_t count;
    sotto__digest digest;
    FILE *file = fopen(path, "rb");
    snprintf(hex, 2 * SOTTO__DIGEST_BYTES + 1, "unknown");
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

static void manifest_text(const reproduction *r, char text[MANIFEST_BYTES])
{
    char program[2 * SOTTO__DIGEST_BYTES + 1], data[2 * SOTTO__DIGEST_BYTES + 1] = "the stand-in";
    file_digest("/proc/self/exe", program);
    if (r->data != NULL) file_digest(r->data, data);
    snprintf(text, MANIFEST_BYTES,
             "sotto reproduce, version %s\nprogram %s\nscale %s\nfirst seed %" PRIu64
             "\nseeds %u\nhorizon %" PRIu64 "\nexperiments %s\ndata %s\n",
             sotto_version(), program, sotto__scale_name((uint32_t)r->scale), r->first_seed,
             r->seeds, r->horizon, r->only == NULL ? "all" : r->only, data);
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

/* The first line in which two manifests differ, of the old one. */
static int refuse_other(const reproduction *r, const char *old, const char *ours)
{
    size_t at = 0, start = 0;
    while (old[at] != '\0' && old[at] == ours[at]) {
        if (old[at++] == '\n') start = at;
    }
    fprintf(stderr,
            REPRODUCE ": --out %s: holds another report (%.*s; this one: %.*s); two never mix: "
                      "give another folder, or remove that one\n",
            r->out, (int)strcspn(old + start, "\n"), old + start, (int)strcspn(ours + start, "\n"),
            ours + start);
    return EXIT_USAGE;
}

static int check_manifest(reproduction *r, const char *path)
{
    char ours[MANIFEST_BYTES], old[MANIFEST_BYTES] = "";
    manifest_text(r, ours);
    ssize_t there = pread(r->manifest, old, sizeof old - 1, 0);
    if (there < 0) return failed(path, strerror(errno));
    if (there > 0) return strcmp(old, ours) == 0 ? EXIT_OK : refuse_other(r, old, ours);
    return sotto__write_all(r->manifest, ours, strlen(ours)) ? EXIT_OK
                                                             : failed(path, strerror(errno));
}

static int make_folder(const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) == 0) return EXIT_OK;
    if (errno != EEXIST) return failed(path, strerror(errno));
    if (stat(path, &about) != 0) return failed(path, strerror(errno));
    return S_ISDIR(about.st_mode) ? EXIT_OK : failed(path, "this is not a folder");
}

int reproduce_folder_open(reproduction *r)
{
    const char *path = sotto__pool_print(&r->pool, "%s/" MANIFEST, r->out);
    int code = make_folder(r->out);
    r->manifest = -1;
    if (code != EXIT_OK) return code;
    if (access(path, F_OK) != 0 && !is_empty(r->out)) {
        fprintf(stderr,
                REPRODUCE ": --out %s: the folder has files that are no report of ours; give "
                          "another, or an empty one\n",
                r->out);
        return EXIT_USAGE;
    }
    r->manifest = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (r->manifest < 0) return failed(path, strerror(errno));
    if (flock(r->manifest, LOCK_EX | LOCK_NB) != 0) {
        return failed(r->out, "another sotto reproduce is at work there");
    }
    code = check_manifest(r, path);
    return code == EXIT_OK ? make_folder(sotto__pool_print(&r->pool, "%s/runs", r->out)) : code;
}

void reproduce_folder_close(reproduction *r)
{
    if (r->manifest >= 0) close(r->manifest);
}
